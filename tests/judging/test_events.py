"""S2 (a): the smaller half of the second scenario, and every event type of the room once."""

from __future__ import annotations

import pytest

from eventstore.domain import registry
from eventstore.ids import new_id
from eventstore.store import read_all
from judging import services
from tests.conftest import Member
from tests.helpers import rebuilds_equal
from tests.judging.hall import Hall, raise_call, to_table

pytestmark = [pytest.mark.django_db, pytest.mark.pg]


def test_a_day_of_calls_uses_every_event_type_and_rebuilds(
    hall: Hall, alice: Member, bob: Member, jude: Member, hedda: Member
) -> None:
    judge, head = jude.context, hedda.context

    # an extra card that can be told apart: a warning, the card goes back, play goes on
    call_id = raise_call(alice, hall.match_id, category="hand_count")
    services.call_raise(bob.context(), call_id=new_id(), match_id=hall.match_id)
    to_table(jude, call_id, time_left_s=1200)
    ruled = services.ruling_make(
        judge("judge"),
        call_id=call_id,
        infraction="DC-MINOR",
        infraction_kind="told_apart",
        target_entrant=hall.ea,
        remedy="resolve_now",
        note="Third card stood apart.",
    )
    assert (ruled.penalty, ruled.approval, ruled.in_force) == ("warning", "not_needed", False)
    services.ruling_accept(alice.context(), call_id=call_id)
    assert services.ruling_accept(bob.context(), call_id=call_id).state == "closed"
    assert hall.wins(hall.eb) == 0

    # two pending losses: one declined, one approved
    for settle in (services.penalty_decline, services.penalty_approve):
        call_id = raise_call(alice, hall.match_id)
        to_table(jude, call_id)
        ruled = services.ruling_make(
            judge("judge"),
            call_id=call_id,
            infraction="DC-MAJOR",
            target_entrant=hall.ea,
            remedy="loss",
        )
        services.call_close(judge("judge"), call_id=call_id)
        settle(head("judge"), call_id=call_id, ruling_id=ruled.ruling_id)
    assert hall.wins(hall.eb) == 1

    # an appeal, a call given back and handed on, a call taken back
    call_id = raise_call(bob, hall.match_id)
    to_table(jude, call_id)
    services.ruling_make(judge("judge"), call_id=call_id, rule_id="YGO-16.1")
    services.call_appeal(bob.context(), call_id=call_id, reason="It was doubled.")
    services.call_claim(head("judge"), call_id=call_id)
    services.appeal_rule(head("judge"), call_id=call_id, outcome="upheld")
    services.call_close(head("judge"), call_id=call_id)
    call_id = raise_call(hall.dora, hall.other_match)
    services.call_claim(judge("judge"), call_id=call_id)
    services.call_give_back(judge("judge"), call_id=call_id)
    services.call_escalate(judge("judge"), call_id=call_id)
    services.call_withdraw(hall.dora.context(), call_id=call_id)

    used = {one.type for one in read_all() if one.type.startswith("judging.")}
    # deck checks, the floor and the sheet have tests of their own
    elsewhere = {
        "tables_picked", "deck_counted", "table_assigned", "length_stated", "decks_taken",
        "deck_photographed", "deck_photo_erased", "deck_returned", "sleeves_marked",
    }  # fmt: skip
    every = {
        name
        for name in registry.registered()
        if registry.class_of(name).__module__ == "judging.events"
    }
    assert used == every - {f"judging.{name}" for name in elsewhere}
    rebuilds_equal()
