"""Words for replay files: what is wrong with one, and the flags of its audit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

REFUSALS: dict[str, Promise] = {
    "duels.replay_again": _("This replay file has been handed in for this match already."),
    "duels.replay_many": _(
        "You have handed in %(found)s replay files for this match; at most %(allowed)s are kept."
    ),
    "duels.replay_missing": _("Choose a replay file (.yrpX)."),
    "duels.replay_count": _(
        "The replay file is damaged at byte %(at)s: it claims %(found)s entries, where at most"
        " %(allowed)s can be."
    ),
    "duels.replay_impossible": _(
        "From byte %(at)s on the replay tells what cannot be on this table: %(found)s."
    ),
    "duels.replay_inflated_damaged": _(
        "The packing of the replay file is damaged at byte %(at)s: %(found)s."
    ),
    "duels.replay_inflated_short": _(
        "The replay file ends early, at byte %(at)s: %(found)s of %(allowed)s bytes are there."
    ),
    "duels.replay_message": _("A message of the replay is damaged at byte %(at)s: %(found)s."),
    "duels.replay_no_duel": _(
        "There is no duel in this file that can be shown (%(found)s): it must be a .yrpX of a duel"
        " between two players. A .yrp holds decks and answers only."
    ),
    "duels.replay_not_a_replay": _(
        "This is no replay file: it must begin with yrp1, yrp2 or yrpX, not with %(found)s."
    ),
    "duels.replay_packet": _(
        "The replay is damaged at byte %(at)s: a packet (%(found)s) is longer than what is left."
    ),
    "duels.replay_packing": _(
        "The replay file says at byte %(at)s that it is packed in a way that does not exist:"
        " %(found)s."
    ),
    "duels.replay_ratio": _(
        "The replay file claims at byte %(at)s to unpack to %(found)s bytes; from a file of this"
        " size no more than %(allowed)s are believed."
    ),
    "duels.replay_short": _(
        "The replay file ends at byte %(at)s, where %(allowed)s more bytes must follow."
    ),
    "duels.replay_too_large": _(
        "The replay file is too large at byte %(at)s: %(found)s bytes; at most %(allowed)s are"
        " read."
    ),
    "duels.replay_too_many": _(
        "The replay holds more than %(allowed)s messages: reading stopped at byte %(at)s."
    ),
    "duels.replay_unreadable": _("The replay file cannot be opened: %(found)s."),
    "duels.replay_version": _(
        "The replay file was written in version %(found)s of its format; versions up to"
        " %(allowed)s are known."
    ),
}
FINDINGS: dict[str, Promise] = {
    "DAMAGED": _("The file is damaged; everything before that place is shown"),
    "TEAMS": _("A duel of teams: decks and players are read, the duel is not played through"),
    "CARD_DIFFERS": _("The file names another card than the one that lies there"),
    "BYTES_AFTER_END": _("Bytes follow after the end of the file"),
    "NAMES_DIFFER": _("The names inside and outside the file differ"),
    "FLAGS_DIFFER": _("The duel flags inside and outside the file differ"),
    "LIFE_POINTS_DIFFER": _("The Life Points at the start differ from those agreed"),
    "DECK_SIZE_DIFFERS": _("The decks in the file have another size than those of the duel"),
    "UNFINISHED": _("The replay ends before the duel does"),
    "OPENING_HAND_DIFFERS": _("The opening hand is not the top of the Deck"),
    "OPENING_HAND_SIZE": _("The opening hand has another size than agreed"),
    "DRAWS_IN_DRAW_PHASE": _("More cards were drawn in the Draw Phase than agreed"),
    "DRAW_ON_FIRST_TURN": _("A card was drawn in the Draw Phase of the first turn"),
    "HAND_OVER_LIMIT": _("A turn ended with more cards in hand than the limit"),
    "LP_DIFFERS": _("The Life Points shown are not what the changes add up to"),
    "LP_GONE_AND_GOES_ON": _("A player without Life Points went on"),
    "BATTLE_DESTROYS_DIFFERENTLY": _("The battle destroyed otherwise than the damage table says"),
    "BATTLE_DAMAGE_DIFFERS": _("The battle damage is not what the damage table gives"),
    "ATTACK_ON_FIRST_TURN": _("An attack was declared in the first turn"),
    "WIN_DIFFERS": _("The file names two different ends"),
    "END_WITHOUT_CAUSE": _("The end that the file names is not borne out by the table"),
}
"""Flags of the audit. Battles and draws may be as the text of a card wants them."""


def finding_params(finding: Mapping[str, Any]) -> str:
    """Return what a finding rests on, as a short text behind its sentence: whose, what was
    found, what the rule alone gives."""
    params = finding["params"]
    parts = [str(params[key]) for key in ("player", "rule", "code") if key in params]
    if "found" in params and params["found"] != "":
        said = str(params["found"])
        parts.append(f"{said} / {params['allowed']}" if "allowed" in params else said)
    if "at" in params:
        parts.append(f"@{params['at']}")
    return f" ({', '.join(parts)})" if parts else ""
