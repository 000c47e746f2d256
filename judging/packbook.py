"""Commands and reads about the policy pack of an event: own versions, the choice, confirmations.

An own pack is a copy: of a shipped pack or of an earlier version, edited by form or handed in as a
file. Each version is an event and stays; an event that is being judged goes on by its version.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from eventstore import clock
from eventstore.commands import Unit, accept, command
from eventstore.domain import canonical
from eventstore.domain.refusal import Refusal, Refused
from judging.domain import packbook
from judging.domain.acts import By
from judging.domain.pack_file import parse
from judging.domain.pack_toml import fingerprint, marked_values, read_toml, told, written
from judging.domain.policy import Pack
from judging.matches import frozen_pack, pack_of
from judging.models import EventPackRow, PackRow
from judging.packs import USUAL, UnknownPack, newest, pack, packs, values_of
from people.access import NotAllowed, may, require
from people.domain.actor import Actor
from people.domain.permissions import Subject, Verdict
from people.selectors import names
from tournaments.models import EventRow
from tournaments.services.loading import refuse_cancelled

READ, MANAGE = "judging.pack_read", "judging.pack_manage"


class Kept(msgspec.Struct, frozen=True):
    """A version of the own pack that is there now; `chosen`: the event goes by it."""

    ref: str
    chosen: bool


def _subject(event_id: str) -> Subject:
    return Subject(event_id, public=False)


def _manage(unit: Unit, event_id: str) -> By:
    if not EventRow.objects.filter(pk=event_id).exists():
        raise NotAllowed(MANAGE, Verdict.HIDDEN)
    require(unit.actor, MANAGE, _subject(event_id))
    refuse_cancelled(event_id)
    return By(unit.actor.ref, clock.as_text(unit.now))


def stream_of(event_id: str) -> str:
    """Name of the stream of an event's pack."""
    return f"policy-{event_id}"


def _in_use(event_id: str) -> str:
    frozen = frozen_pack(event_id)
    return "@".join(frozen) if frozen else ""


def checked(content: str, *, pack_id: str, version: str) -> tuple[Pack, dict[str, Any]]:
    """Read a pack that somebody sent, under the id and version it gets here; return it with its
    plain values. Raises Refused (judging.pack_too_large, pack_unreadable, pack_faulty{faults})."""
    values = read_toml(canonical.text(content))
    if isinstance(values, Refusal):
        raise Refused(values)
    own = {key: one for key, one in values.items() if key not in ("confirmed_by", "variants")}
    own |= {"pack": pack_id, "version": version}
    made = parse(own)
    if isinstance(made, list):
        raise Refused(Refusal("judging.pack_faulty", {"number": len(made), "faults": told(made)}))
    return made, own


@command("judging.pack_keep")
def pack_keep(
    unit: Unit, *, event_id: str, content: str, based_on: str = "", use: bool = False
) -> Kept:
    """Keep the next version of the own pack of an event; `use`: the event goes by it too.

    `content` is the whole pack as TOML; its id and version are those of the event's own pack.
    Raises Refused (judging.pack_too_large, pack_unreadable, pack_faulty{number, faults},
    nothing_changed, too_many_versions, pack_frozen), NotAllowed.
    """
    by = _manage(unit, event_id)
    loaded = unit.load(stream_of(event_id), packbook.NEW, packbook.evolve)
    made, values = checked(
        content,
        pack_id=packbook.own_id(event_id),
        version=packbook.next_version(loaded.state),
    )
    mark = fingerprint(values)
    events = accept(
        packbook.keep(
            loaded.state,
            event_id=event_id,
            pack=made,
            based_on=based_on if known(based_on, event_id) else "",
            content=written(values),
            fingerprint=mark,
            by=by,
        )
    )
    if use:
        events += accept(
            packbook.choose(
                loaded.state,
                event_id=event_id,
                pack=made,
                fingerprint=mark,
                in_use=_in_use(event_id),
                by=by,
            )
        )
    unit.append(loaded.stream, loaded.version, events)
    return Kept(made.ref, use)


@command("judging.pack_choose")
def pack_choose(unit: Unit, *, event_id: str, ref: str) -> str:
    """Choose the version of a pack (`id@version`, shipped or an own one of this event) that an
    event goes by, before its first call. Return it. Raises Refused (judging.unknown_pack,
    pack_frozen, nothing_changed), NotAllowed."""
    by = _manage(unit, event_id)
    found = known(ref, event_id)
    if found is None:
        raise Refused(Refusal("judging.unknown_pack", {"found": ref[:40]}))
    loaded = unit.load(stream_of(event_id), packbook.NEW, packbook.evolve)
    events = packbook.choose(
        loaded.state,
        event_id=event_id,
        pack=found,
        fingerprint=fingerprint(values_of(ref)),
        in_use=_in_use(event_id),
        by=by,
    )
    unit.append(loaded.stream, loaded.version, accept(events))
    return found.ref


@command("judging.pack_confirm")
def pack_confirm(unit: Unit, *, event_id: str, paths: Sequence[str]) -> int:
    """Confirm marked values of the pack that the event goes by; return how many are open still.
    Raises Refused (judging.not_marked, nothing_changed, unknown_pack), NotAllowed."""
    by = _manage(unit, event_id)
    try:
        used = pack_of(event_id)
    except UnknownPack as fault:
        raise Refused(Refusal("judging.unknown_pack", {"found": str(fault)})) from fault
    values = marked_values(values_of(used.ref), used.confirm)
    loaded = unit.load(stream_of(event_id), packbook.NEW, packbook.evolve)
    events = accept(
        packbook.confirm(
            loaded.state,
            event_id=event_id,
            pack=used,
            paths=tuple(dict.fromkeys(paths)),
            values=values,
            by=by,
        )
    )
    unit.append(loaded.stream, loaded.version, events)
    after = loaded.state
    for one in events:
        after = packbook.evolve(after, one)
    return sum(after.confirmed.get(path) != value for path, value in values.items())


def known(ref: str, event_id: str) -> Pack | None:
    """Return a pack that an event may go by: a shipped one, or an own one of this event."""
    pack_id, _, version = ref.partition("@")
    own = pack_id == packbook.own_id(event_id)
    if pack_id not in packs() and not own:
        return None
    try:
        return pack(pack_id, version)
    except UnknownPack:
        return None


@dataclass(frozen=True, slots=True)
class Mark:
    """A value that is to be confirmed: its path, and who confirmed it when (empty: nobody)."""

    path: str
    by_name: str = ""
    at: str = ""

    @property
    def open(self) -> bool:
        """Whether nobody has confirmed the value as it is now."""
        return not self.at


@dataclass(frozen=True, slots=True)
class OwnVersion:
    """A version of the own pack: who made it of what, and when."""

    ref: str
    number: int
    based_on: str
    by_name: str
    at: str


@dataclass(frozen=True, slots=True)
class PolicyView:
    """The pack of an event with its plain values: `frozen` when a call has been judged by it,
    `chosen` when the organiser chose it; its marks; what else can be chosen. `missing` is a pack
    that the settings name and that is not there: no call can be raised before one is chosen."""

    pack: Pack
    values: Mapping[str, Any]
    frozen: bool
    chosen: bool
    marks: tuple[Mark, ...]
    own: tuple[OwnVersion, ...]
    offered: tuple[Pack, ...]
    may_manage: bool
    missing: str = ""

    @property
    def open_marks(self) -> int:
        """How many marked values nobody has confirmed."""
        return sum(one.open for one in self.marks)


def marks_of(event_id: str, used: Pack) -> tuple[Mark, ...]:
    """Return the marks of a pack in an event, without names: at most two queries."""
    if not used.confirm or used.confirmed_by is not None:
        return ()
    held = EventPackRow.objects.filter(pk=event_id).values_list("confirmed", flat=True).first()
    return _marks(used, held or {})


def _marks(used: Pack, held: Mapping[str, Sequence[str]]) -> tuple[Mark, ...]:
    if not held:
        return tuple(Mark(path) for path in used.confirm)
    values = marked_values(values_of(used.ref), used.confirm)
    return tuple(
        Mark(path, held[path][1], held[path][2])
        if path in held and held[path][0] == values[path]
        else Mark(path)
        for path in used.confirm
    )


def open_paths(event_id: str, used: Pack) -> frozenset[str]:
    """Return the marked values of a pack that nobody of the event has confirmed: at most two
    queries."""
    return frozenset(one.path for one in marks_of(event_id, used) if one.open)


def unconfirmed(pairs: Collection[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    """Return those of (event, pack) whose pack has values that nobody of the event confirmed: one
    query, and those for own packs."""
    used = {(event, ref): pack(*ref.split("@")) for event, ref in pairs}
    asked = {key: one for key, one in used.items() if one.confirm and one.confirmed_by is None}
    if not asked:
        return frozenset()
    rows = EventPackRow.objects.filter(pk__in=[event for event, _ref in asked])
    held = dict(rows.values_list("event_id", "confirmed"))
    return frozenset(
        key for key, one in asked.items() if any(m.open for m in _marks(one, held.get(key[0], {})))
    )


def policy_view(viewer: Actor, event_id: str) -> PolicyView:
    """Return the pack of an event, for its staff. Raises NotAllowed."""
    if not EventRow.objects.filter(pk=event_id).exists():
        raise NotAllowed(READ, Verdict.HIDDEN)
    require(viewer, READ, _subject(event_id))
    missing = ""
    try:
        used = pack_of(event_id)
    except UnknownPack as fault:
        used, missing = newest(USUAL), str(fault)
    row = EventPackRow.objects.filter(pk=event_id).first()
    rows = list(PackRow.objects.filter(event_id=event_id).order_by("-number"))
    marks = marks_of(event_id, used)
    called = names({one.by_name for one in marks if one.at} | {one.by for one in rows})
    offered = [newest(pack_id) for pack_id in packs()]
    offered += [pack(*one.ref.split("@")) for one in rows[:10]]
    return PolicyView(
        pack=used,
        values=values_of(used.ref),
        frozen=frozen_pack(event_id) is not None,
        chosen=row is not None and row.ref == used.ref,
        marks=tuple(Mark(one.path, called.get(one.by_name, ""), one.at) for one in marks),
        own=tuple(
            OwnVersion(one.ref, one.number, one.based_on, called.get(one.by, ""), one.at)
            for one in rows
        ),
        offered=tuple(offered),
        may_manage=may(viewer, MANAGE, _subject(event_id)),
        missing=missing,
    )


def policy_of(viewer: Actor, event_id: str, ref: str) -> PolicyView:
    """Return the view of an event's policy with another pack in it, to be copied: a shipped one or
    an own version; empty `ref`: the one the event goes by. Raises NotAllowed."""
    view = policy_view(viewer, event_id)
    found = known(ref, event_id) if ref else view.pack
    if found is None:
        raise NotAllowed(READ, Verdict.HIDDEN)
    return replace(view, pack=found, values=values_of(found.ref))


def pack_content(viewer: Actor, event_id: str, ref: str) -> str:
    """Return a pack as a file in TOML: that of the event, another shipped one or an own version.
    Raises NotAllowed, hidden for what is none of these."""
    require(viewer, READ, _subject(event_id))
    found = known(ref, event_id) if ref else policy_view(viewer, event_id).pack
    if found is None:
        raise NotAllowed(READ, Verdict.HIDDEN)
    return written(values_of(found.ref))
