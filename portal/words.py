"""Words for the codes that stand in read tables: states, reasons, roles, kinds; and their tint.

A code is never shown itself. `subject` names the list a code belongs to. The tint is one of
ok, run, wait, bad, off.
"""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

WORDS: dict[str, dict[str, Promise]] = {
    "role": {
        "organiser": _("Organiser"),
        "site_organiser": _("Organiser of the site"),
        "scorekeeper": _("Scorekeeper"),
        "head_judge": _("Head judge"),
        "judge": _("Judge"),
        "deck_checker": _("Deck checker"),
        "player": _("Player"),
        "system": _("System"),
    },
    "event": {
        "draft": _("Not published"),
        "open": _("Registration open"),
        "closed": _("Registration closed"),
        "running": _("Running"),
        "cut": _("Top cut"),
        "finished": _("Finished"),
        "cancelled": _("Cancelled"),
    },
    "entrant": {
        "enrolled": _("Enrolled"),
        "checked_in": _("Checked in"),
        "dropped": _("Dropped"),
        "disqualified": _("Disqualified"),
    },
    "stage": {
        "swiss": _("Swiss round"),
        "cut": _("Top cut"),
    },
    "match": {
        "open": _("Not started"),
        "playing": _("Playing"),
        "claimed": _("One report in"),
        "conflict": _("Two results"),
        "decided": _("Result in"),
        "corrected": _("Corrected"),
    },
    "reason": {
        "played": pgettext_lazy("reason of a result", "Played"),
        "time": pgettext_lazy("reason of a result", "Time"),
        "game_loss": pgettext_lazy("reason of a result", "Game loss"),
        "match_loss": pgettext_lazy("reason of a result", "Match loss"),
        "no_show": pgettext_lazy("reason of a result", "No-show"),
        "concession": pgettext_lazy("reason of a result", "Concession"),
        "double_loss": pgettext_lazy("reason of a result", "Double loss"),
        "disqualification": pgettext_lazy("reason of a result", "Disqualification"),
    },
    "decided_by": {
        "players": _("both players"),
        "admitted": _("the loser"),
        "staff": _("staff"),
        "log": _("the log of the duel"),
        "penalty": _("a penalty"),
    },
    "deck_section": {
        "main": _("Main deck"),
        "extra": _("Fusion deck"),
        "side": _("Side deck"),
    },
    "preset": {
        "classic": _("Classic (2002 to 2006)"),
        "advanced": _("Advanced"),
        "goat": _("Goat (2005)"),
    },
    "match_rules": {
        "ygo-classic": _("Three duels at most"),
        "ygo-modern": _("First to two wins"),
    },
    "perspective": {
        "public": pgettext_lazy("who looks at a duel", "Public"),
        "p1": _("Player A"),
        "p2": _("Player B"),
        "judge": pgettext_lazy("who looks at a duel", "Judge"),
    },
    "phase": {
        "draw": pgettext_lazy("phase", "Draw"),
        "standby": pgettext_lazy("phase", "Standby"),
        "main1": pgettext_lazy("phase", "Main 1"),
        "battle": pgettext_lazy("phase", "Battle"),
        "main2": pgettext_lazy("phase", "Main 2"),
        "end": pgettext_lazy("phase", "End"),
    },
}

TINTS: dict[str, dict[str, str]] = {
    "event": {
        "draft": "off",
        "open": "ok",
        "closed": "wait",
        "running": "run",
        "cut": "run",
        "finished": "off",
        "cancelled": "bad",
    },
    "entrant": {
        "enrolled": "wait",
        "checked_in": "ok",
        "dropped": "off",
        "disqualified": "bad",
    },
    "match": {
        "open": "off",
        "playing": "run",
        "claimed": "wait",
        "conflict": "bad",
        "decided": "ok",
        "corrected": "ok",
    },
}


def word(subject: str, code: str) -> str:
    """Return the word for a code in the active language; a code without one as plain text."""
    known = WORDS.get(subject, {}).get(code)
    return str(known) if known is not None else code.replace("_", " ")


def tint(subject: str, code: str) -> str:
    """Return the tint of a state code: ok, run, wait, bad or off."""
    return TINTS.get(subject, {}).get(code, "off")
