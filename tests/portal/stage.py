"""A stage for page tests: one event through the real commands, in every state a page can show.

Alice plays Bob with the log of a duel kept; another table has two results; a third is decided;
a call of Alice's is open; round 1 is played, round 2 is on, round 3 is not paired.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from duels import selectors as duels
from duels import services as duel_services
from eventstore import clock
from eventstore.commands import Context
from eventstore.ids import new_id
from judging import services as judging
from people.domain.actor import SYSTEM, Actor
from tests.conftest import Member
from tournaments import services
from tournaments.models import MatchRow

DECKS = Path(__file__).resolve().parents[2] / "cards" / "data" / "decks" / "yugioh"
OTHERS = ("Dora Varga", "Łukasz Nowak", "Đặng Minh Châu", "Emil Kovač", "Fay", "Gus", "Hal")


def starter(name: str = "starter-ember") -> str:
    """Return the text of a shipped deck list."""
    return (DECKS / f"{name}.ydk").read_text()


@dataclass(frozen=True, slots=True)
class Stage:
    """Ids of what stands on the stage."""

    event_id: str
    match_id: str
    seat: str
    duel_id: str
    call_id: str
    entrants: dict[str, str]
    persons: dict[str, str]


def player(person_id: str) -> Context:
    """A new command of a player on a join link."""
    return Context(Actor(person_id=person_id), "player")


def play_some(duel_id: str, seats: dict[str, str], turns: int, seed: int = 7) -> None:
    """Play seeded lawful acts until a turn is reached or the duel ends."""
    rng = random.Random(seed)
    for _ in range(400):
        state = duels.duel_state(duel_id)
        if state.table.result is not None or state.table.turn >= turns:
            return
        for seat, person in seats.items():
            acts = duels.acts_open(Actor(person_id=person), duel_id, seat)
            useful = [one for one in acts if one.get("act") not in ("concede",)]
            if useful:
                duel_services.act(
                    player(person), duel_id=duel_id, player=seat, act=rng.choice(useful)
                )
                break
        else:
            return


def set_stage(
    olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member, **settings: Any
) -> Stage:
    """Build the stage. Needs the shipped catalogue (manage.py load_shipped)."""
    event_id = new_id()
    services.event_create(
        olga.context(), event_id=event_id, name="Harbour Open", rounds=3, cut=4, **settings
    )

    def run(service: Any, **values: Any) -> Any:
        return service(olga.context(), event_id=event_id, **values)

    run(services.registration_open)
    jude.grant("judge", event_id)
    hedda.grant("head_judge", event_id)
    entrants: dict[str, str] = {}
    persons: dict[str, str] = {}
    for number, name in enumerate(("Alice", "Bob", *OTHERS)):
        known = {"Alice": alice, "Bob": bob}.get(name)
        given = {"person_id": known.person_id} if known else {"display_name": name}
        made = run(services.entrant_enrol, **given)
        entrants[name], persons[name] = made.entrant_id, made.person_id
        deck = starter("starter-ember" if number % 2 else "starter-tide")
        run(services.deck_submit, entrant_id=made.entrant_id, content=deck)
        if name != "Hal":
            run(services.entrant_check_in, entrant_id=made.entrant_id)
    run(services.registration_close)
    run(services.event_start)
    _round_one(olga, event_id, run)
    match = _paired(event_id, run, entrants)
    seat = "P1" if match.p1 == entrants["Alice"] else "P2"
    seats = {seat: alice.person_id, ("P2" if seat == "P1" else "P1"): bob.person_id}
    services.coin_toss(player(alice.person_id), match_id=match.pk, seed=3)
    toss = MatchRow.objects.get(pk=match.pk).toss
    services.starter_choose(player(seats[toss]), match_id=match.pk, first=toss)
    duel_id = services.duel_start(player(alice.person_id), match_id=match.pk, seed=11)
    play_some(duel_id, seats, turns=6)
    _other_tables(olga, event_id, match, phones=settings.get("devices", "allowed") == "allowed")
    call_id = new_id()
    judging.call_raise(
        player(alice.person_id), call_id=call_id, match_id=match.pk, category="attack_replay"
    )
    return Stage(event_id, match.pk, seat, duel_id, call_id, entrants, persons)


def _round_one(olga: Member, event_id: str, run: Any) -> None:
    run(services.round_pair, seed=1)
    run(services.round_publish, number=1)
    scores = ([2, 0, 0], [2, 1, 0], [1, 1, 1], [0, 2, 0])
    rows = MatchRow.objects.filter(event_id=event_id, round=1).order_by("table")
    for row, score in zip(rows, scores, strict=True):
        services.result_enter(olga.context(), match_id=row.pk, score=score)


def _paired(event_id: str, run: Any, entrants: dict[str, str]) -> MatchRow:
    """Pair round 2 until Alice meets Bob, so that the two of the cast sit at one table."""
    wanted = {entrants["Alice"], entrants["Bob"]}
    for seed in range(400):
        run(services.round_pair, seed=seed)
        for row in MatchRow.objects.filter(event_id=event_id, round=2):
            if {row.p1, row.p2} == wanted:
                run(services.round_publish, number=2)
                return MatchRow.objects.get(pk=row.pk)
    raise AssertionError("no seed pairs Alice with Bob in round 2")


def _other_tables(olga: Member, event_id: str, match: MatchRow, *, phones: bool) -> None:
    """Results of the round's other tables: with phones one is disputed, one told by its winner
    alone; without them they are all on slips."""
    rows = list(MatchRow.objects.filter(event_id=event_id, round=2).exclude(pk=match.pk))
    first, second, *rest = rows
    for row, seat, score in (
        (first, 0, [2, 1, 0]),
        (first, 1, [1, 2, 0]),
        (second, 0, [2, 0, 0]),
    )[: 3 if phones else 0]:
        services.result_claim(
            player(row.persons[seat][0]), match_id=row.pk, score=score, reason="played"
        )
    for row in rest if phones else rows:
        services.result_enter(olga.context(), match_id=row.pk, score=[2, 1, 0])


def outage_of(event_id: str) -> str:
    """Let the server have been away twice before now: nothing was given for the first time, the
    second one waits for the desk, in a log that is a copy; return its id."""
    house = Context(SYSTEM, "system")
    made = ""
    for since, until in ((40, 35), (12, 3)):
        if made:
            services.outage_settle(
                Context(SYSTEM, "system"), event_id=event_id, outage_id=made, given_s=0
            )
        made = services.outage_notice(
            replace(house, command_id=new_id()),
            event_id=event_id,
            since=clock.as_text(clock.now() - timedelta(minutes=since)),
            until=clock.as_text(clock.now() - timedelta(minutes=until)),
            seconds=(since - until) * 60,
            copy=since == 12,
        )
    return made
