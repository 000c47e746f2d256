"""After a round was taken back, with a duel that ran and a call that was open, every page still
answers: nothing that pointed at its matches breaks."""

from __future__ import annotations

import pytest

from tests.conftest import Member
from tests.portal.test_pages import PAGES, House, house  # noqa: F401
from tournaments import services
from tournaments.models import MatchRow

pytestmark = pytest.mark.django_db


def test_every_page_answers_after_a_round_was_deleted(house: House, olga: Member) -> None:  # noqa: F811
    event_id = house.stage.event_id
    services.round_delete(olga.context(), event_id=event_id, number=2, note="the wrong list")
    assert not MatchRow.objects.filter(round=2).exists()
    broken: list[str] = []
    for name in ("alice", "hedda"):
        client = house.client(name)
        client.raise_request_exception = False
        for page in PAGES:
            answer = client.get(house.address(page))
            if answer.status_code >= 500:
                broken.append(f"{page} for {name}: {answer.status_code}")
    assert not broken, "\n".join(broken)
    number = services.round_pair(olga.context(), event_id=event_id, seed=3)
    services.round_publish(olga.context(), event_id=event_id, number=number)
    answer = house.client("alice").get(house.address("/my/{event}/"))
    assert answer.status_code == 200
