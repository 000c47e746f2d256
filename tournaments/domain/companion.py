"""Companion mode: the event runs in the publisher's program, and its file is imported each round.

An import is the difference between what stands here and what the file says: new rounds, new and
corrected results, drops and returns, rounds lost by late entrants. The same file twice changes
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from eventstore.domain.refusal import Refusal
from tournaments import events as ev
from tournaments.domain import rounds
from tournaments.domain.drafting import record_of
from tournaments.domain.event import (
    CHECKED_IN,
    CUT,
    CUT_STAGE,
    DROPPED,
    ENROLLED,
    RUNNING,
    SWISS_STAGE,
    UNDER_WAY,
    Tournament,
)
from tournaments.domain.exchange.sheet import SINGLE, Sheet, SheetMatch
from tournaments.domain.records import Played
from tournaments.domain.round_events import Policy
from tournaments.domain.standings import standings
from tournaments.domain.transcript import Group, Outcome, Table, Transcript


@dataclass(frozen=True, slots=True)
class Known:
    """A match that stands here."""

    match_id: str
    round: int
    p1: str
    p2: str
    winner: str | None


def refused(state: Tournament, sheet: Sheet) -> Refusal | None:
    """Say why a file cannot be taken: `tournaments.companion_off`, `tournaments.team_file`,
    `tournaments.companion_id{player}`."""
    if state.plan.companion != sheet.format:
        return Refusal(
            "tournaments.companion_off", {"found": sheet.format, "allowed": state.plan.companion}
        )
    if sheet.kind != SINGLE:
        return Refusal("tournaments.team_file", {"found": sheet.kind, "allowed": SINGLE})
    for one in sheet.players:
        if not (one.id.isascii() and one.id.isdigit() and len(one.id) <= 10):
            return Refusal("tournaments.companion_id", {"player": one.id})
    return None


def difference(
    state: Tournament,
    known: Sequence[Known],
    sheet: Sheet,
    entrant_of: Mapping[str, str],
    ids: Iterator[str],
    usual: Policy,
    fingerprint: str,
) -> list[Group] | Refusal:
    """Return the events that bring the event to where the file is.

    `state` has every player of the file enrolled; `entrant_of` maps the file's ids; `usual` and
    `fingerprint` as in rounds.start. Refused with `tournaments.companion_differs{round}` when a
    round with results has other pairs here, and as rounds.start.
    """
    script = Transcript(state, ids)
    there = {one.id for one in sheet.players}
    script.add(
        *(
            ev.EntrantCheckedIn(state.event_id, entrant_of[one.id], False)
            for one in sheet.players
            if script.state.entrants[entrant_of[one.id]].status == ENROLLED
        )
    )
    if sheet.last_round and script.state.status not in UNDER_WAY:
        begun = rounds.start(script.state, usual, fingerprint)
        if isinstance(begun, Refusal):
            return begun
        script.add(*begun)
    held: dict[int, dict[frozenset[str], Known]] = {}
    for one in known:
        held.setdefault(one.round, {})[frozenset((one.p1, one.p2))] = one
    played = [
        Played(one.round, one.p1, one.p2, one.winner) for one in known if one.winner is not None
    ]
    for number in range(1, sheet.last_round + 1):
        matches = [one for one in sheet.matches if one.round == number]
        wrong = _round(script, sheet, number, matches, held.get(number, {}), entrant_of, played)
        if wrong is not None:
            return wrong
    _leavers(script, sheet, entrant_of, there)
    return script.groups


def _outcome(one: SheetMatch) -> Outcome | None:
    return None if one.winner is None else Outcome(one.winner, one.score)


def _round(
    script: Transcript,
    sheet: Sheet,
    number: int,
    matches: Sequence[SheetMatch],
    held: Mapping[frozenset[str], Known],
    entrant_of: Mapping[str, str],
    played: list[Played],
) -> Refusal | None:
    """Bring one round to what the file says of it."""
    state = script.state
    wanted = {frozenset((entrant_of[one.p1], entrant_of[one.p2])): one for one in matches}
    byes = [one for one in sheet.byes if one.round == number]
    if number <= state.current:
        made = state.published[number - 1]
        here = {frozenset((pair.p1, pair.p2)) for pair in made.pairs}
        won = {entrant_of[one.player] for one in byes if one.won}
        if here == wanted.keys() and (made.stage == CUT_STAGE or set(made.byes) == won):
            _results(script, wanted, held, entrant_of)
            missing = {entrant_of[one.player] for one in byes if not one.won} - set(made.lost)
            script.add(*(ev.RoundMissed(state.event_id, one, number) for one in sorted(missing)))
            return None
        if number != state.current or any(one.winner for one in held.values()):
            return Refusal("tournaments.companion_differs", {"round": number})
        # Paired anew in the other program before anybody had a result.
        script.add(ev.RoundWithdrawn(state.event_id, number))
        for one in held.values():
            script.match(one.match_id, ev.MatchWithdrawn(one.match_id, state.event_id))
    stage = CUT_STAGE if sheet.cut_from and number >= sheet.cut_from else SWISS_STAGE
    tables = [
        Table(
            max(one.table + sheet.offset, 1), entrant_of[one.p1], entrant_of[one.p2], _outcome(one)
        )
        for one in matches
    ]
    if len({one.table for one in tables}) != len(tables):
        tables = [Table(at, one.p1, one.p2, one.outcome) for at, one in enumerate(tables, 1)]
    free = [entrant_of[one.player] for one in byes if one.won]
    if stage == CUT_STAGE:
        _cut(script, sheet, number, tables, free, entrant_of)
    else:
        record = record_of(script.state, played)
        script.round(
            stage,
            tables,
            byes=free,
            lost=[entrant_of[one.player] for one in byes if not one.won],
            points={one.entrant_id: record[one.entrant_id].points for one in state.active},
        )
    played += [Played(number, one.p1, one.p2, one.outcome.winner) for one in tables if one.outcome]
    return None


def _cut(
    script: Transcript,
    sheet: Sheet,
    number: int,
    tables: Sequence[Table],
    free: Sequence[str],
    entrant_of: Mapping[str, str],
) -> None:
    slots: list[str | None] = []
    for table in sorted(tables, key=lambda one: one.table):
        slots += [table.p1, table.p2]
    for one in free:
        slots += [one, None]
    if script.state.status == RUNNING:
        results, byes = sheet.results(sheet.last_swiss)
        order = standings([one.id for one in sheet.players], results, byes, system=sheet.system)
        inside = {one for one in slots if one is not None}
        seeds = tuple(
            entrant_of[row.entrant_id] for row in order if entrant_of[row.entrant_id] in inside
        )
        script.add(ev.CutMade(script.state.event_id, number - 1, seeds, 0, ()))
    script.round(CUT_STAGE, tables, byes=free, slots=slots)


def _results(
    script: Transcript,
    wanted: Mapping[frozenset[str], SheetMatch],
    held: Mapping[frozenset[str], Known],
    entrant_of: Mapping[str, str],
) -> None:
    for pair, one in wanted.items():
        here = held.get(pair)
        if here is None or one.winner is None:
            continue
        winner = one.winner
        if winner in ("P1", "P2") and entrant_of[one.p1] != here.p1:
            winner = "P2" if winner == "P1" else "P1"
        if here.winner == winner:
            continue
        event_id = script.state.event_id
        if here.winner is None:
            script.match(
                here.match_id,
                ev.MatchDecided(
                    here.match_id, event_id, here.round, winner, (0, 0, 0), "played", "file"
                ),
            )
        else:
            script.match(
                here.match_id,
                ev.MatchCorrected(
                    here.match_id,
                    event_id,
                    here.round,
                    winner,
                    (0, 0, 0),
                    "played",
                    here.winner,
                    None,
                ),
            )


def _leavers(
    script: Transcript, sheet: Sheet, entrant_of: Mapping[str, str], there: set[str]
) -> None:
    """Drops and returns."""
    for one in sheet.players:
        entrant = script.state.entrants[entrant_of[one.id]]
        event_id = script.state.event_id
        if one.dropped_after is not None and entrant.status == CHECKED_IN:
            script.add(ev.EntrantDropped(event_id, entrant.entrant_id, one.dropped_after, "staff"))
        elif one.dropped_after is None and entrant.status == DROPPED:
            script.add(ev.EntrantReinstated(event_id, entrant.entrant_id, True, entrant.late))
    gone = set(entrant_of.values()) - {entrant_of[one] for one in there}
    for entrant_id in sorted(gone):
        if script.state.entrants[entrant_id].status == CHECKED_IN and script.state.status != CUT:
            script.add(
                ev.EntrantDropped(script.state.event_id, entrant_id, script.state.current, "staff")
            )
