"""Reads of duels. Each read takes its viewer and gives what that viewer may know.

`perspective` is public, p1, p2 or judge, and must be allowed to the viewer: a player's own
seat, and the judges of the event. A judge sees the hidden cards of a running duel only as far as
they were revealed to that judge (duels.reveals). A duel that does not exist answers like a hidden
one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from duels.domain.duel import Infraction
from duels.domain.events import BESIDE, CountDeclared, DuelEnded, DuelOpened
from duels.domain.flags import Flag
from duels.domain.ledger import Ledger, ledger
from duels.domain.lines import Line
from duels.domain.rewind import effective
from duels.domain.seats import PLAYERS, VIEWERS
from duels.models import DuelRow
from duels.reveals import sight
from duels.rules.games import NEW, AnyDuel, evolve, fold, rules_for, rules_of
from duels.services import stream_of, subject_of
from duels.watching import watched
from eventstore import store
from eventstore.domain.envelope import Recorded
from eventstore.domain.refusal import Refusal, Refused
from eventstore.domain.registry import DomainEvent
from eventstore.ids import is_id
from people.access import NotAllowed, may, require
from people.domain.actor import Actor
from people.domain.permissions import Subject, Verdict


@dataclass(frozen=True, slots=True)
class DuelShown:
    """A duel for a perspective: `at` the event looked at, `head` the newest one, the table as
    `view` gives it, seats {P1: [person ids], ...}."""

    duel_id: str
    event_id: str | None
    match_id: str | None
    game: str
    number: int
    seats: dict[str, list[str]]
    perspective: str
    at: int
    head: int
    table: dict[str, Any]


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line: as `lines.Line`, with its source (player, judge, import ...), its fidelity
    (full, pad, reconstructed, imported) and when it was recorded (UTC text)."""

    seq: int
    code: str
    params: dict[str, Any]
    turn: int
    phase: str
    step: str
    struck: bool
    source: str
    fidelity: str
    at: str


def read_duel(duel_id: str) -> list[Recorded]:
    """Return the lines of a duel, none for no such duel. Unguarded; one query."""
    # A damaged id is the id of no duel: a reader is told no more than that.
    return store.read_stream(stream_of(duel_id)) if is_id(duel_id) else []


def read_for(viewer: Actor, duel_id: str) -> list[Recorded]:
    """Return the lines of a duel that a viewer may see by now (duels.watching), none for no such
    duel. Two queries for who only watches, one for all others."""
    return watched(viewer, read_duel(duel_id))


def opening_of(recorded: list[Recorded]) -> DuelOpened | None:
    """Return the opening of a duel that was read."""
    first = recorded[0].data if recorded else None
    return first if isinstance(first, DuelOpened) else None


def guard_perspective(viewer: Actor, recorded: list[Recorded], perspective: str) -> DuelOpened:
    """Ask for the right to a perspective of a duel that was read; return its opening. How far the
    viewer may see from it is for `sighted`. Raises NotAllowed; Refused
    `duels.perspective_unknown`, `duels.not_open`."""
    if perspective not in VIEWERS:
        raise Refused(
            Refusal(
                "duels.perspective_unknown",
                {"found": str(perspective)[:40], "allowed": list(VIEWERS)},
            )
        )
    opening = opening_of(recorded)
    require(viewer, *_needed(opening, perspective))
    if opening is None:
        raise Refused(Refusal("duels.not_open", {}))
    if _across(viewer, opening, perspective):
        raise NotAllowed("duels.duel_read_as_player", Verdict.FORBIDDEN)
    return opening


def sighted(
    viewer: Actor, recorded: list[Recorded], perspective: str, upto: int | None = None
) -> DuelOpened:
    """Ask for the right to a perspective of the first `upto` events (None: all) of a duel that
    was read, hidden cards and all. Raises as guard_perspective; Refused `duels.not_revealed`."""
    opening = guard_perspective(viewer, recorded, perspective)
    seen = sight(viewer, opening, [one.data for one in recorded], perspective)
    if (len(recorded) if upto is None else upto) > seen:
        raise Refused(Refusal("duels.not_revealed", {"found": perspective, "allowed": seen}))
    return opening


def _across(viewer: Actor, opening: DuelOpened, perspective: str) -> bool:
    """Say whether a perspective is that of the viewer's opponent: a judge who plays the duel is a
    player there."""
    seat = perspective.upper()
    if seat not in PLAYERS or viewer.person_id is None:
        return False
    mine = {one for one in PLAYERS if viewer.person_id in opening.seats.get(one, [])}
    return bool(mine) and seat not in mine


def _needed(opening: DuelOpened | None, perspective: str) -> tuple[str, Subject]:
    duel = evolve(NEW, opening) if opening is not None else NEW
    if perspective == "public":
        return "duels.duel_read", subject_of(duel)
    if perspective == "judge":
        return "duels.duel_read_as_judge", subject_of(duel)
    return "duels.duel_read_as_player", subject_of(duel, perspective.upper())


def perspectives(viewer: Actor, duel_id: str, recorded: list[Recorded] | None = None) -> list[str]:
    """Return the perspectives that a viewer may take, public first; empty for no such duel.
    `recorded`: its lines when they are at hand, here and below."""
    opening = opening_of(read_for(viewer, duel_id) if recorded is None else recorded)
    if opening is None:
        return []
    return [
        one
        for one in VIEWERS
        if may(viewer, *_needed(opening, one)) and not _across(viewer, opening, one)
    ]


def duel_view(
    viewer: Actor,
    duel_id: str,
    at: int | None = None,
    perspective: str = "public",
    recorded: list[Recorded] | None = None,
) -> DuelShown:
    """Return the table after event `at` (None: now), one query; two for a judge.

    Raises NotAllowed; Refused `duels.no_such_line`, `duels.perspective_unknown`,
    `duels.not_revealed`, `duels.bad_id`.
    """
    recorded = read_for(viewer, duel_id) if recorded is None else recorded
    guard_perspective(viewer, recorded, perspective)
    head = len(recorded)
    if at is not None and not 1 <= at <= head:
        raise Refused(Refusal("duels.no_such_line", {"found": at, "allowed": [1, head]}))
    shown = head if at is None else at
    opening = sighted(viewer, recorded, perspective, shown)
    duel = fold(one.data for one in recorded[:shown])
    return DuelShown(
        duel_id,
        opening.event_id,
        opening.match_id,
        opening.game,
        opening.number,
        {seat: list(persons) for seat, persons in opening.seats.items()},
        perspective,
        shown,
        head,
        rules_of(opening.game).view(duel, perspective),
    )


def duel_log(
    viewer: Actor,
    duel_id: str,
    perspective: str = "public",
    recorded: list[Recorded] | None = None,
) -> list[LogLine]:
    """Return every line of the raw log, struck ones marked, masked for the perspective: of a
    running duel, a judge reads those that were not revealed as everybody does. One query; two for
    a judge. Raises NotAllowed; Refused `duels.perspective_unknown`, `duels.bad_id`."""
    recorded = read_for(viewer, duel_id) if recorded is None else recorded
    opening = guard_perspective(viewer, recorded, perspective)
    lines = lines_seen(viewer, opening, [one.data for one in recorded], perspective)
    return [
        LogLine(
            line.seq,
            line.code,
            line.params,
            line.turn,
            line.phase,
            line.step,
            line.struck,
            one.meta.source,
            _fidelity(opening, one),
            one.recorded_at,
        )
        for line, one in zip(lines, recorded, strict=True)
    ]


def lines_seen(
    viewer: Actor, opening: DuelOpened, raw: list[DomainEvent], perspective: str
) -> list[Line]:
    """Return the lines of a log as a viewer with a right to the perspective may read them: as far
    as the sight goes from it, and beyond that as everybody."""
    seen = sight(viewer, opening, raw, perspective)
    rules = rules_of(opening.game)
    lines = rules.lines(raw, perspective if seen else "public")
    return lines if seen in (0, len(raw)) else lines[:seen] + rules.lines(raw, "public")[seen:]


def _fidelity(opening: DuelOpened, one: Recorded) -> str:
    """A line's own fidelity: imported lines say so, and an act that a judge wrote into the log
    afterwards is reconstructed; into that of a duel on paper it is written while it is played."""
    if one.meta.source == "import":
        return "imported"
    live = opening.mode == "recorded" and opening.fidelity == "full"
    judge = one.meta.source == "judge" and not isinstance(one.data, (*BESIDE, DuelOpened))
    if judge and not live:
        return "reconstructed"
    return opening.fidelity


def lp_ledger(viewer: Actor, duel_id: str, recorded: list[Recorded] | None = None) -> Ledger:
    """Return derived Life Points beside both pads; Life Points are public. One query. Raises
    NotAllowed; Refused `duels.bad_id`."""
    recorded = read_for(viewer, duel_id) if recorded is None else recorded
    opening = guard_perspective(viewer, recorded, "public")
    raw = [one.data for one in recorded]
    if opening.fidelity == "pad":
        return ledger(raw, None, opening.life_points)
    derived = []
    rules = rules_of(opening.game)
    duel = NEW
    for event in raw:
        duel = evolve(duel, event)
        derived.append(rules.points(duel.table))
    return ledger(raw, derived, opening.life_points)


def counts_wrong(recorded: Iterable[Recorded]) -> frozenset[int]:
    """Return the lines whose declared count of a zone is not what lay there: sizes are public.
    Unguarded, for lines that were read for a viewer."""
    raw = [one.data for one in recorded]
    if not any(isinstance(event, CountDeclared) for event in raw):
        return frozenset()
    wrong: set[int] = set()
    duel = NEW
    for event in raw:
        duel = evolve(duel, event)
        if isinstance(event, CountDeclared):
            count = duel.counts[event.player, event.about, event.zone]
            if count.declared != count.held:
                wrong.add(count.seq)
    return frozenset(wrong)


def measured(recorded: list[Recorded], accounts: Ledger) -> list[tuple[int, dict[str, int]]]:
    """Return (line, by seat what tells who is ahead) for the first line and wherever it changes:
    of the table, or of the pads where there is none. Public in every game; unguarded, for who
    was let see the duel. No query."""
    opening = opening_of(recorded)
    if opening is None:
        return []
    if opening.fidelity == "pad":
        begins = dict.fromkeys(PLAYERS, opening.life_points)
        return [(1, begins), *((row.seq, dict(row.derived)) for row in accounts.rows)]
    found: list[tuple[int, dict[str, int]]] = []
    rules, duel = rules_of(opening.game), NEW
    for line, one in enumerate(recorded, 1):
        duel = evolve(duel, one.data)
        now = rules.measure(duel.table)
        if not found or found[-1][1] != now:
            found.append((line, now))
    return found


def acts_open(viewer: Actor, duel_id: str, player: str) -> list[dict[str, Any]]:
    """Return the lawful acts of a seat in plain form, for its own player. Raises NotAllowed;
    Refused `duels.perspective_unknown`, `duels.not_revealed`."""
    recorded = read_duel(duel_id)
    sighted(viewer, recorded, player.lower())
    duel = fold(one.data for one in recorded)
    rules = rules_for(duel)
    return [rules.plain(act) for act in rules.legal_acts(duel, player)]


def duel_marks(viewer: Actor, duel_id: str) -> tuple[list[Flag], tuple[Infraction, ...]]:
    """Return the red marks and the infractions of a duel, for its judges. Raises NotAllowed."""
    recorded = read_duel(duel_id)
    guard_perspective(viewer, recorded, "judge")
    duel = fold(one.data for one in recorded)
    return rules_for(duel).status(duel), duel.infractions


def duel_rows(
    viewer: Actor, *, match_id: str | None = None, event_id: str | None = None
) -> list[DuelRow]:
    """Return the public rows of the duels of a match or an event; one query. Raises
    NotAllowed."""
    require(viewer, "duels.duel_read", Subject(event_id=event_id))
    rows = DuelRow.objects.all()
    if match_id is not None:
        rows = rows.filter(match_id=match_id)
    if event_id is not None:
        rows = rows.filter(event_id=event_id)
    return list(rows)


def folded(recorded: Iterable[Recorded]) -> AnyDuel:
    """Return the duel after these lines. Unguarded."""
    return fold(one.data for one in recorded)


def duel_state(duel_id: str) -> AnyDuel:
    """Return the folded duel. Unguarded, for services of higher rooms; one query."""
    return folded(read_duel(duel_id))


def duel_result(duel_id: str) -> tuple[str, str, str] | None:
    """Return (winner P1 / P2 / draw, rule id, way of ending), None while it goes on, or for a
    pad duel, whose end only proposes a result. Unguarded, for services; one query."""
    recorded = read_duel(duel_id)
    in_force = effective([one.data for one in recorded])
    for seq in reversed(in_force):
        event = recorded[seq - 1].data
        if isinstance(event, DuelEnded):
            return event.winner, event.by, event.how
    return None


def imported_rows(viewer: Actor, match_id: str) -> list[DuelRow]:
    """Return the public rows of the duels of a match that came from replay files, as they were
    handed in; one query. Raises NotAllowed."""
    return [row for row in duel_rows(viewer, match_id=match_id) if row.fidelity == "imported"]
