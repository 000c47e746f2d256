"""The hall as a fixture."""

from __future__ import annotations

import pytest

from tests.conftest import Member
from tests.judging.hall import Hall, open_hall


@pytest.fixture
def hall(olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member) -> Hall:
    """An event whose first round is on."""
    return open_hall(olga, alice, bob, jude, hedda)
