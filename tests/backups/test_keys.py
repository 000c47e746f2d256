"""Keys move on purpose, under a passphrase; a machine without them goes on and gets them later."""

from __future__ import annotations

import io
import json
import stat
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from eventstore import checkpoints, signing
from eventstore.domain import chest
from eventstore.domain.chest import BadChest, open_chest
from eventstore.keyfile import write_secret
from eventstore.verification import verify_log
from people import vault
from tests.conftest import Member

PHRASE = "a long enough passphrase"
SALT, NONCE = b"s" * chest.SALT_BYTES, b"n" * chest.NONCE_BYTES


def test_a_chest_opens_under_its_passphrase_alone() -> None:
    text = chest.seal({"vault.key": "k"}, PHRASE, salt=SALT, nonce=NONCE)
    assert "vault" not in text
    assert open_chest(text, PHRASE) == {"vault.key": "k"}
    typed = chest.seal({"a": "b"}, " Ku\u0308stenwache am Fluss ", salt=SALT, nonce=NONCE)
    assert open_chest(typed, "K\u00fcstenwache am Fluss") == {"a": "b"}
    whole = json.loads(text)
    sealed = ("A" if whole["sealed"][0] != "A" else "B") + whole["sealed"][1:]
    for changed, code in (
        (text, "closed"),
        (json.dumps({**whole, "sealed": sealed}), "closed"),
        (json.dumps({**whole, "n": 1 << 14}), "closed"),
        (json.dumps({**whole, "n": 1 << 40}), "malformed"),
        (json.dumps({**whole, "n": 3}), "malformed"),
        (json.dumps({**whole, "nonce": "AA=="}), "malformed"),
        (json.dumps({**whole, "format": "headjudge-keys@9"}), "format_unknown"),
        ("[]", "malformed"),
        ("{", "malformed"),
        ("[" * 100_000, "malformed"),
    ):
        with pytest.raises(BadChest) as fault:
            open_chest(changed, PHRASE if changed != text else "another passphrase")
        assert fault.value.code == code
    for weak in ("", "too short", " " * 20, "a" * 40, "   short    "):
        with pytest.raises(BadChest, match="short"):
            chest.seal({}, weak, salt=SALT, nonce=NONCE)


def test_a_data_folder_that_comes_with_a_key_is_for_its_owner_only(tmp_path: Path) -> None:
    write_secret(tmp_path / "data" / "some.key", b"key")
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700


@pytest.fixture
def phrase(tmp_path: Path) -> Path:
    file = tmp_path / "phrase"
    file.write_text(PHRASE)
    return file


def run(*words: Any, **options: Any) -> str:
    out = io.StringIO()
    call_command(*words, stdout=out, **options)
    return out.getvalue()


def machine(settings: Any, folder: Path, secret: str) -> None:
    """Go to another machine: its own data folder, the same database."""
    folder.mkdir(exist_ok=True)
    settings.DATA_DIR, settings.SECRET_KEY = folder, secret


@pytest.fixture
def first_machine(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with no key but those in its own data folder."""
    for name in ("LOG_SIGNING_KEY", "VAULT_KEY", "SECRET_KEY", "LOG_ORIGIN"):
        monkeypatch.delenv(name, raising=False)
    machine(settings, tmp_path / "one", "the-secret-of-the-first-machine!!")


@pytest.mark.django_db
def test_a_restored_machine_writes_on_and_reads_all_once_the_keys_are_there(
    olga: Member, settings: Any, tmp_path: Path, phrase: Path, first_machine: None
) -> None:
    before = vault.seal(olga.person_id, "before")
    checkpoints.checkpoint_make()
    first_key = signing.signing_key().verifier
    moved = tmp_path / "keys"
    said = run("keys_export", to=moved, passphrase_file=phrase)
    assert f"after a restore: {first_key.as_text()}" in said
    assert stat.S_IMODE(moved.stat().st_mode) == 0o600
    with pytest.raises(CommandError, match="there already"):
        run("keys_export", to=moved, passphrase_file=phrase)

    machine(settings, tmp_path / "two", "the-secret-of-the-second-machine!")
    (tmp_path / "two" / "secret.key").write_text(settings.SECRET_KEY)
    signing.signing_key()
    assert vault.unreadable_keys() == 1
    assert vault.set_unreadable_aside() == 1
    after = vault.seal(olga.person_id, "after")
    pairs = [(olga.person_id, before), (olga.person_id, after)]
    assert vault.open_texts(pairs) == [None, "after"]
    assert verify_log().faults, "nobody vouches for the first machine's checkpoint yet"
    wrong = tmp_path / "wrong"
    wrong.write_text("another passphrase")
    with pytest.raises(CommandError, match="passphrase is another"):
        run("keys_import", moved, passphrase_file=wrong)
    said = run("keys_import", moved, passphrase_file=phrase)
    assert "Free texts of 1 persons can be read here again." in said
    assert "keeps its own signing key" in said
    assert vault.open_texts(pairs) == ["before", "after"]
    assert vault.unreadable_keys() == 0
    assert first_key in signing.trusted_keys()
    assert verify_log().faults == []
    secret = (tmp_path / "two" / "secret.key").read_text().strip()
    assert secret == "the-secret-of-the-first-machine!!"
    assert run("keys_import", moved, passphrase_file=phrase).count("\n") == 2, "again: no harm"
    assert vault.open_texts(pairs) == ["before", "after"]


@pytest.mark.django_db
def test_keys_that_come_before_the_copy_are_simply_the_keys(
    olga: Member, settings: Any, tmp_path: Path, phrase: Path, first_machine: None
) -> None:
    text = vault.seal(olga.person_id, "before")
    key = signing.signing_key().verifier
    run("keys_export", to=tmp_path / "keys", passphrase_file=phrase)
    machine(settings, tmp_path / "two", "the-secret-of-the-second-machine!")
    run("keys_import", tmp_path / "keys", passphrase_file=phrase)
    assert vault.open_text(olga.person_id, text) == "before"
    assert signing.signing_key().verifier == key
