"""Many judges claim one call at the same moment: one has it, every other one knows who."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection, connections

from eventstore.domain.refusal import Refused
from eventstore.store import read_stream
from judging import services
from tests.conftest import Member, make_member
from tests.judging.hall import open_hall, raise_call

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.pg]
JUDGES = 6


def test_of_many_judges_one_gets_the_call(
    olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member
) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("threads need one database for all; SQLite in memory is one per connection")
    hall = open_hall(olga, alice, bob, jude, hedda)
    judges = [make_member(40 + one, f"Judge{one}", account=True) for one in range(JUDGES)]
    for judge in judges:
        judge.grant("judge", hall.event_id)
    call_id = raise_call(alice, hall.match_id)
    contexts = [judge.context("judge") for judge in judges]
    gate = Barrier(JUDGES)

    def claim(number: int) -> tuple[str, str]:
        try:
            gate.wait()
            services.call_claim(contexts[number], call_id=call_id)
        except Refused as fault:
            return fault.refusal.code, str(fault.refusal.params.get("by"))
        finally:
            connections.close_all()
        return "got", judges[number].person_id

    with ThreadPoolExecutor(JUDGES) as pool:
        ends = list(pool.map(claim, range(JUDGES)))
    assert sorted(word for word, _ in ends) == ["got"] + ["judging.already_claimed"] * (JUDGES - 1)
    assert len({person for _, person in ends}) == 1
    assert len(read_stream(f"call-{call_id}")) == 2
