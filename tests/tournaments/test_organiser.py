"""An organiser who does anything at any time, legal or not: what must hold whatever happens."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from eventstore import clock, ids
from eventstore.domain.refusal import Refused
from eventstore.store import head_position
from people.domain.actor import ANONYMOUS
from tests.helpers import rebuilds_equal
from tests.sizes import SIZES
from tests.tournaments.conftest import Running
from tournaments import reckoning, selectors, services
from tournaments.domain.scores import Format, possible
from tournaments.models import EntrantRow, EventRow, MatchRow, RoundRow

pytestmark = pytest.mark.django_db
COMMANDS_EACH = 80


class Organiser:
    """Sends seeded random commands; each has one effect or none."""

    def __init__(self, event: Running, rng: random.Random) -> None:
        self.event, self.rng = event, rng
        self.refused: Counter[str] = Counter()

    def single(self) -> Callable[[], Any]:
        """One command."""
        event, rng = self.event, self.rng
        seed = rng.randrange(1000)
        entrant = rng.choice(list(event.entrants.values()))
        plain = rng.choice(
            [services.registration_open, services.registration_close, services.event_start]
        )
        choices: list[Callable[[], Any]] = [
            lambda: event.run(plain),
            lambda: event.run(services.round_pair, seed=seed),
            lambda: event.run(services.round_publish, number=event.home().row.draft_round),
            lambda: event.run(services.cut_make, size=rng.choice([2, 3, 4]), seed=seed),
            lambda: event.run(services.event_finish),
            lambda: event.run(services.entrant_drop, entrant_id=entrant),
            lambda: event.run(services.entrant_reinstate, entrant_id=entrant),
            lambda: event.run(
                services.penalty_apply,
                entrant_id=entrant,
                kind=rng.choice(["game_loss", "match_loss", "disqualification"]),
                both=rng.random() < 0.2,
            ),
        ]
        matches = sorted(event.matches(), key=lambda row: (row.round, row.table))
        if matches:
            row = rng.choice(matches)
            score = list(rng.choice([*possible(Format()), (3, 0, 0), (1, 0, 0)]))
            choices += [
                lambda: services.result_enter(event.staff(), match_id=row.pk, score=score),
                lambda: services.result_correct(event.staff(), match_id=row.pk, score=score),
            ]
        return rng.choice(choices)

    def step(self) -> None:
        """A step that carries the event on, or one command that may not fit."""
        event, rng = self.event, self.rng
        seed = rng.randrange(1000)
        onward = [
            event.settle,
            event.settle,
            lambda: event.pair(seed=seed),
            lambda: event.enrol(f"Late {seed}"),
        ]
        command = rng.choice(onward) if rng.random() < 0.5 else self.single()
        try:
            command()
        except Refused as no:
            self.refused[no.refusal.code] += 1


@pytest.fixture(autouse=True)
def repeatable() -> Iterator[None]:
    """The same ids in every run, so that the same seed walks the same way."""
    start = datetime(2026, 5, 1, 9, tzinfo=UTC)
    with clock.clock_set(lambda: start), ids.ids_from(random.Random(0)):
        yield


def everybody_once(event_id: str) -> None:
    """Each published round seats everybody it pairs exactly once, with one Swiss bye at most,
    and a rematch only where the round says so."""
    met: set[frozenset[str]] = set()
    for row in RoundRow.objects.filter(event_id=event_id, published=True).order_by("number"):
        matches = MatchRow.objects.filter(event_id=event_id, round=row.number)
        seated = [one for match in matches for one in (match.p1, match.p2)] + list(row.byes)
        assert len(seated) == len(set(seated))
        if row.stage == "swiss":
            assert len(row.byes) == len(seated) % 2
            assert set(seated) == set(row.points)
            pairs = {frozenset((match.p1, match.p2)) for match in matches}
            assert row.proven
            assert len(pairs & met) == row.rematches
            met |= pairs


def points_add_up(event_id: str) -> None:
    """The points of the standings are those of the results and byes."""
    view = selectors.standings_after(ANONYMOUS, event_id)
    swiss = MatchRow.objects.filter(event_id=event_id, stage="swiss", round__lte=view.round)
    worth = {"P1": 3, "P2": 3, "draw": 2, "double_loss": 0, "": 0}
    byes = sum(
        len(row.byes)
        for row in RoundRow.objects.filter(event_id=event_id, stage="swiss", published=True)
    )
    total = sum(worth[row.winner] for row in swiss.exclude(state="draft")) + 3 * byes
    assert sum(line.points for line in view.lines) == total


def test_whatever_the_organiser_does_the_event_stays_sound(
    make_event: Callable[..., Running],
) -> None:
    refused: Counter[str] = Counter()
    ends: Counter[str] = Counter()
    for seed in range(SIZES.examples_slow):
        rng = random.Random(seed)
        event = make_event(rng.randrange(4, 10), start=rng.random() < 0.7, rounds=3)
        if seed % 2:
            event.run(services.event_cancel)
            event = make_event(rng.randrange(4, 10), cut=2, rounds=2, start=True)
        organiser = Organiser(event, rng)
        for _ in range(COMMANDS_EACH):
            organiser.step()
        everybody_once(event.event_id)
        points_add_up(event.event_id)
        facts = reckoning.facts(event.event_id)
        if EventRow.objects.get(pk=event.event_id).status == "finished":
            assert not facts.open_tables
            placed = EntrantRow.objects.filter(event_id=event.event_id, place__isnull=False)
            assert not placed.filter(status="disqualified").exists()
        refused += organiser.refused
        ends[event.home().row.status] += 1
    rebuilds_equal("tournaments.board")
    # The walk is worth something only when it meets many refusals and comes far.
    assert len(refused) >= 10
    assert ends["finished"]


@pytest.mark.pg
def test_a_refused_command_leaves_the_log_as_it_was(make_event: Callable[..., Running]) -> None:
    event = make_event(4, start=True)
    event.pair()
    organiser = Organiser(event, random.Random(1))
    seen = 0
    for _ in range(COMMANDS_EACH):
        command, before = organiser.single(), head_position()
        try:
            command()
        except Refused:
            seen += 1
            assert head_position() == before
        else:
            assert head_position() > before
    assert seen
