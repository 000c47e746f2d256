"""The whole of a rehearsal: data, registration, Swiss rounds, cut, finish, audit of the log."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

from django.core.management import call_command

from cards import services as cards
from cards import shipped
from cards.domain.banlist import MAX_BYTES as MAX_BANLIST_BYTES
from cards.domain.read_cdb import MAX_BYTES as MAX_CARDS_BYTES
from cards.rows import banlist_id
from decks.cli import read_bytes
from decks.domain.presets import PRESETS
from eventstore import store
from eventstore.commands import Context
from eventstore.ids import new_id
from eventstore.rebuilt import differences
from judging import services as judging
from people.domain.actor import SYSTEM
from portal.demo import cast, incidents
from portal.demo.hall import Hall, Say
from portal.demo.lists import offer
from portal.demo.match import play
from tournaments import services as tournaments
from tournaments.models import EventRow, MatchRow
from tournaments.policies import advised
from tournaments.selectors import standings_after

LEAST_PLAYERS = 8
"""Fewer have too few tables for every reason of a result to occur."""


class NotPossible(Exception):
    """The rehearsal cannot be held with these arguments; the text says why."""


@dataclass(frozen=True, slots=True)
class Programme:
    """What is rehearsed. `decks`, `cards`, `banlist` name a folder and files, None: what the
    product ships. `stop_after` leaves the event in the middle: so many rounds are played, the
    next one is published, and somebody has just called a judge."""

    players: int = 16
    seed: int = 1
    decks: Path | None = None
    cards: Path | None = None
    banlist: tuple[Path, str | None] | None = None
    rules: str = "classic"
    match_rules: str | None = None
    name: str = "Rehearsal"
    stop_after: int | None = None
    event_id: str | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """What came of it, as plain JSON (`as_json`)."""

    event_id: str
    hall: Hall
    registered: int
    refused: list[dict[str, object]]
    rounds: int
    standings: list[dict[str, Any]] = field(default_factory=list)
    unequal: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Return the summary as `manage.py demo --json` prints it."""
        hall = self.hall
        return {
            "event": self.event_id,
            "registered": self.registered,
            "refused": self.refused,
            "rounds": self.rounds,
            "matches": hall.matches,
            "duels": hall.duels,
            "events": store.head_position(),
            "reasons": dict(sorted(hall.reasons.items())),
            "endings": dict(sorted(hall.endings.items())),
            "shortest_duel": hall.shortest,
            "rewinds": hall.rewinds,
            "standings": self.standings,
            "rebuild_equal": not self.unequal,
        }


def _system() -> Context:
    return Context(actor=SYSTEM, source="system")


def _data(programme: Programme, game: str, say: Say) -> str | None:
    """Load catalogue and list of limits; return the id of the list, None for none."""
    call_command("load_shipped", stderr=StringIO())
    if programme.cards is not None:
        say(f"Reading cards from {programme.cards.name}")
        content = read_bytes(programme.cards, MAX_CARDS_BYTES)
        done = cards.catalogue_import(_system(), source=programme.cards.name, content=content)
        say(f"{done.read} cards read, {done.total} in the catalogue")
    if programme.banlist is None:
        held = shipped.starter_list(game) if programme.decks is None else None
        return banlist_id(held) if held is not None else None
    path, title = programme.banlist
    taken = cards.banlist_import(
        _system(), source=path.name, content=read_bytes(path, MAX_BANLIST_BYTES)
    )
    named = [one for one in taken.lists if title in (None, one.title)]
    if len(named) != 1:
        titles = ", ".join(one.title for one in taken.lists)
        raise NotPossible(f"{path.name}: name one of its lists as FILE:TITLE ({titles})")
    return named[0].banlist_id


def rehearse(programme: Programme, say: Say) -> Summary:
    """Hold the event and return what came of it. `say` is told how it goes.

    Raises NotPossible; cards.domain.findings.Unreadable for a file that cannot be read.
    """
    if programme.players < LEAST_PLAYERS:
        raise NotPossible(f"{programme.players} players: at least {LEAST_PLAYERS} are needed")
    rng = random.Random(programme.seed)
    game = PRESETS[programme.rules].game
    limits = _data(programme, game, say)
    event_id = programme.event_id or new_id()
    staff = cast.hire(event_id)
    hall = Hall(event_id, staff, rng, say)
    offered = offer(programme.decks, game=game, preset=programme.rules, banlist_id=limits)
    say(f"{len(offered.legal)} legal lists, {len(offered.refused)} refused")
    if not offered.legal:
        raise NotPossible(f"no list is legal under {programme.rules}")
    rounds, cut = advised(programme.players)
    tournaments.event_create(
        _system(),
        event_id=event_id,
        name=programme.name,
        preset=programme.rules,
        match_rules=programme.match_rules,
        banlist_id=limits,
        rounds=rounds,
        cut=cut,
    )
    tournaments.registration_open(hall.organiser(), event_id=event_id)
    _enrol(hall, programme.players, offered.legal)
    tournaments.registration_close(hall.organiser(), event_id=event_id)
    tournaments.event_start(hall.organiser(), event_id=event_id)
    if programme.stop_after is not None:
        played = min(rounds - 1, programme.stop_after)
        _swiss(hall, played)
        _call(hall, _paired(hall, played + 1)[0])
    else:
        _swiss(hall, rounds)
        _cut(hall, cut)
        tournaments.event_finish(hall.organiser(), event_id=event_id)
    say("Rebuilding every read table from the log")
    return Summary(
        event_id,
        hall,
        registered=programme.players,
        refused=offered.refused,
        rounds=EventRow.objects.get(pk=event_id).round,
        standings=_standings(event_id),
        unequal=differences(),
    )


def _enrol(hall: Hall, count: int, lists: list[tuple[str, str]]) -> None:
    """Half of the players are enrolled by the desk, half come by themselves; all hand in."""
    for at, name in enumerate(cast.names(count, hall.rng)):
        if at % 2:
            enrolled = tournaments.entrant_enrol(
                hall.desk(), event_id=hall.event_id, display_name=name
            )
            hall.seat(enrolled.person_id)
        else:
            person_id = cast.register(name)
            hall.seat(person_id)
            enrolled = tournaments.entrant_enrol_self(
                hall.player(person_id), event_id=hall.event_id
            )
        player = hall.player(enrolled.person_id)
        tournaments.deck_submit(
            player,
            event_id=hall.event_id,
            entrant_id=enrolled.entrant_id,
            content=lists[at % len(lists)][1],
        )
        tournaments.entrant_check_in(
            hall.player(enrolled.person_id), event_id=hall.event_id, entrant_id=enrolled.entrant_id
        )
        if (at + 1) % 16 == 0 or at + 1 == count:
            hall.say(f"{at + 1} of {count} players registered, lists handed in, checked in")


def _swiss(hall: Hall, rounds: int) -> None:
    waiting = ["no_show", *incidents.BETWEEN]
    per_round = -(-len(waiting) // max(1, min(rounds, 3)))
    for number in range(1, rounds + 1):
        tables = _paired(hall, number)
        planned = dict(zip(tables[1:], waiting[:per_round], strict=False))
        del waiting[: len(planned)]
        for at, match_id in enumerate(tables, 1):
            play(
                hall,
                match_id,
                incident=planned.get(match_id),
                dispute=number == 1 and at == 1,
            )
            if at % 8 == 0 or at == len(tables):
                hall.say(f"Round {number} of {rounds}: {at} of {len(tables)} tables done")
        if number == 2:
            _drop_last(hall)


def _paired(hall: Hall, number: int) -> list[str]:
    tournaments.round_pair(hall.desk(), event_id=hall.event_id, seed=hall.seed())
    tournaments.round_publish(hall.desk(), event_id=hall.event_id, number=number)
    rows = MatchRow.objects.filter(event_id=hall.event_id, round=number).order_by("table")
    return list(rows.values_list("pk", flat=True))


def _call(hall: Hall, match_id: str) -> None:
    """A player of a table calls a judge, who has not come yet."""
    person = MatchRow.objects.get(pk=match_id).persons[0][0]
    judging.call_raise(hall.player(person), call_id=new_id(), match_id=match_id)


def _drop_last(hall: Hall) -> None:
    """The player in last place goes home."""
    active = [
        line.side
        for line in standings_after(SYSTEM, hall.event_id).lines
        if line.side.status == "checked_in"
    ]
    last = active[-1].entrant_id
    tournaments.entrant_drop(hall.desk(), event_id=hall.event_id, entrant_id=last)


def _cut(hall: Hall, size: int) -> None:
    if not size:
        return
    tournaments.cut_make(hall.organiser(), event_id=hall.event_id, seed=hall.seed())
    while size > 1:
        number = EventRow.objects.get(pk=hall.event_id).round + 1
        tables = _paired(hall, number)
        for match_id in tables:
            play(hall, match_id)
        hall.say(f"Cut of {size}: {len(tables)} tables done")
        size = -(-size // 2)


def _standings(event_id: str) -> list[dict[str, Any]]:
    return [
        {
            "rank": line.rank,
            "id": line.side.entrant_id,
            "name": line.side.name,
            "points": line.points,
            "code": line.code,
            "place": line.side.place,
        }
        for line in standings_after(SYSTEM, event_id).lines
    ]
