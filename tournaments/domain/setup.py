"""Decisions about an event before it starts: its settings, its registration."""

from __future__ import annotations

import re
import unicodedata
from datetime import datetime

from cards.domain.games import KINDS
from decks.domain.preset_data import ID as PRESET_ID
from decks.domain.presets import PRESETS
from eventstore.domain.refusal import Refusal
from tournaments import events as ev
from tournaments.domain import event as state_of
from tournaments.domain import scores
from tournaments.domain.event import CANCELLED, CLOSED, DRAFT, FINISHED, OPEN, Decision, Tournament
from tournaments.domain.openlists import Decklists
from tournaments.domain.standings import SYSTEMS, chosen
from tournaments.events import Settings

LONGEST_NAME = 120
LONGEST = {
    "zone": 60,
    "banlist_id": 80,
    "banlist_hash": 64,
    "catalogue_hash": 64,
    "preset_hash": 64,
}
"""Signs at most: the read tables hold no more."""
MOST_ROUNDS = 30
MOST_CUT = 256
GAMES = tuple(KINDS)
VERSION = re.compile(r"[1-9][0-9]{0,3}")
NOT_IN_MATCH = "not_in_match"
DEVICES = ("allowed", NOT_IN_MATCH)
DECKLISTS = tuple(one.value for one in Decklists)
PACK_NAME = re.compile(r"[a-z0-9-]{1,30}(@[a-z0-9.-]{1,9})?")


def settings_refused(settings: Settings) -> Refusal | None:
    """Say which setting is wrong: `tournaments.setting_invalid{field, found, allowed}`."""
    name = settings.name
    if (
        not name.strip()
        or len(name) > LONGEST_NAME
        or any(unicodedata.category(sign) in ("Cc", "Cn", "Cs") for sign in name)
    ):
        return _invalid("name", name[:LONGEST_NAME], f"1 to {LONGEST_NAME} signs on one line")
    choices = (
        ("game", settings.game, GAMES),
        ("match_rules", settings.match_rules, scores.of_game(settings.game)),
        ("standings", settings.standings, tuple(SYSTEMS)),
        ("devices", settings.devices, DEVICES),
        ("decklists", settings.decklists, DECKLISTS),
    )
    for field, found, allowed in choices:
        if found not in allowed:
            return _invalid(field, found, list(allowed))
    wrong = _preset_refused(settings)
    if wrong is not None:
        return wrong
    for field, longest in LONGEST.items():
        text = getattr(settings, field) or ""
        if len(text) > longest:
            return _invalid(field, text[:40], f"at most {longest} signs")
    if not PACK_NAME.fullmatch(settings.pack):
        return _invalid("pack", settings.pack[:40], "name or name@version")
    if settings.rounds is not None and not 1 <= settings.rounds <= MOST_ROUNDS:
        return _invalid("rounds", settings.rounds, [1, MOST_ROUNDS])
    if settings.cut != 0 and not 2 <= settings.cut <= MOST_CUT:
        return _invalid("cut", settings.cut, [0, 2, MOST_CUT])
    published = settings.decklists == Decklists.PUBLISHED
    if published != (settings.decklists_at is not None) or (
        settings.decklists_at is not None and not is_moment(settings.decklists_at)
    ):
        right = "UTC time" if published else "nothing unless lists are published on a date"
        return _invalid("decklists_at", settings.decklists_at, right)
    if settings.deck_deadline is not None and not is_moment(settings.deck_deadline):
        return _invalid("deck_deadline", settings.deck_deadline, "UTC time")
    return None


def _preset_refused(settings: Settings) -> Refusal | None:
    """Refuse a name that no preset can have, and the game of another preset. Whether a preset
    that an organiser made is there is for who holds them to say (tournaments.frozen)."""
    held = PRESETS.get(settings.preset)
    if held is not None and held.game != settings.game:
        return _invalid("game", settings.game, [held.game])
    name, _, version = settings.preset.partition("@")
    if held is None and not (PRESET_ID.fullmatch(name) and VERSION.fullmatch(version)):
        return _invalid("preset", settings.preset[:40], list(PRESETS))
    return None


def is_moment(text: str) -> bool:
    """Say whether a text is a time as the log writes it."""
    try:
        datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ")
    except ValueError:
        return False
    return True


def _invalid(field: str, found: object, allowed: object) -> Refusal:
    return Refusal(
        "tournaments.setting_invalid", {"field": field, "found": found, "allowed": allowed}
    )


def create(state: Tournament, *, event_id: str, settings: Settings) -> Decision:
    """Create an event; refused with `tournaments.event_exists`, `tournaments.setting_invalid`."""
    if state.event_id:
        return Refusal("tournaments.event_exists", {"event_id": event_id})
    wrong = settings_refused(settings)
    return wrong or [ev.EventCreated(event_id, settings)]


def configure(state: Tournament, *, settings: Settings) -> Decision:
    """Change the settings; refused once the event has started, and with
    `tournaments.nothing_changed`, or `tournaments.switch_invalid` when the plan sets a switch
    that the new system of standings does not have. Preset and banlist stay as they are once an
    entrant has handed in a deck (`tournaments.decks_handed_in`)."""
    wrong = state_of.in_status(state, DRAFT, OPEN, CLOSED) or settings_refused(settings)
    if wrong is not None:
        return wrong
    before = state.chosen
    if settings == before:
        return Refusal("tournaments.nothing_changed")
    switched = chosen(settings.standings, state.plan.switches)
    if isinstance(switched, Refusal):
        return switched
    frozen = ("game", "preset", "banlist_id", "banlist_hash", "catalogue_hash", "preset_hash")
    handed_in = sum(one.deck_id is not None for one in state.entrants.values())
    changed = [name for name in frozen if getattr(before, name) != getattr(settings, name)]
    if handed_in and changed:
        return Refusal("tournaments.decks_handed_in", {"found": handed_in, "fields": changed})
    return [ev.EventConfigured(state.event_id, settings)]


def open_registration(state: Tournament) -> Decision:
    """Open the registration of an event that has not started."""
    wrong = state_of.in_status(state, DRAFT, CLOSED)
    return wrong or [ev.RegistrationOpened(state.event_id)]


def close_registration(state: Tournament) -> Decision:
    """Close the registration."""
    wrong = state_of.in_status(state, OPEN)
    return wrong or [ev.RegistrationClosed(state.event_id)]


def cancel(state: Tournament, *, note: str | None) -> Decision:
    """Cancel an event that has not ended."""
    missing = state_of.known(state)
    if missing is not None:
        return missing
    if state.status in (FINISHED, CANCELLED):
        return Refusal(
            "tournaments.wrong_state", {"found": state.status, "allowed": "an event not ended"}
        )
    return [ev.EventCancelled(state.event_id, note)]
