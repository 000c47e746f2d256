"""A judge puts a deck list right: a new version, the reason, and the infraction it belongs to.

During a match the infraction is a ruling at the player's table: one that was made, or one that
is made in the same command. Where no match of the player is open (before round 1, between two
rounds) no ruling can be made: then the head judge notes the infraction without a penalty.
"""

from __future__ import annotations

import msgspec
from django.db.models import Q

from decks import services as decks
from eventstore.commands import Unit, command
from eventstore.domain.refusal import Refusal, Refused
from eventstore.ids import is_id, new_id
from judging.domain.listrepair import list_infractions
from judging.domain.policy import Pack
from judging.domain.words import Category, Status
from judging.matches import pack_of
from judging.models import CallRow, RulingRow
from judging.packs import UnknownPack, pack
from judging.services import call_arrive, call_claim, call_raise, ruling_make
from people.access import NotAllowed, require
from people.domain.actor import Actor
from people.domain.permissions import Subject, Verdict
from people.domain.roles import Role
from tournaments.models import EntrantRow, MatchRow
from tournaments.services.loading import refuse_cancelled

ACTION = "decks.list_repair"


class Repaired(msgspec.Struct, frozen=True):
    """A repaired list: its new version, and the ruling it belongs to with its call (empty where
    the head judge noted the infraction without one)."""

    deck_id: str
    number: int
    ruling_id: str
    call_id: str


def _entrant(actor: Actor, event_id: str, entrant_id: str) -> EntrantRow:
    """Return an entrant whose list the actor may repair. Raises NotAllowed."""
    row = EntrantRow.objects.filter(pk=entrant_id, event_id=event_id).first()
    if row is None:
        raise NotAllowed(ACTION, Verdict.HIDDEN)
    require(actor, ACTION, Subject(event_id, frozenset(row.persons), public=False))
    return row


def open_match(row: EntrantRow) -> MatchRow | None:
    """Return the match of an entrant that is played now."""
    mine = MatchRow.objects.filter(Q(p1=row.pk) | Q(p2=row.pk), event_id=row.event_id, winner="")
    return mine.exclude(state="draft").order_by("-round").first()


def rulings_of(row: EntrantRow) -> list[RulingRow]:
    """Return the rulings on an entrant that a repair can belong to, newest first."""
    found = RulingRow.objects.filter(event_id=row.event_id, target_entrant=row.pk)
    return [
        one
        for one in found.order_by("-at")
        if one.infraction in list_infractions(pack(one.pack, one.pack_version))
        and one.approval not in ("declined", "superseded")
    ]


def _pack(event_id: str) -> Pack:
    try:
        return pack_of(event_id)
    except UnknownPack as fault:
        raise Refused(Refusal("judging.unknown_pack", {"found": str(fault)})) from fault


@command("judging.list_repair")
def list_repair(
    unit: Unit,
    *,
    event_id: str,
    entrant_id: str,
    content: str,
    reason: str,
    infraction: str | None = None,
    infraction_kind: str | None = None,
    ruling_id: str | None = None,
    call_id: str | None = None,
) -> Repaired:
    """Replace or take out cards of a list, whatever its lock.

    The infraction is that of `ruling_id`, or a ruling on `infraction` is made here: at the call
    that the judge has at the table, else at a new one (`call_id` names it). Raises Refused
    (judging.own_list, ruling_not_of_list, not_a_list_infraction, head_judge_only,
    call_open_there and those of ruling_make; `decks.illegal_list`, `decks.no_list`,
    `decks.nothing_repaired`, `decks.reason_missing`, `decks.reason_too_long`), NotAllowed.
    """
    row = _entrant(unit.actor, event_id, entrant_id)
    refuse_cancelled(event_id)
    if unit.actor.person_id in row.persons:
        raise Refused(Refusal("judging.own_list"))
    if not row.deck_id:
        raise Refused(Refusal("decks.no_list"))
    ruled_at = ""
    if ruling_id:
        held = next((one for one in rulings_of(row) if one.pk == ruling_id), None)
        if held is None:
            raise Refused(Refusal("judging.ruling_not_of_list", {"found": ruling_id[:40]}))
        code, kind, ruled_at = held.infraction, held.infraction_kind, held.call_id
    else:
        code, kind = _chosen(event_id, infraction, infraction_kind)
    table = None if ruling_id else open_match(row)
    if table is not None:
        ruled_at, ruling_id = _rule(unit, row, table, code, kind, call_id)
    elif not ruling_id and Role.HEAD_JUDGE not in unit.actor.roles_in(event_id):
        raise Refused(Refusal("judging.head_judge_only", {"act": "repair"}))
    made = decks.list_repair(
        unit,
        deck_id=row.deck_id,
        content=content,
        reason=reason,
        infraction=code,
        infraction_kind=kind,
        ruling_id=ruling_id or "",
    )
    return Repaired(row.deck_id, made.number, ruling_id or "", ruled_at)


def _chosen(event_id: str, infraction: str | None, kind: str | None) -> tuple[str, str]:
    known = list_infractions(_pack(event_id))
    if infraction not in known:
        raise Refused(
            Refusal(
                "judging.not_a_list_infraction",
                {"found": (infraction or "")[:40] or None, "allowed": list(known)},
            )
        )
    if kind and kind not in known[infraction]:
        allowed = list(known[infraction])
        raise Refused(
            Refusal("judging.unknown_infraction_kind", {"found": kind[:40], "allowed": allowed})
        )
    return infraction, kind or known[infraction][0]


def _rule(
    unit: Unit, row: EntrantRow, table: MatchRow, code: str, kind: str, call_id: str | None
) -> tuple[str, str]:
    """Make the ruling at the table; return the ids of its call and of itself."""
    held = CallRow.objects.filter(match_id=table.pk, open=True).first()
    if held is None:
        wanted = call_id if call_id and is_id(call_id) else new_id()
        raised = call_raise(unit, call_id=wanted, match_id=table.pk, category=Category.DECK.value)
        call_claim(unit, call_id=raised.call_id)
        call_arrive(unit, call_id=raised.call_id)
        at = raised.call_id
    elif held.claimed_by == unit.actor.ref and held.state in (
        Status.AT_TABLE,
        Status.RULED,
        Status.HJ_CLAIMED,
    ):
        at = held.call_id
    else:
        raise Refused(Refusal("judging.call_open_there"))
    remedy = _pack(row.event_id).infractions[code].remedies[0]
    ruled = ruling_make(
        unit,
        call_id=at,
        infraction=code,
        infraction_kind=kind,
        target_entrant=row.pk,
        remedy=remedy.value,
    )
    return at, ruled.ruling_id
