"""Who may do and see what: the cast on every service, selector and route of judging."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client

from eventstore.ids import new_id
from judging import selectors, services
from people.access import NotAllowed
from people.domain.actor import ANONYMOUS
from tests.conftest import Member
from tests.helpers import queries, query_count
from tests.judging.hall import Hall, raise_call, to_table
from tournaments import selectors as tournaments

pytestmark = [pytest.mark.django_db, pytest.mark.pg]
ClientOf = Callable[[Member | None], Client]
ALLOWED, FORBIDDEN, HIDDEN = "allowed", "forbidden", "hidden"


def verdict(read: Callable[[], Any]) -> str:
    try:
        read()
    except NotAllowed as fault:
        return HIDDEN if fault.hidden else FORBIDDEN
    return ALLOWED


@pytest.fixture
def cast(
    hall: Hall, alice: Member, bob: Member, charlie: Member, jude: Member, hedda: Member
) -> dict[str, Member]:
    """Everybody by name; Dora plays at another table, Sara keeps the scores."""
    from tests.conftest import make_member

    sara = make_member(21, "Sara", account=True)
    sara.grant("scorekeeper", hall.event_id)
    members = [alice, bob, charlie, jude, hedda, hall.olga, hall.dora, sara]
    return {member.name: member for member in members}


CALL_READ = {
    "Alice": ALLOWED, "Bob": ALLOWED, "Charlie": HIDDEN, "Dora": HIDDEN, "Jude": ALLOWED,
    "Hedda": ALLOWED, "Olga": ALLOWED, "Sara": ALLOWED,
}  # fmt: skip
QUEUE_READ = {
    "Alice": HIDDEN, "Bob": HIDDEN, "Charlie": HIDDEN, "Dora": HIDDEN, "Jude": ALLOWED,
    "Hedda": ALLOWED, "Olga": ALLOWED, "Sara": FORBIDDEN,
}  # fmt: skip
TAKE = {
    "Alice": FORBIDDEN, "Bob": FORBIDDEN, "Charlie": HIDDEN, "Dora": HIDDEN, "Olga": FORBIDDEN,
    "Sara": FORBIDDEN,
}  # fmt: skip


def test_reads(hall: Hall, alice: Member, cast: dict[str, Member]) -> None:
    call_id = raise_call(alice, hall.match_id)
    for name, member in cast.items():
        actor = member.actor
        assert verdict(lambda a=actor: selectors.call_detail(a, call_id)) == CALL_READ[name], name
        assert (
            verdict(lambda a=actor: selectors.match_calls(a, hall.match_id)) == CALL_READ[name]
        ), name
        for read in (
            selectors.queue,
            selectors.rulings,
            selectors.pending,
            selectors.policy,
            selectors.extensions,
            selectors.citable_rules,
        ):
            assert verdict(lambda a=actor, r=read: r(a, hall.event_id)) == QUEUE_READ[name], name
    for hidden in (
        lambda: selectors.my_calls(ANONYMOUS),
        lambda: selectors.call_detail(ANONYMOUS, call_id),
        lambda: selectors.queue(ANONYMOUS, hall.event_id),
    ):
        assert verdict(hidden) == HIDDEN


def test_commands(hall: Hall, alice: Member, jude: Member, cast: dict[str, Member]) -> None:
    call_id = raise_call(alice, hall.match_id)
    to_table(jude, call_id)
    ruled = services.ruling_make(
        jude.context("judge"),
        call_id=call_id,
        infraction="DC-MAJOR",
        target_entrant=hall.ea,
        remedy="loss",
    )
    judge_only = (
        services.call_claim, services.call_arrive, services.call_give_back,
        services.call_escalate, services.ruling_make, services.call_close,
    )  # fmt: skip
    for name, expected in TAKE.items():
        context = cast[name].context
        for service in judge_only:
            sent = verdict(lambda s=service, c=context: s(c("judge"), call_id=call_id))
            assert sent == expected, (name, service)
        approve = verdict(
            lambda c=context: services.penalty_approve(
                c("judge"), call_id=call_id, ruling_id=ruled.ruling_id
            )
        )
        assert approve == expected, name
    for name in ("Charlie", "Dora"):
        context = cast[name].context
        for service in (services.ruling_accept, services.call_appeal, services.call_withdraw):
            assert verdict(lambda s=service, c=context: s(c(), call_id=call_id)) == HIDDEN
        raised = verdict(
            lambda c=context: services.call_raise(c(), call_id=new_id(), match_id=hall.match_id)
        )
        assert raised == HIDDEN


def test_staff_of_another_event_are_strangers_here(
    hall: Hall, alice: Member, charlie: Member
) -> None:
    charlie.grant("head_judge", new_id())
    call_id = raise_call(alice, hall.match_id)
    assert verdict(lambda: selectors.call_detail(charlie.actor, call_id)) == HIDDEN
    assert verdict(lambda: services.call_claim(charlie.context(), call_id=call_id)) == HIDDEN


def test_players_see_state_and_ruling_and_never_the_notes(
    hall: Hall, alice: Member, bob: Member, jude: Member, hedda: Member
) -> None:
    call_id = raise_call(alice, hall.match_id, kind="conduct", category="conduct")
    told = selectors.call_detail(alice.actor, call_id)
    other = selectors.call_detail(bob.actor, call_id)
    assert (told.category, told.raised_by) == ("conduct", alice.person_id)
    assert (other.category, other.kind, other.raised_by, other.raised_by_name) == ("",) * 4
    to_table(jude, call_id)
    services.ruling_make(
        jude.context("judge"),
        call_id=call_id,
        infraction="UC-MINOR",
        infraction_kind="language",
        target_entrant=hall.eb,
        note="Heard by table 4.",
        facts_disputed="The words.",
    )
    for player in (alice, bob):
        view = selectors.call_detail(player.actor, call_id)
        ruling = view.rulings[0]
        assert (view.state, ruling.penalty, ruling.target_name) == ("ruled", "warning", "Bob")
        assert (ruling.note, ruling.facts_agreed, ruling.facts_disputed) == (None,) * 3
        assert view.steps == ()
    seen = selectors.call_detail(hedda.actor, call_id)
    assert seen.rulings[0].note == "Heard by table 4."
    assert [one.what for one in seen.steps] == [
        "call_raised",
        "call_claimed",
        "judge_arrived",
        "ruling_made",
    ]


def test_a_caution_stays_between_judges(
    hall: Hall, alice: Member, bob: Member, hedda: Member
) -> None:
    call_id = raise_call(alice, hall.match_id)
    to_table(hedda, call_id)
    services.ruling_make(
        hedda.context("judge"),
        call_id=call_id,
        infraction="UC-MINOR",
        penalty="caution",
        target_entrant=hall.eb,
        note="First time, no harm.",
    )
    for player in (alice, bob):
        ruling = selectors.call_detail(player.actor, call_id).rulings[0]
        assert (ruling.penalty, ruling.infraction, ruling.target_name, ruling.rule_id) == ("",) * 4
    assert selectors.rulings(hedda.actor, hall.event_id)[0].penalty == "caution"


def test_the_queue_is_oldest_first_and_costs_the_same_for_any_length(
    hall: Hall, alice: Member, jude: Member
) -> None:
    first = raise_call(alice, hall.match_id)
    judge = jude.actor
    few = query_count(lambda: selectors.queue(judge, hall.event_id))
    second = raise_call(hall.dora, hall.other_match)
    with queries(few):
        lines = selectors.queue(judge, hall.event_id)
    assert [line.call_id for line in lines] == [first, second]
    assert few == 3, "the calls, the names in them, and when the server was away"


def public_answers(client: Client, hall: Hall) -> list[tuple[str, int, bytes]]:
    """What the routes that concern the event answer to somebody."""
    base = "/api/v1"
    return [
        (path, answer.status_code, answer.content)
        for path in (
            f"{base}/events/{hall.event_id}",
            f"{base}/events/{hall.event_id}/rounds/1",
            f"{base}/events/{hall.event_id}/standings",
            f"{base}/matches/{hall.match_id}",
            f"{base}/events/{hall.event_id}/calls",
            f"{base}/events/{hall.event_id}/rulings",
            f"{base}/events/{hall.event_id}/policy",
            f"{base}/calls/mine",
        )
        for answer in [client.get(path)]
    ]


@pytest.mark.parametrize("who", ["Charlie", "Dora", None])
def test_an_outsiders_answers_carry_no_trace_of_a_call(
    hall: Hall,
    alice: Member,
    jude: Member,
    cast: dict[str, Member],
    client_of: ClientOf,
    who: str | None,
) -> None:
    client = client_of(cast[who] if who else None)
    with queries() as asked_before:
        before = public_answers(client, hall)
    call_id = raise_call(alice, hall.match_id)
    to_table(jude, call_id)
    services.ruling_make(
        jude.context("judge"),
        call_id=call_id,
        infraction="DC-MAJOR",
        target_entrant=hall.ea,
        remedy="loss",
        note="secret",
    )
    with queries() as asked_after:
        after = public_answers(client, hall)
    assert after == before
    assert {status for _, status, _ in before} == {200, 404}
    assert len(asked_after) == len(asked_before)
    there, nowhere = (client.get(f"/api/v1/calls/{one}") for one in (call_id, new_id()))
    assert (there.status_code, there.content) == (nowhere.status_code, nowhere.content)
    assert there.status_code == 404


def test_what_a_player_reads_does_not_depend_on_the_notes(
    hall: Hall, bob: Member, client_of: ClientOf, jude: Member
) -> None:
    bodies: list[dict[str, Any]] = []
    for note in ("", "A long note about what the other player said."):
        call_id = raise_call(bob, hall.match_id)
        to_table(jude, call_id)
        services.ruling_make(jude.context("judge"), call_id=call_id, note=note)
        services.call_close(jude.context("judge"), call_id=call_id)
        bodies.append(client_of(bob).get(f"/api/v1/calls/{call_id}").json())
    assert list(plain(bodies[0])) == list(plain(bodies[1]))


def plain(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every path and value but ids and times, which differ between two calls."""
    if isinstance(value, dict):
        for key, one in value.items():
            if not key.endswith(("_id", "_at")) and key != "at":
                yield from plain(one, f"{path}.{key}")
    elif isinstance(value, list):
        for index, one in enumerate(value):
            yield from plain(one, f"{path}[{index}]")
    else:
        yield path, value


def test_the_public_pairings_do_not_know_of_a_call(hall: Hall, alice: Member) -> None:
    before = tournaments.pairings(ANONYMOUS, hall.event_id, 1)
    raise_call(alice, hall.match_id)
    assert tournaments.pairings(ANONYMOUS, hall.event_id, 1) == before
