"""Turn a recording into a duel log of this house: fidelity imported, mode recorded.

Every move becomes an event of the ordinary types, so that tables, views and rewinds work on it.
What a card's text did stands as a declared effect, and what it moved names that card as cause.
Instance ids are scattered (setup.scatter), so that an id tells nothing of a place in the Deck.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from duels.domain.events import DuelConceded, DuelEnded, HandShuffled, Seat, seat
from duels.imports.engine import moves as mv
from duels.imports.engine import pool as cards
from duels.imports.engine.folding import Step, fold
from duels.imports.engine.presets import ENGINE_2005, options
from duels.imports.engine.recording import Deck, PoolCard, Recording
from duels.imports.engine.requests import DECISIONS, request_of
from duels.imports.engine.table import Impossible, Table, at, start, step
from duels.rules.yugioh import battle, setup
from duels.rules.yugioh import events as ev
from duels.rules.yugioh import evolve as evolving
from duels.rules.yugioh.state import EMPTY, MATERIALS
from duels.rules.yugioh.state import Table as Ours
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent

SEATS: tuple[Seat, Seat] = ("P1", "P2")
FIELD_SPACE = 5
"""The sixth space of the Spell and Trap row holds the Field Spell."""
ENDINGS: dict[int, tuple[str, str]] = {
    0: ("duels.conceded", "concession"),
    1: ("YGO-2.3", "life_points"),
    2: ("YGO-2.5", "deck_out"),
    3: ("duels.time", "time"),
    4: ("duels.connection", "connection"),
    16: ("YGO-2.6", "exodia"),
}
BY_TEXT = ("YGO-0.1", "card_text")
"""Any other ending: a card's text ends the duel."""


class CannotImport(Exception):
    """A recording that no log of ours can tell; `why` in a few words."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True, slots=True)
class Imported:
    """The log, for each batch the number of events just after it, and our instance of each
    recorded one."""

    events: list[DomainEvent]
    after: list[int]
    ours: Mapping[int, int]


def import_recording(
    recording: Recording,
    pool: Mapping[int, PoolCard],
    duel_id: str,
    steps: Iterable[Step] | None = None,
) -> Imported | Refusal:
    """Return the log of a recording; `steps` are its fold when it is at hand.

    Refused with `duels.recording_malformed` when the recording is at odds with itself (the
    batch and what) or holds what no event of ours can tell, and as `setup.open_table` refuses.
    """
    opening = _Opening.of(recording, pool, duel_id)
    opened = setup.open_table(opening.opening)
    if isinstance(opened, Refusal):
        return opened
    writer = Writer(start(recording.decks), opening.ours, pool)
    writer.add(opened)
    writer.shuffle_all()
    after: list[int] = []
    try:
        for one in fold(recording) if steps is None else steps:
            if one.mismatch:
                what = next(found.what for found in one.differences if not found.mark)
                raise CannotImport(f"batch {one.batch.i} {what}")
            writer.batch(one)
            after.append(len(writer.events))
    except CannotImport as end:
        return Refusal("duels.recording_malformed", {"found": end.why[:120]})
    return Imported(writer.events, after, writer.ours)


@dataclass(frozen=True, slots=True)
class _Opening:
    opening: setup.Opening
    ours: dict[int, int]

    @classmethod
    def of(cls, recording: Recording, pool: Mapping[int, PoolCard], duel_id: str) -> _Opening:
        """The opening with scattered lists, and where each recorded instance stands in them."""
        ours, lists = scattered(recording.decks, duel_id)
        facts = cards.facts_for(pool, recording_codes(recording) - tokens(recording))
        facts += [cards.token_facts(code, pool) for code in sorted(tokens(recording))]
        opening = setup.Opening(
            duel_id,
            "P1",
            {},
            lists["main"],
            lists["extra"],
            facts,
            options(ENGINE_2005),
            mode="recorded",
            fidelity="imported",
        )
        return cls(opening, ours)


def scattered(
    decks: Sequence[Deck], seed: str
) -> tuple[dict[int, int], dict[str, dict[str, list[str | None]]]]:
    """Return our instance of each recorded one, and per part (main, extra) and seat the card
    keys in the order of our instances, which says nothing of the list."""
    ours: dict[int, int] = {}
    lists: dict[str, dict[str, list[str | None]]] = {"main": {}, "extra": {}}
    first = 1
    for player, deck in zip(SEATS, decks, strict=True):
        for name, codes in (("main", deck.main[::-1]), ("extra", deck.extra)):
            places = setup.shuffled(range(len(codes)), f"{seed}:{player}:{name}:ids")
            for rank, place in enumerate(places):
                ours[first + place] = first + rank
            lists[name][player] = [
                cards.key(codes[place]) if codes[place] else None for place in places
            ]
            first += len(codes)
    return ours, lists


def recording_codes(recording: Recording) -> set[int]:
    """Return the cards of both decks."""
    return {code for deck in recording.decks for code in (*deck.main, *deck.extra)}


def tokens(recording: Recording) -> set[int]:
    """Return the tokens that come into being."""
    found: set[int] = set()
    for batch in recording.batches:
        for message in batch.messages:
            if message.get("msg") == "MOVE":
                for move in _moves(message):
                    if isinstance(move, mv.CardMoved) and move.kind == "token_created":
                        found.add(move.code)
    return found


def _moves(message: Mapping[str, Any]) -> list[mv.Move]:
    try:
        return mv.moves_of(message) or []
    except mv.Unreadable:
        return []  # told as a difference when the recording is folded


class Writer:
    """Writes events move by move, with the recorded table and ours kept in step. An event that
    our table cannot take in is not written."""

    def __init__(self, recorded: Table, ours: dict[int, int], pool: Mapping[int, PoolCard]) -> None:
        self.recorded, self.ours, self.pool = recorded, ours, pool
        self.table: Ours = EMPTY
        self.events: list[DomainEvent] = []
        self.opened: set[int] = set()
        self.links: list[int] = []
        self.uses: dict[int, tuple[Seat, list[dict[str, Any]]]] = {}
        self.by = 0
        self.tributes = 0
        self.fighting = False
        self.mixed: set[int] = set()

    def add(self, event: DomainEvent) -> None:
        self.table = evolving.step(self.table, event)
        self.events.append(event)

    def shuffle_all(self) -> None:
        """The order of both Decks before the first draw."""
        for player in mv.SEATS:
            self.shuffle(player)

    def shuffle(self, player: int) -> None:
        order = [self.ours[card] for card in reversed(self.recorded.halves[player].deck)]
        self.add(ev.DeckShuffled(SEATS[player], order, ""))

    def batch(self, one: Step) -> None:
        """Write the moves of a batch, then what only the recorded table tells."""
        untold: set[int] = set()
        for move in one.moves:
            try:
                write = WRITERS.get(type(move))
                if write is not None:
                    write(self, move)
                self.recorded = step(self.recorded, move)
            except Impossible as fault:
                raise CannotImport(str(fault)) from fault
            if isinstance(move, mv.OrderUntold) and move.zone != "deck":
                self.mix(move)
            elif isinstance(move, mv.OrderUntold | mv.GraveAndDeckSwapped):
                untold.add(move.player)
        self.recorded = one.table
        self.settle(untold)
        request = request_of(one.batch)
        if request is not None and request["msg"] in DECISIONS:
            self.close_windows()

    def settle(self, untold: set[int]) -> None:
        for player in mv.SEATS:
            wanted = [self.ours[card] for card in reversed(self.recorded.halves[player].deck)]
            if player in untold or wanted != list(self.table.side(SEATS[player]).deck):
                self.shuffle(player)
        for card in sorted(self.mixed):
            self.place(card, self.place_of(card), "mixed")
        self.mixed = set()

    def mix(self, move: mv.OrderUntold) -> None:
        row = getattr(self.recorded.halves[move.player], move.zone)
        self.mixed |= {row[index] for index in move.indices}

    def place_of(self, card: int) -> mv.Place:
        """Return where a card lies on the recorded field."""
        for player, half in enumerate(self.recorded.halves):
            for zone in mv.ON_FIELD:
                row = getattr(half, zone)
                if card in row:
                    position = self.recorded.cards[card].position
                    return mv.Place(player, zone, row.index(card), position)
        raise CannotImport("a card that is not on the field")

    def place(self, card: int, where: mv.Place, cause: str, target: int = 0) -> None:
        """Write where a card lies now."""
        zone, index = _spot(where)
        _, source = self.table.where(self.ours[card])
        self.add(
            ev.CardPlaced(
                SEATS[where.player],
                self.ours[card],
                zone,  # type: ignore[arg-type]
                index,
                _position(where),
                source,
                cause,
                target,
                self.by,
            )
        )

    def close_attack(self) -> None:
        """An attack is over when play goes on: after its Damage Step, or come to nothing. The
        same monster may then attack later, unless it is gone (finding 8)."""
        attack = self.table.attack
        if attack is not None and attack.stage == "declared" and self.table.step != "damage":
            placed = self.table.placed.get(attack.attacker)
            if placed is None or placed.controller != self.table.active:
                self.stop_attack("attacker_gone")
            else:
                self.add(ev.AttackReplayed(attack.attacker, attack.target, False))
        elif attack is not None or self.table.step == "damage":
            self.add(ev.StepEntered(seat(self.table.active), "battle"))

    def stop_attack(self, cause: Literal["negated", "attacker_gone"]) -> None:
        attack = self.table.attack
        if attack is not None:
            self.add(ev.AttackStopped(attack.attacker, attack.target, cause, True))

    def close_windows(self) -> None:
        """Nobody answered, or what was answered is done: the engine goes on."""
        self.close_attack()
        while self.table.windows:
            self.add(ev.WindowClosed(self.table.windows[-1].kind))  # type: ignore[arg-type]

    # one writer per kind of move, called before the recorded table takes the move in

    def turn(self, move: mv.TurnStarted) -> None:
        self.close_windows()
        self.add(ev.TurnBegun(self.recorded.turn + 1, SEATS[move.player]))

    def phase(self, move: mv.PhaseEntered) -> None:
        if move.phase == self.table.phase:
            return
        self.close_windows()
        player = seat(self.table.active)
        self.add(ev.PhaseEntered(player, move.phase))  # type: ignore[arg-type]
        if move.phase == "battle":
            self.add(ev.StepEntered(player, "battle"))
        elif move.phase == "end":
            self.add(ev.TurnEndAnnounced(player))

    def drawn(self, move: mv.CardsDrawn) -> None:
        half = self.recorded.halves[move.player]
        taken = [self.ours[card] for card in reversed(half.deck[-len(move.codes) :])]
        player = SEATS[move.player]
        cause: Literal["opening", "normal", "effect"] = "effect"
        if not self.recorded.turn and move.player not in self.opened:
            self.opened.add(move.player)
            cause = "opening"
        elif not self.by and self.table.phase == "draw" and player == self.table.active:
            cause = "effect" if self.table.side(player).drawn else "normal"
        if not taken:
            return
        if cause == "effect" and self.by in self.uses:
            user, ops = self.uses[self.by]
            whose = "self" if user == player else "opponent"
            ops.append({"op": "draw", "n": len(taken), "player": whose})
        self.add(ev.CardsDrawn(player, taken, cause, self.by if cause == "effect" else 0))

    def moved(self, move: mv.CardMoved) -> None:
        if not move.source.zone:
            self.born(move)
            return
        card = at(self.recorded, move.source)
        target = move.target
        if target.zone in mv.ON_FIELD:
            self.onto_field(card, move)
        elif target.zone.startswith(mv.UNDER):
            self.attach(card, move)
        elif self.lies_apart(card, target):
            self.place(card, target, "effect")
        else:
            self.away(card, move)
        if move.kind == "tributed" and move.reason & BY_SUMMON:
            self.tributes += 1

    def attach(self, card: int, move: mv.CardMoved) -> None:
        """A card becomes material of the one at that place."""
        where = move.target
        zone = where.zone.removeprefix(mv.UNDER)
        bearer = at(self.recorded, mv.Place(where.player, zone, where.index, 0))
        self.add(
            ev.MaterialAttached(
                SEATS[where.player],
                self.ours[card],
                self.ours[bearer],
                where.position,
                _zone(move.source),
                self.by,
            )
        )

    def lies_apart(self, card: int, target: mv.Place) -> bool:
        """Whether a card goes face-down among the removed cards, or into a hand not its
        owner's: no ordinary move of ours does that."""
        if target.zone == "banished":
            return bool(target.position & mv.FACE_DOWN)
        return target.zone == "hand" and target.player != self.recorded.cards[card].owner

    def born(self, move: mv.CardMoved) -> None:
        """A token: the next instance here and there."""
        where = move.target
        card = len(self.table.owners)
        self.ours[len(self.recorded.cards)] = card
        self.add(
            ev.CardPlaced(
                SEATS[where.player],
                card,
                "monsters",
                where.index,
                _position(where),
                "",
                "token",
                0,
                self.by,
                cards.key(move.code),
            )
        )

    def onto_field(self, card: int, move: mv.CardMoved) -> None:
        source, target = move.source, move.target
        player, zone = SEATS[target.player], _zone(source)
        face_up = target.position & mv.FACE_UP
        if target.zone == "monsters" and source.zone not in mv.ON_FIELD:
            if move.kind == "special" and not face_up:
                self.place(card, target, "effect")
            elif face_up:
                how = "tribute" if self.tributes else "normal"
                if move.kind == "special" or source.zone != "hand":
                    how = "special"
                self.add(
                    ev.MonsterSummoned(
                        player,
                        self.ours[card],
                        how,  # type: ignore[arg-type]
                        _position(target),  # type: ignore[arg-type]
                        target.index,
                        zone,
                    )
                )
            else:
                self.add(ev.MonsterSet(player, self.ours[card], target.index, zone))
            self.tributes = 0
        elif target.zone == "spells_traps" and zone == "hand" and not face_up:
            where, index = _spot(target)
            self.add(
                ev.SpellTrapSet(player, self.ours[card], where, index, zone)  # type: ignore[arg-type]
            )
        elif move.kind == "control_changed":
            self.place(card, target, "control")
        else:
            self.place(card, target, "effect" if self.by else "activated")

    def away(self, card: int, move: mv.CardMoved) -> None:
        to = move.target.zone or "graveyard"  # a token that is gone: evolve takes it away
        if to == "deck":
            deck = self.recorded.halves[move.target.player].deck
            to = "deck_bottom" if move.target.index == 0 and deck else "deck_top"
        moves = [ev.Move(self.ours[card], to)]  # type: ignore[arg-type]
        by = self.by
        if move.kind == "tributed" and move.reason & BY_SUMMON:
            by = 0
        self.add(ev.CardsMoved(moves, _cause(move), by))

    def turned(self, move: mv.PositionChanged) -> None:
        card = at(self.recorded, move.place)
        where = move.place
        if where.zone == "spells_traps":
            self.place(card, where, "turned" if where.position & mv.FACE_DOWN else "activated")
        elif move.kind == "flip_summoned":
            self.add(
                ev.MonsterSummoned(
                    SEATS[where.player],
                    self.ours[card],
                    "flip",
                    "attack",
                    where.index,
                    "monsters",
                )
            )
        else:
            cause: Literal["choice", "attack", "effect"] = "effect" if self.by else "choice"
            if self.fighting and move.before & mv.FACE_DOWN:
                cause = "attack"
            self.add(ev.PositionChanged(self.ours[card], _position(where), cause))  # type: ignore[arg-type]

    def ordered(self, move: mv.PileOrdered) -> None:
        if move.zone == "hand":
            self.add(HandShuffled(SEATS[move.player]))

    def swapped(self, move: mv.ControlSwapped) -> None:
        one, other = at(self.recorded, move.one), at(self.recorded, move.other)
        for card, was, where in ((one, move.one, move.other), (other, move.other, move.one)):
            there = mv.Place(where.player, where.zone, where.index, was.position)
            self.place(card, there, "control")

    def exchanged(self, move: mv.GraveAndDeckSwapped) -> None:
        before = self.recorded.halves[move.player]
        after = step(self.recorded, move).halves[move.player]
        moves = [
            ev.Move(self.ours[card], "fusion_deck" if card in after.fusion_deck else "deck_top")
            for card in before.graveyard
        ]
        moves += [ev.Move(self.ours[card], "graveyard") for card in before.deck]
        if moves:
            self.add(ev.CardsMoved(moves, "effect", self.by))

    def removed(self, move: mv.CardsRemoved) -> None:
        raise CannotImport("cards removed from the game")

    def life(self, move: mv.LifePointsChanged) -> None:
        before = self.recorded.halves[move.player].life_points
        cause: Literal["battle", "effect", "cost"] = "effect"
        if move.cause == "cost":
            cause = "cost"
        elif self.fighting and not self.by and move.cause == "damage":
            cause = "battle"
        self.life_points(move.player, move.delta, before + move.delta, cause)

    def life_set(self, move: mv.LifePointsSet) -> None:
        before = self.recorded.halves[move.player].life_points
        self.life_points(move.player, move.value - before, move.value, "effect")

    def life_points(
        self, player: int, delta: int, left: int, cause: Literal["battle", "effect", "cost"]
    ) -> None:
        if delta:
            change = ev.LpChange(SEATS[player], delta, max(0, left))
            self.add(ev.LpChanged([change], cause, self.by, None))

    def equipped(self, move: mv.Equipped) -> None:
        card, bearer = at(self.recorded, move.card), at(self.recorded, move.bearer)
        position = self.recorded.cards[card].position
        where = mv.Place(move.card.player, move.card.zone, move.card.index, position)
        self.place(card, where, "attached", self.ours[bearer])

    def unequipped(self, move: mv.Unequipped) -> None:
        card = at(self.recorded, move.card)
        position = self.recorded.cards[card].position
        where = mv.Place(move.card.player, move.card.zone, move.card.index, position)
        self.place(card, where, "attached")

    def ended(self, move: mv.DuelEnded) -> None:
        by, how = ENDINGS.get(move.reason, BY_TEXT)
        winner: Literal["P1", "P2", "draw"] = "draw"
        if move.winner in mv.SEATS:
            winner = SEATS[move.winner]
            if how == "concession":
                self.add(DuelConceded(SEATS[1 - move.winner]))
        elif how == "life_points":
            by = "YGO-2.4"
        self.add(DuelEnded(winner, by, how, {"reason": move.reason}))

    def told(self, move: mv.Told) -> None:
        hear = STORY.get(move.kind)
        if hear is not None:
            try:
                hear(self, move.fields)
            except (KeyError, TypeError, mv.Unreadable) as fault:
                raise CannotImport(f"{move.kind}: {fault}") from fault

    # the story

    def activated(self, fields: Mapping[str, Any]) -> None:
        """Whose effect it is: what comes until the link is added is its cost."""
        where = mv.place(fields)
        row = getattr(self.recorded.halves[where.player], where.zone, ())
        found = row[where.index] if 0 <= where.index < len(row) else 0
        card = self.ours.get(found, 0)
        self.links.append(card)
        self.by = card
        if card:
            player, key = SEATS[where.player], self.table.identities[card]
            ops: list[dict[str, Any]] = []  # what it lets players draw is added when it is known
            self.uses[card] = (player, ops)
            self.add(ev.EffectDeclared(player, card, key, ops))

    def added(self, fields: Mapping[str, Any]) -> None:
        self.by = 0

    def resolving(self, fields: Mapping[str, Any]) -> None:
        link = fields["chain_link"]
        self.by = self.links[link - 1] if 0 < link <= len(self.links) else 0

    def chain_over(self, fields: Mapping[str, Any]) -> None:
        self.links, self.by = [], 0

    def attack(self, fields: Mapping[str, Any]) -> None:
        self.close_attack()
        where, against = mv.place(fields["card"]), fields["target"]
        target = self.ours[at(self.recorded, mv.place(against))] if against is not None else 0
        card = self.ours[at(self.recorded, where)]
        self.add(ev.AttackDeclared(SEATS[where.player], card, target))

    def attack_over(self, fields: Mapping[str, Any]) -> None:
        self.stop_attack("negated")

    def damage_step(self, fields: Mapping[str, Any]) -> None:
        self.fighting = True
        self.add(ev.StepEntered(seat(self.table.active), "damage"))

    def damage_step_over(self, fields: Mapping[str, Any]) -> None:
        self.fighting = False
        self.close_attack()

    def battle(self, fields: Mapping[str, Any]) -> None:
        one, other = fields["card"], fields["target"]
        card = self.ours[at(self.recorded, mv.place(one))]
        target, against, defending = 0, None, False
        if other is not None:
            target = self.ours[at(self.recorded, mv.place(other))]
            defending = not mv.place(other).position & mv.FACE_UP_ATTACK
            against = int(other["def"] if defending else other["atk"])
        value = int(one["atk"])
        rule = battle.calculate(value, against, defending=defending).rule
        self.add(ev.BattleCalculated(card, target, rule, value, against))


BY_SUMMON = 0x10
Writing = Callable[[Writer, Any], None]
WRITERS: dict[type[Any], Writing] = {
    mv.TurnStarted: Writer.turn,
    mv.PhaseEntered: Writer.phase,
    mv.CardsDrawn: Writer.drawn,
    mv.CardMoved: Writer.moved,
    mv.PositionChanged: Writer.turned,
    mv.ControlSwapped: Writer.swapped,
    mv.PileOrdered: Writer.ordered,
    mv.GraveAndDeckSwapped: Writer.exchanged,
    mv.CardsRemoved: Writer.removed,
    mv.LifePointsChanged: Writer.life,
    mv.LifePointsSet: Writer.life_set,
    mv.Equipped: Writer.equipped,
    mv.Unequipped: Writer.unequipped,
    mv.DuelEnded: Writer.ended,
    mv.Told: Writer.told,
}
STORY: dict[str, Callable[[Writer, Mapping[str, Any]], None]] = {
    "effect_activated": Writer.activated,
    "chain_link_added": Writer.added,
    "resolution_started": Writer.resolving,
    "chain_ended": Writer.chain_over,
    "attack_declared": Writer.attack,
    "attack_negated": Writer.attack_over,
    "damage_step_started": Writer.damage_step,
    "damage_step_ended": Writer.damage_step_over,
    "battle_resolved": Writer.battle,
}


def _zone(where: mv.Place) -> str:
    """Return our word for the zone a card comes from."""
    return MATERIALS if where.zone.startswith(mv.UNDER) else where.zone


def _spot(where: mv.Place) -> tuple[str, int]:
    """Return our zone and space of a place: the Field Spell has a zone of its own."""
    if where.zone == "spells_traps" and where.index == FIELD_SPACE:
        return "field", 0
    return where.zone, where.index if where.zone in mv.ON_FIELD else 0


def _position(where: mv.Place) -> str:
    if where.position & mv.FACE_DOWN:
        return "set"
    if where.zone == "monsters":
        return "attack" if where.position & mv.FACE_UP_ATTACK else "defence"
    return "up"


def _cause(move: mv.CardMoved) -> str:
    """Return why a card went, from the bits of the engine's reason."""
    for bits, word in (
        (mv.BY_MATERIAL, "material"),
        (mv.BY_COST, "cost"),
        (mv.BY_EFFECT, "effect"),
        (mv.BY_BATTLE, "battle"),
    ):
        if move.reason & bits and not (word == "material" and move.reason & mv.BY_TRIBUTE):
            return word
    if move.kind == "tributed":
        return "tribute"
    if move.kind == "discarded":
        return "discard"
    used = move.source.zone == "spells_traps" and move.reason == mv.BY_RULE
    return "used" if used else "rule"


def differences(recorded: Table, ours: Ours, ids: Mapping[int, int]) -> Iterator[str]:
    """Yield where our folded table is not the recorded one: Life Points, Decks in order, piles
    (the hand and the Fusion Deck have no order here), and each space with its position."""
    for player, half in enumerate(recorded.halves):
        side, name = ours.side(SEATS[player]), SEATS[player]
        if side.life_points != max(0, half.life_points):
            yield f"{name}.life_points"
        for zone, ordered in (
            ("deck", True),
            ("graveyard", True),
            ("banished", True),
            ("hand", False),
            ("fusion_deck", False),
        ):
            wanted = [ids[card] for card in getattr(half, zone)]
            found = list(getattr(side, zone))
            if zone == "deck":
                wanted.reverse()
            if wanted != found if ordered else sorted(wanted) != sorted(found):
                yield f"{name}.{zone}"
        back = (*side.spells_traps, 0, 0, 0)[: len(half.spells_traps)]
        row = (*back[:FIELD_SPACE], side.field, *back[FIELD_SPACE + 1 :])
        yield from _row(recorded, ours, ids, half.monsters, side.monsters, f"{name}.monsters")
        yield from _row(recorded, ours, ids, half.spells_traps, row, f"{name}.spells_traps")


def _row(
    recorded: Table,
    ours: Ours,
    ids: Mapping[int, int],
    wanted: Sequence[int],
    found: Sequence[int],
    name: str,
) -> Iterator[str]:
    zone = name.partition(".")[2]
    for index, card in enumerate(wanted):
        other = found[index] if index < len(found) else 0
        if (ids[card] if card else 0) != other:
            yield f"{name}.{index + 1}"
        elif card:
            position = recorded.cards[card].position
            if ours.placed[other].position != _position(mv.Place(0, zone, index, position)):
                yield f"{name}.{index + 1}.position"
    if any(found[len(wanted) :]):
        yield name
