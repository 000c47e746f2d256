"""The one way of a command: once, wholly or not at all."""

from __future__ import annotations

import pytest

from eventstore import store
from eventstore.commands import CommandReused, Context, accept
from eventstore.domain.refusal import Refusal, Refused
from eventstore.models import CommandOutcome
from people.domain.actor import SYSTEM, Actor
from tests.conftest import Member
from tests.eventstore.sample import NumberAdded, Sum, number_add, pair_add
from tests.helpers import query_count

pytestmark = [pytest.mark.django_db, pytest.mark.pg]


def by_system(command_id: str | None = None) -> Context:
    if command_id is None:
        return Context(actor=SYSTEM, source="system")
    return Context(actor=SYSTEM, source="system", command_id=command_id)


def test_the_same_command_again_gives_the_first_outcome_and_no_event() -> None:
    first = number_add(by_system("one"), stream="thing-a", number=4)
    number_add(by_system("other"), stream="thing-a", number=5)
    again = number_add(by_system("one"), stream="thing-a", number=4)
    assert first == again == Sum("thing-a", 4)
    assert [one.data.number for one in store.read_stream("thing-a")] == [4, 5]


def test_the_same_id_with_other_content_is_refused() -> None:
    number_add(by_system("one"), stream="thing-a", number=4)
    with pytest.raises(CommandReused):
        number_add(by_system("one"), stream="thing-a", number=5)
    with pytest.raises(CommandReused):
        pair_add(by_system("one"), first="thing-a", second="thing-b", number=4)
    with pytest.raises(CommandReused):
        number_add(
            Context(actor=Actor(person_id="p"), source="player", command_id="one"),
            stream="thing-a",
            number=4,
        )
    assert store.head_position() == 1


def test_a_refused_command_leaves_nothing_and_may_come_again() -> None:
    with pytest.raises(Refused) as refused:
        number_add(by_system("one"), stream="thing-a", number=0)
    assert refused.value.refusal == Refusal("sample.zero", {"found": 0})
    assert CommandOutcome.objects.count() == 0
    number_add(by_system("one"), stream="thing-a", number=1)
    assert store.head_position() == 1


def test_a_broken_command_leaves_nothing() -> None:
    with pytest.raises(RuntimeError):
        number_add(by_system("one"), stream="thing-a", number=1, fail=True)
    assert store.head_position() == 0
    assert CommandOutcome.objects.count() == 0


def test_services_join_the_outer_command() -> None:
    sums = pair_add(by_system("one"), first="thing-a", second="thing-b", number=3)
    assert sums == [Sum("thing-a", 3), Sum("thing-b", -3)]
    assert {one.meta.command for one in store.read_all()} == {"one"}
    assert list(CommandOutcome.objects.values_list("name", flat=True)) == ["sample.pair_add"]


def test_a_refusal_of_a_joined_service_undoes_the_outer_one() -> None:
    with pytest.raises(Refused):
        pair_add(by_system(), first="thing-a", second="thing-b", number=0)
    assert store.head_position() == 0


def test_the_event_says_who_did_it_and_from_where(olga: Member) -> None:
    context = olga.context(client_time="2026-01-02T03:04:05.000006Z", correlation="k")
    number_add(context, stream="thing-a", number=1)
    (one,) = store.read_stream("thing-a")
    assert one.meta.actor == olga.person_id
    assert one.meta.role == "site_organiser"
    assert one.meta.source == "organiser"
    assert one.meta.command == context.command_id
    assert one.meta.client_time == "2026-01-02T03:04:05.000006Z"
    assert one.meta.correlation == "k"


def test_a_positional_argument_or_an_unknown_one_is_a_fault_of_the_caller() -> None:
    with pytest.raises(TypeError):
        number_add(by_system(), stream="thing-a")
    with pytest.raises(TypeError):
        number_add(by_system(), stream="thing-a", number=1, colour="red")
    assert store.head_position() == 0


def test_a_command_costs_as_many_queries_on_a_long_stream_as_on_a_short_one() -> None:
    number_add(by_system(), stream="thing-a", number=1)
    short = query_count(lambda: number_add(by_system(), stream="thing-a", number=1))
    for number in range(1, 30):
        number_add(by_system(), stream="thing-a", number=number)
    assert query_count(lambda: number_add(by_system(), stream="thing-a", number=1)) == short


def test_accept_passes_events_and_raises_refusals() -> None:
    events = [NumberAdded(1)]
    assert accept(events) is events
    with pytest.raises(Refused):
        accept(Refusal("sample.zero"))
