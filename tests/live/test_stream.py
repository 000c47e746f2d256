"""The stream as a browser gets it: from a server of its own, over a connection."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager

from eventstore.ids import new_id
from judging import services as judging
from people.services import role_end
from tests.conftest import Member
from tests.live.listening import Listening, Served, session_of
from tests.portal.stage import Stage, player
from tournaments import services
from tournaments.models import MatchRow

QUIET_SECONDS = 2.5
"""Longer than the server needs to hear of a commit of another process."""


def _open(served: Served, *topics: str, **more: object) -> Listening:
    made = served.listen(*topics, **more)  # type: ignore[arg-type]
    assert made.status == 200
    assert made.headers["content-type"].startswith("text/event-stream")
    made.until(b"event: clock")
    return made


def test_a_message_holds_numbers_and_nothing_else(
    served: Served, stage: Stage, cast: dict[str, Member]
) -> None:
    judge = _open(served, f"calls.{stage.event_id}", headers=session_of(cast["jude"]))
    judging.call_claim(cast["jude"].context("judge"), call_id=stage.call_id)
    judge.until(b"event: moved")
    assert len(judge.moved) == 1
    lines = [one for one in judge.timeless.decode().split("\n") if one]
    assert [one.split(":")[0] for one in lines] == [
        "retry", "id", "event", "data", "id", "event", "data",
    ]  # fmt: skip
    words = judge.timeless.decode()
    for secret in (stage.event_id, stage.call_id, stage.match_id, "Alice", "judging", "claim"):
        assert secret not in words


def test_a_stream_goes_on_where_the_last_one_ended(
    served: Served, stage: Stage, cast: dict[str, Member]
) -> None:
    headers = session_of(cast["jude"])
    first = _open(served, f"calls.{stage.event_id}", headers=headers)
    at = first.said.decode().split("id: ")[1].split("\n")[0]
    first.line.close()
    judging.call_claim(cast["jude"].context("judge"), call_id=stage.call_id)
    again = _open(served, f"calls.{stage.event_id}", headers={**headers, "Last-Event-ID": at})
    again.until(b"event: moved")
    assert again.moved == [f"0 {int(at) + 1}"]


def test_every_listener_of_a_topic_is_told_and_no_other(
    served: Served, stage: Stage, cast: dict[str, Member]
) -> None:
    event = stage.event_id
    public = [_open(served, f"board.{event}") for _ in range(20)]
    elsewhere = new_id()
    services.event_create(cast["olga"].context(), event_id=elsewhere, name="Other cup")
    services.registration_open(cast["olga"].context(), event_id=elsewhere)
    other = _open(served, f"board.{elsewhere}")
    services.result_enter(cast["olga"].context(), match_id=stage.match_id, score=[2, 0, 0])
    for one in public:
        one.until(b"event: moved")
    assert {tuple(one.moved) for one in public} == {tuple(public[0].moved)}
    other.quiet(QUIET_SECONDS)
    assert not other.moved


def test_two_states_that_differ_in_what_is_hidden_give_equal_bytes(
    serve: Callable[[str], AbstractContextManager[Served]], stage: Stage, cast: dict[str, Member]
) -> None:
    """On one database a dispute, a call with its ruling, a second call and a role come before a
    public act, on the other only that act. Who may not know of these hears the same bytes."""
    event = stage.event_id
    fay = Member(stage.persons["Fay"], "Fay")
    others = MatchRow.objects.filter(event_id=event, round=2, winner="")

    def heard(name: str, hidden: bool) -> list[bytes]:
        with serve(name) as served:
            opened = [
                _open(served, f"board.{event}"),
                _open(served, f"board.{event}", f"mine.{event}", headers=session_of(fay, [event])),
            ]
            if hidden:
                _hide(stage, cast)
                time.sleep(QUIET_SECONDS)
            table = others.exclude(pk=stage.match_id).order_by("table")[0]
            services.result_enter(cast["olga"].context(), match_id=table.pk, score=[2, 0, 0])
            for one in opened:
                one.until(b"event: moved")
            return [one.timeless for one in opened]

    assert heard("one", hidden=True) == heard("two", hidden=False)


def _hide(stage: Stage, cast: dict[str, Member]) -> None:
    """Let everything happen that neither the public nor another table may know."""
    won = {"P1": [2, 0, 0], "P2": [0, 2, 0]}
    other = {"P1": "P2", "P2": "P1"}[stage.seat]
    for member, seat in ((cast["alice"], stage.seat), (cast["bob"], other)):
        services.result_claim(player(member.person_id), match_id=stage.match_id, score=won[seat])
    judge = cast["jude"]
    judging.call_claim(judge.context("judge"), call_id=stage.call_id)
    judging.call_arrive(judge.context("judge"), call_id=stage.call_id, time_left_s=900)
    judging.ruling_make(
        judge.context("judge"), call_id=stage.call_id, ruling_id=new_id(), rule_id="YGO-11.1"
    )
    judging.call_raise(player(cast["bob"].person_id), call_id=new_id(), match_id=stage.match_id)
    cast["jude"].grant("deck_checker", stage.event_id)


def test_a_lost_role_ends_the_stream_before_anything_more_is_said(
    served: Served, stage: Stage, cast: dict[str, Member]
) -> None:
    topic = f"calls.{stage.event_id}"
    jude = _open(served, topic, headers=session_of(cast["jude"]))
    hedda = _open(served, topic, headers=session_of(cast["hedda"]))
    role_end(
        cast["olga"].context(),
        person_id=cast["jude"].person_id,
        role="judge",
        event_id=stage.event_id,
    )
    judging.call_raise(player(cast["bob"].person_id), call_id=new_id(), match_id=stage.match_id)
    jude.until(None)
    assert not jude.moved
    hedda.until(b"event: moved")
    assert served.listen(topic, headers=session_of(cast["jude"])).status == 404


def test_a_role_of_another_event_does_not_end_it(
    served: Served, stage: Stage, cast: dict[str, Member]
) -> None:
    topic = f"calls.{stage.event_id}"
    jude = _open(served, topic, headers=session_of(cast["jude"]))
    elsewhere = new_id()
    services.event_create(cast["olga"].context(), event_id=elsewhere, name="Other cup")
    cast["jude"].grant("judge", elsewhere)
    role_end(
        cast["olga"].context(),
        person_id=cast["jude"].person_id,
        role="judge",
        event_id=elsewhere,
    )
    jude.quiet(QUIET_SECONDS)
    assert not jude.ended
    judging.call_claim(cast["hedda"].context("judge"), call_id=stage.call_id)
    jude.until(b"event: moved")


def test_what_may_not_be_followed_opens_no_stream(
    served: Served, stage: Stage, cast: dict[str, Member]
) -> None:
    fay = session_of(Member(stage.persons["Fay"], "Fay"), [stage.event_id])
    for headers in ({}, fay):
        for topic in (f"calls.{stage.event_id}", f"desk.{stage.event_id}", f"calls.{new_id()}"):
            refused = served.listen(topic, headers=headers)
            assert refused.status == 404
            assert b"event:" not in refused.until(None)
