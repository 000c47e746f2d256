"""Commands of a duel: open it, act, make statements, concede, rewind. One stream per duel.

A duel of a game without an engine (duels.rules.games) is refused with `duels.game_not_played`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from decks.domain.decklist import DeckList
from duels.domain import statements
from duels.domain.events import BESIDE, SeedRevealed
from duels.domain.lots import draw_lot
from duels.domain.opening import Opening
from duels.domain.rewind import effective
from duels.domain.seats import PLAYERS
from duels.facts import facts_for
from duels.pads import PAD_STATEMENTS, agreed_alone, pad_refused
from duels.rules.games import NEW, PLAYED, AnyDuel, Rules, evolve, is_played, rules_for, rules_of
from duels.standing import refuse_stopped
from eventstore.commands import Loaded, Unit, accept, command
from eventstore.domain.envelope import Recorded
from eventstore.domain.refusal import Refusal, Refused
from eventstore.domain.registry import DomainEvent
from eventstore.ids import is_id, new_id
from eventstore.store import WrongExpectedVersion, read_stream
from people import vault
from people.access import may, require
from people.domain.actor import Actor
from people.domain.permissions import Subject
from people.domain.roles import Role

PAPER_DECK = 40
"""Cards of a deck on paper whose size nobody gave."""
NOT_RECORDED = ("pad", "imported")
"""Kinds of log that nobody writes down from outside: those of a pad, and of a file."""


class Acted(msgspec.Struct, frozen=True):
    """What a command did: version of the log now, events it added, and the end of the duel
    (winner and rule id, empty while it goes on)."""

    version: int
    events: int
    winner: str = ""
    by: str = ""


def stream_of(duel_id: str) -> str:
    """Return the stream of a duel; raises Refused `duels.bad_id`."""
    if not is_id(duel_id):
        raise Refused(Refusal("duels.bad_id", {"found": str(duel_id)[:60]}))
    return f"duel-{duel_id}"


@command("duels.duel_open")
def duel_open(
    unit: Unit,
    *,
    duel_id: str,
    event_id: str | None,
    match_id: str | None,
    number: int,
    game: str = PLAYED[0],
    mode: str = "refereed",
    fidelity: str = "full",
    options: Mapping[str, Any],
    seats: Mapping[str, Sequence[str]],
    starter: str,
    decks: Mapping[str, Any] | None,
    seed: str | int,
) -> Acted:
    """Open the log of a duel: table, shuffles, opening hands, first turn.

    `decks`: per seat a DeckList, a list of card keys or facts, {"main": ..., "fusion": ...},
    a number of unknown cards, or None (paper: 40 unknown cards); `decks` None is paper for
    both. `seed` makes the shuffles and is recorded with them. Facts of the cards are frozen.
    Raises Refused (`duels.exists`, `duels.game_not_played`, `duels.opening_malformed`,
    `duels.option_*`, YGO-5.4), NotAllowed.
    """
    persons = frozenset(person for seat in seats.values() for person in seat)
    require(unit.actor, "duels.duel_open", Subject(event_id=event_id, owners=persons))
    stream = stream_of(duel_id)
    if not is_played(game):
        params = {"found": game[:40], "allowed": list(PLAYED)}
        raise Refused(Refusal("duels.game_not_played", params))
    rules = rules_of(game)
    loaded = unit.load(stream, NEW, evolve)
    if loaded.version:
        raise Refused(Refusal("duels.exists", {"found": duel_id}))
    main: dict[str, list[str | None]] = {}
    fusion: dict[str, list[str | None]] = {}
    given: dict[str, Any] = {}
    for player in PLAYERS:
        lists = _sections((decks or {}).get(player), rules.MOST_CARDS)
        for name, target in (("main", main), ("fusion", fusion)):
            keys = [_key(card, given, rules) for card in lists[name]]
            target[player] = rules.scatter(keys, f"{seed}:{player}:{name}")
    wanted = {
        key
        for lists_ in (main, fusion)
        for keys in lists_.values()
        for key in keys
        if key is not None and key not in given
    }
    facts = [*given.values(), *(facts_for(unit.actor, wanted, game) if wanted else [])]
    opening = Opening(
        duel_id,
        starter,
        seats,
        main,
        fusion,
        sorted(facts, key=lambda one: one.key),
        options,
        mode,
        fidelity,
        event_id,
        match_id,
        number,
    )
    return _append(unit, loaded, accept(rules.open_duel(opening, str(seed))))


def _malformed(what: str, found: object) -> Refused:
    return Refused(Refusal("duels.opening_malformed", {"field": what, "found": str(found)[:60]}))


def _sections(deck: Any, most: int) -> dict[str, list[Any]]:
    """Return the main and the Fusion Deck of whatever form a deck was given in."""
    match deck:
        case None:
            return {"main": [None] * PAPER_DECK, "fusion": []}
        case DeckList():
            return {"main": list(deck.main), "fusion": list(deck.extra)}
        case bool():
            raise _malformed("decks", deck)
        case int() if 0 <= deck <= most:
            return {"main": [None] * deck, "fusion": []}
        case list() | tuple():
            return {"main": list(deck), "fusion": []}
        case Mapping():
            main, fusion = deck.get("main", []), deck.get("fusion", deck.get("extra", []))
            if isinstance(main, list | tuple) and isinstance(fusion, list | tuple):
                return {"main": list(main), "fusion": list(fusion)}
    raise _malformed("decks", type(deck).__name__)


def _key(card: Any, given: dict[str, Any], rules: Rules) -> str | None:
    """Return the key of one card of a list; facts given with it are noted."""
    if card is None or (isinstance(card, str) and 0 < len(card) <= 60):
        return card
    if isinstance(card, dict):
        try:
            card = msgspec.convert(card, rules.FACTS)
        except msgspec.ValidationError as fault:
            raise _malformed("decks", fault) from fault
    if isinstance(card, rules.FACTS):
        key = str(card.key)
        given[key] = card
        return key
    raise _malformed("decks", card)


def _append(unit: Unit, loaded: Loaded[AnyDuel], events: list[DomainEvent]) -> Acted:
    duel = loaded.state
    for event in events:
        duel = evolve(duel, event)
    if duel.table.result is not None and duel.table.secret and not duel.revealed:
        events = [*events, SeedRevealed(duel.table.secret)]
    unit.append(loaded.stream, loaded.version, events)
    ended = duel.table.result
    return Acted(
        loaded.version + len(events),
        len(events),
        ended.winner if ended is not None else "",
        ended.by if ended is not None else "",
    )


def _load(unit: Unit, duel_id: str, action: str, seat: str | None = None) -> Loaded[AnyDuel]:
    """Load a duel for an action; with `seat` only that seat's persons own it. One query.

    Raises NotAllowed, hidden for a duel that does not exist; Refused `duels.bad_id`.
    """
    loaded = unit.load_recent(stream_of(duel_id), NEW, evolve)
    require(unit.actor, action, subject_of(loaded.state, seat))
    if loaded.state.opening is None:
        raise Refused(Refusal("duels.not_open", {}))
    return loaded


def records(actor: Actor, duel: AnyDuel) -> bool:
    """Say whether somebody may write down what happens at both seats of a duel: of one on paper
    (`recorded`), and only a recorder of its event who does not play it, for both hands stand on
    that page (J8)."""
    opening = duel.opening
    if opening is None or opening.mode != "recorded" or opening.fidelity in NOT_RECORDED:
        return False
    return may(actor, "duels.duel_write_down", subject_of(duel))


def source_of(actor: Actor, event_id: str | None) -> str:
    """Return the source of what somebody writes down for both seats: a judge's lines are a
    judge's own, those of anybody else the scorekeeper's."""
    judges = actor.roles_in(event_id) & {Role.JUDGE, Role.HEAD_JUDGE}
    return "judge" if judges else "scorekeeper"


def _load_acting(unit: Unit, duel_id: str, action: str, seat: str) -> Loaded[AnyDuel]:
    """Load a duel for an action of a seat: for its persons, and for who records the duel, while
    its event goes on. Raises as `_load`; Refused as duels.standing."""
    loaded = unit.load(stream_of(duel_id), NEW, evolve)
    if not records(unit.actor, loaded.state):
        require(unit.actor, action, subject_of(loaded.state, seat))
    if loaded.state.opening is None:
        raise Refused(Refusal("duels.not_open", {}))
    refuse_stopped(loaded.state.opening.event_id)
    return loaded


def subject_of(duel: AnyDuel, seat: str | None = None) -> Subject:
    """Return what the permission table needs to know of a duel; nothing public of none."""
    opening = duel.opening
    if opening is None:
        return Subject(public=False)
    seats = [seat] if seat is not None else list(PLAYERS)
    persons = frozenset(person for one in seats for person in opening.seats.get(one, []))
    return Subject(event_id=opening.event_id, owners=persons)


def _seat(player: str) -> None:
    if player not in PLAYERS:
        raise Refused(
            Refusal("duels.act_malformed", {"found": str(player)[:40], "allowed": list(PLAYERS)})
        )


@command("duels.act")
def act(
    unit: Unit,
    *,
    duel_id: str,
    player: str,
    act: dict[str, Any],
    expected: int | None = None,
) -> Acted:
    """Carry out an act of a seat. `act` is its plain form without the player; `expected` the
    version the person looked at, None to act on whatever is there.

    In refereed play an attack, a chain or an effect that waits is first answered, passed, or
    gone on with (`resume`): whether another act would be lawful afterwards tells how it ends.

    Raises Refused (the rule the act breaks; `duels.*`), NotAllowed, WrongExpectedVersion.
    """
    _seat(player)
    loaded = _load_acting(unit, duel_id, "duels.duel_act", player)
    if expected is not None and expected != loaded.version:
        raise WrongExpectedVersion(loaded.stream, expected, loaded.version)
    plain = {**act, "player": player} if isinstance(act, dict) else act
    if isinstance(plain, dict) and plain.get("act") == "identify":
        plain = _with_facts(unit, loaded.state, plain)
    rules = rules_for(loaded.state)
    read = rules.read(plain)
    if isinstance(read, Refusal):
        raise Refused(read)
    if isinstance(read, rules.NOT_FOR_PLAYERS):
        raise Refused(Refusal("duels.act_not_for_players", {"found": str(act.get("act"))}))
    unseen = rules.guessed(loaded.state, read) or rules.held_up(loaded.state, read)
    if unseen is not None:
        raise Refused(unseen)
    return _append(unit, loaded, accept(rules.decide(loaded.state, read)))


def _with_facts(unit: Unit, duel: AnyDuel, plain: dict[str, Any]) -> dict[str, Any]:
    """Take the facts of an identified card from the catalogue, never from the sender."""
    key = plain.get("key")
    kept = {name: value for name, value in plain.items() if name != "facts"}
    if isinstance(key, str) and key not in duel.table.facts:
        game = duel.opening.game if duel.opening is not None else PLAYED[0]
        found = facts_for(unit.actor, [key], game)
        if found:
            kept["facts"] = msgspec.to_builtins(found[0])
    return kept


@command("duels.duel_concede")
def duel_concede(unit: Unit, *, duel_id: str, player: str) -> Acted:
    """Give the duel up for a seat. Raises Refused (the rule of its end after it), NotAllowed."""
    _seat(player)
    loaded = _load_acting(unit, duel_id, "duels.duel_act", player)
    rules = rules_for(loaded.state)
    read = rules.concede(player)
    return _append(unit, loaded, accept(rules.decide(loaded.state, read)))


@command("duels.statement_make")
def statement_make(
    unit: Unit,
    *,
    duel_id: str,
    player: str,
    statement: dict[str, Any],
    reason: str | None = None,
) -> Acted:
    """Record a statement of a seat, in its plain form without the player. `reason` is the free
    text of a dispute; it is sealed under its author's key.

    Raises Refused (`duels.statement_malformed`, `duels.pad_line_repeated`,
    `duels.no_such_line`, `duels.pads_differ`, and why the event has no pads on phones:
    duels.pads), NotAllowed.
    """
    _seat(player)
    loaded = _load_acting(unit, duel_id, "duels.statement_make", player)
    if not isinstance(statement, dict) or "reason" in statement:
        raise Refused(Refusal("duels.statement_malformed", {"found": "statement"}))
    opened = loaded.state.opening
    if (
        statement.get("statement") in PAD_STATEMENTS
        and opened is not None
        and unit.actor.person_id in opened.seats.get(player, [])
    ):
        put_away = pad_refused(opened.event_id, opened.match_id)
        if put_away is not None:
            raise Refused(put_away)
    plain = {**statement, "player": player}
    if reason and plain.get("statement") == "line_disputed":
        plain["reason"] = vault.seal(unit.actor.ref, reason)
    read = statements.read(plain)
    if isinstance(read, Refusal):
        raise Refused(read)
    if isinstance(read, statements.AgreeLp) and not records(unit.actor, loaded.state):
        alone = _agreed_alone(loaded, read)
        if alone is not None:
            raise Refused(alone)
    decided = statements.decide(read, lines=loaded.version, pad_lines=loaded.state.pad_lines)
    return _append(unit, loaded, accept(decided))


def _agreed_alone(loaded: Loaded[AnyDuel], said: statements.AgreeLp) -> Refusal | None:
    duel, opening = loaded.state, loaded.state.opening
    start = opening.life_points if opening is not None else 0
    pad = opening is not None and opening.fidelity == "pad"
    raw = [one.data for one in read_stream(loaded.stream)]
    table = None if pad else rules_for(duel).points(duel.table)
    return agreed_alone(raw, start, {"P1": said.p1, "P2": said.p2}, table)


@command("duels.conduct_observe")
def conduct_observe(unit: Unit, *, duel_id: str, player: str, conduct: str) -> Acted:
    """Note a breach against a seat that only a judge can see (acts.Observe names them).

    Raises Refused (`duels.act_malformed`), NotAllowed.
    """
    _seat(player)
    loaded = _load(unit, duel_id, "judging.ruling_make")
    rules = rules_for(loaded.state)
    read = rules.read({"act": "observe", "player": player, "conduct": conduct})
    if isinstance(read, Refusal):
        raise Refused(read)
    return _append(unit, loaded, accept(rules.decide(loaded.state, read)))


@command("duels.lot_draw")
def lot_draw(
    unit: Unit,
    *,
    duel_id: str,
    player: str,
    n: int = 1,
    of: int | None = None,
    seed: str | None = None,
    ruling_id: str | None = None,
) -> Acted:
    """Draw lots over the hand of a seat: which of the cards that nobody can tell apart. `of`:
    how many there are, where the log does not say (None: as many as the table has). `seed`
    comes from a rehearsal, never from a person.

    Raises Refused (`duels.lot_malformed`, `duels.act_malformed`), NotAllowed.
    """
    _seat(player)
    loaded = _load(unit, duel_id, "duels.lot_draw")
    held = of if of is not None else len(loaded.state.table.side(player).hand)
    drawn = draw_lot(
        "P1" if player == "P1" else "P2",
        held,
        n,
        seed=new_id() if seed is None else seed,
        by=unit.actor.ref,
        ruling=ruling_id,
    )
    if isinstance(drawn, Refusal):
        raise Refused(drawn)
    return _append(unit, loaded, [drawn])


@command("duels.act_take_back")
def act_take_back(unit: Unit, *, duel_id: str, expected: int | None = None) -> Acted:
    """Take back what was written down last, whole, by appending: for who records a duel on
    paper and tapped wrong. The opening of the duel stays. `expected` as in `act`.

    Raises Refused (`duels.nothing_to_take_back`), NotAllowed, WrongExpectedVersion.
    """
    loaded = unit.load(stream_of(duel_id), NEW, evolve)
    if not records(unit.actor, loaded.state):
        require(unit.actor, "duels.duel_rewind", subject_of(loaded.state))
    refuse_stopped(loaded.state.opening.event_id if loaded.state.opening else None)
    if expected is not None and expected != loaded.version:
        raise WrongExpectedVersion(loaded.stream, expected, loaded.version)
    to = before_last(read_stream(loaded.stream))
    if to is None:
        raise Refused(Refusal("duels.nothing_to_take_back", {}))
    rules = rules_for(loaded.state)
    event = rules.decide_rewind(loaded.state, to, authorised_by=unit.actor.ref)
    if isinstance(event, Refusal):
        raise Refused(event)
    return _append(unit, loaded, [event])


def before_last(recorded: Sequence[Recorded]) -> int | None:
    """Return the line before the newest act in force, with all that its command wrote; None when
    nothing but the opening stands. Lines beside the play are passed over."""
    for seq in reversed(effective([one.data for one in recorded])):
        last = recorded[seq - 1]
        if isinstance(last.data, BESIDE):
            continue
        if last.meta.command == recorded[0].meta.command:
            return None
        return min(one.version for one in recorded if one.meta.command == last.meta.command) - 1
    return None


@command("duels.duel_rewind")
def duel_rewind(
    unit: Unit,
    *,
    duel_id: str,
    to: int,
    reason_sealed: str | None = None,
    ruling_id: str | None = None,
) -> Acted:
    """Take play back to just after event `to` by appending; nothing is deleted.

    Raises Refused (`duels.rewind_out_of_range`), NotAllowed.
    """
    loaded = _load(unit, duel_id, "duels.duel_rewind")
    event = rules_for(loaded.state).decide_rewind(
        loaded.state,
        to,
        authorised_by=unit.actor.ref,
        ruling=ruling_id,
        reason=reason_sealed,
    )
    if isinstance(event, Refusal):
        raise Refused(event)
    return _append(unit, loaded, [event])
