"""The policy as versions of data, late entries, tardiness, seats of the cut, brackets by names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from eventstore import clock
from eventstore.domain.refusal import Refused
from eventstore.ids import new_id
from people.access import NotAllowed
from tests.conftest import Member
from tests.helpers import rebuilds_equal
from tests.tournaments.conftest import Running
from tournaments import policies, selectors, services
from tournaments.domain import enrolment, tardiness
from tournaments.domain.event import CHECKED_IN, ENROLLED, RUNNING, Entrant, Round, Tournament
from tournaments.domain.event import evolve as evolve_event
from tournaments.domain.match import Match
from tournaments.domain.recommended import advice
from tournaments.domain.round_events import FieldGrown
from tournaments.domain.tardiness import Tardiness
from tournaments.events import Settings
from tournaments.models import EntrantRow, EventRow, MatchRow, RuleRow

Make = Callable[..., Running]


def refused(command: Callable[..., Any], *args: Any, **values: Any) -> Any:
    with pytest.raises(Refused) as caught:
        command(*args, **values)
    return caught.value.refusal


class TestData:
    @pytest.mark.parametrize("name", list(policies.shipped()))
    def test_every_version_is_whole(self, name: str) -> None:
        policy = policies.shipped()[name].policy
        limits = [most for most, _, _ in policy.rows]
        assert limits[-1] == 0
        assert limits[:-1] == sorted(set(limits[:-1]))
        assert 0 < policy.game_loss_min < policy.match_loss_min < policy.round_min
        assert set(policy.confirm) <= {"rounds", "cut", "tardiness", "round_min"}
        assert [rounds for _, rounds, _ in policy.rows] == sorted(
            rounds for _, rounds, _ in policy.rows
        )

    @pytest.mark.parametrize(
        ("name", "players", "advised"),
        [
            ("policy-2.3", 8, (3, 0)),
            ("policy-2.3", 127, (7, 8)),
            ("policy-2.3", 129, (8, 16)),
            ("policy-2.3", 2049, (12, 64)),
            ("policy-2.5", 129, (8, 8)),
            ("policy-2.5", 1025, (11, 8)),
            ("policy-2.5-two-days", 300, (12, 8)),
            ("policy-2.5-two-days", 5000, (15, 8)),
        ],
    )
    def test_what_it_advises(self, name: str, players: int, advised: tuple[int, int]) -> None:
        assert advice(policies.shipped()[name].policy, players) == advised


def field(players: int, cut: int) -> Tournament:
    """A running event with round 1 published, one more entrant enrolled."""
    entrants = {str(n): Entrant(str(n), n, (str(n),), CHECKED_IN) for n in range(1, players + 1)}
    entrants["late"] = Entrant("late", players + 1, ("late",), ENROLLED)
    return Tournament(
        "e",
        Settings("Cup", decks_required=False),
        RUNNING,
        entrants,
        (Round(1, "swiss", (), (), published=True),),
        planned=7,
        cut=cut,
        policy=policies.usual().policy,
        players=players,
    )


class TestLateEntry:
    def test_127_and_two_late_ones(self) -> None:
        state = field(127, 8)
        made = enrolment.check_in(state, entrant_id="late")
        assert isinstance(made, list)
        assert len(made) == 1, "128 are still in the same line of the policy"
        for one in made:
            state = evolve_event(state, one)
        more = Entrant("more", 129, ("more",), ENROLLED)
        state = replace(state, entrants={**state.entrants, "more": more})
        made = enrolment.check_in(state, entrant_id="more")
        assert isinstance(made, list)
        assert made[1] == FieldGrown("e", 129, (7, 8), (8, 16), 8, 16)
        for one in made:
            state = evolve_event(state, one)
        assert (state.planned, state.cut, state.players) == (7, 16, 129)

    @pytest.mark.parametrize(("cut", "after"), [(0, 0), (4, 4), (8, 16)])
    def test_a_cut_of_ones_own_stays(self, cut: int, after: int) -> None:
        made = enrolment.check_in(field(128, cut), entrant_id="late")
        assert isinstance(made, list)
        grown = made[1]
        assert isinstance(grown, FieldGrown)
        assert (grown.cut_before, grown.cut) == (cut, after)


@pytest.mark.django_db
class TestChoosing:
    def test_the_chosen_version_is_frozen_and_shown(self, make_event: Make) -> None:
        event = make_event(9)
        event.run(services.policy_choose, policy="policy-2.5")
        no = refused(event.run, services.policy_choose, policy="policy-2.5")
        assert no.code == "tournaments.nothing_changed"
        no = refused(event.run, services.policy_choose, policy="policy-1")
        assert (no.code, "policy-2.3" in no.params["allowed"]) == (
            "tournaments.policy_unknown",
            True,
        )
        event.run(services.event_start)
        rules = selectors.event_rules(event.olga.actor, event.event_id)
        assert (rules.policy.policy, rules.fixed, rules.same) == ("policy-2.5", True, True)
        assert "cut" in rules.policy.confirm
        assert RuleRow.objects.get().hash == policies.shipped()["policy-2.5"].hash
        no = refused(event.run, services.policy_choose, policy="policy-2.3")
        assert no.code == "tournaments.wrong_state"
        rebuilds_equal("tournaments.board", "tournaments.day")

    def test_late_entries_tell_what_changed(self, make_event: Make) -> None:
        event = make_event(8, start=True, cut=0)
        event.pair()
        event.enrol("Late Larry")
        (grown,) = selectors.event_rules(event.olga.actor, event.event_id).grown
        assert (grown["players"], grown["advised_before"], grown["advised"]) == (9, [3, 0], [4, 4])
        assert event.home().row.rounds == 3
        rebuilds_equal("tournaments.board", "tournaments.day")


SEATED = Match("m", "e", 2, table=4, entrants=("a", "b"), persons=(("a",), ("b",)))
START = "2026-01-01T10:00:00.000000Z"


def at(minutes: int) -> str:
    return f"2026-01-01T10:{minutes:02d}:00.000000Z"


class TestTardiness:
    def mark(self, *seats: str) -> Tardiness:
        state = Tardiness()
        for seat in seats:
            made = tardiness.miss(state, SEATED, seat=seat, at=at(1))
            assert isinstance(made, list)
            state = tardiness.evolve(state, made[0])
        return state

    def confirm(self, state: Tardiness, seat: str, kind: str, minute: int) -> Any:
        return tardiness.confirm(
            state,
            SEATED,
            seat=seat,
            kind=kind,
            start=START,
            now=at(minute),
            policy=policies.usual().policy,
        )

    @pytest.mark.parametrize(
        ("kind", "minute", "code"),
        [
            ("game_loss", 2, "tournaments.tardy_early"),
            ("match_loss", 9, "tournaments.tardy_early"),
            ("warning", 9, "tournaments.penalty_unknown"),
        ],
    )
    def test_not_before_the_minutes_of_the_policy(self, kind: str, minute: int, code: str) -> None:
        assert self.confirm(self.mark("P1"), "P1", kind, minute).code == code

    def test_game_loss_then_match_loss(self) -> None:
        state = self.mark("P2")
        made = self.confirm(state, "P2", "game_loss", 3)
        assert [type(one).__name__ for one in made] == [
            "TardinessConfirmed",
            "GameLossApplied",
            "DuelScored",
        ]
        state = tardiness.evolve(state, made[0])
        assert self.confirm(state, "P2", "game_loss", 4).code == "tournaments.tardy_confirmed"
        made = self.confirm(state, "P2", "match_loss", 10)
        assert (made[-1].winner, made[-1].reason) == ("P1", "no_show")

    def test_nobody_came(self) -> None:
        made = self.confirm(self.mark("P1", "P2"), "P1", "match_loss", 12)
        assert made[-1].winner == "double_loss"

    def test_only_an_empty_seat_that_was_marked(self) -> None:
        no = self.confirm(self.mark("P1"), "P2", "game_loss", 5)
        assert no.code == "tournaments.player_not_missed"
        again = tardiness.miss(self.mark("P1"), SEATED, seat="P1", at=at(2))
        assert again.code == "tournaments.player_missed"  # type: ignore[union-attr]
        gone = tardiness.arrive(Tardiness(), SEATED, seat="P1", at=at(2))
        assert gone.code == "tournaments.player_not_missed"  # type: ignore[union-attr]

    @pytest.mark.django_db
    def test_timers_of_a_round(self, make_event: Make, jude: Member) -> None:
        event = make_event(4, start=True)
        jude.grant("judge", event.event_id)
        event.pair()
        row, seat = event.match_of("Bob", 1)
        services.player_miss(jude.context("judge"), match_id=row.pk, seat=seat)
        with pytest.raises(NotAllowed):
            services.player_miss(event.player("Alice"), match_id=row.pk, seat=seat)
        began = clock.now()

        def later(minutes: int) -> Any:
            with clock.clock_set(lambda: began + timedelta(minutes=minutes, seconds=1)):
                view = selectors.tardy_tables(jude.actor, event.event_id)
                assert view is not None
                held = view.tables[0].seats[0 if seat == "P1" else 1]
                return held.due, held.due_in

        services.player_arrive(jude.context("judge"), match_id=row.pk, seat=seat)
        services.player_miss(jude.context("judge"), match_id=row.pk, seat=seat)
        assert later(1) == ("", 2)
        assert later(3) == ("game_loss", 7)
        with clock.clock_set(lambda: began + timedelta(minutes=4)):
            services.tardiness_confirm(event.staff(), match_id=row.pk, seat=seat, kind="game_loss")
        assert later(5) == ("", 5)
        assert later(11) == ("match_loss", None)
        with clock.clock_set(lambda: began + timedelta(minutes=11)):
            services.tardiness_confirm(
                event.staff(), match_id=row.pk, seat=seat, kind="match_loss", drop=True
            )
        bob = EntrantRow.objects.get(pk=event.entrants["Bob"])
        assert (bob.status, bob.reason) == ("dropped", "no_show")
        row.refresh_from_db()
        assert (row.reason, row.winner == seat) == ("no_show", False)
        rebuilds_equal("tournaments.board", "tournaments.day")


@pytest.mark.django_db
class TestSeats:
    def test_the_next_in_line_moves_up(self, make_event: Make) -> None:
        event = make_event(8, start=True, rounds=2, cut=4)
        event.play_swiss()
        seeds = event.run(services.cut_make, seed=2)
        order = [
            line.side.entrant_id
            for line in selectors.standings_after(event.olga.actor, event.event_id).lines
        ]
        came = event.run(services.seat_decline, entrant_id=seeds[1])
        now = list(EntrantRow.objects.filter(seed__isnull=False).order_by("seed"))
        assert [one.pk for one in now] == [seeds[0], *seeds[2:], came]
        assert came not in seeds
        assert came in order
        assert seeds[1] in selectors.event_rules(event.olga.actor, event.event_id).declined
        no = refused(event.run, services.seat_decline, entrant_id=seeds[1])
        assert no.code == "tournaments.seat_declined"
        assert event.run(services.seat_take, entrant_id=seeds[1]) == seeds[1]
        now = list(EntrantRow.objects.filter(seed__isnull=False).order_by("seed"))
        assert [one.pk for one in now] == seeds
        rebuilds_equal("tournaments.board", "tournaments.day")

    def test_declined_before_the_cut_is_made(self, make_event: Make) -> None:
        event = make_event(6, start=True, rounds=2, cut=2)
        event.play_swiss()
        best = selectors.standings_after(event.olga.actor, event.event_id).lines[0].side
        assert event.run(services.seat_decline, entrant_id=best.entrant_id) is None
        assert best.entrant_id not in event.run(services.cut_make, seed=1)

    def test_not_once_the_cut_is_played(self, make_event: Make) -> None:
        event = make_event(4, start=True, rounds=2, cut=2)
        event.play_swiss()
        seeds = event.run(services.cut_make, seed=1)
        event.pair()
        no = refused(event.run, services.seat_decline, entrant_id=seeds[0])
        assert no.code == "tournaments.cut_moved_on"


@pytest.mark.django_db
class TestPods:
    def made(self, olga: Member, names: list[str], **values: Any) -> str:
        event_id = new_id()
        services.pod_create(
            olga.context(), event_id=event_id, name="Lunch pod", names=names, **values
        )
        return event_id

    def test_the_match_rules_say_which_game_it_is(self, olga: Member) -> None:
        names = ["Ana", "Bea", "Cid", "Dan"]
        row = EventRow.objects.get(pk=self.made(olga, names, match_rules="dm-bo1", seed=1))
        assert (row.game, row.preset, row.standings) == (
            "duel-masters", "classic-dm", "duel-masters@1",
        )  # fmt: skip
        match = MatchRow.objects.filter(event_id=row.pk).first()
        assert match is not None
        services.result_enter(olga.context(), match_id=match.pk, score=[0, 1, 0])
        match.refresh_from_db()
        assert match.winner == "P2"

    def test_eight_names_are_a_published_bracket(self, olga: Member) -> None:
        names = services.names_in(" Ana \n\nBea\nCid\nDan\nEva\nFin\nGil\nHeo\n")
        event_id = self.made(olga, names, seed=4)
        view = selectors.bracket(olga.actor, event_id)
        assert sorted(side.name for side in view.seeds) == sorted(names)
        assert len(view.rounds[0].lines) == 4
        for _ in range(3):
            for row in MatchRow.objects.filter(event_id=event_id, winner=""):
                services.result_enter(olga.context(), match_id=row.pk, score=[2, 0, 0])
            if selectors.bracket(olga.actor, event_id).champion is None:
                number = services.round_pair(olga.context(), event_id=event_id)
                services.round_publish(olga.context(), event_id=event_id, number=number)
        services.event_finish(olga.context(), event_id=event_id)
        places = sorted(EntrantRow.objects.values_list("place", flat=True))
        assert places == list(range(1, 9))
        rebuilds_equal()

    def test_other_numbers_get_byes(self, olga: Member) -> None:
        event_id = self.made(olga, ["Ana", "Bea", "Cid", "Dan", "Eva"])
        assert len(selectors.pairings(olga.actor, event_id, 1).byes) == 3

    @pytest.mark.parametrize(
        ("names", "code"),
        [
            (["Ana", "Bea", "Cid"], "pod_names"),
            ([f"Player {n}" for n in range(65)], "pod_names"),
            (["Ana", "Bea", "Cid", "ana"], "pod_name_twice"),
        ],
    )
    def test_what_is_no_pod(self, olga: Member, names: list[str], code: str) -> None:
        no = refused(
            services.pod_create, olga.context(), event_id=new_id(), name="Pod", names=names
        )
        assert no.code == f"tournaments.{code}"
        assert not EntrantRow.objects.exists()

    def test_a_name_that_is_none_makes_nothing(self, olga: Member) -> None:
        no = refused(
            services.pod_create,
            olga.context(),
            event_id=new_id(),
            name="Pod",
            names=["Ana", "Bea", "Cid", "D\u202eda"],
        )
        assert no.code.startswith("people.")
        assert not EntrantRow.objects.exists()
        assert not MatchRow.objects.exists()

    def test_for_organisers_of_the_site(self, charlie: Member) -> None:
        with pytest.raises(NotAllowed):
            self.made(charlie, ["Ana", "Bea", "Cid", "Dan"])


@pytest.mark.django_db
class TestElsewhere:
    def test_a_person_live_in_two_events_is_named(self, make_event: Make) -> None:
        first, second = make_event(4, start=True), make_event(4)
        second.run(services.entrant_enrol, person_id=first.persons["Alice"])
        (one,) = selectors.live_elsewhere(first.olga.actor, second.event_id)
        found = (one.name, one.person_id, one.event_name)
        assert found == ("Alice", first.persons["Alice"], "Friday cup")
        assert selectors.live_elsewhere(first.olga.actor, first.event_id) == []
        first.run(services.entrant_drop, entrant_id=first.entrants["Alice"])
        assert selectors.live_elsewhere(first.olga.actor, second.event_id) == []
        with pytest.raises(NotAllowed):
            selectors.live_elsewhere(first.player("Bob").actor, second.event_id)
