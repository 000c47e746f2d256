"""Append and read: positions, versions, expected versions, all or nothing, hashes."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from django.db import connection, transaction
from hypothesis import given
from hypothesis import strategies as st

from eventstore import store
from eventstore.domain import canonical, registry
from eventstore.domain.envelope import NO_HASH, fold, seal, unseal
from eventstore.store import StreamWrite, WrongExpectedVersion
from tests.eventstore.sample import META, NumberAdded, ThingNoted, ValueKept, add
from tests.sizes import SIZES

pytestmark = [pytest.mark.django_db, pytest.mark.pg]


def write(stream: str, expected: int, *numbers: int) -> StreamWrite:
    return StreamWrite(stream, expected, [NumberAdded(number) for number in numbers])


def append(*writes: StreamWrite) -> list[Any]:
    with transaction.atomic():
        store.writing_turn()
        return store.append(writes, meta=META)


def bodies() -> list[tuple[bytes, str]]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT body, hash FROM eventstore_event ORDER BY position")
        return [(bytes(body), known) for body, known in cursor.fetchall()]


def test_positions_have_no_holes_and_versions_count_per_stream() -> None:
    append(write("thing-a", 0, 1, 2))
    append(write("thing-b", 0, 3))
    append(write("thing-a", 2, 4))
    seen = [(one.position, one.stream, one.version) for one in store.read_all()]
    assert seen == [
        (1, "thing-a", 1),
        (2, "thing-a", 2),
        (3, "thing-b", 1),
        (4, "thing-a", 3),
    ]
    assert store.head_position() == 4


def test_what_is_read_is_what_was_recorded() -> None:
    recorded = append(write("thing-a", 0, 1, 2), write("thing-b", 0, 3))
    assert list(store.read_all()) == recorded
    assert store.read_stream("thing-a") == recorded[:2]


def test_read_between_versions() -> None:
    append(write("thing-a", 0, *range(1, 8)))
    numbers = [one.data.number for one in store.read_stream("thing-a", after=2, upto=5)]
    assert numbers == [3, 4, 5]
    assert store.read_stream("thing-unknown") == []


def test_read_all_passes_the_border_of_a_batch() -> None:
    append(write("thing-a", 0, *range(7)))
    assert [one.position for one in store.read_all(after=2, batch=2)] == [3, 4, 5, 6, 7]


def test_fold_gives_the_state() -> None:
    append(write("thing-a", 0, *range(SIZES.long_stream)))
    events = [one.data for one in store.read_stream("thing-a")]
    assert fold(0, add, events) == sum(range(SIZES.long_stream))


@pytest.mark.parametrize("expected", [0, 1, 3, 99])
def test_wrong_expected_version_is_refused_and_says_what_is_there(expected: int) -> None:
    append(write("thing-a", 0, 1, 2))
    with pytest.raises(WrongExpectedVersion) as refused:
        append(write("thing-a", expected, 3))
    assert (refused.value.expected, refused.value.actual) == (expected, 2)
    assert store.head_position() == 2


def test_any_version_matches_whatever_is_there() -> None:
    append(write("thing-a", store.ANY, 1))
    append(write("thing-a", store.ANY, 2))
    assert [one.version for one in store.read_stream("thing-a")] == [1, 2]


def test_several_streams_are_all_written_or_none() -> None:
    append(write("thing-b", 0, 1))
    with pytest.raises(WrongExpectedVersion):
        append(write("thing-a", 0, 1), write("thing-b", 0, 2))
    assert store.head_position() == 1
    append(write("thing-a", 0, 1), write("thing-b", 1, 2), write("thing-a", 1, 3))
    assert [(one.stream, one.version) for one in store.read_all(after=1)] == [
        ("thing-a", 1),
        ("thing-b", 2),
        ("thing-a", 2),
    ]


def test_a_rollback_takes_the_position_back() -> None:
    with pytest.raises(RuntimeError), transaction.atomic():
        append(write("thing-a", 0, 1))
        raise RuntimeError
    assert append(write("thing-b", 0, 1))[0].position == 1


@pytest.mark.django_db(transaction=True)
def test_append_and_lock_need_a_transaction() -> None:
    with pytest.raises(transaction.TransactionManagementError):
        store.append([write("thing-a", 0, 1)], meta=META)
    with pytest.raises(transaction.TransactionManagementError):
        store.writing_turn()


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (1.5, "$.data.value"),
        ({"a": [1, float("nan")]}, "$.data.value.a[1]"),
        (2**53, "$.data.value"),
        (-(2**53), "$.data.value"),
        ("e\u0301", "$.data.value"),
        ("a\x00b", "$.data.value"),
        ("\ud800", "$.data.value"),
        ({"clé": 1}, "$.data.value"),
        ([{"ok": {"bad\x00": 1}}], "$.data.value[0].ok"),
    ],
)
def test_a_value_without_canonical_form_is_refused_and_nothing_kept(value: Any, path: str) -> None:
    with pytest.raises(canonical.NotCanonical) as refused:
        append(StreamWrite("thing-a", 0, [ValueKept(1), ValueKept(value)]))
    assert refused.value.path == path
    assert store.head_position() == 0


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-canonical.MAX_INTEGER, canonical.MAX_INTEGER)
    | st.text().map(lambda text: canonical.text(text.replace("\x00", ""))),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.from_regex(r"\A[a-zA-Z_]{1,8}\Z"), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(plain)
def test_an_envelope_comes_back_as_it_was_sealed(value: Any) -> None:
    recorded, body = seal(
        ValueKept(value),
        position=1,
        stream="thing-a",
        version=1,
        meta=META,
        recorded_at="2026-01-02T03:04:05.000006Z",
        prev_hash=NO_HASH,
    )
    assert unseal(body) == recorded
    # the stored bytes are the canonical ones of an encoder that is not ours
    again = json.dumps(json.loads(body), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    assert again.encode() == body


def test_each_event_carries_the_hash_of_the_one_before_in_its_stream() -> None:
    append(write("thing-a", 0, 1, 2), write("thing-b", 0, 3), write("thing-a", 2, 4))
    heads: dict[str, str] = {}
    for body, known in bodies():
        wire = json.loads(body)
        assert wire["prev_hash"] == heads.get(wire["stream"], "")
        assert hashlib.sha256(b"\x00" + body).hexdigest() == known
        heads[wire["stream"]] = known
    assert len(heads) == 2


def test_the_columns_are_copies_of_the_envelope() -> None:
    append(write("thing-a", 0, 1))
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT position, stream, version, type, schema, recorded_at, body"
            " FROM eventstore_event"
        )
        *columns, body = cursor.fetchone()
    wire = json.loads(bytes(body))
    names = ("position", "stream", "version", "type", "schema", "recorded_at")
    assert columns == [wire[name] for name in names]


def test_an_old_version_is_brought_to_the_newest() -> None:
    old = registry.decode("sample.thing_noted", 1, b'{"word": "hello"}')
    assert old == ThingNoted(("hello",))


@pytest.mark.parametrize(
    ("name", "schema"),
    [("sample.nobody_knows", 1), ("sample.thing_noted", 3), ("sample.thing_noted", 0)],
)
def test_an_unknown_type_or_version_is_named(name: str, schema: int) -> None:
    with pytest.raises(registry.UnknownEventType, match=name):
        registry.decode(name, schema, b'{"word": "hello"}')


def test_a_stored_name_belongs_to_one_class() -> None:
    with pytest.raises(ValueError, match="is taken"):
        registry.event("sample.number_added")(ThingNoted)
