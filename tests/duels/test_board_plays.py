"""A duel that the field's own engine recorded plays through on the board, and at any event the
page shows what the fold says, for a judge and for everybody."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils.html import escape
from msgspec.structs import replace

from duels.domain.events import DuelOpened
from duels.imports.engine.importing import import_recording
from duels.imports.engine.recording import PoolCard, read
from duels.rules.games import fold
from duels.rules.yugioh.view import view
from eventstore.domain.envelope import Meta
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent
from eventstore.ids import new_id
from eventstore.projections import project
from eventstore.store import StreamWrite, append
from tests.conftest import Member
from tests.duels.test_recorded_play import pool  # noqa: F401 - a fixture

pytestmark = pytest.mark.django_db
EVENTS_LOOKED_AT = 20
SHORT = 4
"""Which of the hundred recordings, by size: four are shorter."""
SIDE = re.compile(r'<ol class="side ([ab])".*?</ol>', re.DOTALL)
CELL = re.compile(r'<li class="z ([^"]*)">(.*?)</li>', re.DOTALL)
PILE = re.compile(r"<span>[^<]*</span><b>(\d+)</b>")
CARD = re.compile(r'<div class="duel( set)?( def)? k-(.)"><b>([^<]*)</b>')
VALUES = re.compile(r'<b>(-?\d+|\?)</b><span class="wide">/(-?\d+|\?)</span>')
HAND = re.compile(r'<ol class="hand".*?</ol>', re.DOTALL)
Told = tuple[Any, ...]


def shown(page: str) -> dict[str, Any]:
    """The board as the page has it: per seat the Life Points, the hand and the cells in order."""
    board = page[
        page.index('<section class="board"') : page.index(
            "</section>", page.index('<ol class="side a"')
        )
    ]
    points = [int(one) for one in re.findall(r'<span class="lp">(-?\d+)</span>', board)]
    seats = board.split('<div class="seat">')[1:]
    found: dict[str, Any] = {}
    for seat, mark, at in (("P2", "b", 0), ("P1", "a", 1)):
        side = next(one for one in SIDE.finditer(board) if one[1] == mark)
        hand = HAND.search(seats[at])
        found[seat] = {
            "points": points[at],
            "hand": [card(body)[0] for _, body in CELL.findall(hand[0])] if hand else [],
            "cells": [card(body) for _, body in CELL.findall(side[0])],
        }
    return found


def card(body: str) -> Told:
    """What one cell says."""
    pile = PILE.search(body) if 'class="pile"' in body else None
    if pile is not None:
        return (int(pile[1]),)
    lying = CARD.search(body)
    if lying is None:
        return ()
    values = VALUES.search(body)
    return (lying[4], bool(lying[1]), bool(lying[2]), values.groups() if values else None)


def expected(table: dict[str, Any]) -> dict[str, Any]:
    """The same, made of the view of the fold."""
    found: dict[str, Any] = {}
    for seat in ("P1", "P2"):
        one = table[seat]
        monsters = [told(lies, monster=True) for lies in one["monsters"][:5]]
        back = [told(lies) for lies in one["spells_traps"][:5]]
        counts = {name: (count,) for name, count in one["counts"].items()}
        deck, fusion, grave = (counts[name] for name in ("deck", "fusion_deck", "graveyard"))
        field = told(one["field"])
        cells = [field, *monsters, grave, fusion, *back, deck]
        if seat == "P2":
            cells = [deck, *back[::-1], fusion, grave, *monsters[::-1], field]
        hand = [named(lies) or "?" for lies in one["hand"]]
        found[seat] = {"points": one["life_points"], "hand": hand, "cells": cells}
    return found


def named(lies: dict[str, Any]) -> str:
    return escape(lies.get("name") or lies.get("key") or "") if lies.get("card") else ""


def told(lies: dict[str, Any] | None, *, monster: bool = False) -> Told:
    if lies is None:
        return ()
    down = lies["position"] in ("set", "down")
    turned = lies["position"] == "defence" or (monster and lies["position"] == "set")
    values = None
    if lies.get("type") not in (None, "spell", "trap") and not down:
        both = [
            str(lies[key]) if lies.get(key) is not None else "?" for key in ("atk_now", "def_now")
        ]
        values = tuple(both[::-1] if turned else both)
    return (named(lies) or ("Set" if down else "Card"), down, turned, values)


@pytest.fixture
def recorded_duel(
    shared: Path,
    pool: dict[int, PoolCard],  # noqa: F811
    jude: Member,
) -> tuple[str, list[DomainEvent]]:
    """A classic duel of the reference folder in the log, as one of an event that Jude judges."""
    event_id, duel_id = new_id(), new_id()
    folder = shared / "data" / "duels" / "classic"
    path = sorted(folder.glob("*.json.gz"), key=lambda one: one.stat().st_size)[SHORT]
    recording = read(path.read_bytes())
    assert not isinstance(recording, Refusal)
    made = import_recording(recording, pool, duel_id)
    assert not isinstance(made, Refusal)
    opening = made.events[0]
    assert isinstance(opening, DuelOpened)
    raw = [replace(opening, event_id=event_id), *made.events[1:]]
    meta = Meta(actor="system", role="system", source="import", command=new_id())
    project(append([StreamWrite(f"duel-{duel_id}", 0, raw)], meta=meta))
    jude.grant("judge", event_id)
    return duel_id, raw


def test_a_classic_duel_from_start_to_end(
    recorded_duel: tuple[str, list[DomainEvent]],
    client_of: Callable[[Member | None], Client],
    jude: Member,
) -> None:
    duel_id, raw = recorded_duel
    judge, anyone = client_of(jude), client_of(None)

    def same(client: Client, perspective: str, at: int) -> str:
        page = client.get(f"/duels/{duel_id}/?at={at}&as={perspective}").content.decode()
        assert shown(page) == expected(view(fold(raw[:at]), perspective)), (perspective, at)
        return page

    rng = random.Random(20)
    for number, at in enumerate(rng.sample(range(1, len(raw) + 1), EVENTS_LOOKED_AT)):
        same(judge, "judge", at)
        if number % 4 == 0:
            same(anyone, "public", at)
    at, turns = 1, 0
    while True:
        page = same(judge, "judge", at)
        further = re.search(r'href="\?at=(\d+)&amp;as=judge"[^>]*data-step="next-turn"', page)
        if further is None:
            break
        assert int(further[1]) > at
        at, turns = int(further[1]), turns + 1
    assert at == len(raw)
    assert turns >= view(fold(raw), "judge")["turn"] - 1
    assert "has won the duel" in page
