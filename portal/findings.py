"""Words for what is found in a deck list: what is wrong, and what would be right.

A finding is {code, rule, card {id, name}, found, allowed, where, line} (decks.domain.report).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as translate
from django.utils.translation import gettext_lazy as _

from portal import words
from portal.wording import shown

Texts = tuple[Promise, Promise | str]

FINDINGS: dict[str, Texts] = {
    # places
    "token_in_deck": (
        _("A token is no card of a deck"),
        _("Take %(card)s out: tokens are put on the table by effects."),
    ),
    "kind_not_in_format": (
        _("This kind of card is not in the format"),
        _("Take %(card)s out: its kind does not exist under these rules."),
    ),
    "outside_ruleset": (
        _("A card that these rules do not cover"),
        _("Take %(card)s out: its kind is outside the rules of this format."),
    ),
    "ritual_in_extra": (
        _("A Ritual Monster lies in the fusion deck"),
        _("%(card)s belongs in the main deck or the side deck."),
    ),
    "extra_card_in_main": (
        _("A card of the fusion deck lies in the main deck"),
        _("Move %(card)s to the fusion deck."),
    ),
    "extra_card_in_side": (
        _("A card of the fusion deck lies in the side deck"),
        _("Take %(card)s out of the side deck or put it in the fusion deck."),
    ),
    "not_an_extra_card": (
        _("A card in the fusion deck does not belong there"),
        _("%(card)s belongs in the main deck or the side deck."),
    ),
    # sizes
    "main_too_small": (
        _("The main deck is too small"),
        _("It counts %(found)s cards, at least %(allowed)s are needed."),
    ),
    "main_too_large": (
        _("The main deck is too large"),
        _("It counts %(found)s cards, at most %(allowed)s are allowed."),
    ),
    "extra_too_large": (
        _("The extra deck is too large"),
        _("It counts %(found)s cards, at most %(allowed)s are allowed."),
    ),
    "side_size": (
        _("The side deck has a wrong size"),
        _("It counts %(found)s cards. Allowed: %(allowed)s."),
    ),
    # lists and copies
    "forbidden": (
        _("A Forbidden card"),
        _("%(card)s is Forbidden on the list of this event. Copies here: %(found)s."),
    ),
    "limited": (
        _("Too many copies of a Limited card"),
        _("%(card)s: %(found)s copies (%(where)s), %(allowed)s allowed over all decks."),
    ),
    "semi_limited": (
        _("Too many copies of a Semi-Limited card"),
        _("%(card)s: %(found)s copies (%(where)s), %(allowed)s allowed over all decks."),
    ),
    "too_many_copies": (
        _("Too many copies of one card"),
        _("%(card)s: %(found)s copies (%(where)s), %(allowed)s allowed over all decks."),
    ),
    "not_on_list": (
        _("A card that is not on the list"),
        _("%(card)s is not among the cards this event allows."),
    ),
    "unknown_card": (
        _("A number that the catalogue does not know"),
        _("Card number %(card)s is unknown here. Look at the number on the card."),
    ),
    "unresolved_line": (
        _("A line that names no card"),
        _("Line %(line)s: \u201c%(found)s\u201d. Did you mean: %(allowed)s?"),
    ),
    "unresolved_line_alone": (
        _("A line that names no card"),
        _("Line %(line)s: \u201c%(found)s\u201d. Write the name as printed, or the number."),
    ),
    "points_over_budget": (
        _("The list costs too many points"),
        _("It costs %(found)s points, at most %(allowed)s are allowed. The dearest: %(where)s."),
    ),
    # how the list was written
    "empty_input": (_("The list is empty"), _("Paste a list or choose a file.")),
    "too_large": (
        _("The file is too large"),
        _("It has %(found)s bytes, at most %(allowed)s are read."),
    ),
    "too_many_lines": (_("Too many lines"), _("At most %(allowed)s lines are read.")),
    "too_many_cards": (_("Too many cards"), _("At most %(allowed)s cards are read.")),
    "id_zero": (_("A card number of zero"), _("Zero is no card (%(found)s).")),
    "id_out_of_range": (
        _("A card number that cannot be"),
        _("Line %(line)s: %(found)s is outside the numbers that cards have."),
    ),
    "count_out_of_range": (
        _("A number of copies that cannot be"),
        _("Line %(line)s: %(found)s. Allowed: %(allowed)s."),
    ),
    "bad_preset": (
        _("The rules cannot be read"),
        _("They are neither TOML nor JSON: %(found)s."),
    ),
    "ydke_bad_wrapping": (
        _("The ydke address is damaged"),
        _("Copy it whole, from ydke:// to the last exclamation mark."),
    ),
    "ydke_bad_base64": (
        _("The ydke address is damaged"),
        _("A part of it cannot be read (%(found)s). Copy it whole."),
    ),
    "ydke_part_length": (
        _("The ydke address is cut off"),
        _("A part of it has a length that cannot be (%(found)s). Copy it whole."),
    ),
    "ydke_parts_missing": (
        _("The ydke address is cut off"),
        _("It has %(found)s parts of %(allowed)s. Copy it whole."),
    ),
    # remarks
    "moved_to_extra": (
        _("Moved to the fusion deck"),
        _("%(card)s (%(found)s) stood among the main deck cards."),
    ),
    "other_art_assumed": (
        _("Taken for another picture of a known card"),
        _("Number %(found)s is taken for %(card)s."),
    ),
    "ambiguous_name": (
        _("A name that several cards have"),
        _("Line %(line)s: several cards match (%(found)s); the first one was taken."),
    ),
    "count_zero": (_("Zero copies"), _("Line %(line)s was left out: %(found)s.")),
    "line_ignored": (_("A line was left out"), _("Line %(line)s: %(found)s.")),
    "encoding_assumed": (
        _("The alphabet of the file was guessed"),
        _("Read as %(found)s. Look whether all names are right."),
    ),
    "encoding_damaged": (
        _("Signs of the file are damaged"),
        _("Look whether all names are right."),
    ),
    "nul_removed": (_("Empty signs were taken out"), ""),
    "bad_omega": (_("The Omega code is damaged"), _("Copy it whole, every sign of it.")),
    "bad_csv": (
        _("The table cannot be read"),
        _("The first line names the columns, for example: section,count,id,name."),
    ),
    "omega_cover": (_("The cover card of the code belongs to no deck and is left out"), ""),
    "section_unknown": (
        _("A part of the deck has an unknown name"),
        _("The row is taken as main deck. The parts are main, extra and side."),
    ),
    "ydke_end_missing": (_("The end mark of the ydke address is missing"), ""),
    "ydke_padding": (_("The ydke address lacks its padding"), ""),
}
"""Per code: what is wrong, and the sentence that explains it (empty: nothing to add)."""


@dataclass(frozen=True, slots=True)
class Worded:
    """A finding in words; `rule` is the rule id or empty."""

    title: str
    text: str
    rule: str


def _where(code: str, where: dict[str, int]) -> str:
    """Say in which decks the copies lie; of points: which cards cost most."""
    if code == "points_over_budget":
        return ", ".join(f"{name} {points}" for name, points in where.items())
    return ", ".join(
        f"{words.word('deck_section', section)} {count}" for section, count in where.items()
    )


def _allowed(code: str, allowed: Any) -> str:
    if code == "side_size":
        if isinstance(allowed, list | tuple):
            return translate(" or ").join(shown(one) for one in allowed)
        return translate("0 to %(most)s") % {"most": shown(allowed)}
    return shown(allowed)


def finding_words(finding: dict[str, Any]) -> Worded:
    """Put one finding into the words of the active language."""
    code = str(finding.get("code", ""))
    card = finding.get("card") or {}
    where = finding.get("where") or {}
    params = {
        "card": card.get("name") or card.get("id") or "–",
        "found": shown(finding.get("found")),
        "allowed": _allowed(code, finding.get("allowed")),
        "line": shown(finding.get("line")),
        "where": _where(code, where) or "–",
    }
    if code == "unresolved_line" and not finding.get("allowed"):
        code = "unresolved_line_alone"
    title, text = FINDINGS.get(code, (code, ""))
    return Worded(str(title), str(text) % params if text else "", finding.get("rule") or "")
