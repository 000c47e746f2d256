"""Validation of a deck list: all faults at once, none twice.

Order of the errors (rules/yugioh-classic, 'Which id is cited'): what could not be read, then
cards in a wrong place, sizes, lists, copies, points.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

from cards.domain.banlist import Banlist
from cards.domain.catalogue import Catalogue, Placed
from cards.domain.facts import MONSTER, SKILL, CardFacts
from cards.domain.findings import Severity
from cards.domain.limits import limits_by_identity, points_by_identity
from decks.domain.decklist import EXTRA, MAIN, SIDE, DeckList, DeckRead
from decks.domain.presets import Preset
from decks.domain.report import Fault, Plain, Report
from decks.domain.text_list import bare_name

MAX_SUGGESTED = 10
"""Unresolved lines that get suggestions: each costs a walk over all names."""
MOST_KEYS = 200_000
DEAREST = 5
"""Cards that are named where a deck costs too much."""
_LIST_CODES = {0: "forbidden", 1: "limited", 2: "semi_limited"}
_PLACE_ORDER = (
    "token_in_deck",
    "outside_ruleset",
    "kind_not_in_format",
    "ritual_in_extra",
    "extra_card_in_main",
    "extra_card_in_side",
    "not_an_extra_card",
)
_LIST_ORDER = ("forbidden", "not_on_list", "unknown_card", "limited", "semi_limited")


@dataclass(slots=True)
class _Group:
    """Copies that count together: one card, and with some presets what is treated as it."""

    where: dict[str, int] = field(default_factory=dict)
    identities: dict[str, int] = field(default_factory=dict)
    unknown: bool = False

    def take(self, section: str, identity: str, copies: int) -> None:
        self.where[section] = self.where.get(section, 0) + copies
        self.identities[identity] = self.identities.get(identity, 0) + copies


def _groups(
    counts: Iterable[tuple[str, Mapping[str, int]]],
    book: _Book,
    odd: Container[str],
) -> dict[str, _Group]:
    """Put the copies of the cards together that may be too many or are not known."""
    groups: dict[str, _Group] = {}
    for section, counted in counts:
        for key, copies in counted.items():
            known = book.look(key)
            if known.base in odd and not known.token:
                group = groups.setdefault(known.base, _Group())
                group.take(section, known.identity, copies)
                group.unknown = group.unknown or known.placed is None
    return groups


def wrong_place(card: CardFacts, section: str, preset: Preset) -> str | None:
    """Return the code of the fault of a card that lies in a wrong section, or None."""
    if card.is_token:
        return "token_in_deck"
    if card.kind not in preset.card_kinds or (
        preset.most_attributes is not None and card.attribute.count("+") >= preset.most_attributes
    ):
        return "outside_ruleset"
    if card.kind == SKILL or (card.kind == MONSTER and card.subkind not in preset.monster_kinds):
        return "kind_not_in_format"
    is_extra = card.kind == MONSTER and card.subkind in preset.extra_kinds
    if section == MAIN and is_extra:
        return "extra_card_in_main"
    if section == SIDE and is_extra and not preset.side_extra:
        return "extra_card_in_side"
    if section == EXTRA and not is_extra:
        ritual = card.kind == MONSTER and card.subkind == "ritual"
        return "ritual_in_extra" if ritual else "not_an_extra_card"
    return None


def _sizes(held: Mapping[str, int], misplaced: int, preset: Preset) -> list[Fault]:
    """Compare the sizes. `held` counts the cards of each section without tokens (YGO-3.11);
    `misplaced` cards of the main deck do not help to reach its minimum (YGO-3.5)."""
    faults: list[Fault] = []
    main, extra, side = held[MAIN], held[EXTRA], held[SIDE]

    def note(code: str, found: int, allowed: int | list[int]) -> None:
        faults.append(Fault(code, preset.rule(code), found=found, allowed=allowed))

    if main - misplaced < preset.main_min:
        note("main_too_small", main - misplaced, preset.main_min)
    if preset.main_max is not None and main > preset.main_max:
        note("main_too_large", main, preset.main_max)
    if preset.extra_max is not None and extra > preset.extra_max:
        note("extra_too_large", extra, preset.extra_max)
    if preset.side_sizes is not None:
        if side not in preset.side_sizes:
            note("side_size", side, list(preset.side_sizes))
    elif side > preset.side_max:
        note("side_size", side, preset.side_max)
    return faults


def _allowed(
    group: _Group, base: str, limits: Mapping[str, int], banlist: Banlist | None
) -> int | None:
    """Return copies that the list allows of a group: the strictest limit of its cards. In a
    normal list a card without a limit of its own takes that of the card it counts as."""
    if banlist is None:
        return None
    held = [limits[one] for one in group.identities if one in limits]
    if banlist.whitelist:
        return min(held) if len(held) == len(group.identities) else 0
    if base in limits:
        held.append(limits[base])
    return min(held) if held else None


def _copies(
    groups: Mapping[str, _Group],
    banlist: Banlist | None,
    catalogue: Catalogue,
    preset: Preset,
    warnings: list[Fault],
) -> list[Fault]:
    limits = limits_by_identity(banlist, catalogue) if banlist is not None else {}
    faults: list[Fault] = []
    for base, group in groups.items():
        total = sum(
            copies
            for section, copies in group.where.items()
            if preset.count_extra or section != EXTRA
        )
        allowed = _allowed(group, base, limits, banlist)
        unlisted = (
            next((one for one in group.identities if one not in limits), None)
            if banlist is not None and banlist.whitelist
            else None
        )
        # A forbidden card is so in every section, whatever else is left out of the count.
        copies = sum(group.where.values()) if allowed == 0 else total
        code: str | None = None
        most = preset.copies
        if allowed is not None and allowed < preset.copies and copies > allowed:
            most = allowed
            code = _LIST_CODES.get(allowed, "semi_limited")
            if unlisted is not None:
                code = "unknown_card" if group.unknown else "not_on_list"
        elif total > preset.copies:
            code = "too_many_copies"
        card = unlisted or min(
            group.identities, key=lambda one: (limits.get(one, preset.copies), one != base)
        )
        name = catalogue.name(card)
        if group.unknown and code != "unknown_card":
            warnings.append(
                Fault(
                    "unknown_card", None, card, None, sum(group.where.values()), None, group.where
                )
            )
        if code is not None:
            faults.append(
                Fault(code, preset.rule(code), card, name, copies, most, dict(group.where))
            )
    return faults


def _sorted(faults: Iterable[Fault], order: tuple[str, ...]) -> list[Fault]:
    rank = {code: place for place, code in enumerate(order)}
    return sorted(faults, key=lambda fault: rank.get(fault.code, len(order)))


class _Known(NamedTuple):
    """What a preset and a list of limits make of one key. `base` is the card it counts with,
    `ceiling` the copies of that base below which nothing can be wrong, `faults` the code of the
    wrong place in main, extra and side, `points` what a copy costs."""

    placed: Placed | None
    identity: str
    base: str
    ceiling: int
    faults: tuple[str | None, str | None, str | None]
    token: bool
    remark: bool
    points: int = 0


@dataclass(slots=True)
class _Book:
    """Every key met so far under one catalogue, list and preset: most decks share their cards."""

    catalogue: Catalogue
    banlist: Banlist | None
    preset: Preset
    keys: dict[str, _Known] = field(default_factory=dict)

    def look(self, key: str) -> _Known:
        """Return what is known of a key."""
        known = self.keys.get(key)
        if known is None:
            known = self._learn(key)
            if len(self.keys) < MOST_KEYS:  # keys come from outside
                self.keys[key] = known
        return known

    def _learn(self, key: str) -> _Known:
        preset, placed = self.preset, self.catalogue.place(key)
        identity = placed.identity if placed else key
        base = placed.counts_as if placed and preset.treated_as else identity
        ceiling = preset.copies
        if self.banlist is not None:
            limits = limits_by_identity(self.banlist, self.catalogue)
            own = limits.get(identity)
            if self.banlist.whitelist:
                ceiling = min(ceiling, own or 0)
            else:
                held = [one for one in (own, limits.get(base)) if one is not None]
                ceiling = min(ceiling, *held) if held else ceiling
        points = 0
        if self.banlist is not None and self.banlist.points is not None:
            costs = points_by_identity(self.banlist, self.catalogue)
            points = costs.get(identity, costs.get(base, 0))
        main, extra, side = (
            wrong_place(placed.facts, section, preset) if placed else None
            for section in (MAIN, EXTRA, SIDE)
        )
        return _Known(
            placed,
            identity,
            base,
            ceiling if placed else -1,
            (main, extra, side),
            main == "token_in_deck",
            placed is not None and placed.assumed,
            points,
        )


@lru_cache(maxsize=8)
def _book(catalogue: Catalogue, banlist: Banlist | None, preset: Preset) -> _Book:
    return _Book(catalogue, banlist, preset)


def _points(
    deck: DeckList, book: _Book, banlist: Banlist | None
) -> tuple[tuple[int, int] | None, list[Fault]]:
    """Count what a list costs; return (points, budget), None without points, and the fault of
    a list that costs more, with its dearest cards."""
    if banlist is None or banlist.points is None:
        return None, []
    held = banlist.points
    spent: dict[str, int] = {}
    for section, keys in deck.sections():
        if section in held.decks:
            for key, copies in Counter(keys).items():
                known = book.look(key)
                if known.points:
                    spent[known.identity] = spent.get(known.identity, 0) + known.points * copies
    total = sum(spent.values())
    if total <= held.budget:
        return (total, held.budget), []
    dearest = sorted(spent.items(), key=lambda one: (-one[1], one[0]))[:DEAREST]
    where: dict[str, int] = {}
    for key, points in dearest:
        name = book.catalogue.name(key) or key
        where[name if name not in where else f"{name} ({key})"] = points
    first = dearest[0][0]
    code = "points_over_budget"
    fault = Fault(
        code,
        book.preset.rule(code),
        first,
        book.catalogue.name(first),
        total,
        held.budget,
        where,
    )
    return (total, held.budget), [fault]


def validate(
    deck: DeckList, catalogue: Catalogue, banlist: Banlist | None, preset: Preset
) -> Report:
    """Check a list against a preset, a list of limits (None: no list) and the catalogue.

    An id that the catalogue does not know is the warning `unknown_card`; under a whitelist
    that does not hold it, an error. A line that names no card is the error `unresolved_line`.
    """
    book = _book(catalogue, banlist, preset)
    look = book.keys.get
    totals: dict[str, int] = {}
    odd: set[str] = set()
    low: dict[str, int] = {}
    held = {MAIN: 0, EXTRA: 0, SIDE: 0}
    misplaced_in_main = 0
    places: dict[tuple[str, str], tuple[Placed, dict[str, int]]] = {}
    warnings: list[Fault] = []
    counts: list[tuple[str, Mapping[str, int]]] = []
    for at, (section, keys) in enumerate(deck.sections()):
        copies_of = Counter(keys)
        counts.append((section, copies_of))
        size = len(keys)
        for key, copies in copies_of.items():
            known = look(key) or book.look(key)
            code = known.faults[at]
            placed = known.placed
            if known.remark and placed:
                warnings.append(
                    Fault("other_art_assumed", None, key, placed.facts.name, key, placed.identity)
                )
            if code is not None and placed:
                where = places.setdefault((code, known.identity), (placed, {}))[1]
                where[section] = where.get(section, 0) + copies
                if known.token:
                    size -= copies
                    continue
                if at == 0:
                    misplaced_in_main += copies
            base = known.base
            if base in totals:
                totals[base] = copies = totals[base] + copies
                low[base] = ceiling = min(low[base], known.ceiling)
            else:
                totals[base] = copies
                low[base] = ceiling = known.ceiling
            if copies > ceiling:
                odd.add(base)
        held[section] = size
    groups = _groups(counts, book, odd) if odd else {}
    unresolved = [
        Fault(
            "unresolved_line",
            None,
            None,
            None,
            one.text,
            list(one.suggestions) or None,
            {},
            one.line,
        )
        for one in deck.unresolved
    ]
    misplaced = [
        Fault(
            code,
            preset.rule(code),
            identity,
            placed.facts.name,
            sum(where.values()),
            _belongs(placed.facts, code),
            where,
        )
        for (code, identity), (placed, where) in places.items()
    ]
    counted = _copies(groups, banlist, catalogue, preset, warnings)
    points, too_dear = _points(deck, book, banlist)
    errors = [
        *unresolved,
        *_sorted(misplaced, _PLACE_ORDER),
        *_sizes(held, misplaced_in_main, preset),
        *_sorted(counted, _LIST_ORDER),
        *too_dear,
    ]
    return Report(not errors, deck.counts, tuple(errors), tuple(warnings), points)


def _belongs(card: CardFacts, code: str) -> Plain:
    """Return what is allowed for a misplaced card: the sections it may lie in."""
    if code in ("token_in_deck", "kind_not_in_format", "outside_ruleset"):
        return []
    return [EXTRA] if card.is_extra else [MAIN, SIDE]


def arrange(read: DeckRead, catalogue: Catalogue) -> tuple[DeckList, list[Fault]]:
    """Move Extra Deck cards out of the main deck by their type, where the input has no place
    of its own for them; return the list and a warning for each card moved."""
    if not read.mixed:
        return read.deck, []
    main: list[str] = []
    moved: list[str] = []
    for key in read.deck.main:
        placed = catalogue.place(key)
        (moved if placed and placed.facts.is_extra else main).append(key)
    if not moved:
        return read.deck, []
    deck = DeckList(tuple(main), (*read.deck.extra, *moved), read.deck.side, read.deck.unresolved)
    return deck, [
        Fault("moved_to_extra", None, key, catalogue.name(key), copies, None, {MAIN: copies})
        for key, copies in Counter(moved).items()
    ]


def check(
    read: DeckRead, catalogue: Catalogue, banlist: Banlist | None, preset: Preset
) -> tuple[DeckList, Report]:
    """Put what a reader found and what the rules say into one report; return it with the list
    as arranged."""
    deck, moved = arrange(read, catalogue)
    deck = suggested(deck, catalogue)
    report = validate(deck, catalogue, banlist, preset)
    notes = [
        (
            finding.severity,
            Fault(
                finding.code,
                found=_found(finding.params),
                allowed=finding.params.get("allowed"),
                line=finding.line,
            ),
        )
        for finding in read.findings
    ]
    errors = [fault for severity, fault in notes if severity is Severity.ERROR]
    warned = [fault for severity, fault in notes if severity is Severity.WARNING]
    errors += report.errors
    warnings = (*warned, *moved, *report.warnings)
    return deck, Report(not errors, report.counts, tuple(errors), warnings, report.points)


def _found(params: Mapping[str, Plain]) -> Plain:
    """Return the finding's value: `found` alone, or with whatever else the finding says."""
    rest = {name: value for name, value in params.items() if name != "allowed"}
    return rest.get("found") if set(rest) <= {"found"} else rest


def suggested(deck: DeckList, catalogue: Catalogue) -> DeckList:
    """Add names near to those that were not found, for the first lines that need them."""
    if not deck.unresolved:
        return deck
    lines = tuple(
        replace(one, suggestions=catalogue.suggest(bare_name(one.text)))
        if at < MAX_SUGGESTED
        else one
        for at, one in enumerate(deck.unresolved)
    )
    return replace(deck, unresolved=lines)
