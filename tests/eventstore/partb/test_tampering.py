"""Whoever gets behind the triggers is found, at the right position, by both verifiers."""

from __future__ import annotations

import hashlib
import io
import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, transaction

from eventstore import bundles, checkpoints
from eventstore.domain.envelope import LEAF
from eventstore.verification import verify_log
from tests.eventstore.partb.conftest import EVENT, Scene
from tests.sizes import SIZES
from tools import verify_bundle

pytestmark = pytest.mark.pg

COLUMNS = ["stream", "version", "type", "schema", "recorded_at", "body", "hash"]


class _Undo(Exception):
    pass


def behind_the_back(change: Callable[[Any], int], *checks: Callable[[int], None]) -> None:
    """Switch the triggers off, change the table, run the checks, undo everything."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            if connection.vendor == "sqlite":
                cursor.execute(
                    "SELECT name FROM sqlite_master WHERE type = 'trigger'"
                    " AND tbl_name = 'eventstore_event'"
                )
                for (name,) in cursor.fetchall():
                    cursor.execute(f"DROP TRIGGER {name}")
            else:
                cursor.execute("SET LOCAL session_replication_role = replica")
            wrong = change(cursor)
            for check in checks:
                check(wrong)
            raise _Undo
    except _Undo:
        pass


def row(cursor: Any, position: int) -> dict[str, Any]:
    cursor.execute(
        f"SELECT {', '.join(COLUMNS)} FROM eventstore_event WHERE position = %s", [position]
    )
    values = dict(zip(COLUMNS, cursor.fetchone(), strict=True))
    return {**values, "body": bytes(values["body"])}


def put(cursor: Any, position: int, values: dict[str, Any]) -> None:
    marks = ", ".join(["%s"] * (len(COLUMNS) + 1))
    cursor.execute(
        f"INSERT INTO eventstore_event (position, {', '.join(COLUMNS)}) VALUES ({marks})",
        [position, *(values[name] for name in COLUMNS)],
    )


def delete(cursor: Any, position: int) -> None:
    cursor.execute("DELETE FROM eventstore_event WHERE position = %s", [position])


def forged(values: dict[str, Any], draw: random.Random, **changed: Any) -> dict[str, Any]:
    """Return a row whose envelope was changed; a careful forger corrects the hash too."""
    envelope = {**json.loads(values["body"]), **changed}
    body = json.dumps(envelope, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    fresh = {**values, "body": body}
    if draw.random() < 0.5:
        fresh["hash"] = hashlib.sha256(LEAF + body).hexdigest()
    return fresh


def change_body(cursor: Any, draw: random.Random, size: int) -> int:
    position = draw.randint(1, size)
    values = row(cursor, position)
    kind = draw.randrange(4)
    if kind == 0:
        raw = bytearray(values["body"])
        raw[draw.randrange(len(raw))] ^= 1 << draw.randrange(7)
        fresh = {**values, "body": bytes(raw)}
    elif kind == 1:
        fresh = forged(values, draw, data={"value": draw.random() < 0.5, "x": 1})
    elif kind == 2:
        fresh = forged(values, draw, recorded_at="2001-01-01T00:00:00.000000Z")
    else:
        fresh = forged(values, draw, stream=f"{values['stream']}x")
    delete(cursor, position)
    put(cursor, position, fresh)
    return position


def change_column(cursor: Any, draw: random.Random, size: int) -> int:
    position = draw.randint(1, size)
    name, value = draw.choice(
        [("stream", "tournament-x"), ("version", 999), ("type", "sample.number_added"),
         ("schema", 2), ("recorded_at", "2001-01-01T00:00:00.000000Z"), ("hash", "0" * 64)]
    )  # fmt: skip
    cursor.execute(
        f"UPDATE eventstore_event SET {name} = %s WHERE position = %s", [value, position]
    )
    return position


def take_away(cursor: Any, draw: random.Random, size: int) -> int:
    position = draw.randint(1, size)
    upto = position + draw.choice([0, 0, 1, size if position > 10 else 0])
    cursor.execute(
        "DELETE FROM eventstore_event WHERE position BETWEEN %s AND %s", [position, upto]
    )
    return position


def swap(cursor: Any, draw: random.Random, size: int) -> int:
    one, other = sorted(draw.sample(range(1, size + 1), 2))
    first, second = row(cursor, one), row(cursor, other)
    if draw.random() < 0.5:  # the bytes only, the columns stay
        both = ("body", "hash")
        first, second = (
            {**first, **{name: second[name] for name in both}},
            {**second, **{name: first[name] for name in both}},
        )
        first, second = second, first
    delete(cursor, one)
    delete(cursor, other)
    put(cursor, one, second)
    put(cursor, other, first)
    return one


def slip_in(cursor: Any, draw: random.Random, size: int) -> int:
    position = draw.randint(1, size)
    values = row(cursor, position)
    cursor.execute(
        "UPDATE eventstore_event SET position = -position WHERE position >= %s", [position]
    )
    cursor.execute("UPDATE eventstore_event SET position = 1 - position WHERE position < 0")
    envelope = json.loads(values["body"])
    fresh = forged({**values, "version": 5000}, draw, version=5000, data={"value": "slipped in"})
    assert envelope["position"] == position
    put(cursor, position, fresh)
    return position


def append_unchained(cursor: Any, draw: random.Random, size: int) -> int:
    values = row(cursor, draw.randint(1, size))
    put(cursor, size + 1, {**values, "version": 5000})
    return size + 1


CHANGES = [change_body, change_body, change_column, take_away, swap, slip_in, append_unchained]


def by_bundle(**options: Any) -> verify_bundle.Report:
    return verify_bundle.verify(io.BytesIO(bundles.export(EVENT)), **options)


def test_every_random_change_is_found_at_its_position_by_both_verifiers(scene: Scene) -> None:
    checkpoints.checkpoint_make()
    draw = random.Random(20)
    assert verify_log().faults == []
    assert by_bundle().faults == []

    def check_log(wrong: int) -> None:
        assert verify_log().faults[0].position == wrong, change.__name__

    def check_bundle(wrong: int) -> None:
        assert by_bundle().first_position == wrong, change.__name__

    for number in range(SIZES.tamperings):
        change = CHANGES[number % len(CHANGES)]
        behind_the_back(
            lambda cursor, change=change: change(cursor, draw, scene.events),
            check_log,
            check_bundle,
        )
    assert verify_log().faults == []
