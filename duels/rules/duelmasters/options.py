"""The options of the rule set: names and values. All of them are played."""

from __future__ import annotations

from collections.abc import Mapping

from duels.domain.options import Option, completed, defaults
from duels.domain.options import Value as Value
from eventstore.domain.refusal import Refusal

TABLE: dict[str, Option] = {
    "attack.target_untapped": Option("goes_on", ("ends",)),
    "deck.size": Option("exact_40", ("min_40",)),
    "deckout.rule": Option("last_card", ("failed_draw",)),
    "evolution.keeps_tapped": Option(True, (False,)),
    "game.simultaneous_loss": Option("draw", ("turn_player_loses",)),
    "match.best_of": Option(3, (1,)),
    "players.more_than_two": Option(False, (True,)),
    "sickness.scope": Option("any_entry", ("summoned_only",)),
    "slayer.mode": Option("on_loss", ("every_battle",)),
    "start.method": Option("random", ("agreed",)),
}
DEFAULTS: dict[str, Value] = defaults(TABLE)


def complete(chosen: Mapping[str, object]) -> dict[str, Value] | Refusal:
    """Return all options with the chosen values filled in (DM-0.3); refused as
    `duels.domain.options.completed`."""
    return completed(TABLE, chosen)


def change(
    values: Mapping[str, Value], name: str, value: object, *, match_begun: bool
) -> dict[str, Value] | Refusal:
    """Change an option before the match; refused with DM-0.3 once it has begun, otherwise as
    `complete` refuses."""
    if match_begun:
        return Refusal("DM-0.3", {"option": name[:60], "found": str(value)[:40]})
    return complete({**values, name: value})
