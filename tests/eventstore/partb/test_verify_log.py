"""verify_log, checkpoints and the signing key: what is vouched for, and from where on not."""

from __future__ import annotations

import json
import os
import stat
from io import StringIO
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.db.utils import DatabaseError

from eventstore import checkpoints, signing, verification
from eventstore.checkpoints import LogFault, NotCovered
from eventstore.domain import checkpoint as notes
from eventstore.domain import merkle
from eventstore.models import CheckpointRow, LeafRow
from eventstore.verification import verify_log
from tests.eventstore.partb.conftest import EVENT, Scene, write
from tests.eventstore.partb.test_tampering import behind_the_back, delete, put, row

pytestmark = pytest.mark.pg


def _codes() -> list[tuple[int, str]]:
    return [(one.position, one.code) for one in verify_log().faults]


def _free(cursor: object, table: str) -> None:
    """Take the triggers of one more table away (SQLite; on PostgreSQL they are off)."""
    if connection.vendor == "sqlite":
        with connection.cursor() as other:
            other.execute(
                "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = %s", [table]
            )
            for (name,) in other.fetchall():
                other.execute(f"DROP TRIGGER {name}")


def test_a_log_without_checkpoint_is_vouched_for_by_nobody(scene: Scene) -> None:
    report = verify_log()
    assert (report.faults, report.vouched, report.unvouched_from) == ([], 0, 1)


def test_a_checkpoint_vouches_up_to_its_size_and_no_further(scene: Scene) -> None:
    note = checkpoints.checkpoint_make(reason="round_published", subject="round 1")
    write(f"tournament-{EVENT}", "later")
    report = verify_log()
    assert (report.vouched, report.head) == (scene.events, scene.events + 1)
    assert report.unvouched_from == scene.events + 1
    opened = notes.open_checkpoint(note, signing.trusted_keys())
    assert opened.size == scene.events
    kept = checkpoints.newest_checkpoint()
    assert kept is not None
    assert (kept.reason, kept.subject) == ("round_published", "round 1")


def test_a_checkpoint_twice_over_the_same_log_is_the_same(scene: Scene) -> None:
    assert checkpoints.checkpoint_make() == checkpoints.checkpoint_make()
    assert CheckpointRow.objects.count() == 1


def test_checkpoints_lead_to_each_other_and_hold_their_events(scene: Scene) -> None:
    checkpoints.checkpoint_make()
    for number in range(5):
        write(f"tournament-{EVENT}", number)
        checkpoints.checkpoint_make()
    made = [one.checkpoint for one in checkpoints.checkpoints()]
    assert len(made) == 6
    for old in made:
        proof = checkpoints.consistency_proof(old.size, made[-1].size)
        assert merkle.verify_consistency(old.size, made[-1].size, old.root, made[-1].root, proof)
    positions = checkpoints.stream_positions(f"tournament-{EVENT}")
    for position, text in checkpoints.inclusion_texts(positions).items():
        head, _, note = text.partition("\n\n")
        lines = head.split("\n")
        assert lines[:2] == ["c2sp.org/tlog-proof@v1", f"index {position - 1}"]
        assert notes.open_checkpoint(note, signing.trusted_keys()) == made[-1]
    with pytest.raises(NotCovered):
        checkpoints.inclusion_texts([made[-1].size + 1])
    with pytest.raises(NotCovered):
        checkpoints.consistency_proof(3, made[-1].size)


def test_an_altered_event_never_gets_into_a_later_checkpoint(scene: Scene) -> None:
    before = checkpoints.checkpoint_make()

    def alter(cursor: object) -> int:
        values = row(cursor, 9)
        delete(cursor, 9)
        put(cursor, 9, {**values, "body": values["body"].replace(b"system", b"sistem")})
        return 9

    def next_one_still_proves_the_old(wrong: int) -> None:
        write("duel-new", "later")
        checkpoints.checkpoint_make()
        size = notes.open_checkpoint(before, signing.trusted_keys()).size
        assert checkpoints.consistency_proof(size, size + 1)
        assert _codes() == [(9, "altered")]

    behind_the_back(alter, next_one_still_proves_the_old)


def test_events_that_are_no_chain_are_not_signed(scene: Scene) -> None:
    def forge(cursor: object) -> int:
        put(cursor, scene.events + 1, {**row(cursor, 3), "version": 77})
        return scene.events + 1

    def refused(wrong: int) -> None:
        with pytest.raises(LogFault) as fault:
            checkpoints.checkpoint_make()
        assert fault.value.faults[0].position == wrong
        assert CheckpointRow.objects.count() == 0

    behind_the_back(forge, refused)


def test_a_log_shorter_than_its_checkpoint_is_not_signed_again(scene: Scene) -> None:
    checkpoints.checkpoint_make()

    def cut(cursor: object) -> int:
        delete(cursor, scene.events)
        return scene.events

    def refused(wrong: int) -> None:
        with pytest.raises(LogFault):
            checkpoints.checkpoint_make()
        assert _codes() == [(wrong, "missing")]

    behind_the_back(cut, refused)


def test_head_of_a_stream_cut_off_is_found(scene: Scene) -> None:
    """Trap 15: the start of a stream is taken away, with or without a checkpoint."""
    stream = f"tournament-{EVENT}"
    first, second = checkpoints.stream_positions(stream)[:2]

    def cut(cursor: object) -> int:
        delete(cursor, first)
        return first

    def unvouched(wrong: int) -> None:
        assert (second, "chain_broken") in _codes()
        assert _codes()[0] == (wrong, "missing")

    behind_the_back(cut, unvouched)
    checkpoints.checkpoint_make()
    behind_the_back(cut, lambda wrong: _assert_equal(_codes(), [(wrong, "missing")]))


def _assert_equal(found: object, wanted: object) -> None:
    assert found == wanted


def test_a_damaged_copy_of_the_leaves_is_told_from_a_damaged_log(scene: Scene) -> None:
    checkpoints.checkpoint_make()

    def copy(cursor: object) -> int:
        _free(cursor, "eventstore_leaves")
        with connection.cursor() as other:
            other.execute("UPDATE eventstore_leaves SET hashes = %s", [bytes(scene.events * 32)])
        return 1

    behind_the_back(copy, lambda wrong: _assert_equal(_codes(), [(wrong, "copy_damaged")]))

    def both(cursor: object) -> int:
        delete(cursor, scene.events - 3)
        return copy(cursor)

    def a_range(wrong: int) -> None:
        assert (1, "range_altered") in _codes()
        assert verify_log().vouched == 0

    behind_the_back(both, a_range)


def test_a_checkpoint_kept_elsewhere_shows_that_the_end_and_all_checkpoints_are_gone(
    scene: Scene, tmp_path: Path
) -> None:
    note = checkpoints.checkpoint_make()
    file = tmp_path / "kept.txt"
    file.write_text(note, encoding="utf-8")

    def wipe(cursor: object) -> int:
        for table in ("eventstore_leaves", "eventstore_checkpoint"):
            _free(cursor, table)
            with connection.cursor() as other:
                other.execute(f"DELETE FROM {table}")
        delete(cursor, scene.events)
        return scene.events

    def seen(wrong: int) -> None:
        assert verify_log().faults == []  # nothing here knows of the end any more
        assert verify_log().unvouched_from == 1
        faults = verify_log(extra_notes=[note]).faults
        assert [(one.position, one.code) for one in faults] == [(wrong, "missing")]
        with pytest.raises(CommandError, match=f"position {wrong}: missing"):
            call_command("verify_log", "--checkpoint", str(file), stdout=StringIO())

    behind_the_back(wipe, seen)
    assert verify_log(extra_notes=[note]).faults == []


def test_a_forged_checkpoint_is_named(scene: Scene) -> None:
    CheckpointRow.objects.create(
        id="x", size=5, note="a\n5\nAAAA\n\n— a AAAA\n", edge="5", reason="", made_at=""
    )
    assert _codes() == [(5, "checkpoint_bad")]
    with pytest.raises(LogFault):
        checkpoints.checkpoint_make()


def test_a_row_below_position_one_is_named(scene: Scene) -> None:
    def below(cursor: object) -> int:
        put(cursor, -4, {**row(cursor, 3), "version": 77})
        return -4

    behind_the_back(below, lambda wrong: _assert_equal(_codes()[0], (wrong, "out_of_place")))


def test_a_run_that_was_ended_goes_on_where_it_stood(
    scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoints.checkpoint_make()
    monkeypatch.setattr(verification, "ROWS_A_STEP", 20)
    monkeypatch.setattr(checkpoints, "BATCH", 10)
    file = tmp_path / "state"

    class Ended(Exception):
        pass

    def end(done: int, total: int) -> None:
        if done >= 40:
            raise Ended

    def alter(cursor: object) -> int:
        values = row(cursor, 15)
        delete(cursor, 15)
        put(cursor, 15, {**values, "hash": "0" * 64})
        return 15

    def resumed(wrong: int) -> None:
        with pytest.raises(Ended):
            verify_log(end, state_file=file)
        report = verify_log(state_file=file)
        assert report.resumed_after == 40
        assert [(one.position, one.code) for one in report.faults] == [(wrong, "columns_differ")]
        assert not file.exists()
        for nonsense in ("", "[]", '{"position": 99999999, "faults": []}', '{"position": "x"}'):
            file.write_text(nonsense)
            assert verify_log(state_file=file).resumed_after == 0

    behind_the_back(alter, resumed)


def test_the_commands_say_what_they_found(scene: Scene) -> None:
    out = StringIO()
    call_command("verify_log", stdout=out, stderr=StringIO())
    assert "no checkpoint covers the log from position 1 on" in out.getvalue()
    out = StringIO()
    call_command("checkpoint", stdout=out)
    assert out.getvalue() == checkpoints.checkpoint_make()
    out = StringIO()
    call_command("verify_log", "--json", "--fresh", stdout=out, stderr=StringIO())
    assert json.loads(out.getvalue()) == {
        "head": scene.events, "vouched": scene.events, "unvouched_from": None, "checkpoints": 1,
        "resumed_after": 0, "faults": [],
    }  # fmt: skip
    out = StringIO()
    call_command("checkpoint", "--prove", f"tournament-{EVENT}", stdout=out)
    assert out.getvalue().startswith("c2sp.org/tlog-proof@v1\nindex 0\n")
    with pytest.raises(CommandError, match="no stream"):
        call_command("checkpoint", "--prove", "tournament-x", stdout=StringIO())
    with pytest.raises(CommandError):
        call_command("verify_log", "--key", "nonsense", stdout=StringIO())
    out = StringIO()
    call_command("checkpoint", "--key", stdout=out)
    assert notes.VerifierKey.from_text(out.getvalue()) == signing.signing_key().verifier


@pytest.mark.parametrize("model", [CheckpointRow, LeafRow])
@pytest.mark.parametrize("statement", ["UPDATE {} SET {} = {}", "DELETE FROM {}"])
def test_checkpoints_and_leaves_are_append_only(
    scene: Scene, model: type[CheckpointRow], statement: str
) -> None:
    checkpoints.checkpoint_make()
    key = model._meta.pk.column
    sql = statement.format(model._meta.db_table, key, key)
    with (
        pytest.raises(DatabaseError, match="append-only"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(sql)


def test_the_key_is_a_file_for_its_owner_alone_and_stays_the_same(own_keys: Path) -> None:
    key = signing.signing_key()
    file = own_keys / "log-signing.key"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert signing.signing_key().verifier == key.verifier
    assert [one.name for one in own_keys.iterdir()] == ["log-signing.key"]
    file.chmod(0o640)
    with pytest.raises(ImproperlyConfigured, match="chmod 600"):
        signing.signing_key()
    file.chmod(0o600)
    file.write_text("nonsense!")
    with pytest.raises(ImproperlyConfigured):
        signing.signing_key()


def test_a_new_key_goes_on_while_the_old_one_is_still_trusted(
    scene: Scene, own_keys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoints.checkpoint_make()
    old = signing.signing_key().verifier
    os.rename(own_keys / "log-signing.key", own_keys / "old")
    monkeypatch.setenv("LOG_ORIGIN", "club.example/log")
    with pytest.raises(LogFault):
        checkpoints.checkpoint_make()
    (own_keys / "log-verify.keys").write_text(f"# before the move\n{old.as_text()}\n")
    assert "club.example/log" in checkpoints.checkpoint_make()
    assert verify_log().faults == []
    assert len(checkpoints.checkpoints()) == 2
    monkeypatch.setenv("LOG_ORIGIN", "has a space")
    with pytest.raises(ImproperlyConfigured):
        signing.signing_key()
