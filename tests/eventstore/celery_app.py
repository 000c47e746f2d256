"""The product's Celery application plus the job of these tests, for a real worker process."""

from __future__ import annotations

import django

django.setup()

from config.celery import app  # noqa: E402
from tests.eventstore import sample  # noqa: E402

__all__ = ["app", "sample"]
