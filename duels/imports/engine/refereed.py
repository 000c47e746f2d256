"""Play a recorded duel again in refereed play of this house, and compare what was lawful.

The decks lie in the recorded order, so both tables number the cards alike; each recorded
response becomes an act. At every decision of the turn player our lawful acts are set against
the recorded option lists, and our table against the recorded one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from duels.domain.events import CardFacts, Seat
from duels.imports.engine import moves as mv
from duels.imports.engine import pool as cards
from duels.imports.engine.folding import Step
from duels.imports.engine.presets import ENGINE_2005, options
from duels.imports.engine.recording import Batch, PoolCard, Recording
from duels.imports.engine.requests import (
    DECISIONS,
    Beyond,
    Choice,
    Offer,
    choice_of,
    offer_of,
    request_of,
)
from duels.imports.engine.table import Table as Recorded
from duels.rules.yugioh import acts as a
from duels.rules.yugioh import engine, refs, setup
from duels.rules.yugioh import events as ev
from duels.rules.yugioh.duel import NEW, Duel, evolve
from duels.rules.yugioh.legal import legal_acts
from duels.rules.yugioh.state import Table
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent

SEATS: tuple[Seat, Seat] = ("P1", "P2")
WINNERS = {0: "P1", 1: "P2", 2: "draw"}
WAYS = {1: "life_points", 2: "deck_out", 16: "exodia"}
POSITIONS = {
    mv.FACE_UP_ATTACK: "attack",
    mv.FACE_UP_DEFENCE: "defence",
    mv.FACE_DOWN_DEFENCE: "set",
}
DUEL = "recording"
"""The id of a duel that is played only to be compared."""


@dataclass(frozen=True, slots=True)
class Unequal:
    """A decision that differs: batch, what, the recorded side, ours, and the rule or code."""

    batch: int
    what: str
    recorded: Any
    ours: Any
    rule: str = ""


@dataclass(slots=True)
class Played:
    """The outcome: decisions compared, differences, and why play stopped early (None: it went
    to the end), with the index of the batch after the last decision compared. `explained` are
    differences that must stay, each named with its rule: they are not among `unequal`.
    `events` is the log of our own duel."""

    decisions: int = 0
    stopped_at: int = 0
    unequal: list[Unequal] = field(default_factory=list)
    explained: list[Unequal] = field(default_factory=list)
    stopped: str | None = None
    events: list[DomainEvent] = field(default_factory=list)
    duel: Duel = NEW

    @property
    def unequal_decisions(self) -> int:
        """How many decisions differ, the outcome counted as one."""
        return len({(one.batch, one.what == "outcome") for one in self.unequal})


def play(recording: Recording, pool: Mapping[int, PoolCard], steps: Sequence[Step]) -> Played:
    """Play a recording again; `steps` are its fold. A recorded act that is refused, and
    anything that needs the text of a card, stops the play with its reason."""
    played = Played()
    try:
        _Referee(steps, played).run(opening(recording, pool))
    except Beyond as end:
        played.stopped = end.why
    return played


def opening(recording: Recording, pool: Mapping[int, PoolCard]) -> setup.Opening:
    """Return the opening of a duel with the recorded decks, the top card first."""
    decks = recording.decks
    codes = {code for deck in decks for code in (*deck.main, *deck.extra)}
    strange = sorted(codes - pool.keys())
    if strange:
        raise Beyond(f"card {strange[0]} is not in the pool of cards")
    return setup.Opening(
        DUEL,
        "P1",
        {},
        {
            seat: [cards.key(c) for c in reversed(d.main)]
            for seat, d in zip(SEATS, decks, strict=True)
        },
        {seat: [cards.key(c) for c in d.extra] for seat, d in zip(SEATS, decks, strict=True)},
        cards.facts_for(pool, codes),
        options(ENGINE_2005),
    )


class _Referee:
    def __init__(self, steps: Sequence[Step], played: Played) -> None:
        self.steps, self.played = steps, played
        self.batch = -1
        self.hands = 0

    @property
    def table(self) -> Table:
        return self.played.duel.table

    def run(self, opening: setup.Opening) -> None:
        opened = setup.open_table(opening)
        if isinstance(opened, Refusal):
            raise Beyond(f"the opening was refused: {opened.code}")
        self.take_in([opened])
        faulty = next((step for step in self.steps if step.mismatch), None)
        if faulty is not None:
            raise Beyond(f"the recording is at odds with itself in batch {faulty.batch.i}")
        for number, step in enumerate(self.steps):
            self.batch = step.batch.i
            equal = len(self.played.unequal)
            try:
                self.follow(number, step)
            except Beyond:
                self.explain(equal, step.table)
                raise
            if self.explain(equal, step.table):
                raise Beyond("the text of a card in play may be at work")

    def follow(self, number: int, step: Step) -> None:
        """Take a batch in: what it tells, then its decision."""
        for message in step.batch.messages:
            self.hear(message)
            if message.get("msg") == "SHUFFLE_DECK":
                self.shuffle(SEATS[message["player"]], step.table)
        request = request_of(step.batch)
        if request is not None and request["msg"] in DECISIONS:
            self.decide(number, request, step.table)

    def shuffle(self, seat: Seat, table: Recorded) -> None:
        """Chance comes from the recording: a Deck takes the recorded order."""
        order = list(table.halves[SEATS.index(seat)].deck[::-1])
        if sorted(order) != sorted(self.table.side(seat).deck):
            raise Beyond("a Deck was shuffled and drawn from in one batch")
        self.take_in([ev.DeckShuffled(seat, order, "")])

    def explain(self, equal: int, recorded: Recorded) -> bool:
        """Take the differences since `equal` out of the unequal ones when the text of a card may
        be at work that has no script here (YGO-0.1): one face-up on the field, or in a Graveyard.
        Return whether there was one."""
        found = self.played.unequal[equal:]
        text = next(self.texts(recorded), None)
        if not found or text is None:
            return False
        del self.played.unequal[equal:]
        self.played.explained += [
            Unequal(one.batch, one.what, one.recorded, text, "YGO-0.1") for one in found
        ]
        return True

    def texts(self, recorded: Recorded) -> Iterator[str]:
        """Yield the cards without a script whose text may be at work."""
        for half in recorded.halves:
            for card in (*half.monsters, *half.spells_traps, *half.graveyard):
                if not card or recorded.cards[card].position & mv.FACE_DOWN:
                    continue
                facts = self.table.facts_of(card)
                if facts is not None and not facts.effects and _has_text(facts):
                    yield facts.key

    def take_in(self, events: Sequence[DomainEvent]) -> None:
        duel = self.played.duel
        for event in events:
            duel = evolve(duel, event)
        self.played.duel = duel
        self.played.events += events

    def differs(self, what: str, recorded: Any, ours: Any, rule: str = "") -> None:
        self.played.unequal.append(Unequal(self.batch, what, recorded, ours, rule))

    def do(self, act: a.AnyAct) -> None:
        """Let our engine decide the act, and pass in every window it opens."""
        decided = engine.decide(self.played.duel, act)
        if isinstance(decided, Refusal):
            self.differs("refused", a.plain(act), decided.params, decided.code)
            raise Beyond(f"our engine refuses an act of the recording: {decided.code}")
        self.take_in(decided)
        for answer in self.passes():
            decided = engine.decide(self.played.duel, answer)
            if isinstance(decided, Refusal):
                raise Beyond(f"our engine refuses to pass: {decided.code}")
            self.take_in(decided)

    def passes(self) -> Iterator[a.AnyAct]:
        """Nobody answers: both pass while a window is open."""
        while self.table.chance and self.table.result is None:
            yield a.Pass(_seat(self.table.chance))

    def hear(self, message: Mapping[str, Any]) -> None:
        """Follow what happens without a decision of the turn player."""
        match message.get("msg"):
            case "DRAW" if self.hands < len(SEATS):
                self.hands += 1
                self.do(a.DrawOpeningHand(SEATS[message["player"]], len(message["cards"])))
            case "DRAW":
                self.do(a.Draw(SEATS[message["player"]]))
            case "NEW_PHASE":
                self.enter(mv.PHASES.get(message["phase"], ""))
            case "CHAINING" | "SPSUMMONING":
                raise Beyond("the text of a card was used")
            case "WIN":
                self.end(message)

    def enter(self, phase: str) -> None:
        """Enter the phases that nobody chooses: Standby, Main Phase 1 (finding 16: the engine
        passes through Main Phase 2 when the turn is ended from the Battle Phase)."""
        table = self.table
        if table.result is None and phase in ("standby", "main1") and table.phase != phase:
            self.do(a.EnterPhase(_seat(table.active), phase))  # type: ignore[arg-type]

    def end(self, message: Mapping[str, Any]) -> None:
        if self.table.result is None and message["reason"] == 2:
            # finding 13: told only after the windows of the Draw Phase; ours ends at the draw
            self.do(a.Draw(_seat(self.table.active)))
        result = self.table.result
        recorded = (WINNERS.get(message["player"]), WAYS.get(message["reason"]))
        ours = (result.winner, result.how) if result is not None else None
        if recorded != ours:
            self.differs("outcome", recorded, ours)
        for seat, half in zip(SEATS, self.steps[-1].table.halves, strict=True):
            left = self.table.side(seat).life_points
            if left != max(0, half.life_points):
                self.differs("outcome", max(0, half.life_points), left)

    def decide(self, number: int, request: Mapping[str, Any], table: Recorded) -> None:
        """Compare a decision, then do what was chosen."""
        self.played.decisions += 1
        self.played.stopped_at = number + 1
        offer = offer_of(table, request)
        for what, recorded, ours in tables_differ(table, self.table):
            self.differs(f"table: {what}", recorded, ours)
        lawful = legal_acts(self.played.duel, SEATS[offer.player])
        ours = our_offer(lawful, offer)
        for name in Offer.__dataclass_fields__:
            self.compare(name, getattr(offer, name), getattr(ours, name))
        choice = choice_of(table, request, self.until_next(number))
        self.compare_answers(lawful, choice)
        for act in self.acts(choice, SEATS[offer.player]):
            self.do(act)

    def compare(self, name: str, recorded: Any, ours: Any) -> None:
        """Compare one list. Where ours offers the Normal Summon or Set of a monster whose own
        text forbids it, the difference stays: that text has no script here (YGO-0.1)."""
        if recorded == ours:
            return
        if name in ("summons", "monster_sets"):
            barred = {card for card in ours - recorded if self.barred(card)}
            for card in sorted(barred):
                said = self.table.identities[card]
                self.played.explained.append(Unequal(self.batch, name, None, said, "YGO-0.1"))
            ours -= barred
        if recorded != ours:
            self.differs(name, _plain(recorded), _plain(ours))

    def barred(self, card: int) -> bool:
        """Whether it may be the monster's own text that rules its Normal Summon or Set out."""
        facts = self.table.facts_of(card)
        return facts is not None and facts.kind == "effect" and not facts.effects

    def until_next(self, number: int) -> list[tuple[Batch, Recorded]]:
        """Return the batch of a decision and those after it that belong to the choice."""
        found = [(self.steps[number].batch, self.steps[number].table)]
        for step in self.steps[number + 1 :]:
            batch, table = step.batch, step.table
            request = request_of(batch)
            if any(message.get("msg") in ("NEW_TURN", "WIN") for message in batch.messages):
                break
            if request is not None and request["msg"] in DECISIONS:
                break
            found.append((batch, table))
        return found

    def compare_answers(self, lawful: Sequence[a.AnyAct], choice: Choice) -> None:
        """The candidates of a tribute and the targets of an attack."""
        if choice.action == "attack":
            found = {
                card
                for act in lawful
                if isinstance(act, a.DeclareAttack) and act.card == choice.card
                if act.target is not None and (card := refs.find(self.table, act.target))
            }
            if found != (choice.offered or frozenset()):
                self.differs("targets", _plain(choice.offered or ()), _plain(found))
        elif choice.action in ("summon", "monster_set"):
            kind = a.NormalSummon if choice.action == "summon" else a.SetMonster
            sets = {
                frozenset(act.tributes)
                for act in lawful
                if isinstance(act, kind) and act.card == choice.card
            }
            candidates = frozenset(card for one in sets for card in one)
            if candidates != (choice.offered or frozenset()):
                self.differs("tributes", _plain(choice.offered or ()), _plain(candidates))
            numbers = {len(one) for one in sets}
            if numbers != {choice.least}:
                self.differs("tribute count", choice.least, sorted(numbers))

    def acts(self, choice: Choice, player: Seat) -> Iterator[a.AnyAct]:
        """Yield our acts for what was chosen; each after the one before was taken in."""
        if choice.taken_back:
            return
        chosen: list[a.Ref] = list(choice.chosen or ())
        match choice.action:
            case "summon":
                yield a.NormalSummon(player, choice.card, chosen)
            case "monster_set":
                yield a.SetMonster(player, choice.card, chosen)
            case "spell_set":
                yield a.SetSpellTrap(player, choice.card)
            case "pos_change":
                yield self.turned(player, choice.card)
            case "attack":
                yield self.attack(player, choice.card, chosen)
            case "to_bp":
                yield a.EnterPhase(player, "battle")
            case "to_m2":
                yield a.EnterPhase(player, "main2")
            case "to_ep":
                yield a.EndTurn(player)
                if chosen:
                    yield self.discard(player, choice)
            case "shuffle":
                return
            case other:
                raise Beyond(f"an action {other}")

    def turned(self, player: Seat, card: int) -> a.AnyAct:
        placed = self.table.placed.get(card)
        if placed is not None and placed.position == "set":
            return a.FlipSummon(player, card)
        to = "defence" if placed is not None and placed.position == "attack" else "attack"
        return a.ChangePosition(player, card, to)  # type: ignore[arg-type]

    def attack(self, player: Seat, card: int, chosen: Sequence[a.Ref]) -> a.AnyAct:
        if not chosen:
            return a.DeclareAttack(player, card, None, True)
        (target,) = chosen[:1]
        return a.DeclareAttack(player, card, refs.place_of(self.table, int(target)))

    def discard(self, player: Seat, choice: Choice) -> a.AnyAct:
        lawful = {
            frozenset(act.cards)
            for act in legal_acts(self.played.duel, player)
            if isinstance(act, a.Discard)
        }
        if frozenset(card for one in lawful for card in one) != choice.offered:
            self.differs("discards", _plain(choice.offered or ()), sorted(map(sorted, lawful)))
        return a.Discard(player, list(choice.chosen or ()))


def _has_text(facts: CardFacts) -> bool:
    return facts.type in ("spell", "trap") or facts.kind not in ("normal", "fusion")


def _seat(player: str) -> Seat:
    return "P1" if player == "P1" else "P2"


def _plain(value: Any) -> Any:
    return value if isinstance(value, bool | int) else sorted(value)


def our_offer(lawful: Sequence[a.AnyAct], asked: Offer) -> Offer:
    """Return our lawful acts in the form of the recorded lists."""
    found: dict[str, set[int]] = {}
    flags: dict[str, bool] = {}
    for act in lawful:
        match act:
            case a.NormalSummon():
                found.setdefault("summons", set()).add(_id(act.card))
            case a.SetMonster():
                found.setdefault("monster_sets", set()).add(_id(act.card))
            case a.SetSpellTrap():
                found.setdefault("spell_sets", set()).add(_id(act.card))
            case a.FlipSummon() | a.ChangePosition():
                found.setdefault("pos_changes", set()).add(_id(act.card))
            case a.DeclareAttack():
                found.setdefault("attacks", set()).add(_id(act.card))
                if act.direct:
                    found.setdefault("direct", set()).add(_id(act.card))
            case a.EnterPhase(phase="battle"):
                flags["to_battle"] = True
            case a.EnterPhase(phase="main2"):
                flags["to_main2"] = True
            case a.EndTurn():
                flags["to_end"] = True
    sets = {name: frozenset(cards) for name, cards in found.items()}
    return Offer(asked.player, asked.battle, **sets, **flags)  # type: ignore[arg-type]


def _id(ref: a.Ref) -> int:
    return ref if isinstance(ref, int) else 0


def tables_differ(recorded: Recorded, ours: Table) -> Iterator[tuple[str, Any, Any]]:
    """Yield what differs between the recorded table and ours: turn, phase, Life Points, piles
    (hands as sets) and what lies on the field. The space within a zone is not compared: here it
    is the first free one, there the player's choice (finding 24)."""
    if recorded.turn != ours.turn:
        yield "turn", recorded.turn, ours.turn
    if recorded.phase != ours.phase:
        yield "phase", recorded.phase, ours.phase
    for player, half in enumerate(recorded.halves):
        seat = SEATS[player]
        side = ours.side(seat)
        for name, theirs, mine in (
            ("life_points", max(0, half.life_points), side.life_points),
            ("deck", half.deck[::-1], side.deck),
            ("hand", sorted(half.hand), sorted(side.hand)),
            ("graveyard", sorted(half.graveyard), sorted(side.graveyard)),
            ("banished", sorted(half.banished), sorted(side.banished)),
            ("fusion_deck", sorted(half.fusion_deck), sorted(side.fusion_deck)),
            ("monsters", _lying(recorded, half.monsters), _ours(ours, side.monsters)),
            (
                "spells_traps",
                _lying(recorded, half.spells_traps),
                _ours(ours, (*side.spells_traps, side.field)),
            ),
        ):
            if theirs != mine:
                yield f"{seat}.{name}", theirs, mine


def _lying(table: Recorded, row: Sequence[int]) -> list[tuple[int, str]]:
    return sorted(
        (card, POSITIONS.get(table.cards[card].position) or _face(table.cards[card].position))
        for card in row
        if card
    )


def _face(position: int) -> str:
    return "set" if position & mv.FACE_DOWN else "up"


def _ours(table: Table, row: Sequence[int]) -> list[tuple[int, str]]:
    return sorted((card, table.placed[card].position) for card in row if card)
