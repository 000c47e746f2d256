"""The bridge to the tournament: what a call must know of its match, and nothing more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from eventstore import clock
from eventstore.prepared import prepared
from judging.domain.acts import MatchFacts
from judging.domain.forgotten import begun_at, is_forgotten
from judging.domain.policy import Pack
from judging.domain.words import Moment
from judging.models import CallRow, EventPackRow
from judging.packs import USUAL, UnknownPack, newest, pack
from tournaments.domain.away import Span, overlap
from tournaments.holds import Hold
from tournaments.house_pack import Terms
from tournaments.models import EventRow, MatchRow
from tournaments.selectors import clock_of, spans_of

DRAFT = "draft"


@dataclass(frozen=True, slots=True)
class MatchNow:
    """A match as it stands: the facts a call freezes, how far it is, its duel logs in order and
    those of them whose result counts already."""

    facts: MatchFacts
    moment: Moment
    duels: tuple[str, ...]
    scored: frozenset[str]
    decided: bool


def match_now(match_id: str) -> MatchNow | None:
    """Return a published match, None when there is none: one query."""
    row = MatchRow.objects.filter(pk=match_id).exclude(state=DRAFT).first()
    if row is None:
        return None
    one, two = row.persons
    running = any(not duel["winner"] for duel in row.duels)
    moment = Moment.BETWEEN_GAMES if row.duels else Moment.BEFORE_MATCH
    if row.winner:
        running, moment = False, Moment.AFTER_MATCH
    return MatchNow(
        facts=MatchFacts(
            match_id=row.id,
            event_id=row.event_id,
            round=row.round,
            table=row.table,
            seats=(tuple(one), tuple(two)),
            entrants=(row.p1, row.p2),
        ),
        moment=Moment.IN_GAME if running else moment,
        duels=tuple(duel["duel_id"] for duel in row.duels if duel["duel_id"]),
        scored=frozenset(
            duel["duel_id"] for duel in row.duels if duel["duel_id"] and duel["winner"]
        ),
        decided=bool(row.winner),
    )


def plays_at(person_id: str | None, match_id: str) -> bool:
    """Say whether a person plays in a match: one query."""
    match = match_now(match_id)
    return match is not None and any(person_id in seat for seat in match.facts.seats)


def extension_of_match(match_id: str) -> int:
    """Return the seconds a table has beyond the clock of its round, from calls and by hand: one
    query."""
    found = MatchRow.objects.filter(pk=match_id).values_list("extension_s", flat=True).first()
    return found or 0


def table_holds(match_ids: Sequence[str]) -> dict[str, Hold]:
    """Return the open calls that hold the time of these tables, by match id: one query,
    and one more where there are any."""
    now = clock.as_text(clock.now())
    rows = list(CallRow.objects.filter(match_id__in=list(match_ids), open=True))
    away = {event_id: spans_of(event_id) for event_id in {row.event_id for row in rows}}
    return {
        row.match_id: Hold(
            row.match_id,
            row.claimed_at or row.raised_at,
            left_open(row, now, away[row.event_id]),
        )
        for row in rows
    }


def ran_s(begun: str, now: str, away: Sequence[Span]) -> int:
    """Return the whole seconds that a clock of a call shows which began at `begun` (UTC texts): it
    stood while the server was away."""
    gone = clock.from_text(now) - clock.from_text(begun) - overlap(away, begun, now)
    return max(0, int(gone.total_seconds()))


def left_open(row: CallRow, now: str, away: Sequence[Span]) -> bool:
    """Say whether a call is open longer than its pack lets anybody believe; `away`: when the
    server was away in its event."""
    policy = pack(row.pack, row.pack_version).time
    begun = begun_at(policy, claimed_at=row.claimed_at, arrived_at=row.arrived_at)
    return row.open and is_forgotten(policy, begun=begun, at=now, away=away)


def table_left(match_id: str, event_id: str, number: int) -> int | None:
    """Return the seconds left on the clock of a table now, its extensions counted; below zero
    when its time is over. None where the round has no clock. Two queries."""
    held = clock_of(event_id, number)
    return None if held is None else held.left_s + extension_of_match(match_id)


def game_of(event_id: str) -> str:
    """Return the game of an event, empty when there is no such event: one query."""
    return EventRow.objects.filter(pk=event_id).values_list("game", flat=True).first() or ""


@prepared
def frozen_packs(event_id: Any) -> Any:
    """Id and version of the pack that the first call of an event froze, if there is one."""
    rows = CallRow.objects.filter(event_id=event_id).order_by("raised_at", "call_id")
    return rows.values_list("pack", "pack_version")[:1]


@prepared
def chosen_packs(event_id: Any) -> Any:
    """The pack (`id@version`) that the organiser chose for an event, if any was."""
    return EventPackRow.objects.filter(pk=event_id).order_by().values_list("ref", flat=True)


def frozen_pack(event_id: str) -> tuple[str, str] | None:
    """Return id and version of the pack that the first call of an event froze: one query."""
    return next(iter(frozen_packs(event_id)), None)


def pack_of(
    event_id: str, chosen: str | None = None, found: Sequence[Sequence[Any]] | None = None
) -> Pack:
    """Return the policy pack of an event: one query once a call was made, at most three before,
    one less with the pack of its settings (`EventRow.pack`) as it was read already, two less with
    `found`, the rows of `frozen_packs` and `chosen_packs`.

    The first call of an event freezes the version: a pack that is updated meanwhile does not
    change an event that is being judged. Until then it is the version that the organiser chose,
    else the newest one of the pack in the settings. Raises packs.UnknownPack.
    """
    frozen, refs = found or (frozen_packs(event_id), None)
    if frozen:
        return pack(*frozen[0])
    if refs is None:
        refs = chosen_packs(event_id)
    if refs and refs[0]:
        name, _, version = refs[0].partition("@")
        return pack(name, version)
    if chosen is None:
        chosen = EventRow.objects.filter(pk=event_id).values_list("pack", flat=True).first() or ""
    name, _, version = chosen.partition("@")
    return pack(name, version) if version else newest(name)


def pack_terms(event_id: str) -> Terms:
    """Return what the room of the tournaments asks of the pack of an event: at most five
    queries."""
    used = pack_or_usual(event_id)
    refs = chosen_packs(event_id)
    late = (used.tardiness.game_loss_after_s, used.tardiness.match_loss_after_s)
    return Terms(used.staff_may_play, late if refs and refs[0] else None)


def pack_or_usual(event_id: str) -> Pack:
    """Return the policy pack of an event, or the house rules where its settings name one that is
    not there: for what goes on without a call. At most four queries."""
    try:
        return pack_of(event_id)
    except UnknownPack:
        return newest(USUAL)
