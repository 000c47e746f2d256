"""The versions of a preset that an organiser makes. Stream `preset-<id>`."""

from __future__ import annotations

from dataclasses import dataclass

from decks.domain.preset_data import preset_hash, write_preset
from decks.domain.presets import Preset
from decks.events import PresetPublished
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent

MOST_VERSIONS = 9_999


@dataclass(frozen=True, slots=True)
class Versions:
    """The newest version of a preset, 0 before the first, and the hash of its data."""

    version: int = 0
    preset_hash: str = ""


def evolve(state: Versions, event: DomainEvent) -> Versions:
    """Take one event into the state."""
    if isinstance(event, PresetPublished):
        return Versions(event.version, event.preset_hash)
    return state


def decide_publish(
    state: Versions, preset: Preset, base: int | None
) -> list[DomainEvent] | Refusal:
    """Take a preset (its id without a version) as the next version; no events when it is the
    newest already. `base` is the version that was edited, None: not asked. Refused:
    `decks.preset_moved_on`, `decks.too_many_versions`."""
    digest = preset_hash(preset)
    if base is not None and base != state.version:
        params = {"preset": preset.id, "found": base, "allowed": state.version}
        return Refusal("decks.preset_moved_on", params)
    if digest == state.preset_hash:
        return []
    if state.version >= MOST_VERSIONS:
        return Refusal("decks.too_many_versions", {"allowed": MOST_VERSIONS})
    return [
        PresetPublished(
            preset_id=preset.id,
            version=state.version + 1,
            title=preset.title,
            game=preset.game,
            body=write_preset(preset),
            preset_hash=digest,
        )
    ]
