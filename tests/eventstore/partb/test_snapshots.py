"""Snapshots make a load shorter and never wrong: trap 8 and all its cousins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
import pytest
from django.db import transaction

from eventstore import fingerprint, snapshots, store
from eventstore.commands import Context, Unit
from eventstore.models import SnapshotRow
from eventstore.snapshots import Snapshots
from people.domain.actor import SYSTEM
from tests.eventstore.sample import META, NumberAdded
from tests.helpers import queries

pytestmark = [pytest.mark.django_db, pytest.mark.pg]


@dataclass(frozen=True, slots=True)
class Total:
    """A state: how many numbers came, and their sum."""

    count: int = 0
    total: int = 0


calls: list[int] = []


def evolve(state: Total, one: Any) -> Total:
    calls.append(one.number)
    return Total(state.count + 1, state.total + one.number)


POLICY = Snapshots(Total, every=5)


def add(*numbers: int) -> None:
    with transaction.atomic():
        store.writing_turn()
        events = [NumberAdded(number) for number in numbers]
        store.append([store.StreamWrite("thing", store.ANY, events)], meta=META)


def load() -> tuple[int, Total, int]:
    """Return (version, state, how many events were folded)."""
    calls.clear()
    loaded = Unit(Context(actor=SYSTEM, source="system")).load(
        "thing", Total(), evolve, snapshots=POLICY
    )
    return loaded.version, loaded.state, len(calls)


def test_a_load_goes_on_from_the_snapshot() -> None:
    add(1, 2, 3, 4)
    assert load() == (4, Total(4, 10), 4)
    assert SnapshotRow.objects.count() == 0
    add(5, 6)
    assert load() == (6, Total(6, 21), 6)
    assert SnapshotRow.objects.get().version == 6
    assert load() == (6, Total(6, 21), 0)
    add(7)
    assert load() == (7, Total(7, 28), 1)
    add(8, 9, 10, 11, 12)
    assert load() == (12, Total(12, 78), 6)
    assert SnapshotRow.objects.get().version == 12


def test_a_read_never_writes_one() -> None:
    add(1, 2, 3, 4, 5, 6)
    with queries(2) as seen:
        snapshots.load("thing", Total(), evolve, POLICY, write=False)
    assert not any("INSERT" in sql for sql in seen)


def damage(**values: Any) -> Callable[[], None]:
    return lambda: SnapshotRow.objects.update(**values)


def resealed(**values: Any) -> Callable[[], None]:
    """Change the row and correct its checksum, as somebody with the code could."""

    def change() -> None:
        row = SnapshotRow.objects.get()
        for name, value in values.items():
            setattr(row, name, value)
        row.checksum = snapshots._checksum(row)
        row.save()

    return change


@pytest.mark.parametrize(
    "change",
    [
        damage(body=msgspec.msgpack.encode(Total(6, 999))),
        damage(body=b""),
        damage(version=5),
        damage(checksum="0" * 64),
        resealed(fingerprint="0" * 64),
        resealed(event_hash="0" * 64),
        resealed(version=99),
        resealed(version=4),
        resealed(body=b"\xc1"),
        resealed(body=msgspec.msgpack.encode({"count": "six"})),
    ],
)
def test_trap_8_a_stale_or_damaged_snapshot_is_ignored_and_replaced(
    change: Callable[[], None],
) -> None:
    add(1, 2, 3, 4, 5, 6)
    load()
    change()
    assert load() == (6, Total(6, 21), 6)
    assert load() == (6, Total(6, 21), 0)


def test_trap_8_a_changed_fold_does_not_use_what_the_old_one_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    add(1, 2, 3, 4, 5, 6)
    load()
    monkeypatch.setattr(snapshots, "_codes", {})
    file = fingerprint._file_of(__name__)
    assert file is not None
    changed = (file.read_bytes() + b"# changed\n", fingerprint._reads(__name__)[1])
    usual = fingerprint._reads
    monkeypatch.setattr(
        fingerprint, "_reads", lambda name: changed if name == __name__ else usual(name)
    )
    assert load() == (6, Total(6, 21), 6)


def test_a_state_that_does_not_come_back_equal_is_not_kept() -> None:
    @dataclass(frozen=True, slots=True)
    class Loose:
        value: Any = ()

    snapshots.keep(Snapshots(Loose), "thing", evolve, 1, "h", Loose((1, 2)))
    assert SnapshotRow.objects.count() == 0


def test_the_fingerprint_reaches_through_imports_and_stays_within_the_project() -> None:
    reached = fingerprint.reachable(["eventstore.commands"])
    assert "eventstore.domain.canonical" in reached
    assert not any(name.startswith(("django", "msgspec", "orjson")) for name in reached)
    assert fingerprint.of_code(evolve) == fingerprint.of_code(evolve)
    assert fingerprint.of_code(evolve) != fingerprint.of_code(evolve, extra=b"data")
    assert fingerprint.of_code(evolve) != fingerprint.of_code(load)


def remembered() -> tuple[int, Total, int]:
    """The same from what the process remembers."""
    calls.clear()
    loaded = Unit(Context(actor=SYSTEM, source="system")).load_recent("thing", Total(), evolve)
    return loaded.version, loaded.state, len(calls)


class TestRemembered:
    def test_a_long_stream_is_carried_on(self) -> None:
        add(*range(100))
        assert remembered() == (100, Total(100, 4950), 100)
        assert remembered() == (100, Total(100, 4950), 0)
        add(1, 2)
        assert remembered() == (102, Total(102, 4953), 2)
        with queries(exactly=1):
            remembered()

    def test_a_short_one_is_folded_each_time(self) -> None:
        add(1, 2, 3)
        assert remembered()[2] == remembered()[2] == 3

    def test_what_was_rolled_back_is_not_remembered(self) -> None:
        add(*range(70))
        remembered()
        with pytest.raises(ZeroDivisionError), transaction.atomic():
            add(1000)
            assert remembered() == (71, Total(71, 3415), 1)
            raise ZeroDivisionError
        assert remembered() == (70, Total(70, 2415), 70)
        add(7)
        assert remembered() == (71, Total(71, 2422), 1)

    def test_the_unused_ones_go(self) -> None:
        add(*range(snapshots.RECENT_FROM))
        remembered()
        held = dict.fromkeys(range(snapshots.RECENT_MOST))
        for number in held:
            with transaction.atomic():
                store.writing_turn()
                events = [NumberAdded(one) for one in range(snapshots.RECENT_FROM)]
                write = store.StreamWrite(f"other-{number}", store.ANY, events)
                store.append([write], meta=META)
            snapshots.load_recent(f"other-{number}", Total(), evolve)
        assert remembered()[2] == snapshots.RECENT_FROM
