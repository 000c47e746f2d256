"""Chance that can be checked afterwards: a secret is committed to before, disclosed after.

The commitment (SHA-256) is public before the first card is drawn; every seed follows from the
secret; the secret is disclosed when the duel is over, so that anybody can make the shuffles
again. The secret is drawn at the edge and is an argument here.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence


def secret_of(seed: str) -> str:
    """Return the secret that a duel commits to. The seed it came from is not to be had from
    it: that one also scattered the deck lists, which stay private."""
    return derived(seed, "shuffles")


def commitment(secret: str) -> str:
    """Return the hex SHA-256 of the secret's UTF-8 bytes, which may be published."""
    return hashlib.sha256(secret.encode()).hexdigest()


def derived(secret: str, *labels: str) -> str:
    """Return the seed for one use of chance: hex SHA-256 of `secret:label:label`."""
    return hashlib.sha256(":".join((secret, *labels)).encode()).hexdigest()


def shuffle_seed(secret: str, player: str, number: int) -> str:
    """Return the seed of a player's shuffle; `number` counts them from 1 in the raw log."""
    return derived(secret, player, "shuffle", str(number))


def shuffled(cards: Sequence[int], seed: str) -> list[int]:
    """Return the cards in the order that this seed gives."""
    order = list(cards)
    random.Random(f"headjudge:{seed}").shuffle(order)
    return order


def scatter(keys: Sequence[str | None], seed: str) -> list[str | None]:
    """Return a list of card keys in an order that says nothing of the deck list, so that
    instance ids, which follow it, tell nothing to those who see a few of them."""
    order = shuffled(range(len(keys)), f"{seed}:ids")
    return [keys[index] for index in order]
