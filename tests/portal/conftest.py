"""What the tests of pages share."""

from __future__ import annotations

import secrets
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def own_counts(settings: Any) -> None:
    """Wrong attempts counted in Redis are not undone with the database: each test counts under a
    prefix of its own."""
    settings.THROTTLE_PREFIX = f"{settings.REDIS_PREFIX}:throttle-{secrets.token_hex(4)}"
