"""Precedents, the record of a person, the audit: what they tell, to whom, and what never."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from eventstore import checkpoints
from eventstore.domain.refusal import Refused
from eventstore.ids import new_id
from judging import records, services, sheet
from judging.models import RulingRow
from people.access import NotAllowed
from tests.conftest import Member
from tests.helpers import rebuilds_equal
from tests.judging.hall import Hall, open_hall, raise_call, to_table

pytestmark = [pytest.mark.django_db]
ClientOf = Callable[[Member | None], Client]


def warned(judge: Member, hall: Hall, **more: Any) -> str:
    sheet.sheet_rule(
        judge.context("judge"),
        match_id=hall.match_id,
        call_id=new_id(),
        **{
            "infraction": "PE-MINOR",
            "infraction_kind": "missed_effect",
            "seat": hall.seat,
            "note": "Alice forgot the draw of her spell",
            "done": True,
            **more,
        },
    )
    return str(RulingRow.objects.latest("at").pk)


def test_a_precedent_of_another_event_is_found_cited_and_names_nobody(
    hall: Hall, olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member,
    client_of: ClientOf,
) -> None:  # fmt: skip
    first = warned(jude, hall)
    records.precedent_mark(hedda.context("judge"), ruling_id=first, mark="leading")
    later = open_hall(olga, alice, bob, jude, hedda, again=True)
    found = records.precedents(jude.actor, later.event_id, "warning pe-minor")
    assert [(one.ruling_id, one.own, one.mark) for one in found] == [(first, False, "leading")]
    page = client_of(jude).get(f"/staff/events/{later.event_id}/precedents/?q=missed").content
    for word in ("Alice", "forgot", hall.match_id, hall.event_id):
        assert word not in page.decode()
    call_id = raise_call(bob, later.match_id)
    to_table(jude, call_id)
    services.ruling_make(jude.context("judge"), call_id=call_id, rule_id="YGO-16.1", cites=[first])
    again = records.precedents(jude.actor, later.event_id, "pe-minor")
    assert again[0].cited == 1
    assert records.precedents(jude.actor, later.event_id, "nonsense") == []
    assert rebuilds_equal("judging.calls") >= 1


def test_only_the_head_judge_of_the_event_marks(hall: Hall, jude: Member, hedda: Member) -> None:
    ruling = warned(jude, hall)
    with pytest.raises(NotAllowed):
        records.precedent_mark(jude.context("judge"), ruling_id=ruling, mark="leading")
    with pytest.raises(Refused):
        records.precedent_mark(hedda.context("judge"), ruling_id=ruling, mark="golden")
    records.precedent_mark(hedda.context("judge"), ruling_id=ruling, mark="do_not_follow")
    with pytest.raises(Refused):
        records.precedent_mark(hedda.context("judge"), ruling_id=ruling, mark="do_not_follow")
    records.precedent_mark(hedda.context("judge"), ruling_id=ruling, mark="")
    assert records.precedents(hedda.actor, hall.event_id)[0].mark == ""


def test_a_record_counts_this_event_and_tells_others_to_the_head_judge_alone(
    hall: Hall, olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member
) -> None:
    warned(jude, hall)
    later = open_hall(olga, alice, bob, jude, hedda, again=True)
    floor = records.record(jude.actor, later.event_id, later.ea)
    head = records.record(hedda.actor, later.event_id, later.ea)
    assert floor.counts == head.counts == ()
    assert floor.elsewhere is None
    assert [(one.infraction, one.number) for one in head.elsewhere or ()] == [("PE-MINOR", 1)]
    assert [one.number for one in records.record(jude.actor, hall.event_id, hall.ea).counts] == [1]
    for stranger in (alice, bob, hall.dora):
        with pytest.raises(NotAllowed):
            records.record(stranger.actor, hall.event_id, hall.ea)
    with pytest.raises(NotAllowed):
        records.record(hedda.actor, later.event_id, hall.ea)


def test_the_audit_lists_staff_acts_by_person_table_and_kind_with_their_proof(
    hall: Hall, alice: Member, jude: Member, hedda: Member, client_of: ClientOf
) -> None:
    raise_call(alice, hall.match_id)
    warned(jude, hall)
    every = records.audit(hedda.actor, hall.event_id)
    acts = [(one.type, one.more) for one in every.lines]
    assert acts[0][0] == "judging.call_claimed", "one line for what one tap did"
    assert acts[0][1] >= 4
    assert "tournaments.round_paired" in {one.type for one in every.lines}
    assert "judging.call_raised" not in {one.type for one in every.lines}, "a player's act"
    table = hall.match.table
    mine = records.audit(hedda.actor, hall.event_id, who=jude.person_id, table=table)
    assert {one.by_name for one in mine.lines} == {"Jude"}
    ruled = records.audit(hedda.actor, hall.event_id, kind="judging.ruling_made")
    assert [(one.table, one.round) for one in ruled.lines] == [(table, 1)]
    position = ruled.lines[0].position
    assert records.proof(hedda.actor, hall.event_id, position).proof == ""
    checkpoints.checkpoint_make()
    assert "c2sp.org" in records.proof(hedda.actor, hall.event_id, position).proof
    page = client_of(hedda).get(f"/staff/events/{hall.event_id}/audit/?kind=judging.ruling_made")
    assert f"/audit/{position}/" in page.content.decode()
    for member in (jude, alice):
        with pytest.raises(NotAllowed):
            records.audit(member.actor, hall.event_id)
