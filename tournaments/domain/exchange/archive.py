"""Our own archive of an event: one JSON document from which the same state can be made again.

Entrants stand in it by their numbers, so that an archive made of the imported event is the same
document. It holds names and Card Game IDs: whoever may run the event may download it.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from tournaments.domain.exchange.sheet import (
    ARCHIVE,
    CUT_STAGE,
    DISQUALIFIED,
    DROP,
    LONGEST,
    MAX_BYTES,
    MOST_MATCHES,
    MOST_PLAYERS,
    MOST_ROUNDS,
    MOST_TABLE,
    SWISS_STAGE,
    Sheet,
    SheetBye,
    SheetMatch,
    SheetPlayer,
    Unreadable,
)
from tournaments.domain.results import REASONS

Rounds = Annotated[int, Meta(ge=0, le=MOST_ROUNDS)]
Count = Annotated[int, Meta(ge=0, le=MOST_PLAYERS)]
Place = Annotated[int, Meta(ge=1, le=MOST_PLAYERS)]
TableNumber = Annotated[int, Meta(ge=1, le=MOST_TABLE)]
Duels = Annotated[int, Meta(ge=0, le=99)]
Word = Annotated[str, Meta(max_length=20)]
"""Bounds of what stands in an archive: the read tables hold no more."""
FORMAT, VERSION = "headjudge-event", 1
WINNERS = ("P1", "P2", "draw", "double_loss")
STATUSES = ("enrolled", "checked_in", "dropped", "disqualified")
EVENT_STATUSES = ("draft", "open", "closed", "running", "cut", "finished", "cancelled")


class Person(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A person: the name shown, and the Card Game ID if known."""

    name: str
    card_game_id: str | None = None


class Entrant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entrant by its number; `dropped_after` and `reason` of one who left."""

    number: int
    persons: tuple[Person, ...]
    status: str
    late: bool = False
    by_staff: bool = True
    dropped_after: Rounds | None = None
    reason: Word = ""


class Result(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The standing result of a match."""

    winner: str
    score: tuple[Duels, Duels, Duels]
    reason: Word
    by: Annotated[str, Meta(max_length=10)]


class Match(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of a round, entrants by number; without a result while it is open."""

    table: TableNumber
    p1: int
    p2: int
    result: Result | None = None


class Round(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A published round as it was paired: `proof` and `details` as in the event
    `tournaments.round_paired`, entrants by number."""

    number: int
    stage: str
    matches: tuple[Match, ...]
    byes: tuple[int, ...] = ()
    lost: tuple[int, ...] = ()
    seed: int = 0
    points: dict[str, Annotated[int, Meta(ge=0, le=9999)]] = {}
    late: tuple[int, ...] = ()
    reasons: dict[str, Annotated[str, Meta(max_length=40)]] = {}
    slots: tuple[int | None, ...] = ()
    locked: tuple[tuple[int, int], ...] = ()
    order: Annotated[str, Meta(max_length=10)] = "random"
    wishes: Annotated[int, Meta(ge=0, le=MOST_MATCHES)] = 0
    by_hand: bool = False
    proof: dict[str, Any] | None = None


class Archive(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A whole event. `settings` and `plan` as in its events, entrants of the plan by number.
    `placings` are (entrant, place) of a finished event."""

    format: str
    version: int
    settings: dict[str, Any]
    status: str
    entrants: tuple[Entrant, ...]
    rounds: tuple[Round, ...] = ()
    plan: dict[str, Any] = {}
    planned: Rounds = 0
    cut: Count = 0
    players: Count = 0
    recommended: tuple[Rounds, Count] = (0, 0)
    table: Annotated[str, Meta(max_length=80)] = ""
    seeds: tuple[int, ...] = ()
    cut_seed: int = 0
    drawn: tuple[int, ...] = ()
    placings: tuple[tuple[int, Place], ...] = ()

    def sheet(self) -> Sheet:
        """The event as a sheet, for standings and export."""
        left = {"dropped": DROP, "disqualified": DISQUALIFIED}
        late = [one.number for one in self.entrants if one.late]
        matches: list[SheetMatch] = []
        byes = [SheetBye(1, str(one), False) for one in late]
        for made in self.rounds:
            matches += [
                SheetMatch(
                    made.number,
                    one.table,
                    str(one.p1),
                    str(one.p2),
                    one.result.winner if one.result else None,
                    one.result.score if one.result else (0, 0, 0),
                    made.stage,
                )
                for one in made.matches
            ]
            if made.stage == SWISS_STAGE:
                byes += [SheetBye(made.number, str(one)) for one in made.byes]
                byes += [SheetBye(made.number, str(one), False) for one in made.lost]
        cut_from = min((one.number for one in self.rounds if one.stage == CUT_STAGE), default=0)
        playing = {one for match in matches for one in (match.p1, match.p2)}
        playing |= {bye.player for bye in byes}
        return Sheet(
            ARCHIVE,
            str(self.settings.get("standings", "konami-policy@1")),
            str(self.settings.get("name", "")),
            tuple(
                SheetPlayer(
                    str(one.number),
                    " / ".join(person.name for person in one.persons),
                    tuple(person.name for person in one.persons[1:]),
                    one.dropped_after if one.status in left else None,
                    left.get(one.status, ""),
                )
                for one in self.entrants
                if str(one.number) in playing or not self.rounds
            ),
            tuple(matches),
            tuple(byes),
            rounds=max((one.number for one in self.rounds), default=0),
            cut_from=cut_from,
        )


def write(archive: Archive) -> bytes:
    """Write an archive; the same archive always gives the same bytes."""
    return msgspec.json.format(msgspec.json.encode(archive, order="deterministic"), indent=1)


def read(data: bytes) -> Archive:
    """Read an archive and check that it hangs together. Raises Unreadable."""
    if len(data) > MAX_BYTES:
        raise Unreadable("tournaments.file_too_large", found=len(data), allowed=MAX_BYTES)
    try:
        head = msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"))
        if not isinstance(head, dict) or head.get("format") != FORMAT:
            found = head.get("format") if isinstance(head, dict) else type(head).__name__
            raise Unreadable("tournaments.file_other", found=str(found)[:40], allowed=FORMAT)
        if head.get("version") != VERSION:
            found = str(head.get("version"))[:20]
            raise Unreadable("tournaments.file_version", found=found, allowed=VERSION)
        made = msgspec.convert(head, Archive, strict=True)
    except (msgspec.MsgspecError, UnicodeDecodeError) as fault:
        raise Unreadable("tournaments.file_damaged", line=0, found=str(fault)[:LONGEST]) from None
    except RecursionError:
        raise Unreadable(
            "tournaments.file_unsafe", found="nested too deep", allowed="an archive"
        ) from None
    _check(made)
    return made


def _fault(place: str, found: object, allowed: object) -> Unreadable:
    return Unreadable("tournaments.file_field", place=place, found=found, allowed=allowed)


def _check(made: Archive) -> None:
    if len(made.entrants) > MOST_PLAYERS:
        raise Unreadable(
            "tournaments.file_too_many",
            found=len(made.entrants),
            allowed=MOST_PLAYERS,
            place="entrants",
        )
    if sum(len(one.matches) for one in made.rounds) > MOST_MATCHES:
        raise Unreadable(
            "tournaments.file_too_many", found="matches", allowed=MOST_MATCHES, place="rounds"
        )
    if made.status not in EVENT_STATUSES:
        raise _fault("status", made.status[:40], list(EVENT_STATUSES))
    numbers = [one.number for one in made.entrants]
    if numbers != list(range(1, len(numbers) + 1)):
        raise _fault("entrants", numbers[:5], "numbers from 1 on")
    for one in made.entrants:
        if one.status not in STATUSES:
            raise _fault(f"entrant {one.number} status", one.status[:40], list(STATUSES))
        if not 1 <= len(one.persons) <= 3:
            raise _fault(f"entrant {one.number} persons", len(one.persons), [1, 3])
    if len(made.rounds) > MOST_ROUNDS:
        raise Unreadable(
            "tournaments.file_too_many", found=len(made.rounds), allowed=MOST_ROUNDS, place="rounds"
        )
    known = set(numbers)
    for at, a_round in enumerate(made.rounds, 1):
        _check_round(a_round, at, known)
    for place, listed in (("seeds", made.seeds), ("drawn", made.drawn)):
        if set(listed) - known or len(set(listed)) != len(listed):
            raise _fault(place, list(listed)[:5], "entrants, each once")
    if {one for one, _ in made.placings} - known:
        raise _fault("placings", "an unknown entrant", "entrants")


def _check_round(made: Round, at: int, known: set[int]) -> None:
    place = f"round {at}"
    if made.number != at or made.stage not in (SWISS_STAGE, CUT_STAGE):
        raise _fault(place, [made.number, made.stage[:10]], [at, "swiss or cut"])
    seated = [one for match in made.matches for one in (match.p1, match.p2)]
    seated += [*made.byes, *made.lost]
    if len(set(seated)) != len(seated) or set(seated) - known:
        raise _fault(place, "a player twice, or unknown", "each entrant at most once")
    tables = [one.table for one in made.matches]
    if len(set(tables)) != len(tables):
        raise _fault(f"{place} tables", "a table twice", "each table once")
    if {one for one in made.slots if one is not None} - known:
        raise _fault(f"{place} slots", "an unknown entrant", "entrants")
    for match in made.matches:
        if match.result is not None and match.result.winner not in WINNERS:
            raise _fault(f"{place} table {match.table}", match.result.winner[:20], list(WINNERS))
        if match.result is not None and match.result.reason not in REASONS:
            raise _fault(f"{place} table {match.table}", match.result.reason, list(REASONS))
