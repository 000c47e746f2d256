"""An event as files for other programs, for those who run it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from eventstore.domain.registry import DomainEvent
from eventstore.snapshots import load
from people.access import require
from people.domain.actor import Actor
from people.domain.permissions import Subject
from people.models import Person
from tournaments import reckoning
from tournaments.domain import archiving
from tournaments.domain.event import CUT_STAGE, DISQUALIFIED, DROPPED, SWISS_STAGE
from tournaments.domain.exchange import archive, kts, tables, trf
from tournaments.domain.exchange.sheet import (
    DROP,
    Sheet,
    SheetBye,
    SheetMatch,
    SheetPlayer,
)
from tournaments.domain.transcript import Outcome
from tournaments.models import MERGED, EntrantRow, EventRow, MatchRow, RoundRow
from tournaments.selectors.sides import readable

TEMPORARY = 9_999_000_000
"""Ids of the publisher's program that begin with 9999 are temporary: of people without one."""


def sheet_of(event_id: str) -> Sheet:
    """Return an event as a sheet: five queries. People stand in it by their Card Game ID; who
    has none gets a temporary one."""
    event = EventRow.objects.get(pk=event_id)
    entrants = list(
        EntrantRow.objects.filter(event_id=event_id).exclude(reason=MERGED).order_by("number")
    )
    persons = Person.objects.in_bulk({one for row in entrants for one in row.persons})
    rounds = list(RoundRow.objects.filter(event_id=event_id, published=True).order_by("number"))
    rows = MatchRow.objects.filter(event_id=event_id).exclude(state="draft")
    matches = list(rows.order_by("round", "table"))
    ids: dict[str, str] = {}
    for row in entrants:
        number = persons[row.persons[0]].card_game_id if row.persons[0] in persons else None
        ids[row.pk] = kts.plain_id(number) if number else str(TEMPORARY + row.number)
    byes = [SheetBye(1, ids[row.pk], False) for row in entrants if row.late]
    for made in rounds:
        if made.stage == SWISS_STAGE:
            byes += [SheetBye(made.number, ids[one]) for one in made.byes]
            byes += [SheetBye(made.number, ids[one], False) for one in made.lost]
    playing = {one for match in matches for one in (match.p1, match.p2)}
    seen = {bye.player for bye in byes}
    left = {DROPPED: DROP, DISQUALIFIED: DISQUALIFIED}
    return Sheet(
        "headjudge",
        event.standings,
        event.name,
        tuple(
            SheetPlayer(
                ids[row.pk],
                " / ".join(
                    persons[one].display_name
                    for one in row.persons
                    if one in persons and not persons[one].merged_into
                ),
                dropped_after=row.dropped_after if row.status in left else None,
                reason=left.get(row.status, ""),
                seat=event.plan.get("fixed", {}).get(row.pk),
            )
            for row in entrants
            if row.pk in playing or ids[row.pk] in seen or not rounds
        ),
        tuple(
            SheetMatch(
                one.round,
                one.table,
                ids[one.p1],
                ids[one.p2],
                one.winner or None,
                (one.p1_wins, one.p2_wins, one.draws),
                one.stage,
            )
            for one in matches
        ),
        tuple(byes),
        date=event.started_at[:10],
        rounds=max((one.number for one in rounds), default=0),
        cut_from=min((one.number for one in rounds if one.stage == CUT_STAGE), default=0),
    )


def archive_of(event_id: str) -> archive.Archive:
    """Return the archive of an event, from its stream and the results of its matches."""
    log: list[DomainEvent] = []

    def keep(held: list[DomainEvent], one: DomainEvent) -> list[DomainEvent]:
        held.append(one)
        return held

    load(f"tournament-{event_id}", log, keep, None, write=False)
    rows = MatchRow.objects.filter(event_id=event_id).exclude(winner="")
    results = {
        row.pk: Outcome(
            row.winner, (row.p1_wins, row.p2_wins, row.draws), row.reason, row.decided_by
        )
        for row in rows
    }
    owners = EntrantRow.objects.filter(event_id=event_id).values_list("persons", flat=True)
    held = Person.objects.in_bulk({one for persons in owners for one in persons})
    people = {pk: archive.Person(one.display_name, one.card_game_id) for pk, one in held.items()}
    return archiving.archive_of(log, results, people)


def _standings(event_id: str) -> bytes:
    upto = max((one.round for one in MatchRow.objects.filter(event_id=event_id)), default=0)
    rows = reckoning.swiss_standings(event_id, upto)
    sheet = sheet_of(event_id)
    names = {one.id: one.name for one in sheet.players}
    ids = _ids_by_entrant(event_id)
    figures = [name for name, _ in rows[0].tiebreaks] if rows else []
    stand = _revision(event_id)
    return tables.write_table(
        ["rank", "id", "name", "points", "code", *figures, "round", "revision"],
        [
            [
                row.rank,
                ids[row.entrant_id],
                names.get(ids[row.entrant_id], ""),
                row.points,
                row.code,
                *(value for _, value in row.tiebreaks),
                *stand,
            ]
            for row in rows
        ],
    )


def _ids_by_entrant(event_id: str) -> dict[str, str]:
    entrants = list(EntrantRow.objects.filter(event_id=event_id))
    persons = Person.objects.in_bulk({row.persons[0] for row in entrants})
    found: dict[str, str] = {}
    for row in entrants:
        number = persons[row.persons[0]].card_game_id if row.persons[0] in persons else None
        found[row.pk] = kts.plain_id(number) if number else str(TEMPORARY + row.number)
    return found


def _retype(event_id: str) -> bytes:
    """What has to be typed into the other program: who left, and match losses by penalty."""
    sheet = sheet_of(event_id)
    names = {one.id: one.name for one in sheet.players}
    ids = _ids_by_entrant(event_id)
    rows: list[list[object]] = [
        ["drop" if one.reason == DROP else one.reason, one.dropped_after, one.id, one.name, ""]
        for one in sheet.players
        if one.dropped_after is not None
    ]
    penal = MatchRow.objects.filter(event_id=event_id).exclude(reason__in=["", "played", "time"])
    for row in penal.order_by("round", "table"):
        loser = {"P1": row.p2, "P2": row.p1}.get(row.winner, "")
        who = [loser] if loser else [row.p1, row.p2]
        rows += [
            [row.reason, row.round, ids[one], names.get(ids[one], ""), row.table] for one in who
        ]
    return tables.write_table(["what", "round", "id", "name", "table"], rows)


FILES: Mapping[str, tuple[str, str, Callable[[str], bytes]]] = {
    "kts": ("Tournament", "application/xml", lambda one: kts.write(sheet_of(one))),
    "trf": ("trf", "text/plain; charset=utf-8", lambda one: trf.write(sheet_of(one))),
    "results": ("csv", "text/csv; charset=utf-8", lambda one: tables.write_results(sheet_of(one))),
    "players": ("csv", "text/csv; charset=utf-8", lambda one: tables.write_players(sheet_of(one))),
    "standings": ("csv", "text/csv; charset=utf-8", _standings),
    "retype": ("csv", "text/csv; charset=utf-8", _retype),
    "archive": ("json", "application/json", lambda one: archive.write(archive_of(one))),
}
"""What can be downloaded: ending, content type, and how it is made."""


def event_file(viewer: Actor, event_id: str, kind: str) -> tuple[bytes, str, str]:
    """Return (content, name, content type) of a file of an event, by a kind of FILES.

    Raises NotAllowed, KeyError for a kind there is not, Unreadable
    (`tournaments.file_too_many` when the format cannot hold the event).
    """
    readable(viewer, event_id, "tournaments.event_read")
    require(viewer, "tournaments.event_run", Subject(event_id))
    ending, content_type, make = FILES[kind]
    number, revision = _revision(event_id)
    stand = f"-r{number}-rev{revision}" if number else ""
    return make(event_id), f"{kind}-{event_id[:8]}{stand}.{ending}", content_type


def _revision(event_id: str) -> tuple[int, int]:
    """Return (round, revision) of the standings after the newest Swiss round; revision 0 while
    its results are coming in."""
    rows = RoundRow.objects.filter(event_id=event_id, published=True, stage=SWISS_STAGE)
    newest = rows.order_by("-number").values_list("number", "revision").first()
    return newest or (0, 0)
