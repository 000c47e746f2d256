"""A deck list while its player puts it together: report, counters, cards with a button each.

The draft lives in the text of the form alone; nothing is kept until it is handed in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from cards import selectors as cards
from cards.domain.banlist import Banlist
from cards.domain.catalogue import Catalogue
from decks.domain.decklist import EXTRA, MAIN, SIDE, DeckList
from decks.domain.draft import (
    ADD,
    TAKE,
    Edit,
    Fix,
    apply,
    counters,
    draft,
    edit_of,
    fixes,
    write_draft,
)
from decks.domain.presets import Preset
from decks.domain.read import read_deck
from decks.domain.report import Fault
from decks.domain.text_list import resolve
from decks.domain.validate import check
from decks.pages.lists import kind_of
from people.domain.actor import Actor

FOUND = 8
SHOWN_FIXES = 4


@dataclass(frozen=True, slots=True)
class Act:
    """A button: its words, and the change that it asks for."""

    label: str
    value: str


@dataclass(frozen=True, slots=True)
class Line:
    """A card of the draft with its buttons."""

    number: int
    name: str
    kind: str
    key: str
    less: str
    more: str


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft as a page shows it. `faults` are (finding as JSON, its buttons)."""

    content: str
    deck: DeckList
    report: dict[str, Any]
    faults: list[tuple[dict[str, Any], list[Act]]]
    counters: list[dict[str, Any]]
    sections: list[dict[str, Any]]
    found: list[dict[str, Any]]


def fix_label(fix: Fix, section: str) -> str:
    """Say what a button does."""
    words = {MAIN: _("main deck"), EXTRA: _("fusion deck"), SIDE: _("side deck")}
    if fix.kind == "move":
        return _("Move to the %(deck)s") % {"deck": words[fix.edit.to]}
    if fix.kind == "use_name":
        return _("Use \u201c%(name)s\u201d") % {"name": fix.card}
    if fix.kind == "take_card":
        return _("Take one \u201c%(name)s\u201d out") % {"name": fix.card}
    if fix.kind == "drop_line":
        return _("Leave the line out")
    if fix.kind == "take_all":
        return _("Take it out of the %(deck)s") % {"deck": words[section]}
    text = ngettext(
        "Take one out of the %(deck)s", "Take %(number)s out of the %(deck)s", fix.edit.copies
    )
    return text % {"deck": words[section], "number": fix.edit.copies}


def bounds(one: Any) -> str:
    """Say what size a section may have."""
    if one.sizes:
        return _(" or ").join(str(size) for size in one.sizes)
    if one.most is None:
        return _("%(least)s or more") % {"least": one.least} if one.least else _("any number")
    if not one.least:
        return _("at most %(most)s") % {"most": one.most}
    return f"{one.least}\u2013{one.most}"


def put_together(
    request: HttpRequest, viewer: Actor, content: str, preset: Preset, banlist: Banlist | None
) -> Draft:
    """Make the change that the form asks for, if any, and look at what is then there."""
    catalogue = cards.catalogue(viewer).of_kinds(preset.kinds_of_game)
    deck, report = check(read_deck(content, catalogue), catalogue, banlist, preset)
    wanted = edit_of(request.POST.get("edit", ""))
    if wanted is not None:
        whole = draft(read_deck(content, catalogue), deck, content)
        content = write_draft(apply(whole, wanted, catalogue), catalogue)
        deck, report = check(read_deck(content, catalogue), catalogue, banlist, preset)
    whole = draft(read_deck(content, catalogue), deck, content)
    return Draft(
        content,
        deck,
        report.as_json(),
        [(one.as_json(), _acts(one, whole, catalogue)) for one in report.errors],
        [
            {
                "section": one.section,
                "count": one.count,
                "bounds": bounds(one),
                "right": one.right,
            }
            for one in counters(report, preset)
        ],
        [
            {"name": name, "total": len(keys), "cards": _lines(keys, name, catalogue)}
            for name, keys in deck.sections()
            if keys
        ],
        _found(request, catalogue, preset),
    )


def _acts(fault: Fault, deck: DeckList, catalogue: Catalogue) -> list[Act]:
    copies = 1
    if fault.code == "unresolved_line":
        copies = min(99, max(1, resolve(str(fault.found), catalogue)[0]))
    made = fixes(fault, deck, catalogue, copies)
    return [Act(fix_label(one, one.edit.section), one.edit.as_text()) for one in made[:SHOWN_FIXES]]


def _lines(keys: Sequence[str], section: str, catalogue: Catalogue) -> list[Line]:
    lines = []
    for key in dict.fromkeys(keys):
        placed = catalogue.place(key)
        kind = kind_of(placed.facts.kind, placed.facts.subkind) if placed else "n"
        lines.append(
            Line(
                keys.count(key),
                placed.facts.name if placed else key,
                kind,
                key,
                Edit(TAKE, key, section).as_text(),
                Edit(ADD, key, to=section).as_text(),
            )
        )
    return lines


def _found(request: HttpRequest, catalogue: Catalogue, preset: Preset) -> list[dict[str, Any]]:
    text = request.POST.get("find", "").strip()[:80]
    if not text:
        return []
    rows = []
    for facts in catalogue.search(text, FOUND):
        extra = facts.is_extra and facts.subkind in preset.extra_kinds
        rows.append(
            {
                "name": facts.name,
                "kind": kind_of(facts.kind, facts.subkind),
                "first": Edit(ADD, facts.key, to=EXTRA if extra else MAIN).as_text(),
                "section": EXTRA if extra else MAIN,
                "side": Edit(ADD, facts.key, to=SIDE).as_text() if preset.has_side else "",
            }
        )
    return rows
