"""The command that makes and edits presets: each change is a version."""

from __future__ import annotations

import msgspec

from cards.domain.findings import Unreadable
from decks.domain.preset_data import parse_preset, preset_hash
from decks.domain.preset_versions import Versions, decide_publish, evolve
from eventstore.commands import Unit, accept, command
from eventstore.domain import canonical
from eventstore.domain.refusal import Refusal, Refused
from people.access import require


class Published(msgspec.Struct, frozen=True):
    """A version of a preset that is there now. `unchanged` says that it was the newest already."""

    id: str
    version: int
    preset_hash: str
    unchanged: bool


@command("decks.preset_publish")
def preset_publish(unit: Unit, *, content: str, base: int | None = None) -> Published:
    """Make a preset, or its next version, of its data in TOML or JSON.

    `base` is the version that was edited, 0 for a new one; None does not ask. The same data
    again is no new version. Raises NotAllowed; Refused `decks.preset_invalid{faults: [{code,
    path, found, allowed}]}`, `decks.bad_preset`, `decks.too_large`, `decks.preset_moved_on`,
    `decks.too_many_versions`.
    """
    require(unit.actor, "decks.preset_publish")
    try:
        read = parse_preset(canonical.text(content).encode("utf-8", "replace"))
    except Unreadable as fault:
        params = dict(fault.finding.params)
        if fault.finding.code == "too_large":
            raise Refused(Refusal("decks.too_large", params)) from None
        raise Refused(Refusal("decks.bad_preset", params)) from None
    preset = read.preset
    if preset is None:
        faults = [{"code": one.code, **one.params} for one in read.findings]
        raise Refused(Refusal("decks.preset_invalid", {"faults": faults}))
    loaded = unit.load(f"preset-{preset.id}", Versions(), evolve)
    events = accept(decide_publish(loaded.state, preset, base))
    unit.append(loaded.stream, loaded.version, events)
    version = loaded.state.version + len(events)
    return Published(f"{preset.id}@{version}", version, preset_hash(preset), not events)
