"""Commands on an event as a whole, before it starts."""

from __future__ import annotations

from typing import Any
from zoneinfo import available_timezones

import msgspec

from decks import library
from eventstore.commands import Unit, accept, command
from eventstore.domain import canonical
from eventstore.domain.refusal import Refusal, Refused
from people import services as people
from people.access import require
from people.domain.roles import Role
from tournaments import frozen
from tournaments.domain import event as tournament
from tournaments.domain import scores, setup
from tournaments.domain.event import Tournament
from tournaments.events import Settings
from tournaments.services.loading import checked_id, event_stream, load_event, sealed

FROZEN_HERE = ("banlist_hash", "catalogue_hash", "preset_hash")
"""Settings that no caller gives: they are read from the reference tables."""


def check_zone(zone: str) -> None:
    """Raise Refused `tournaments.setting_invalid` for a time zone that is not known here."""
    if zone not in available_timezones():
        raise Refused(
            Refusal(
                "tournaments.setting_invalid",
                {
                    "field": "zone",
                    "found": zone[:60],
                    "allowed": "UTC, Europe/Berlin, Asia/Tokyo, …",
                },
            )
        )


def _settings(values: dict[str, Any]) -> Settings:
    """Make settings of plain values with the hashes of what they name. Without a game it is that
    of the preset; without match rules or standings they are the usual ones of that game. Raises
    Refused (`tournaments.setting_invalid`, `decks.two_lists`)."""
    given = {key: value for key, value in values.items() if key not in FROZEN_HERE}
    game = given.pop("game", None)
    if game is not None:
        given["game"] = game
    if isinstance(given.get("name"), str):
        given["name"] = " ".join(canonical.text(given["name"]).split())
    held = library.preset(given["preset"]) if isinstance(given.get("preset"), str) else None
    usual = scores.of_game(held.game if held is not None else "")[0]
    given["match_rules"] = given.get("match_rules") or usual
    given["standings"] = given.get("standings") or scores.named(usual).standings
    try:
        settings = msgspec.convert(given, Settings, strict=True)
    except msgspec.ValidationError as fault:
        raise Refused(Refusal("tournaments.setting_invalid", {"found": str(fault)})) from fault
    check_zone(settings.zone)
    of_preset, preset_hash = frozen.preset_of(settings.preset, settings.banlist_id, game)
    banlist_hash, catalogue_hash = frozen.hashes(settings.banlist_id)
    return msgspec.structs.replace(
        settings,
        game=of_preset,
        banlist_hash=banlist_hash,
        catalogue_hash=catalogue_hash,
        preset_hash=preset_hash,
    )


@command("tournaments.event_create")
def event_create(
    unit: Unit,
    *,
    event_id: str,
    name: str,
    zone: str = "UTC",
    game: str | None = None,
    preset: str = "classic",
    match_rules: str | None = None,
    standings: str | None = None,
    pack: str = "house-rules",
    decks_required: bool = True,
    deck_deadline: str | None = None,
    rounds: int | None = None,
    cut: int = 0,
    play_on: bool = True,
    banlist_id: str | None = None,
    devices: str = "allowed",
    decklists: str = "closed",
    decklists_at: str | None = None,
) -> str:
    """Create an event and make its creator the organiser; return its id.

    `game` None: that of the preset; `match_rules` and `standings` None: the usual ones of the
    game; `deck_deadline` is UTC text; `rounds` None: as recommended;
    `cut` 0: none; `devices` allowed or not_in_match; `decklists` closed, opponents, cut, or
    published with `decklists_at` (UTC text). Raises Refused
    (`tournaments.event_exists`, `tournaments.setting_invalid`, `tournaments.banlist_unknown`,
    `decks.two_lists`, `tournaments.bad_id`).
    """
    require(unit.actor, "tournaments.event_create")
    settings = _settings(
        {
            "name": name,
            "zone": zone,
            "game": game,
            "preset": preset,
            "match_rules": match_rules,
            "standings": standings,
            "pack": pack,
            "decks_required": decks_required,
            "deck_deadline": deck_deadline,
            "rounds": rounds,
            "cut": cut,
            "play_on": play_on,
            "banlist_id": banlist_id,
            "devices": devices,
            "decklists": decklists,
            "decklists_at": decklists_at,
        }
    )
    loaded = unit.load(event_stream(checked_id(event_id)), Tournament(), tournament.evolve)
    made = accept(setup.create(loaded.state, event_id=event_id, settings=settings))
    unit.append(loaded.stream, loaded.version, made)
    if unit.actor.person_id:
        people.role_grant(
            unit, person_id=unit.actor.person_id, role=Role.ORGANISER.value, event_id=event_id
        )
    return event_id


@command("tournaments.event_configure")
def event_configure(unit: Unit, *, event_id: str, changes: dict[str, Any]) -> None:
    """Change some settings by name, before the start.

    Raises Refused (`tournaments.setting_invalid`, `tournaments.nothing_changed`,
    `tournaments.decks_handed_in`, `tournaments.wrong_state`).
    """
    loaded = load_event(unit, event_id, "tournaments.event_run")
    before: dict[str, Any] = msgspec.to_builtins(loaded.state.chosen)
    unknown = sorted(changes.keys() - before.keys() | changes.keys() & set(FROZEN_HERE))
    if unknown:
        allowed = sorted(before.keys() - set(FROZEN_HERE))
        raise Refused(
            Refusal("tournaments.setting_invalid", {"field": unknown[0][:40], "allowed": allowed})
        )
    if "preset" in changes and "game" not in changes:
        before["game"] = None
        held = library.preset(changes["preset"]) if isinstance(changes["preset"], str) else None
        if held is not None and before["match_rules"] not in scores.of_game(held.game):
            before["match_rules"] = None
    settings = _settings(before | changes)
    unit.append(
        loaded.stream, loaded.version, accept(setup.configure(loaded.state, settings=settings))
    )


@command("tournaments.registration_open")
def registration_open(unit: Unit, *, event_id: str) -> None:
    """Open the registration. Raises Refused (`tournaments.wrong_state`)."""
    loaded = load_event(unit, event_id, "tournaments.event_run")
    unit.append(loaded.stream, loaded.version, accept(setup.open_registration(loaded.state)))


@command("tournaments.registration_close")
def registration_close(unit: Unit, *, event_id: str) -> None:
    """Close the registration. Raises Refused (`tournaments.wrong_state`)."""
    loaded = load_event(unit, event_id, "tournaments.event_run")
    unit.append(loaded.stream, loaded.version, accept(setup.close_registration(loaded.state)))


@command("tournaments.event_cancel")
def event_cancel(unit: Unit, *, event_id: str, note: str = "") -> None:
    """Cancel the event. Raises Refused (`tournaments.wrong_state`)."""
    loaded = load_event(unit, event_id, "tournaments.event_run")
    made = accept(setup.cancel(loaded.state, note=sealed(unit, note)))
    unit.append(loaded.stream, loaded.version, made)
