"""An organiser driven by hypothesis: any command at any time, legal or not, on the real services
and the database. A failure comes back as the shortest list of commands that shows it.

Whatever happens: everybody who plays has one place in a round, one bye a round at most, no
rematch that the round does not tell of, points that are those of the results, read tables equal
to their rebuild, refusals and no other exception; a look at what an undoing would change writes
nothing.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

import pytest
from django.db import transaction
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from eventstore import clock
from eventstore.domain.refusal import Refused
from eventstore.ids import ids_from, new_id
from eventstore.store import head_position
from people.domain.actor import ANONYMOUS
from tests.conftest import Member
from tests.helpers import rebuilds_equal
from tests.sizes import SIZES
from tests.tournaments.conftest import Running
from tournaments import selectors, services
from tournaments.domain.scores import Format, possible
from tournaments.models import EntrantRow, EventRow, MatchRow, RoundRow

pytestmark = pytest.mark.django_db

SCORES = st.sampled_from([*possible(Format()), (3, 0, 0), (1, 0, 0)])
NUMBER = st.integers(0, 99)
SMALL = st.integers(0, 6)
REASON = st.sampled_from(["because", "because", "because", " "])
START = datetime(2026, 5, 1, 9, tzinfo=UTC)


class OrganiserMachine(RuleBasedStateMachine):
    """One event and whoever runs it."""

    olga: ClassVar[Member]
    sent: ClassVar[Counter[str]] = Counter()
    refused: ClassVar[Counter[str]] = Counter()
    ends: ClassVar[Counter[str]] = Counter()

    def __init__(self) -> None:
        super().__init__()
        self.point = transaction.atomic()
        self.point.__enter__()
        self.now = START
        self.ticking = clock.clock_set(lambda: self.now)
        self.ticking.__enter__()
        # ids settle ties: the same commands, sent again, must give the same event
        self.ids = ids_from(random.Random(1))
        self.ids.__enter__()
        self.event = Running(self.olga, new_id())

    def teardown(self) -> None:
        """Compare the read tables with their rebuild, then take the whole walk back."""
        try:
            row = EventRow.objects.filter(pk=self.event.event_id).first()
            if row is not None:
                self.ends[row.status] += 1
                rebuilds_equal("tournaments.board", "tournaments.day", "portal.live")
        finally:
            self.ids.__exit__(None, None, None)
            self.ticking.__exit__(None, None, None)
            transaction.set_rollback(True)
            self.point.__exit__(None, None, None)

    def send(self, command: Callable[..., Any], **values: Any) -> Any:
        """Send a command of the organiser; only a refusal may come back."""
        name = command.__name__
        self.sent[name] += 1
        before = head_position()
        try:
            return command(self.olga.context(), **values)
        except Refused as no:
            self.refused[no.refusal.code] += 1
            assert head_position() == before, f"{name} was refused and left events"
            return None

    def run(self, command: Callable[..., Any], **values: Any) -> Any:
        """Send a command on the event."""
        return self.send(command, event_id=self.event.event_id, **values)

    def entrant(self, number: int) -> str:
        """Pick an entrant."""
        held = list(EntrantRow.objects.order_by("number").values_list("pk", flat=True))
        return str(held[number % len(held)])

    def match(self, number: int) -> str:
        """Pick a published match; one that there is not where there is none."""
        rows = MatchRow.objects.exclude(state="draft").order_by("round", "table")
        held = list(rows.values_list("pk", flat=True))
        return str(held[number % len(held)]) if held else ""

    def has_match(self) -> bool:
        """Whether any match is published."""
        return bool(self.match(0))

    def is_on(self) -> bool:
        """Whether rounds are being played."""
        return EventRow.objects.filter(status__in=["running", "cut"]).exists()

    def is_over(self) -> bool:
        """Whether the event has its final places."""
        return EventRow.objects.filter(status="finished").exists()

    @initialize(
        players=st.integers(4, 9),
        rounds=st.integers(1, 3),
        cut=st.sampled_from([0, 2, 4]),
        started=st.sampled_from([True, True, True, False]),
    )
    def begin(self, players: int, rounds: int, cut: int, started: bool) -> None:
        """An event with its players checked in, most often under way."""
        services.event_create(
            self.olga.context(),
            event_id=self.event.event_id,
            name="Walk",
            decks_required=False,
            rounds=rounds,
            cut=min(cut, players),
        )
        self.event.run(services.registration_open)
        self.event.enrol(*(f"Player {number}" for number in range(players)))
        if started:
            self.event.run(services.event_start)

    @precondition(lambda self: not self.is_on())
    @rule()
    def start(self) -> None:
        self.run(services.event_start)

    @precondition(lambda self: not self.is_on())
    @rule(word=st.sampled_from(["registration_open", "registration_close"]))
    def registration(self, word: str) -> None:
        self.run(getattr(services, word))

    @rule(number=NUMBER)
    def late_entry(self, number: int) -> None:
        made = self.run(services.entrant_enrol, display_name=f"Late {number}")
        if made is not None:
            self.run(services.entrant_check_in, entrant_id=made.entrant_id)

    @rule(
        number=NUMBER,
        word=st.sampled_from(["entrant_drop", "entrant_reinstate", "entrant_check_in"]),
    )
    def come_or_go(self, number: int, word: str) -> None:
        self.run(getattr(services, word), entrant_id=self.entrant(number))

    @precondition(is_on)
    @rule(number=NUMBER, kind=st.sampled_from(["game_loss", "match_loss", "disqualification"]))
    def penalty(self, number: int, kind: str) -> None:
        self.run(services.penalty_apply, entrant_id=self.entrant(number), kind=kind)

    @rule(seed=NUMBER)
    def pair(self, seed: int) -> None:
        self.run(services.round_pair, seed=seed)

    @precondition(is_on)
    @rule(seed=NUMBER, scores=st.lists(SCORES, max_size=4))
    def play_a_round(self, seed: int, scores: list[tuple[int, int, int]]) -> None:
        number = self.run(services.round_pair, seed=seed)
        if number is None:
            return
        self.run(services.round_publish, number=number)
        rows = MatchRow.objects.filter(round=number).order_by("table")
        for row, score in zip(rows, scores, strict=False):
            self.send(services.result_enter, match_id=row.pk, score=list(score))

    @rule(number=SMALL)
    def publish(self, number: int) -> None:
        self.run(services.round_publish, number=number)

    @rule(one=NUMBER, two=NUMBER, note=REASON)
    def swap(self, one: int, two: int, note: str) -> None:
        self.run(services.draft_swap, one=self.entrant(one), two=self.entrant(two), note=note)

    @precondition(has_match)
    @rule(number=NUMBER, score=SCORES)
    def enter(self, number: int, score: tuple[int, int, int]) -> None:
        self.send(services.result_enter, match_id=self.match(number), score=list(score))

    @precondition(has_match)
    @rule()
    def settle(self) -> None:
        for row in MatchRow.objects.exclude(state__in=["draft", "decided"]):
            self.send(services.result_enter, match_id=row.pk, score=[2, 0, 0])

    @precondition(has_match)
    @rule(number=NUMBER, score=SCORES, note=REASON)
    def correct(self, number: int, score: tuple[int, int, int], note: str) -> None:
        match = self.match(number)
        told = self.look("result", match_id=match, score=list(score))
        head = head_position()
        self.send(services.result_correct, match_id=match, score=list(score), note=note)
        assert (told.refusal is None) == (head_position() > head), "the preview told otherwise"

    @precondition(has_match)
    @rule(number=NUMBER, seat=st.sampled_from(["P1", "P2"]), minutes=SMALL)
    def missing(self, number: int, seat: str, minutes: int) -> None:
        match = {"match_id": self.match(number), "seat": seat}
        self.send(services.player_miss, **match)
        self.now += timedelta(minutes=minutes)
        kind = "match_loss" if minutes % 2 else "game_loss"
        self.send(services.tardiness_confirm, **match, kind=kind, drop=minutes > 3)

    @rule(number=SMALL)
    def withdraw(self, number: int) -> None:
        self.run(services.round_withdraw, number=number)

    @rule(number=SMALL, note=REASON)
    def delete(self, number: int, note: str) -> None:
        told = self.look("round", number=number)
        made = self.run(services.round_delete, number=number, note=note)
        assert made is None or told.refusal is None

    @rule(size=st.sampled_from([None, 2, 3, 4]), seed=NUMBER)
    def make_cut(self, size: int | None, seed: int) -> None:
        self.run(services.cut_make, size=size, seed=seed)

    @rule(note=REASON, whole=st.booleans())
    def undo_cut(self, note: str, whole: bool) -> None:
        self.look("cut")
        if whole:
            self.run(services.cut_restart, note=note)
        else:
            self.run(services.cut_undo)

    @rule(number=NUMBER, word=st.sampled_from(["seat_decline", "seat_take"]))
    def seat(self, number: int, word: str) -> None:
        self.run(getattr(services, word), entrant_id=self.entrant(number))

    @precondition(is_on)
    @rule(early=st.sampled_from([False, False, True]), note=REASON)
    def finish(self, early: bool, note: str) -> None:
        self.run(services.event_finish, early=early, note=note)

    @precondition(is_over)
    @rule(note=REASON)
    def go_on_after_the_end(self, note: str) -> None:
        self.look("reopen")
        self.run(services.event_reopen, note=note)

    @rule(number=NUMBER, act=st.sampled_from(["drop", "reinstate"]))
    def look_at_leaving(self, number: int, act: str) -> None:
        self.look(act, entrant_id=self.entrant(number))

    def look(self, act: str, **asked: Any) -> Any:
        """Preview an act: it writes nothing."""
        head = head_position()
        told = selectors.undo_preview(self.olga.actor, self.event.event_id, act, **asked)
        assert head_position() == head
        return told

    @invariant()
    def everybody_has_one_place(self) -> None:
        met: set[frozenset[str]] = set()
        for row in RoundRow.objects.filter(published=True).order_by("number"):
            pairs = list(MatchRow.objects.filter(round=row.number).values_list("p1", "p2"))
            seated = [one for pair in pairs for one in pair] + list(row.byes)
            assert len(seated) == len(set(seated)), "somebody sits twice"
            if row.stage != "swiss":
                continue
            assert set(seated) == set(row.points), "somebody who plays has no place"
            assert len(row.byes) == len(seated) % 2
            again = {frozenset(pair) for pair in pairs} & met
            assert len(again) == row.rematches, "a rematch that the round does not tell of"
            assert row.proven or row.by_hand
            met |= {frozenset(pair) for pair in pairs}

    @invariant()
    def points_add_up(self) -> None:
        if not EventRow.objects.filter(pk=self.event.event_id).exclude(status="draft").exists():
            return
        view = selectors.standings_after(ANONYMOUS, self.event.event_id)
        worth = {"P1": 3, "P2": 3, "draw": 2, "double_loss": 0, "": 0}
        swiss = MatchRow.objects.filter(stage="swiss").exclude(state="draft")
        byes = sum(len(row.byes) for row in RoundRow.objects.filter(stage="swiss", published=True))
        total = sum(worth[row.winner] for row in swiss) + 3 * byes
        assert sum(line.points for line in view.lines) == total

    @invariant()
    def an_event_that_is_over_has_places(self) -> None:
        row = EventRow.objects.filter(pk=self.event.event_id).first()
        placed = EntrantRow.objects.filter(place__isnull=False)
        if row is None or row.status != "finished":
            assert not placed.exists()
        else:
            assert not MatchRow.objects.exclude(state__in=["draft", "decided"]).exists()
            assert not placed.filter(status="disqualified").exists()


def test_whatever_hypothesis_makes_of_the_organiser(olga: Member) -> None:
    OrganiserMachine.olga = olga
    for counter in (OrganiserMachine.sent, OrganiserMachine.refused, OrganiserMachine.ends):
        counter.clear()
    run_state_machine_as_test(
        OrganiserMachine,
        settings=settings(
            settings.get_profile("house"),
            max_examples=SIZES.organisers,
            stateful_step_count=SIZES.organiser_steps,
            suppress_health_check=list(HealthCheck),
        ),
    )
    # The walks are worth something only where they meet many refusals and come far.
    assert OrganiserMachine.sent.total() >= SIZES.organisers * SIZES.organiser_steps // 2
    assert len(OrganiserMachine.refused) >= 12, OrganiserMachine.refused
