"""The catalogue: every known card, found by key, id or name, and folded to its identity."""

from __future__ import annotations

import difflib
import hashlib
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass, fields, replace
from functools import cached_property
from operator import attrgetter
from types import MappingProxyType

import orjson

from cards.domain.facts import CardFacts, LocalName
from cards.domain.identity import NEAR_STEPS, alias_of, is_other_art
from people.domain.names import fold as fold_marks


def fold(name: str) -> str:
    """Fold a card name for search: no marks, no case, signs as one blank.

    `"A" Cell Scatter-Burst!` -> `a cell scatter burst`. A name of signs alone keeps them.
    """
    plain = fold_marks(name)
    letters = "".join(sign if sign.isalnum() else " " for sign in plain)
    return " ".join(letters.split()) or plain


@dataclass(frozen=True, slots=True)
class Placed:
    """A key that the catalogue answers for. `identity` is the key of the card whose art it is
    (often its own); `counts_as` that of the card it is treated as; `assumed` is true when only
    its nearness to a known id tells what it is."""

    facts: CardFacts
    identity: str
    counts_as: str
    assumed: bool = False


FACT_FIELDS = tuple(one.name for one in fields(CardFacts))
_SORTED_FIELDS = sorted(FACT_FIELDS)
_sorted_values = attrgetter(*_SORTED_FIELDS)


def merge(old: CardFacts, new: CardFacts) -> CardFacts:
    """Lay a newer source over an older one: what the newer does not say stays."""
    keep = {
        name: getattr(old, name)
        for name in ("konami_id", "passcode", "attribute", "race", "level", "rank", "link")
        if getattr(new, name) in (None, "")
    }
    if new.scale is None:
        keep["scale"] = old.scale
    if not new.alias:
        keep["alias"] = old.alias
    return replace(new, **keep)


class Catalogue:
    """An unchanging set of cards. Equal cards give the same `hash`."""

    def __init__(self, cards: Iterable[CardFacts], names: Iterable[LocalName] = ()) -> None:
        self._cards: dict[str, CardFacts] = {card.key: card for card in cards}
        self._local = tuple(one for one in names if one.key in self._cards)
        self._roots, self._treated = self._identities()
        self._near: dict[str, Placed | None] = {}
        self._kinds: frozenset[str] = frozenset()
        self._views: dict[frozenset[str], Catalogue] = {}

    def of_kinds(self, kinds: frozenset[str]) -> Catalogue:
        """Return this catalogue as one game sees it (cards.domain.games): where a name is borne
        by cards of several games, by_name answers with those of these kinds, and search with no
        others. Keys, identities and hash are the same. The same kinds give the same object."""
        held = self._views.get(kinds)
        if held is None:
            held = copy(self)
            held._kinds = kinds
            held.__dict__.pop("_search_rows", None)
            held = self._views.setdefault(kinds, held)
        return held

    def __len__(self) -> int:
        return len(self._cards)

    def __contains__(self, key: str) -> bool:
        return key in self._cards

    @property
    def cards(self) -> Mapping[str, CardFacts]:
        """Every card by key."""
        return MappingProxyType(self._cards)

    @cached_property
    def hash(self) -> str:
        """Hex SHA-256 over the facts of all cards in order of their keys: what an event freezes."""
        machine = hashlib.sha256()
        for key in sorted(self._cards):
            values = zip(_SORTED_FIELDS, _sorted_values(self._cards[key]), strict=True)
            machine.update(orjson.dumps(dict(values)) + b"\n")
        return machine.hexdigest()

    def _identities(self) -> tuple[dict[str, str], dict[str, str]]:
        roots: dict[str, str] = {}
        treated: dict[str, str] = {}
        same: dict[int | str, list[CardFacts]] = {}
        for card in self._cards.values():
            base = self._cards.get(str(alias_of(card)))
            if base is not None and base.key != card.key:
                (roots if is_other_art(card, base) else treated)[card.key] = base.key
            if card.konami_id is not None:
                same.setdefault(card.konami_id, []).append(card)
            elif card.is_token:
                same.setdefault(card.name, []).append(card)
        for group in same.values():
            if len(group) > 1:
                heads = sorted((card.key in roots, card.passcode or 0, card.key) for card in group)
                for _, _, key in heads[1:]:
                    if key not in roots:
                        roots[key] = heads[0][2]
        return roots, treated

    @staticmethod
    def _follow(links: Mapping[str, str], key: str) -> str:
        seen = {key}
        while key in links:
            key = links[key]
            if key in seen:  # two ids that name each other
                return min(seen)
            seen.add(key)
        return key

    def get(self, key: str) -> CardFacts | None:
        """Return the card of exactly this key, or None."""
        return self._cards.get(key)

    def place(self, key: str) -> Placed | None:
        """Return what a key stands for, or None when nothing is known of it.

        An unknown id that follows a known one by 1 or 2 is taken as another art of it.
        """
        try:
            return self._near[key]
        except KeyError:
            pass
        placed = self._place(key)
        if len(self._near) < 200_000:  # keys come from outside
            self._near[key] = placed
        return placed

    def _place(self, key: str) -> Placed | None:
        card, assumed = self._cards.get(key), False
        if card is None and key.isascii() and key.isdigit() and len(key) <= 10:
            near = (self._cards.get(str(int(key) - step)) for step in NEAR_STEPS)
            card, assumed = next((one for one in near if one is not None), None), True
        if card is None:
            return None
        identity = self._follow(self._roots, card.key)
        counts_as = identity
        if identity in self._treated or card.key in self._treated:
            base = self._treated.get(identity) or self._treated[card.key]
            counts_as = self._follow(self._roots, base)
        return Placed(card, identity, counts_as, assumed)

    @cached_property
    def _arts(self) -> dict[str, list[str]]:
        held: dict[str, list[str]] = {}
        for key in self._cards:
            held.setdefault(self.identity(key), []).append(key)
        return held

    def arts(self, identity: str) -> tuple[str, ...]:
        """Return the keys of every known art of a card, its own first."""
        rest = sorted(key for key in self._arts.get(identity, []) if key != identity)
        return (identity, *rest)

    def identity(self, key: str) -> str:
        """Return the key of the card whose art this is; the key itself when unknown."""
        placed = self.place(key)
        return placed.identity if placed else key

    def name(self, key: str) -> str | None:
        """Return the name of a card, or None when it is unknown."""
        placed = self.place(key)
        return placed.facts.name if placed else None

    @cached_property
    def _by_local_name(self) -> dict[str, list[str]]:
        held: dict[str, list[str]] = {}
        for one in self._local:
            for name in {one.name.casefold(), fold(one.name)}:
                held.setdefault(name, []).append(one.key)
        return held

    @cached_property
    def _names_of(self) -> dict[str, dict[str, str]]:
        held: dict[str, dict[str, str]] = {}
        for one in self._local:
            held.setdefault(one.key, {})[one.language] = one.name
        return held

    def name_in(self, key: str, language: str) -> str | None:
        """Return the name of a card in a language, in English where it has none; None for an
        unknown card."""
        placed = self.place(key)
        if placed is None:
            return None
        names = self._names_of.get(placed.facts.key) or self._names_of.get(placed.identity, {})
        return names.get(language, placed.facts.name)

    @property
    def local_names(self) -> tuple[LocalName, ...]:
        """The names in languages other than English."""
        return self._local

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        held: dict[str, list[str]] = {}
        for card in self._cards.values():
            for name in {card.name.casefold(), fold(card.name)}:
                held.setdefault(name, []).append(card.key)
        return held

    def by_name(self, text: str) -> tuple[CardFacts, ...]:
        """Return the cards of this name, one per identity, the oldest number first.

        The name is compared as written but for case; if nothing answers, folded; if no English
        name answers, in the other languages.
        """
        plain, folded = " ".join(text.casefold().split()), fold(text)
        keys: list[str] = []
        for known in (self._by_name, self._by_local_name):
            keys = known.get(plain) or known.get(folded) or []
            if keys:
                break
        heads = {self.identity(key) for key in keys}
        found = [self._cards[key] for key in heads]
        if self._kinds and len(found) > 1:
            found = [card for card in found if card.kind in self._kinds] or found
        return tuple(sorted(found, key=lambda card: (card.konami_id or 1 << 40, card.key)))

    @cached_property
    def _search_rows(self) -> list[tuple[str, str]]:
        cards = {card.key: card for card in self._cards.values() if self._seen(card)}
        rows = {(fold(card.name), card.key) for card in cards.values()}
        rows |= {(fold(one.name), one.key) for one in self._local if one.key in cards}
        return sorted(rows)

    def _seen(self, card: CardFacts) -> bool:
        return not self._kinds or card.kind in self._kinds

    def search(self, text: str, limit: int = 20) -> tuple[CardFacts, ...]:
        """Return up to `limit` cards whose folded name holds the folded text, or whose id it is.

        Exact names first, then names that begin with it, then words that do, then the rest.
        """
        wanted = fold(text)
        if not wanted:
            return ()
        keys: dict[str, None] = {}
        if wanted.isascii() and wanted.isdigit() and len(wanted) <= 10:
            placed = self.place(str(int(wanted)))
            if placed and self._seen(placed.facts):
                keys[placed.identity] = None
        rows = self._search_rows
        first = bisect_left(rows, (wanted, ""))
        last = bisect_left(rows, (f"{wanted}\U0010ffff", ""))
        word = f" {wanted}"
        # One walk per kind of answer, each given up as soon as there are enough.
        for found in (
            (key for _, key in rows[first:last]),
            (key for name, key in rows if word in name),
            (key for name, key in rows if wanted in name),
        ):
            for key in found:
                keys[self.identity(key)] = None
                if len(keys) >= limit:
                    return tuple(self._cards[one] for one in list(keys)[:limit])
        return tuple(self._cards[one] for one in keys)

    def suggest(self, text: str, limit: int = 3) -> tuple[str, ...]:
        """Return names near to a misspelt one; those that share its first letter, or hold it."""
        wanted = fold(text)[:80]
        if len(wanted) < 3:
            return ()
        held = [card.name for card in self.search(wanted, limit)]
        if held:
            return tuple(held)
        near = {
            name: key
            for name, key in self._search_rows
            if name[:1] == wanted[:1] and abs(len(name) - len(wanted)) <= 4
        }
        close = difflib.get_close_matches(wanted, list(near), limit, 0.75)
        return tuple(self._cards[near[name]].name for name in close)

    def over(self, older: Catalogue) -> Catalogue:
        """Return the catalogue in which the cards of this one lie over those of an older one."""
        cards = dict(older.cards)
        for key, card in self._cards.items():
            cards[key] = merge(cards[key], card) if key in cards else card
        names = {(one.key, one.language): one for one in (*older.local_names, *self._local)}
        return Catalogue(cards.values(), names.values())


EMPTY = Catalogue(())
