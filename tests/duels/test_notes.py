"""Notes on lines of a duel: who may write and read which, what is refused, and that the log of the
duel, and whoever may not know, learn nothing of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from duels import notes
from duels.domain import notes as rules
from duels.models import DuelNote, DuelRow
from duels.services import duel_concede
from eventstore.domain.refusal import Refusal, Refused
from eventstore.ids import new_id
from eventstore.models import Event
from people.access import NotAllowed
from people.domain.actor import Actor
from people.erasure import person_erase
from tests.conftest import Member
from tests.helpers import rebuilds_equal
from tests.portal.leaks import seen
from tests.portal.stage import Stage, player, set_stage

ClientOf = Callable[[Member | None], Client]
SECRET = "The second summon was not his to make"


def made(**values: Any) -> rules.NoteMade:
    usual = {"note_id": "n1", "kind": "flag", "line": 3, "by": "a", "seat": "P1", "text": ""}
    return rules.NoteMade(duel_id="d", event_id="e", **(usual | values))


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"kind": "shout"}, "duels.note_kind"),
        ({"line": 0}, "duels.no_such_line"),
        ({"line": 11}, "duels.no_such_line"),
        ({"note_id": "n1"}, "duels.note_exists"),
        ({"kind": "note"}, "duels.note_empty"),
        ({"length": rules.LONGEST + 1}, "duels.note_too_long"),
        ({"kind": "comment", "length": 5}, "duels.comment_while_played"),
        ({"line": 3}, "duels.flag_again"),
    ],
)
def test_what_is_refused(asked: dict[str, Any], code: str) -> None:
    held = rules.evolve(rules.NONE, made())
    usual = {"note_id": "n2", "kind": "flag", "line": 4, "by": "a", "length": 0, "lines": 10}
    answer = rules.decide_make(held, over=False, **(usual | asked))
    assert isinstance(answer, Refusal)
    assert answer.code == code
    assert rules.decide_make(held, over=False, **usual) == "flag"


def test_a_withdrawn_flag_makes_room_and_many_notes_do_not_pile_up() -> None:
    held = rules.evolve(rules.NONE, made())
    usual: dict[str, Any] = {"kind": "flag", "by": "a", "length": 0, "lines": 999, "over": False}
    gone = rules.evolve(held, rules.NoteWithdrawn("n1", "a"))
    assert rules.decide_make(gone, note_id="n2", line=3, **usual) == "flag"
    refused = rules.decide_withdraw(gone, "n1")
    assert refused is not None
    assert refused.code == "duels.note_withdrawn"
    for number in range(2, rules.MOST_STANDING + 1):
        held = rules.evolve(held, made(note_id=f"n{number}", line=number + 10))
    full = rules.decide_make(held, note_id="more", line=5, **usual)
    assert isinstance(full, Refusal)
    assert full.code == "duels.notes_many"
    assert rules.decide_make(held, note_id="more", line=5, **(usual | {"by": "b"})) == "flag"


@pytest.fixture
def stage(olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member) -> Stage:
    call_command("load_shipped", verbosity=0)
    return set_stage(olga, alice, bob, jude, hedda)


def read(viewer: Actor, stage: Stage) -> list[tuple[str, str | None]]:
    return [(one.kind, one.text) for one in notes.notes_shown(viewer, stage.duel_id).notes]


def refused(context: Any, stage: Stage, **values: Any) -> str:
    with pytest.raises(Refused) as fault:
        notes.note_make(context, duel_id=stage.duel_id, note_id=new_id(), **values)
    return fault.value.refusal.code


@pytest.mark.django_db
def test_each_reads_what_is_theirs_and_the_log_tells_nothing(
    stage: Stage,
    olga: Member,
    alice: Member,
    bob: Member,
    charlie: Member,
    jude: Member,
    hedda: Member,
    client_of: ClientOf,
) -> None:
    address = f"/duels/{stage.duel_id}/?at=5"
    strangers = (bob, charlie, None)

    before = DuelRow.objects.get(pk=stage.duel_id).events
    pages = [seen(client_of(one), address) for one in strangers]
    mine = player(alice.person_id)

    def note(context: Any, **values: Any) -> str:
        note_id = new_id()
        return notes.note_make(context, duel_id=stage.duel_id, note_id=note_id, **values)

    flag = note(mine, kind="flag", line=5, text=SECRET)
    own = note(jude.context("judge"), kind="note", line=5, text="Looks right to me")
    assert refused(jude.context("judge"), stage, kind="comment", line=5, text="Nice") == (
        "duels.comment_while_played"
    )
    for who, kind in ((bob, "note"), (charlie, "flag"), (alice, "comment"), (olga, "note")):
        with pytest.raises(NotAllowed):
            note(who.context(), kind=kind, line=5, text="x")

    # hidden from the opponent and from everybody else, in the page as in the log
    assert [seen(client_of(one), address) for one in strangers] == pages
    assert DuelRow.objects.get(pk=stage.duel_id).events == before
    assert not Event.objects.filter(body__contains=SECRET.encode()).exists()
    assert read(alice.actor, stage) == [("flag", SECRET)]
    assert read(jude.actor, stage) == [("flag", SECRET), ("note", "Looks right to me")]
    for who in (bob, charlie, olga):
        assert read(who.actor, stage) == []
    judge = client_of(jude).get(f"{address}&as=judge").content.decode()
    assert SECRET in judge
    assert "Looks right to me" in judge
    _withdraw(stage, flag, own, alice, bob, jude, hedda)
    rebuilds_equal()


def _withdraw(
    stage: Stage, flag: str, own: str, alice: Member, bob: Member, jude: Member, hedda: Member
) -> None:
    for who, note_id, hidden in ((bob, flag, True), (jude, flag, False), (alice, own, True)):
        with pytest.raises(NotAllowed) as fault:
            notes.note_withdraw(who.context(), duel_id=stage.duel_id, note_id=note_id)
        assert fault.value.hidden is hidden
    notes.note_withdraw(player(alice.person_id), duel_id=stage.duel_id, note_id=flag)
    notes.note_withdraw(hedda.context("judge"), duel_id=stage.duel_id, note_id=own)
    shown = notes.notes_shown(jude.actor, stage.duel_id)
    assert [one.withdrawn for one in shown.notes] == [True, True]
    assert shown.lines == frozenset()
    assert DuelNote.objects.get(pk=own).withdrawn_by == hedda.person_id
    with pytest.raises(Refused):
        notes.note_withdraw(hedda.context("judge"), duel_id=stage.duel_id, note_id=own)


@pytest.mark.django_db
def test_a_comment_waits_for_the_end_and_is_moderated_and_erased(
    stage: Stage,
    olga: Member,
    alice: Member,
    bob: Member,
    charlie: Member,
    jude: Member,
    client_of: ClientOf,
) -> None:
    if not DuelRow.objects.get(pk=stage.duel_id).winner:
        other = "P2" if stage.seat == "P1" else "P1"
        duel_concede(player(bob.person_id), duel_id=stage.duel_id, player=other)
    client = client_of(olga)
    address = f"/duels/{stage.duel_id}/notes/"
    form = {"act": "make", "kind": "comment", "line": "7", "text": "A line to remember"}
    assert client.post(address, {**form, "text": " "}).status_code == 409
    assert client.post(address, form).status_code == 302
    board = client_of(None).get(f"/duels/{stage.duel_id}/?at=7").content
    assert b"A line to remember" in board
    assert b"The duel goes on" not in board, "it is over, whichever line is looked at"
    assert b"A line to remember" in client_of(charlie).get(address).content
    note_id = DuelNote.objects.get(kind="comment").pk
    gone = {"act": "withdraw", "note_id": note_id, "kind": "comment", "line": "7"}
    assert client_of(charlie).post(address, gone).status_code == 403
    assert client.post(address, gone).status_code == 302
    assert b"A line to remember" not in client_of(None).get(address).content

    flag = {"act": "make", "kind": "flag", "line": "7", "text": SECRET}
    assert client_of(alice).post(address, flag).status_code == 302
    assert SECRET in client_of(alice).get(address).content.decode()
    assert ("flag", SECRET) in read(jude.actor, stage)
    person_erase(olga.context(), person_id=alice.person_id)
    assert ("flag", None) in read(jude.actor, stage)
