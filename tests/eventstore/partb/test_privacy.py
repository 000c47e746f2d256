"""Erasure: the key goes, the log stays true, and no restored copy brings it back (trap 17)."""

from __future__ import annotations

import json
import shutil
import stat
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.db import transaction
from django.test import Client

from eventstore import checkpoints, store
from eventstore.commands import Context
from eventstore.domain.refusal import Refused
from eventstore.ids import new_id
from eventstore.verification import verify_log
from people import erasure, erasure_list, vault
from people.access import NotAllowed
from people.domain.actor import SYSTEM
from people.erasure import (
    erasures_apply,
    legal_hold_lift,
    legal_hold_set,
    person_erase,
    person_export,
)
from people.models import Account, ApiToken, Person, PersonKey, RoleRow
from people.selectors import names
from people.services import device_join
from people.tokens import token_make
from tests.conftest import Member
from tests.eventstore.conftest import OwnDatabase
from tests.eventstore.sample import META, ValueKept
from tests.helpers import rebuilds_equal

pytestmark = [pytest.mark.django_db, pytest.mark.pg]
SECRET = "Bob drew two cards, ő."


def system() -> Context:
    return Context(actor=SYSTEM, source="system")


def say(member: Member, text: str) -> str:
    """Append an event that holds sealed text of a member."""
    sealed = vault.seal(member.person_id, text)
    with transaction.atomic():
        store.writing_turn()
        store.append([store.StreamWrite("call-1", store.ANY, [ValueKept(sealed)])], meta=META)
    return sealed


def refusal(call: Callable[[], Any]) -> str:
    with pytest.raises(Refused) as fault:
        call()
    return fault.value.refusal.code


def test_erasing_takes_name_login_key_tokens_and_sessions_and_leaves_the_log_true(
    hedda: Member, client_of: Callable[[Member | None], Client]
) -> None:
    hedda.grant("head_judge", "e1")
    sealed = say(hedda, SECRET)
    token_make(
        system(),
        token_id=new_id(),
        person_id=hedda.person_id,
        label="phone",
        digest="0" * 64,
        scopes=["read"],
        days=1,
    )
    client_of(hedda)
    checkpoints.checkpoint_make()
    before = [one.hash for one in store.read_all()]
    counts = person_erase(system(), person_id=hedda.person_id)
    assert counts == {
        "keys": 1, "tokens": 1, "accounts": 1, "sessions": 1, "names": 1, "roles": 1, "webhooks": 0,
        "phones told": 0,
        "mail addresses": 0,
        "message choices": 0,
        "photos": 0,
        "replay files": 0,
    }  # fmt: skip
    assert vault.open_text(hedda.person_id, sealed) is None
    assert names([hedda.person_id]) == {hedda.person_id: "—"}
    for model in (Account, ApiToken, PersonKey, RoleRow, Session):
        assert not model.objects.exists(), model
    assert [one.hash for one in store.read_all()][: len(before)] == before
    assert verify_log().faults == []
    rebuilds_equal()
    rows = list(Person.objects.values_list("sort_name", "folded", "card_game_id"))
    assert rows == [("", "", None)]


def test_a_device_session_of_the_person_is_taken_away_and_no_other(
    alice: Member, bob: Member, client_of: Callable[[Member | None], Client]
) -> None:
    client_of(alice)
    client_of(bob)
    assert person_erase(system(), person_id=alice.person_id)["sessions"] == 1
    left = [one.get_decoded()["device_person"] for one in Session.objects.all()]
    assert left == [bob.person_id]


def test_erasing_again_finds_nothing_and_appends_nothing(alice: Member) -> None:
    person_erase(system(), person_id=alice.person_id)
    head = store.head_position()
    assert set(person_erase(system(), person_id=alice.person_id).values()) == {0}
    assert store.head_position() == head


def test_nobody_but_the_site_organiser_erases(olga: Member, hedda: Member, charlie: Member) -> None:
    hedda.grant("head_judge", "e1")
    for member in (hedda, charlie):
        with pytest.raises(NotAllowed):
            person_erase(member.context(), person_id=charlie.person_id)
        with pytest.raises(NotAllowed):
            legal_hold_set(
                charlie.context(), person_id=hedda.person_id, hold_id="h", reason="r"
            )  # fmt: skip
    person_erase(olga.context(), person_id=charlie.person_id)
    assert refusal(lambda: person_erase(olga.context(), person_id="nobody")) == (
        "people.unknown_person"
    )


def test_a_legal_hold_stops_the_erasure_until_the_last_one_is_lifted(
    alice: Member, hedda: Member
) -> None:
    hedda.grant("head_judge", "e1")
    packet = {"person_id": alice.person_id, "event_id": "e1"}
    for hold in ("packet-1", "packet-2", "packet-1"):
        legal_hold_set(hedda.context(), hold_id=hold, reason="disqualification", **packet)
    assert erasure.holds_of(alice.person_id) == ["packet-1", "packet-2"]

    def erase() -> Any:
        return person_erase(system(), person_id=alice.person_id)

    assert refusal(erase) == "people.legal_hold"
    legal_hold_lift(hedda.context(), hold_id="packet-1", **packet)
    assert refusal(erase) == "people.legal_hold"
    assert erasure_list.erased() == frozenset()
    with pytest.raises(CommandError, match=r"people\.legal_hold.*packet-2"):
        call_command("erase_person", alice.person_id, "--yes", stdout=StringIO())
    legal_hold_lift(hedda.context(), hold_id="packet-2", **packet)
    again = lambda: legal_hold_lift(hedda.context(), hold_id="packet-2", **packet)  # noqa: E731
    assert refusal(again) == "people.hold_unknown"
    incomplete = lambda: legal_hold_set(  # noqa: E731
        hedda.context(), hold_id="", reason="x", **packet
    )
    assert refusal(incomplete) == "people.hold_incomplete"
    assert erase()["names"] == 1


def test_trap_17_a_key_that_a_restored_table_brings_back_opens_nothing_and_goes_again(
    alice: Member, bob: Member
) -> None:
    sealed, kept = say(alice, SECRET), say(bob, "mine")
    backup = PersonKey.objects.get(person_id=alice.person_id)
    name = Person.objects.get(pk=alice.person_id)
    person_erase(system(), person_id=alice.person_id)
    backup.save(force_insert=True)  # the restored table has the old row again
    name.save()
    assert vault.open_text(alice.person_id, sealed) is None
    assert refusal(lambda: vault.seal(alice.person_id, "again")) == "people.person_erased"
    assert erasures_apply() == 1
    assert not PersonKey.objects.filter(person_id=alice.person_id).exists()
    assert names([alice.person_id]) == {alice.person_id: "—"}
    assert erasures_apply() == 0
    assert vault.open_text(bob.person_id, kept) == "mine"


def test_an_erasure_that_only_the_log_knows_is_put_on_the_list(
    alice: Member, own_keys: Path
) -> None:
    sealed = say(alice, SECRET)
    backup = PersonKey.objects.get()
    person_erase(system(), person_id=alice.person_id)
    (own_keys / erasure_list.FILE).unlink()
    backup.save(force_insert=True)
    assert vault.open_text(alice.person_id, sealed) == SECRET  # the list is what stops it
    assert erasures_apply() == 1
    assert alice.person_id in erasure_list.erased()
    assert vault.open_text(alice.person_id, sealed) is None


def test_a_copy_of_the_database_alone_opens_no_text(alice: Member, own_keys: Path) -> None:
    sealed = say(alice, SECRET)
    file = own_keys / vault.WRAP_FILE
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.unlink()  # another machine, another wrapping key
    assert vault.open_text(alice.person_id, sealed) is None
    assert refusal(lambda: vault.seal(alice.person_id, "x")) == "people.key_unreadable"


def test_texts_are_opened_with_one_query_and_nonsense_opens_to_nothing(
    alice: Member, bob: Member, django_assert_num_queries: Any
) -> None:
    pairs = [(alice.person_id, say(alice, "a")), (bob.person_id, say(bob, "b"))]
    wrong = [(alice.person_id, pairs[1][1]), (alice.person_id, "?"), ("x", ""), ("x", "é")]
    with django_assert_num_queries(1):
        assert vault.open_texts([*pairs, *wrong]) == ["a", "b", None, None, None, None]


def test_the_command_shows_first_and_does_with_yes(alice: Member) -> None:
    say(alice, SECRET)
    out = StringIO()
    call_command("erase_person", alice.person_id, stdout=out)
    assert "would be erased" in out.getvalue()
    assert "keys: 1" in out.getvalue()
    assert PersonKey.objects.exists()
    out = StringIO()
    call_command("erase_person", alice.person_id, "--yes", stdout=out)
    assert out.getvalue().startswith("erased:")
    assert not PersonKey.objects.exists()
    for command in ("erase_person", "export_person"):
        with pytest.raises(CommandError, match=r"people\.unknown_person"):
            call_command(command, "nobody", stdout=StringIO())
    out = StringIO()
    call_command("erasures_apply", stdout=out)
    assert out.getvalue() == "0 persons erased again\n"


def test_the_export_holds_what_is_kept_with_own_texts_opened(alice: Member, bob: Member) -> None:
    device_join(alice.context(), person_id=alice.person_id, event_id="e1")
    own = vault.seal(alice.person_id, SECRET)
    other = vault.seal(bob.person_id, "Alice shuffled.")
    with transaction.atomic():
        store.writing_turn()
        value = {"about": alice.person_id, "texts": [own, other]}
        store.append([store.StreamWrite("call-1", 0, [ValueKept(value)])], meta=META)
        store.append([store.StreamWrite("call-2", 0, [ValueKept("of nobody")])], meta=META)
    out = StringIO()
    call_command("export_person", alice.person_id, stdout=out)
    found = json.loads(out.getvalue())
    assert found["person"]["display_name"] == "Alice"
    assert found["account"] is None
    stream = f"person-{alice.person_id}"
    assert [one["stream"] for one in found["events"]] == [stream, stream, "call-1"]
    assert [one["caused"] for one in found["events"]] == [False, True, False]
    assert found["events"][2]["data"]["value"]["texts"] == [SECRET, other]
    assert "Alice shuffled" not in out.getvalue()
    with pytest.raises(NotAllowed):
        person_export(bob.actor, alice.person_id)
    assert person_export(alice.actor, alice.person_id)["person"]["id"] == alice.person_id


def test_a_room_adds_what_it_keeps_of_people(
    alice: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasure, "_erasers", {})
    monkeypatch.setattr(erasure, "_exporters", {})
    erasure.on_erase("parcels")(lambda person_id: 3)
    erasure.on_export("parcels")(lambda person_id: [person_id])
    assert person_export(SYSTEM, alice.person_id)["parcels"] == [alice.person_id]
    assert person_erase(system(), person_id=alice.person_id)["parcels"] == 3


def test_a_half_written_line_of_the_list_does_not_swallow_the_next(own_keys: Path) -> None:
    erasure_list.add(["one"])
    with (own_keys / erasure_list.FILE).open("a") as file:
        file.write("half")
    erasure_list.add(["two"])
    erasure_list.add(["two"])
    assert erasure_list.erased() == {"one", "half", "two"}
    assert (own_keys / erasure_list.FILE).read_text().split() == ["one", "half", "two"]


MAKE = """
import django; django.setup()
from django.db import transaction
from eventstore import store
from eventstore.commands import Context
from people import vault
from people.domain.actor import SYSTEM
from people.services import person_register
from tests.eventstore.sample import META, ValueKept
person_register(Context(actor=SYSTEM, source="system"), person_id="p1",
                display_name="Xanthippe Unmistakable")
with transaction.atomic():
    store.writing_turn()
    store.append([store.StreamWrite("call-1", 0, [ValueKept(vault.seal("p1", "secret"))])],
                 meta=META)
"""
LOOK = """
import django; django.setup()
from eventstore import store
from people import vault
from people.models import PersonKey
from people.selectors import names
from tests.eventstore.sample import ValueKept
text = [one.data.value for one in store.read_all() if isinstance(one.data, ValueKept)][0]
print(PersonKey.objects.count(), vault.open_text("p1", text), names(["p1"]))
"""


def test_a_backup_file_of_before_the_erasure_brings_nothing_back(
    own_database: OwnDatabase,
) -> None:
    if own_database.vendor != "sqlite":
        pytest.skip("the copy of a file is SQLite's backup; the tables are tested above")
    own_database.run("-c", MAKE)
    assert own_database.run("-c", LOOK) == "1 secret {'p1': 'Xanthippe Unmistakable'}\n"
    own_database.run("-c", "import django; django.setup(); from people.erasure import scrub; "
                     "scrub()")  # fmt: skip
    backup = own_database.path.with_name("backup")
    shutil.copy(own_database.path, backup)
    assert b"Unmistakable" in backup.read_bytes()
    own_database.run("manage.py", "erase_person", "p1", "--yes")
    files = own_database.path.parent.glob("own.sqlite3*")
    assert not any(b"Unmistakable" in file.read_bytes() for file in files)
    for file in own_database.path.parent.glob("own.sqlite3*"):
        file.unlink()
    shutil.copy(backup, own_database.path)
    assert own_database.run("-c", LOOK).startswith("1 None")
    own_database.run("manage.py", "migrate", "--verbosity", "0", "--skip-checks")
    assert own_database.run("-c", LOOK) == "0 None {'p1': '—'}\n"
    own_database.run("manage.py", "verify_log")
