"""A list while it is put together: one change at a time, each of which a page offers as a button.

A draft is kept as text alone (`write_draft`), so that it survives a page without script, and a
line that nobody could read stays in it until its owner changes it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from cards.domain.catalogue import Catalogue
from cards.domain.findings import Severity
from cards.domain.sources import lines_of
from decks.domain.decklist import EXTRA, MAIN, SIDE, DeckList, DeckRead, Unresolved
from decks.domain.limits import MAX_CARDS, MAX_COUNT
from decks.domain.presets import Preset
from decks.domain.report import Fault, Report
from decks.domain.text_list import listed

SECTIONS = (MAIN, EXTRA, SIDE)
LINE_FORMATS = frozenset({"text", "csv", "ydk"})
ADD, TAKE, MOVE, NAME, DROP = "add", "take", "move", "name", "drop"


@dataclass(frozen=True, slots=True)
class Edit:
    """One change: add `copies` of a card to `to`, take them out of `section`, move them from
    `section` to `to`; or give line `line` the name of card `card`, or drop that line."""

    act: str
    card: str = ""
    section: str = ""
    to: str = ""
    copies: int = 1
    line: int = 0

    def as_text(self) -> str:
        """Return the value of the button that asks for it."""
        parts = (self.act, self.card, self.section, self.to, str(self.copies), str(self.line))
        return ":".join(parts)


def edit_of(text: str) -> Edit | None:
    """Read the value of such a button; None for anything else."""
    parts = text.split(":")
    if len(parts) != 6:
        return None
    act, card, section, to, copies, line = parts
    if act not in (ADD, TAKE, MOVE, NAME, DROP) or len(card) > 20:
        return None
    if not all(one == "" or one in SECTIONS for one in (section, to)):
        return None
    if not all(one.isascii() and one.isdigit() and len(one) <= 5 for one in (copies, line)):
        return None
    if not 1 <= int(copies) <= MAX_COUNT:
        return None
    return Edit(act, card, section, to, int(copies), int(line))


def draft(read: DeckRead, deck: DeckList, text: str) -> DeckList:
    """Return the list of a draft: `deck` as arranged, and each line that could not be taken for
    a reason other than its name as a line that names no card, so that no edit loses it."""
    if read.format not in LINE_FORMATS:
        return deck
    known = {one.line for one in deck.unresolved}
    raw = lines_of(text)
    lost = tuple(
        Unresolved(MAIN, one.line, raw[one.line - 1].strip()[:120])
        for one in read.findings
        if one.severity is Severity.ERROR
        and one.line is not None
        and one.line <= len(raw)
        and one.line not in known
    )
    return replace(deck, unresolved=(*deck.unresolved, *lost)) if lost else deck


def write_draft(deck: DeckList, catalogue: Catalogue) -> str:
    """Write the list as text that `read_text` reads back, lines that name no card in it."""
    blocks = []
    for title, (section, keys) in zip(("Main", "Extra", "Side"), deck.sections(), strict=True):
        lines = [f"{title} Deck:"]
        lines += [listed(key, copies, catalogue) for key, copies in Counter(keys).items()]
        lines += [one.text for one in deck.unresolved if one.section == section]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def same_card(key: str, card: str, catalogue: Catalogue) -> bool:
    """Say whether a key is that card, another art of it, or treated as it."""
    placed = catalogue.place(key)
    return key == card or (placed is not None and card in (placed.identity, placed.counts_as))


def _without(
    keys: tuple[str, ...], card: str, copies: int, catalogue: Catalogue
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Take up to so many copies out, the last ones first; return the rest and what was taken."""
    rest: list[str] = []
    taken: list[str] = []
    for key in reversed(keys):
        hit = len(taken) < copies and same_card(key, card, catalogue)
        (taken if hit else rest).append(key)
    return tuple(reversed(rest)), tuple(reversed(taken))


def apply(deck: DeckList, edit: Edit, catalogue: Catalogue) -> DeckList:
    """Make a change. One that fits nothing, or would pass the largest list that is read,
    changes nothing."""
    held = dict(deck.sections())
    unresolved = deck.unresolved
    if edit.act in (TAKE, MOVE) and edit.section:
        held[edit.section], taken = _without(held[edit.section], edit.card, edit.copies, catalogue)
        if edit.act == MOVE and edit.to:
            held[edit.to] = (*held[edit.to], *taken)
        elif edit.act == MOVE:
            return deck
    elif edit.act == ADD and edit.to and catalogue.place(edit.card):
        held[edit.to] = _placed(held[edit.to], edit.card, edit.copies)
    elif edit.act in (NAME, DROP):
        meant = next((one for one in unresolved if one.line == edit.line), None)
        if meant is None or (edit.act == NAME and not catalogue.place(edit.card)):
            return deck
        unresolved = tuple(one for one in unresolved if one is not meant)
        if edit.act == NAME:
            held[meant.section] = _placed(held[meant.section], edit.card, edit.copies)
    if sum(len(keys) for keys in held.values()) > MAX_CARDS:
        return deck
    return DeckList(held[MAIN], held[EXTRA], held[SIDE], unresolved)


def _placed(keys: tuple[str, ...], card: str, copies: int) -> tuple[str, ...]:
    """Put copies beside those that are there, so that the list keeps its order."""
    at = max((at for at, key in enumerate(keys) if key == card), default=len(keys) - 1) + 1
    return (*keys[:at], *([card] * copies), *keys[at:])


@dataclass(frozen=True, slots=True)
class Fix:
    """A change that puts one fault right, or brings it nearer: `kind` is take_one, take_all,
    take_down, take_card, move, use_name or drop_line, `card` the name of a card where one is
    named."""

    kind: str
    edit: Edit
    card: str = ""


_WRONG_PLACE = {
    "extra_card_in_main": EXTRA,
    "extra_card_in_side": EXTRA,
    "not_an_extra_card": MAIN,
    "ritual_in_extra": MAIN,
}
_OUT = frozenset(
    {"token_in_deck", "kind_not_in_format", "outside_ruleset", "forbidden", "not_on_list"}
)
_TOO_MANY = frozenset({"limited", "semi_limited", "too_many_copies"})


def fixes(fault: Fault, deck: DeckList, catalogue: Catalogue, copies_of_line: int = 1) -> list[Fix]:
    """Return what can be done about a fault, the usual way first; nothing where only the owner
    knows (a deck that is too small)."""
    card, made = fault.card or "", []
    if fault.code in _WRONG_PLACE:
        to = _WRONG_PLACE[fault.code]
        made = [
            Fix("move", Edit(MOVE, card, section, to, min(copies, MAX_COUNT)))
            for section, copies in fault.where.items()
        ]
    elif fault.code in _OUT or (fault.code == "unknown_card" and fault.rule):
        made = [
            Fix("take_all", Edit(TAKE, card, section, copies=min(copies, MAX_COUNT)))
            for section, copies in fault.where.items()
        ]
    elif (
        fault.code in _TOO_MANY and isinstance(fault.found, int) and isinstance(fault.allowed, int)
    ):
        over = fault.found - fault.allowed
        for section in sorted(fault.where, key=SECTIONS.index, reverse=True):
            if over > 1 and fault.where[section] >= over:
                made.append(
                    Fix("take_down", Edit(TAKE, card, section, copies=min(over, MAX_COUNT)))
                )
            else:
                made.append(Fix("take_one", Edit(TAKE, card, section)))
    elif fault.code == "points_over_budget":
        made = [Fix("take_card", edit, name) for name, edit in _dearest(fault, deck, catalogue)]
    elif fault.code == "unresolved_line" and fault.line is not None:
        for name in fault.allowed if isinstance(fault.allowed, list) else []:
            named = catalogue.by_name(str(name))
            if named:
                edit = Edit(NAME, named[0].key, copies=copies_of_line, line=fault.line)
                made.append(Fix("use_name", edit, named[0].name))
        made.append(Fix("drop_line", Edit(DROP, line=fault.line)))
    elif fault.line is not None and any(one.line == fault.line for one in deck.unresolved):
        made.append(Fix("drop_line", Edit(DROP, line=fault.line)))
    return made


def _dearest(fault: Fault, deck: DeckList, catalogue: Catalogue) -> list[tuple[str, Edit]]:
    """Return the dearest cards by name, each with the edit that takes one copy out, of the side
    deck first."""
    made: list[tuple[str, Edit]] = []
    for section, keys in reversed(list(deck.sections())):
        for key in dict.fromkeys(keys):
            name = catalogue.name(catalogue.identity(key)) or key
            if name in fault.where and all(name != known for known, _ in made):
                made.append((name, Edit(TAKE, catalogue.identity(key), section)))
    return sorted(made, key=lambda one: -fault.where[one[0]])


@dataclass(frozen=True, slots=True)
class SectionCounter:
    """The counter of one section, or of the points (`POINTS`): cards now, fewest and most (None:
    no limit), the sizes allowed where only some are, and whether the size is right."""

    section: str
    count: int
    least: int
    most: int | None
    sizes: tuple[int, ...]
    right: bool


_SIZE_CODES = {
    MAIN: frozenset({"main_too_small", "main_too_large"}),
    EXTRA: frozenset({"extra_too_large"}),
    SIDE: frozenset({"side_size"}),
}


POINTS = "points"


def counters(report: Report, preset: Preset) -> list[SectionCounter]:
    """Return the counter of each section against the preset, but for sections that hold nothing
    and may hold nothing; then that of the points, where they are counted."""
    wrong = {one.code for one in report.errors}
    bounds: dict[str, tuple[int, int | None, tuple[int, ...]]] = {
        MAIN: (preset.main_min, preset.main_max, ()),
        EXTRA: (0, preset.extra_max, ()),
        SIDE: (0, preset.side_max, preset.side_sizes or ()),
    }
    made = [
        SectionCounter(
            section, report.counts[section], *bounds[section], not wrong & _SIZE_CODES[section]
        )
        for section in SECTIONS
        if report.counts[section] or bounds[section][1] != 0
    ]
    if report.points is not None:
        found, allowed = report.points
        made.append(SectionCounter(POINTS, found, 0, allowed, (), found <= allowed))
    return made
