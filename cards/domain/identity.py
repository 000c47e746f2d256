"""When two ids are one card: other art, names that count as another card, tokens.

The `alias` column of the field mixes three things. Another art of a card always counts as
that card. A card that is *treated as* another one counts with it only where the ruleset says
so (YGO-3.7 counts by printed name). Tokens are refused whatever their alias says.
"""

from __future__ import annotations

from cards.domain.facts import CardFacts

ART_WINDOW = 10
"""An alias nearer than this is another art (the window of EDOPro)."""
NEAR_STEPS = (1, 2)
"""An id that nobody knows and that follows a known one by so much is another art of it."""

KNOWN_ALIASES: dict[int, int] = {
    # other art with an id far away
    27847700: 24094653,  # Polymerization
    36996508: 46986414,  # Dark Magician
    # always treated as another card, by the card's own text
    74335036: 24094653,  # Fusion Substitute, as Polymerization
    91932350: 76812113,  # Harpie Lady 1, as Harpie Lady
    27927359: 76812113,  # Harpie Lady 2
    54415063: 76812113,  # Harpie Lady 3
    80316585: 76812113,  # Cyber Harpie Lady
    295517: 22702055,  # A Legendary Ocean, as Umi
    2819435: 22702055,  # Pacifis, City of Mythic Radiance
    34103656: 22702055,  # Lemuria, the Forgotten City
    13857930: 17732278,  # Neo-Spacian Twinkle Moss, as Neo-Spacian Glow Moss
    78734254: 17955766,  # Neo-Spacian Marine Dolphin, as Neo-Spacian Aqua Dolphin
}
"""Facts for sources without an alias column."""


def alias_of(card: CardFacts) -> int:
    """Return the id that a card is an alias of: by its source, else by KNOWN_ALIASES; or 0."""
    return card.alias or KNOWN_ALIASES.get(card.passcode or 0, 0)


def is_other_art(card: CardFacts, base: CardFacts) -> bool:
    """Say whether `card`, an alias of `base`, is another art of it, not merely treated as it."""
    same_print = card.name == base.name and card.kind == base.kind
    if card.passcode is None or base.passcode is None:
        return same_print
    return same_print or abs(card.passcode - base.passcode) < ART_WINDOW
