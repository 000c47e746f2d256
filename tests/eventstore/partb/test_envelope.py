"""The quick way to an envelope makes the bytes of RFC 8785, or leaves it to the slow way."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.domain import canonical
from eventstore.domain.envelope import Meta, seal, unseal
from eventstore.domain.registry import DomainEvent
from tests.eventstore.sample import META, NumberAdded, ThingNoted, ValueKept

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")).map(
    canonical.text
)
WHOLE = st.integers(-canonical.MAX_INTEGER, canonical.MAX_INTEGER)
PLAIN = st.recursive(
    st.none() | st.booleans() | WHOLE | TEXT,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(max_codepoint=126, min_codepoint=1)), inner)
    ),
    max_leaves=12,
)
EVENTS = (
    st.builds(ValueKept, PLAIN)
    | st.builds(NumberAdded, WHOLE)
    | st.builds(ThingNoted, st.lists(TEXT, max_size=3).map(tuple))
)
PLACE = {
    "position": 7, "stream": "thing-1", "version": 3, "recorded_at": "2026-01-01T00:00:00.000000Z",
    "prev_hash": "a" * 64,
}  # fmt: skip


def by_definition(event: DomainEvent, name: str, schema: int, meta: Meta) -> bytes:
    """Return the envelope as the definition says it: one sorted JSON value."""
    values = {**PLACE, "type": name, "schema": schema, "data": msgspec.to_builtins(event),
              "meta": msgspec.to_builtins(meta)}  # fmt: skip
    return canonical.encode(values)


@given(EVENTS, st.none() | TEXT)
def test_the_quick_way_makes_the_bytes_of_the_definition(
    event: DomainEvent, correlation: str | None
) -> None:
    meta = Meta("a", "player", "player", "c", correlation=correlation)
    recorded, body = seal(event, meta=meta, **PLACE)  # type: ignore[arg-type]
    assert body == by_definition(event, recorded.type, recorded.schema, meta)
    assert unseal(body) == recorded


NAN = float("nan")


@pytest.mark.parametrize(
    "value",
    [1.5, 1.0, -0.0, NAN, float("inf"), 1e300, 2**53, -(2**53), 2**70, "a\x00", "\ud800",
     "e\u0301", {1: "x"}, {"é": 1}, {"a": [1, {"b": 0.5}]}, {"a": NAN}, object(),
     {"\x00": 1}],
)  # fmt: skip
def test_trap_14_what_encoders_disagree_about_is_refused_and_not_repaired(value: Any) -> None:
    with pytest.raises((canonical.NotCanonical, TypeError)):
        seal(ValueKept(value), meta=META, **PLACE)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [1.0, 1.5, NAN, 2**53])
def test_a_number_of_the_wrong_kind_in_a_typed_field_is_refused(value: Any) -> None:
    with pytest.raises(canonical.NotCanonical):
        seal(NumberAdded(value), meta=META, **PLACE)  # type: ignore[arg-type]


@pytest.mark.parametrize("stream", ["thing-é", "thing-\x00"])
def test_a_stream_has_a_plain_name(stream: str) -> None:
    with pytest.raises(canonical.NotCanonical):
        seal(NumberAdded(1), meta=META, **{**PLACE, "stream": stream})  # type: ignore[arg-type]


def test_a_stream_with_a_quote_stays_json() -> None:
    recorded, body = seal(
        NumberAdded(1), meta=META, **{**PLACE, "stream": 'a"\\b'}  # type: ignore[arg-type]
    )  # fmt: skip
    assert unseal(body) == recorded
