"""A page of pairings reads less than the whole round, and says the same to each reader."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection

from eventstore.prepared import listed
from people import selectors as people
from people.access import NotAllowed
from people.domain.actor import ANONYMOUS, Actor
from people.merging import public_name_set
from people.models import Person
from tests.helpers import queries
from tests.tournaments.conftest import Running
from tournaments import selectors, services
from tournaments.selectors import PairedRow, PairingLine

Make = Callable[..., Running]
pytestmark = pytest.mark.django_db


def _said(line: PairedRow | PairingLine) -> tuple[object, ...]:
    sides = [(one.entrant_id, one.name, one.points) for one in (line.p1, line.p2)]
    return (
        line.table, *sides, line.state, line.winner, line.score, line.reason, line.corrected,
        list(line.duels), line.extension_s, line.ends_at if line.extension_s else "",
        line.contested,
    )  # fmt: skip


def _shown(viewer: Actor, event: Running, number: int | None) -> selectors.PairingsShown:
    return selectors.pairings_shown(viewer, selectors.event_home(viewer, event.event_id), number)


@pytest.fixture
def event(make_event: Make) -> Running:
    """A second round of eleven: a corrected result, a contested one, reports, an extension, a
    player under another name."""
    event = make_event(11, start=True, rounds=4)
    event.pair()
    event.settle([2, 1, 0], [0, 2, 0], [1, 1, 1])
    event.pair(seed=2)
    event.run(services.clock_start, minutes=40)
    first, second, third, fourth, fifth = event.matches(2)
    name_of = {entrant: name for name, entrant in event.entrants.items()}
    services.result_enter(event.staff(), match_id=first.pk, score=[2, 0, 0])
    services.result_correct(event.staff(), match_id=first.pk, score=[0, 2, 0], note="wrong slip")
    services.result_claim(event.player(name_of[second.p1]), match_id=second.pk, score=[2, 0, 0])
    services.result_claim(event.player(name_of[third.p1]), match_id=third.pk, score=[2, 0, 0])
    services.result_claim(event.player(name_of[third.p2]), match_id=third.pk, score=[0, 2, 0])
    services.result_enter(event.staff(), match_id=fifth.pk, score=[2, 0, 0])
    services.result_claim(event.player(name_of[fifth.p2]), match_id=fifth.pk, score=[0, 2, 0])
    services.time_extend(event.staff(), match_id=fourth.pk, seconds=200)
    public_name_set(
        event.player(name_of[second.p2]),
        person_id=event.persons[name_of[second.p2]],
        event_id=event.event_id,
        public_name="Somebody <else>",
    )
    return event


def test_each_reader_is_shown_what_the_whole_round_says(event: Running) -> None:
    for viewer in (ANONYMOUS, event.player("Alice").actor, event.olga.actor):
        whole, page = selectors.pairings(viewer, event.event_id, 2), _shown(viewer, event, 2)
        shown = page.view
        assert shown is not None
        assert [_said(one) for one in shown.tables[:]] == [_said(one) for one in whole.tables]
        assert [_said(one) for one in shown.tables[1:3]] == [_said(one) for one in whole.tables][
            1:3
        ]
        assert _said(shown.tables[4]) == _said(whole.tables[4])
        assert shown.tables[9:4] == shown.tables[5:] == []
        assert len(shown.tables) == len(whole.tables) == 5
        assert [one[:2] for one in shown.byes] == [(one.entrant_id, one.name) for one in whole.byes]
        assert (shown.reasons, shown.row) == (whole.reasons, whole.row)
        assert [one[:2] for one in page.rounds] == [
            (one.number, one.stage) for one in selectors.rounds_list(viewer, event.event_id)
        ]
    with pytest.raises(IndexError):
        shown.tables[5]
    desk = selectors.pairings(event.olga.actor, event.event_id, 2).tables
    assert {"claimed", "disputed"} <= {one.state for one in desk}, "not for everybody to know"
    assert any(one.contested for one in desk), "nor that"
    public = _shown(ANONYMOUS, event, 2).view
    assert public is not None
    assert {one.state for one in public.tables[:]} <= {"waiting", "playing", "decided"}
    assert not any(one.contested for one in public.tables[:])
    assert any(one.corrected for one in public.tables[:])
    assert any(one.extension_s and one.ends_at for one in public.tables[:])


def test_only_the_chosen_name_is_shown(event: Running) -> None:
    person = Person.objects.exclude(public_name="").get()
    shown = _shown(ANONYMOUS, event, 2).view
    assert shown is not None
    names = [side.name for one in shown.tables[:] for side in (one.p1, one.p2)]
    assert "Somebody <else>" in names
    assert person.display_name not in names


def test_a_draft_and_a_round_that_is_none_stay_hidden(make_event: Make) -> None:
    event = make_event(5, start=True, rounds=3)
    event.pair()
    event.settle()
    event.run(services.round_pair, seed=3)
    assert [one.number for one in _shown(ANONYMOUS, event, None).rounds] == [1]
    for viewer, number in ((ANONYMOUS, 2), (event.player("Alice").actor, 2), (ANONYMOUS, 9)):
        with pytest.raises(NotAllowed) as no:
            _shown(viewer, event, number)
        assert no.value.hidden
    page = _shown(event.olga.actor, event, 2)
    assert [one.number for one in page.rounds] == [1, 2]
    assert page.view is not None
    assert not page.view.row.published
    sides = [side for one in page.view.tables[:] for side in (one.p1, one.p2)]
    everybody = {one.name for one in (*sides, *page.view.byes)}
    assert everybody == set(event.entrants), "the persons of a draft are not at its tables yet"


def test_what_it_asks_does_not_grow_with_the_tables(event: Running, make_event: Make) -> None:
    small = make_event(4, start=True, rounds=2)
    small.pair()
    for one, number, byes in ((small, 1, 0), (event, 2, 2)):
        home = selectors.event_home(ANONYMOUS, one.event_id)
        with queries((1 if connection.vendor == "postgresql" else 4) + byes + 3):
            shown = selectors.pairings_shown(ANONYMOUS, home, number).view
            assert shown is not None
            assert shown.tables[0:100]


def test_names_are_found_for_any_number_of_persons(event: Running) -> None:
    every = list(event.persons.values())
    odd = ["", "none", 'a"b', "c'; --", "%s", "é"]
    for number in (0, 1, 6, 7, 11):
        asked = every[:number]
        found = people.registered_names([*asked, *odd])
        assert found == {one: Person.objects.get(pk=one).display_name for one in asked}
    rows = Person.objects.filter(pk__listed=listed(every[:8]))
    assert {one.pk for one in rows} == set(every[:8])
