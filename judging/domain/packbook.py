"""The pack that an event goes by: own versions, the choice, what was confirmed. A pure fold of the
stream `policy-<event>`, and the decisions on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent
from judging.domain.acts import By
from judging.domain.pack_events import PackChosen, PackConfirmed, PackKept
from judging.domain.policy import Pack

MOST_VERSIONS = 200


@dataclass(frozen=True, slots=True)
class Book:
    """Hashes of the own versions in order; the version that was chosen (ref and hash), empty for
    none; and by path the values that were confirmed, newest."""

    kept: tuple[str, ...] = ()
    chosen: tuple[str, str] = ("", "")
    confirmed: Mapping[str, str] = field(default_factory=dict)


NEW = Book()


def evolve(state: Book, event: DomainEvent) -> Book:
    """Apply one event of the stream; others leave the state as it is."""
    match event:
        case PackKept():
            return replace(state, kept=(*state.kept, event.hash))
        case PackChosen():
            return replace(state, chosen=(f"{event.pack}@{event.version}", event.hash))
        case PackConfirmed():
            return replace(state, confirmed={**state.confirmed, **dict(event.values)})
        case _:
            return state


def own_id(event_id: str) -> str:
    """Return the id of the own pack of an event: the end of the event's id makes it another one
    than that of any other event."""
    return f"own-{event_id.replace('-', '')[-12:]}"


def next_version(state: Book) -> str:
    """Return the number that the next own version gets."""
    return str(len(state.kept) + 1)


def keep(
    state: Book, *, event_id: str, pack: Pack, based_on: str, content: str, fingerprint: str, by: By
) -> list[DomainEvent] | Refusal:
    """Keep a version of the own pack; earlier ones stay, and so does what goes by them.

    `fingerprint` is the hash of its values without id and version. Refused with
    `judging.nothing_changed`, `judging.too_many_versions{allowed}`.
    """
    if state.kept and state.kept[-1] == fingerprint:
        return Refusal("judging.nothing_changed", {"found": pack.version})
    if len(state.kept) >= MOST_VERSIONS:
        return Refusal("judging.too_many_versions", {"allowed": MOST_VERSIONS})
    return [
        PackKept(
            event_id, pack.pack, pack.version, based_on, content, fingerprint, by.person, by.at
        )
    ]


def choose(
    state: Book, *, event_id: str, pack: Pack, fingerprint: str, in_use: str, by: By
) -> list[DomainEvent] | Refusal:
    """Choose the version of a pack that an event goes by. `in_use` is the version that its first
    call froze, empty while there was no call. Refused with `judging.pack_frozen{found}`,
    `judging.nothing_changed`.
    """
    if in_use and in_use != pack.ref:
        return Refusal("judging.pack_frozen", {"found": in_use})
    if state.chosen[0] == pack.ref:
        return Refusal("judging.nothing_changed", {"found": pack.ref})
    return [PackChosen(event_id, pack.pack, pack.version, fingerprint, by.person, by.at)]


def confirm(
    state: Book, *, event_id: str, pack: Pack, paths: Sequence[str], values: Mapping[str, str],
    by: By,
) -> list[DomainEvent] | Refusal:  # fmt: skip
    """Confirm marked values of a pack; `values` is the canonical JSON of each marked path.

    Refused with `judging.not_marked{found, allowed}`, `judging.nothing_changed`.
    """
    strange = [path for path in paths if path not in pack.confirm]
    if strange:
        return Refusal("judging.not_marked", {"found": strange[0], "allowed": list(pack.confirm)})
    fresh = [path for path in pack.confirm if path in paths]
    fresh = [path for path in fresh if state.confirmed.get(path) != values[path]]
    if not fresh:
        return Refusal("judging.nothing_changed", {"found": pack.ref})
    told = tuple((path, values[path]) for path in fresh)
    return [PackConfirmed(event_id, pack.pack, pack.version, told, by.person, by.at)]
