"""Deck presets as data: sizes, places and the rule that each fault breaks.

Those of the house stand here; those that an organiser makes are read by
`decks.domain.preset_data` and found by `decks.library`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from cards.domain.banlist import Banlist
from cards.domain.facts import EXTRA_SUBKINDS
from cards.domain.games import DUEL_MASTERS, KINDS, YUGIOH

CLASSIC_KINDS = frozenset({"normal", "effect", "fusion", "ritual"})
CARD_KINDS = KINDS[YUGIOH]
ALL_KINDS = EXTRA_SUBKINDS | CLASSIC_KINDS


@dataclass(frozen=True, slots=True)
class Preset:
    """A way to build decks. Sizes are card counts; None is no limit.

    `side_sizes` lists the sizes allowed, or is None for 0 to `side_max`. `monster_kinds` are
    the subkinds that exist in the format, `extra_kinds` those that lie in the Extra (Fusion)
    Deck. `count_extra` is option `copies.count_fusion_deck` (S-01), `side_extra` option
    `side_deck.fusion_monsters` (S-02: may such monsters lie in the Side Deck). `treated_as`
    counts a card that is always treated as another one together with it. Cards of a kind that is
    not in `card_kinds`, or of more than `most_attributes` attributes (civilizations), are
    `outside_ruleset`. `rules` gives the rule id of each code. `game` is the game whose cards
    these are. `own_list` are limits and points that are part of the preset; `title` is what an
    organiser calls it.
    """

    id: str
    main_min: int
    main_max: int | None
    extra_max: int | None
    side_max: int
    rules: Mapping[str, str] = field(repr=False, hash=False)
    side_sizes: tuple[int, ...] | None = None
    monster_kinds: frozenset[str] = ALL_KINDS
    extra_kinds: frozenset[str] = EXTRA_SUBKINDS
    copies: int = 3
    count_extra: bool = True
    side_extra: bool = True
    treated_as: bool = True
    card_kinds: frozenset[str] = CARD_KINDS
    most_attributes: int | None = None
    game: str = YUGIOH
    title: str = ""
    own_list: Banlist | None = field(default=None, repr=False, hash=False)

    @property
    def has_side(self) -> bool:
        """Whether there is a Side Deck of any size."""
        return any(self.side_sizes) if self.side_sizes is not None else self.side_max > 0

    @property
    def kinds_of_game(self) -> frozenset[str]:
        """Every kind of card of its game, those outside of these rules too."""
        return KINDS[self.game]

    def rule(self, code: str) -> str | None:
        """Return the rule id that a fault of this code breaks; None for faults of the input."""
        return self.rules.get(code)


CLASSIC = Preset(
    id="classic",
    main_min=40,
    main_max=None,
    extra_max=None,
    side_max=15,
    side_sizes=(0, 15),
    monster_kinds=CLASSIC_KINDS,
    extra_kinds=frozenset({"fusion"}),
    treated_as=False,
    rules=MappingProxyType(
        {
            "token_in_deck": "YGO-3.11",
            "kind_not_in_format": "YGO-8.4",
            "ritual_in_extra": "YGO-3.6",
            "extra_card_in_main": "YGO-3.12",
            "extra_card_in_side": "YGO-3.12",
            "not_an_extra_card": "YGO-3.4",
            "main_too_small": "YGO-3.1",
            "side_size": "YGO-3.3",
            "forbidden": "YGO-3.8",
            "not_on_list": "YGO-3.8",
            "unknown_card": "YGO-3.8",
            "limited": "YGO-3.9",
            "semi_limited": "YGO-3.10",
            "too_many_copies": "YGO-3.7",
        }
    ),
)
GOAT = Preset(
    id="goat",
    main_min=40,
    main_max=None,
    extra_max=None,
    side_max=15,
    side_sizes=(0, 15),
    monster_kinds=CLASSIC_KINDS,
    extra_kinds=frozenset({"fusion"}),
    rules=MappingProxyType(
        {
            "token_in_deck": "GOAT-1",
            "kind_not_in_format": "GOAT-2",
            "ritual_in_extra": "GOAT-3",
            "extra_card_in_main": "GOAT-4",
            "extra_card_in_side": "GOAT-4",
            "not_an_extra_card": "GOAT-3",
            "main_too_small": "GOAT-5",
            "side_size": "GOAT-6",
            "forbidden": "GOAT-7",
            "not_on_list": "GOAT-8",
            "unknown_card": "GOAT-8",
            "limited": "GOAT-9",
            "semi_limited": "GOAT-10",
            "too_many_copies": "GOAT-11",
        }
    ),
)
ADVANCED = Preset(
    id="advanced",
    main_min=40,
    main_max=60,
    extra_max=15,
    side_max=15,
    rules=MappingProxyType(
        {
            "token_in_deck": "ADV-1",
            "kind_not_in_format": "ADV-1",
            "ritual_in_extra": "ADV-2",
            "extra_card_in_main": "ADV-3",
            "extra_card_in_side": "ADV-3",
            "not_an_extra_card": "ADV-2",
            "main_too_small": "ADV-4",
            "main_too_large": "ADV-4",
            "extra_too_large": "ADV-5",
            "side_size": "ADV-6",
            "forbidden": "ADV-7",
            "not_on_list": "ADV-8",
            "unknown_card": "ADV-8",
            "limited": "ADV-9",
            "semi_limited": "ADV-10",
            "too_many_copies": "ADV-11",
        }
    ),
)
CLASSIC_DM = Preset(
    id="classic-dm",
    main_min=40,
    main_max=40,
    extra_max=0,
    side_max=0,
    side_sizes=(0,),
    extra_kinds=frozenset(),
    copies=4,
    card_kinds=frozenset({"creature", "dm_spell"}),
    most_attributes=1,
    game=DUEL_MASTERS,
    rules=MappingProxyType(
        {
            "token_in_deck": "DM-10.13",
            "outside_ruleset": "DM-10.13",
            "main_too_small": "DM-10.1",
            "main_too_large": "DM-10.1",
            "extra_too_large": "DM-10.1",
            "side_size": "DM-10.16",
            "too_many_copies": "DM-10.2",
        }
    ),
)
PRESETS: Mapping[str, Preset] = MappingProxyType(
    {preset.id: preset for preset in (CLASSIC, ADVANCED, GOAT, CLASSIC_DM)}
)
"""The presets of the house."""
