"""Hidden cards opened to a judge (J8): only with a reason, in a case, and on record.

While a duel goes on, a judge of its event sees of it what everybody sees. A reveal opens the
hidden cards to that one judge as the log stands; what is played afterwards is closed again. A duel
that is over, one taken from a replay file and one of pads alone have nothing to close.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from duels.domain.events import BESIDE, DuelEnded, DuelOpened
from duels.domain.reveal_events import HiddenRevealed
from duels.domain.rewind import effective
from duels.domain.seats import PLAYERS
from duels.models import DuelRow, RevealRow
from duels.rules.games import NEW, evolve
from duels.services import stream_of, subject_of
from eventstore import clock
from eventstore.commands import Unit, command
from eventstore.domain.refusal import Refusal, Refused
from eventstore.domain.registry import DomainEvent
from eventstore.ids import is_id
from eventstore.store import read_stream
from people.access import may, require
from people.domain.actor import Actor
from people.domain.permissions import Subject
from people.vault import open_text

OPEN_FIDELITIES = ("imported", "pad")


class Revealed(msgspec.Struct, frozen=True):
    """A reveal as recorded: of which duel, up to which event of its log."""

    duel_id: str
    upto: int


@dataclass(frozen=True, slots=True)
class Reveal:
    """One look of a judge: of which duel, in which case, up to which event, by whom, when (UTC
    text), why (None: that text is erased)."""

    duel_id: str
    match_id: str
    case_id: str
    upto: int
    by: str
    at: str
    reason: str | None


@command("duels.hidden_reveal")
def hidden_reveal(unit: Unit, *, duel_id: str, case_id: str, reason_sealed: str) -> Revealed:
    """Open the hidden cards of a running duel to the actor, a judge, as its log stands now.

    `reason_sealed` is text sealed under the actor's key; whether the case is one of this duel is
    for the room that keeps cases. Raises Refused (`duels.bad_id`, `duels.not_open`,
    `duels.nothing_hidden`, `duels.reason_missing`), NotAllowed.
    """
    stream = stream_of(duel_id)
    recorded = [one.data for one in read_stream(stream)]
    opening = recorded[0] if recorded and isinstance(recorded[0], DuelOpened) else None
    duel = evolve(NEW, opening) if opening is not None else NEW
    require(unit.actor, "duels.hidden_reveal", subject_of(duel))
    if opening is None:
        raise Refused(Refusal("duels.not_open", {}))
    if not reason_sealed or not is_id(case_id):
        raise Refused(Refusal("duels.reason_missing", {}))
    if nothing_hidden(opening, recorded):
        raise Refused(Refusal("duels.nothing_hidden", {}))
    looks = f"reveal-{duel_id}"
    event = HiddenRevealed(
        duel_id, opening.event_id or "", opening.match_id or "", case_id, len(recorded),
        unit.actor.ref, clock.as_text(unit.now), reason_sealed,
    )  # fmt: skip
    unit.append(looks, len(read_stream(looks)), [event])
    return Revealed(duel_id, len(recorded))


def nothing_hidden(opening: DuelOpened, raw: Sequence[DomainEvent]) -> bool:
    """Say whether a duel keeps nothing from its judges: it is over, or never had a closed table."""
    if opening.fidelity in OPEN_FIDELITIES:
        return True
    return any(isinstance(raw[seq - 1], DuelEnded) for seq in reversed(effective(raw)))


def closed_duels(event_id: str) -> dict[str, str]:
    """Return the matches of an event's duels that go on with cards hidden from its judges, by duel
    id. Unguarded: for rooms that decide who gets the log of an event; one query."""
    rows = DuelRow.objects.filter(event_id=event_id, winner="")
    return dict(rows.exclude(fidelity__in=OPEN_FIDELITIES).values_list("duel_id", "match_id"))


def sight(viewer: Actor, opening: DuelOpened, raw: Sequence[DomainEvent], perspective: str) -> int:
    """Return how many events of a log the viewer may see from a perspective to which there is a
    right: all of them for everybody's and the own one; for a judge those before a reveal, and the
    statements that follow it. One query, and none where nothing is asked of the judge."""
    seat = perspective.upper()
    own = seat in PLAYERS and viewer.person_id in opening.seats.get(seat, [])
    if perspective == "public" or own or viewer.system or nothing_hidden(opening, raw):
        return len(raw)
    rows = RevealRow.objects.filter(duel_id=opening.duel_id, by=viewer.person_id or "-")
    upto = max(rows.values_list("upto", flat=True), default=0)
    while 0 < upto < len(raw) and isinstance(raw[upto], BESIDE):
        upto += 1
    return min(upto, len(raw))


def reveals(viewer: Actor, event_id: str, *, case_id: str | None = None) -> list[Reveal]:
    """Return what judges looked at in an event, or in one case, newest first: all of it for the
    head judge, the own looks for a judge. One query, and one for each reason. Raises NotAllowed."""
    subject = Subject(event_id=event_id, public=False)
    require(viewer, "duels.reveals_read", subject)
    rows = RevealRow.objects.filter(event_id=event_id)
    if case_id is not None:
        rows = rows.filter(case_id=case_id)
    if not may(viewer, "duels.reveals_read_all", subject):
        rows = rows.filter(by=viewer.person_id or "-")
    return [
        Reveal(
            row.duel_id, row.match_id, row.case_id, row.upto, row.by, row.at,
            open_text(row.by, row.reason),
        )
        for row in rows
    ]  # fmt: skip


def looked(case_ids: Sequence[str]) -> set[str]:
    """Return those of some cases in which a judge looked at hidden cards. Unguarded: for a room
    whose policy tells the players of a case that is over; one query."""
    return set(
        RevealRow.objects.filter(case_id__in=list(case_ids)).values_list("case_id", flat=True)
    )
