"""Turn a replay into a duel log of this house: fidelity imported, mode recorded.

The moves and the writing of events are those of recordings of the same engine
(`duels.imports.engine`); here are the zones that the classic game has not, Decks whose order
only later draws tell, and stopping at the first message that cannot be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from duels.domain.events import CardFacts
from duels.imports.engine import moves as mv
from duels.imports.engine import pool as cards
from duels.imports.engine.importing import SEATS, WRITERS, CannotImport, Writer, scattered
from duels.imports.engine.presets import ENGINE_2005, options
from duels.imports.engine.recording import Deck
from duels.imports.engine.table import (
    LIFE_POINTS,
    MODERN_ROWS,
    Impossible,
    Table,
    at,
    start,
    step,
    with_card,
)
from duels.imports.replay import messages
from duels.imports.replay.faults import BODY, Damage, Fault
from duels.imports.replay.messages import Order, Start
from duels.imports.replay.orders import told
from duels.imports.replay.packets import START, UPDATE_DATA, Packet
from duels.imports.replay.reading import Replay
from duels.rules.yugioh import events as ev
from duels.rules.yugioh import setup
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent

MOST_LIFE_POINTS = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Unknown:
    """A kind of message without a meaning here: its number, how often, and where first."""

    number: int
    times: int
    at: int

    def plain(self) -> dict[str, int]:
        """Return it as plain JSON values."""
        return {"number": self.number, "times": self.times, "at": self.at}


@dataclass(frozen=True, slots=True)
class Step:
    """What one message brought: its packet, its moves, the table after it, and how many events
    there are then."""

    packet: Packet
    moves: tuple[mv.Move, ...]
    table: Table
    events: int


@dataclass(frozen=True, slots=True)
class Strange:
    """A message that names another card than the one that lies there: the number of lines
    before it, the card that it names, and the one that lies there. The log keeps the latter."""

    line: int
    named: int
    held: int


@dataclass(frozen=True, slots=True)
class Imported:
    """A replay as a log. `decks` as they lay at the start; `start`: the Life Points; `ours`:
    our instance of each one of the fold; `damage`: where the import stopped, None if nowhere;
    `strange`: messages that name another card than the one that lies there."""

    events: list[DomainEvent]
    steps: list[Step]
    start: Start
    decks: tuple[Deck, Deck]
    unknown: tuple[Unknown, ...]
    ours: Mapping[int, int]
    damage: Damage | None = None
    strange: tuple[Strange, ...] = ()

    @property
    def table(self) -> Table:
        """The folded table at the end."""
        return self.steps[-1].table if self.steps else _start(self.start, self.decks)


@dataclass(slots=True)
class _Read:
    """The messages of a replay as moves."""

    opened: Start | None = None
    said: list[tuple[Packet, tuple[mv.Move | Order, ...]]] = field(default_factory=list)
    unknown: dict[int, Unknown] = field(default_factory=dict)
    damage: Damage | None = None


def _read(packets: Sequence[Packet]) -> _Read:
    found = _Read()
    shuffled = [False, False]
    for packet in packets:
        if packet.number in messages.MARKS:
            continue
        if packet.number == UPDATE_DATA:
            # only what may tell something new is worth its time
            player = packet.data[0] if packet.data else 2
            if player < 2 and (shuffled[player] or not found.said):
                order = messages.order(packet)
                if order is not None:
                    shuffled[player] &= order.zone != "deck"
                    found.said.append((packet, (order,)))
            continue
        try:
            if packet.number in (START, messages.RELOAD):
                found.opened = found.opened or messages.start(packet)
                continue
            message = messages.message(packet)
            made = None if message is None else mv.moves_of(message)
        except mv.Unreadable as fault:
            found.damage = Damage("message", packet.at, BODY, str(fault)[:80])
            return found
        except Fault as fault:
            found.damage = fault.damage(BODY)
            return found
        if made is None:
            one = found.unknown.get(packet.number, Unknown(packet.number, 0, packet.at))
            found.unknown[packet.number] = replace(one, times=one.times + 1)
            continue
        for move in made:
            if isinstance(move, mv.OrderUntold) and move.zone == "deck":
                shuffled[move.player] = True
        found.said.append((packet, tuple(made)))
    return found


def _decks(replay: Replay, said: _Read) -> tuple[Deck, Deck]:
    """The decks of both seats: from the embedded replay, else from the first refreshes, else
    cards that nobody knows, as many as the host said."""
    held = replay.decks
    if len(held) == 2 and (held[0].main or held[1].main):
        return _deck(held[0].main, held[0].extra), _deck(held[1].main, held[1].extra)
    lists: dict[tuple[int, str], tuple[int, ...]] = {}
    for _, moves in said.said:
        for one in moves:
            if isinstance(one, Order):
                lists.setdefault((one.player, one.zone), one.codes)
        if not any(isinstance(one, Order) for one in moves):
            break
    sizes = said.opened.decks if said.opened is not None else ((0, 0), (0, 0))
    made = []
    for player, (main, extra) in enumerate(sizes):
        most = setup.MAX_CARDS // 2
        made.append(
            _deck(
                lists.get((player, "deck"), (0,) * min(main, most)),
                lists.get((player, "fusion_deck"), (0,) * min(extra, most)),
            )
        )
    return made[0], made[1]


def _deck(main: Iterable[int], extra: Iterable[int]) -> Deck:
    return Deck(list(main), list(extra))


def _start(opened: Start, decks: tuple[Deck, Deck]) -> Table:
    return start(decks, opened.life_points, MODERN_ROWS)


def codes(decks: Sequence[Deck]) -> set[int]:
    """Return the passcodes of both decks."""
    return {code for deck in decks for code in (*deck.main, *deck.extra) if code}


def import_replay(
    replay: Replay,
    duel_id: str,
    facts_of: Callable[[Iterable[str]], Iterable[CardFacts]] | None = None,
    seed: str = "",
    **opening: Any,
) -> Imported | Refusal:
    """Return the log of a .yrpX. `facts_of` tells what is known of cards by key; `seed`
    scatters instance ids, so that nobody who does not know it reads a place in a Deck from one
    (empty: the duel id); `opening`: further
    fields of the opening (seats, event_id, match_id, number).

    Damage within the messages, and a message that the table does not allow, end the log there
    (`damage`). Refused with `duels.replay_no_duel` when there is no duel in it (a .yrp, or
    damage before the first message), and as `setup.open_table` refuses.
    """
    if replay.head.kind != "yrpX" or replay.teams:
        found = replay.head.kind if replay.head.kind != "yrpX" else "teams"
        return Refusal("duels.replay_no_duel", {"found": found})
    said = _read(replay.packets)
    if said.opened is None:
        lp = replay.script.life_points if replay.script is not None else LIFE_POINTS
        said.opened = Start((lp, lp), ((0, 0), (0, 0)))
    decks, orders = told(_decks(replay, said), [move for _, one in said.said for move in one])
    ours, lists = scattered(decks, seed or duel_id)
    keys = {cards.key(code) for code in codes(decks)}
    known = {cards.key(code): cards.token_facts(code, {}) for code in _born(said)}
    if facts_of is not None:
        known |= {one.key: one for one in facts_of(keys | known.keys())}
    opened = setup.open_table(
        setup.Opening(
            duel_id,
            "P1",
            main=lists["main"],
            fusion=lists["extra"],
            facts=[known[key] for key in sorted(known)],
            options=options(ENGINE_2005),
            mode="recorded",
            fidelity="imported",
            **{"seats": {}, **opening},
        )
    )
    if isinstance(opened, Refusal):
        return opened
    life = said.opened.life_points
    if max(life) > MOST_LIFE_POINTS:
        return Refusal("duels.replay_no_duel", {"found": max(life)})
    opened = msgspec.structs.replace(opened, life_points=life[0])
    writer = _Writer(_start(said.opened, decks), ours, {})
    writer.add(opened)
    if life[1] != life[0]:
        writer.life_points(1, life[1] - life[0], life[1], "effect")
    writer.shuffle_all()
    unknown = tuple(said.unknown[number] for number in sorted(said.unknown))
    steps, damage = _written(writer, said, orders)
    return Imported(
        writer.events,
        steps,
        said.opened,
        decks,
        unknown,
        writer.ours,
        damage or said.damage or next(iter(replay.damage), None),
        tuple(writer.strange),
    )


def _born(said: _Read) -> set[int]:
    return {
        move.code
        for _, moves in said.said
        for move in moves
        if isinstance(move, mv.CardMoved) and move.kind == "token_created"
    }


CANNOT = (Impossible, CannotImport, mv.Unreadable, LookupError, TypeError, ValueError)
"""What a message of damaged or forged bytes may run into: it is then no message of this duel."""


def _written(
    writer: _Writer, said: _Read, orders: Mapping[int, tuple[int, ...]]
) -> tuple[list[Step], Damage | None]:
    steps: list[Step] = []
    for packet, moves in said.said:
        made = tuple(move for move in moves if not isinstance(move, Order))
        try:
            for move in made:
                writer.take(move, orders)
        except CANNOT as fault:
            return steps, Damage("impossible", packet.at, BODY, f"{packet.number}: {fault}"[:80])
        steps.append(Step(packet, made, writer.recorded, len(writer.events)))
    return steps, None


class _Writer(Writer):
    """Writes the events of a replay: no requests part its messages, and no recorded table tells
    what a message leaves out."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.strange: list[Strange] = []

    def take(self, move: mv.Move, orders: Mapping[int, tuple[int, ...]]) -> None:
        """Write a move and let both tables take it in."""
        move = self.as_it_lies(self.completed(move))
        if isinstance(move, mv.Told) and move.kind == "special_summon_attempted":
            self.close_summon()
        before = self.recorded
        after = step(before, move)  # first of all: what it does not allow is never written
        write = WRITERS.get(type(move))
        if isinstance(move, mv.DuelEnded):
            self.ended(move)
        elif write is not None:
            write(self, move)
        self.recorded = after
        match move:
            case mv.OrderUntold():
                self.untold(move, orders)
            case mv.CardMoved():
                if not move.source.zone:
                    self.owned(len(before.cards), move.target.player)
                if move.target.zone == "deck":
                    self.relaid(move.target.player)
            case mv.DecksReversed():
                for player in mv.SEATS:
                    self.shuffle(player)
            case mv.GraveAndDeckSwapped():
                raise CannotImport("a Deck of an order that nothing tells")
            case _:
                pass

    def as_it_lies(self, move: mv.Move) -> mv.Move:
        """A text may make a card be another one, and clients then name that one: it is the card
        that lies there all the same, and a flag says so. What comes from a Deck must be told
        right: nobody saw what lay there."""
        if isinstance(move, mv.CardMoved) and move.source.zone not in ("", "deck"):
            where = move.source
        elif isinstance(move, mv.PositionChanged):
            where = move.place
        else:
            return move
        held = self.recorded.cards[at(self.recorded, where)].code
        if not move.code or held == move.code:
            return move
        self.strange.append(Strange(len(self.events), move.code, held))
        return replace(move, code=0)

    def completed(self, move: mv.Move) -> mv.Move:
        """An Extra Deck is told without the cards that lie face-up on its top."""
        if isinstance(move, mv.PileOrdered) and move.zone == "fusion_deck":
            pile = self.recorded.halves[move.player].fusion_deck
            rest = pile[len(move.codes) :]
            extra = tuple(self.recorded.cards[card].code for card in rest)
            return replace(move, codes=(*move.codes, *extra))
        return move

    def untold(self, move: mv.OrderUntold, orders: Mapping[int, tuple[int, ...]]) -> None:
        if move.zone == "deck":
            found = mv.PileOrdered(move.player, "deck", orders[id(move)])
            self.recorded = step(self.recorded, found)
            self.shuffle(move.player)
        else:
            row = getattr(self.recorded.halves[move.player], move.zone)
            for index in move.indices:
                self.place(row[index], self.place_of(row[index]), "mixed")
        rest = self.recorded.untold - {(move.player, move.zone)}
        self.recorded = replace(self.recorded, untold=rest)

    def owned(self, token: int, player: int) -> None:
        """A token is its maker's."""
        table = with_card(self.recorded, token, owner=player)
        self.recorded = replace(table, untold=frozenset())

    def relaid(self, player: int) -> None:
        """A card that went between others of a Deck: the order is told anew."""
        wanted = [self.ours[card] for card in reversed(self.recorded.halves[player].deck)]
        if wanted != list(self.table.side(SEATS[player]).deck):
            self.shuffle(player)

    def ended(self, move: mv.DuelEnded) -> None:
        """Some clients write the end twice; the audit tells when the two differ."""
        if self.table.result is None:
            super().ended(move)

    def close_windows(self) -> None:
        """Phases and turns close what is open by themselves."""
        self.close_attack()

    def close_summon(self) -> None:
        """Nobody answered the summon before: one line, and no more windows than one."""
        while not self.table.resolving and self.table.windows:
            if self.table.windows[-1].kind != "summon":
                return
            self.add(ev.WindowClosed("summon"))
