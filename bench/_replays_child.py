"""The replay bench in a process of its own: `MESSAGES TIMES`. Prints its figures as JSON."""

from __future__ import annotations

import json
import logging
import random
import struct
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.test import Client  # noqa: E402

from duels import replays, selectors  # noqa: E402
from duels.imports.replay.summary import examine  # noqa: E402
from eventstore.commands import Context  # noqa: E402
from eventstore.domain.refusal import Refusal  # noqa: E402
from eventstore.ids import new_id  # noqa: E402
from people.domain.actor import ANONYMOUS, SYSTEM  # noqa: E402

FLAGS = 0x20 | 0x10 | 0x100
DECK = range(1000, 1040)
DECK_, HAND, MONSTERS, GRAVEYARD = 1, 2, 4, 16


def _loc(player: int, location: int, index: int, position: int) -> bytes:
    return struct.pack("<BBII", player, location, index, position)


def _move(code: int, source: bytes, target: bytes, reason: int) -> tuple[int, bytes]:
    return 50, struct.pack("<I", code) + source + target + struct.pack("<I", reason)


def _turn(player: int, deck: list[int], held: int) -> list[tuple[int, bytes]]:
    """A turn of twenty messages: draw, summon, a direct attack, an effect in a chain that gives
    the Life Points back, and the monster goes by the Graveyard to the bottom of the Deck."""
    card = deck.pop()
    here = _loc(player, MONSTERS, 2, 1)
    place = struct.pack("<I", card) + here
    fighter = here + struct.pack("<IIB", 1200, 800, 0)
    nobody = _loc(0, 0, 0, 0)
    chaining = place + struct.pack("<BBIQI", player, MONSTERS, 2, 0, 1)
    deck.insert(0, card)
    return [
        (40, bytes((player,))),
        (41, struct.pack("<H", 1)),
        (90, struct.pack("<BIII", player, 1, card, 10)),
        (41, struct.pack("<H", 4)),
        _move(card, _loc(player, HAND, held, 10), here, 0),
        (60, place),
        (61, b""),
        (41, struct.pack("<H", 8)),
        (110, here + nobody),
        (113, b""),
        (111, fighter + nobody + struct.pack("<IIB", 0, 0, 0)),
        (91, struct.pack("<BI", 1 - player, 1200)),
        (114, b""),
        (70, chaining),
        (71, b"\1"),
        (72, b"\1"),
        (92, struct.pack("<BI", 1 - player, 1200)),
        (73, b"\1"),
        (74, b""),
        _move(card, here, _loc(player, GRAVEYARD, 0, 5), 64),
        _move(card, _loc(player, GRAVEYARD, 0, 5), _loc(player, DECK_, 0, 10), 64),
        (41, struct.pack("<H", 512)),
    ]


def replay(messages: int) -> bytes:
    """Return a .yrpX of a long duel."""
    decks = [list(DECK), list(DECK)]
    stored = [list(deck) for deck in decks]
    made = [(4, struct.pack("<BIIHHHH", 0, 8000, 8000, 40, 0, 40, 0))]
    for player, deck in enumerate(decks):
        hand = [deck.pop() for _ in range(5)]
        cards = b"".join(struct.pack("<II", code, 10) for code in hand)
        made.append((90, struct.pack("<BI", player, 5) + cards))
    player = 0
    while len(made) < messages:
        made += _turn(player, decks[player], 5)
        player = 1 - player
    one = struct.pack("<I", 1)
    names = b"".join(one + name.encode("utf-16-le").ljust(40, b"\0") for name in ("One", "Two"))
    lists = b"".join(struct.pack("<I40I", 40, *deck) + struct.pack("<I", 0) for deck in stored)
    script = names + struct.pack("<3IQ", 8000, 5, 1, 0) + lists + struct.pack("<I", 0)
    made.append((231, b"yrp1" + struct.pack("<5I", 40, FLAGS, 1, 0, 0) + bytes(8) + script))
    body = names + struct.pack("<Q", 0)
    body += b"".join(struct.pack("<BI", number, len(data)) + data for number, data in made)
    return b"yrpX" + struct.pack("<5I", 40, FLAGS, 1, 0, 0) + bytes(8) + body


def _timed(work: Callable[[], Any]) -> float:
    """Milliseconds of processor time: a busy machine does not count."""
    started = time.process_time()
    work()
    return (time.process_time() - started) * 1000


def main() -> None:
    """Import the file, hand it in, jump about in it, serve its page."""
    logging.disable(logging.CRITICAL)
    messages, times = int(sys.argv[1]), int(sys.argv[2])
    call_command("migrate", verbosity=0)
    data = replay(messages)
    found = examine(data, "d")
    assert not isinstance(found, Refusal)
    assert found.imported is not None
    assert found.imported.damage is None, found.imported.damage
    duel_id, seats = new_id(), {"P1": [new_id()], "P2": [new_id()]}
    handed = _timed(
        lambda: replays.replay_import(
            Context(SYSTEM, "system"),
            duel_id=duel_id,
            event_id=new_id(),
            match_id=new_id(),
            number=1,
            seats=seats,
            data=data,
        )
    )
    head = len(found.imported.events) + 1
    rng = random.Random(1)
    client = Client(SERVER_NAME="localhost")
    path = f"/duels/{duel_id}/"
    page = client.get(path, headers={"accept-encoding": "gzip"})
    assert page.status_code == 200
    jumps = [rng.randint(1, head) for _ in range(times)]
    figures = {
        "messages": messages,
        "events": head,
        "import ms": median(_timed(lambda: examine(data, "d")) for _ in range(times)),
        "handed in ms": handed,
        "jump ms": median(
            _timed(lambda at=at: selectors.duel_view(ANONYMOUS, duel_id, at)) for at in jumps
        ),
        "page ms": median(_timed(lambda at=at: client.get(f"{path}?at={at}")) for at in jumps),
        "page compressed kB": len(page.content) / 1000,
        "offline compressed kB": len(
            client.get(f"{path}offline/", headers={"accept-encoding": "gzip"}).content
        )
        / 1000,
    }
    print(json.dumps({name: round(value, 1) for name, value in figures.items()}))


if __name__ == "__main__":
    main()
