"""Audit of a replay: what its messages say against what they add up to.

Pure functions over the import. A finding is a flag on a line for a judge to look at, never a
verdict: a card's text may be the reason, and its params say what was found and what the rule
alone would give.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from duels.domain.events import Seat
from duels.imports.engine import moves as mv
from duels.imports.engine.table import Table
from duels.imports.replay.importing import Imported, Step
from duels.imports.replay.reading import Replay
from duels.rules.yugioh.damage import calculate
from duels.rules.yugioh.events import LpChanged
from duels.rules.yugioh.state import HAND_LIMIT

SEATS: tuple[Seat, Seat] = ("P1", "P2")
FIRST_TURN_DRAW, FIRST_TURN_ATTACK = 0x200, 0x2
"""Duel flags: the player who begins draws in the first turn; may attack in it."""
BY_LIFE_POINTS, BY_DECK_OUT = 1, 2
UNKNOWN_VALUE = 0x7FFFFFFF
"""Values above are the engine's question marks."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A flag: its code, the number of the line it stands on (0: on the file as a whole), and
    what it rests on (plain JSON values)."""

    code: str
    line: int
    params: Mapping[str, Any] = field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return {"code": self.code, "line": self.line, "params": dict(self.params)}


def audit(replay: Replay, imported: Imported | None) -> list[Finding]:
    """Return every finding, those of the file first, then by line.

    Of the file: TEAMS (its messages are not played through), DAMAGED, BYTES_AFTER_END,
    NAMES_DIFFER, LIFE_POINTS_DIFFER, FLAGS_DIFFER, DECK_SIZE_DIFFERS (outer and embedded data),
    UNFINISHED. On lines: OPENING_HAND_DIFFERS, OPENING_HAND_SIZE, DRAWS_IN_DRAW_PHASE,
    DRAW_ON_FIRST_TURN, HAND_OVER_LIMIT, LP_DIFFERS, LP_GONE_AND_GOES_ON,
    BATTLE_DESTROYS_DIFFERENTLY, BATTLE_DAMAGE_DIFFERS, ATTACK_ON_FIRST_TURN, WIN_DIFFERS,
    END_WITHOUT_CAUSE, CARD_DIFFERS.
    """
    found = list(_file(replay, imported))
    if imported is not None:
        lines = [
            *_opening_hands(replay, imported),
            *_draws(replay, imported),
            *_hands(imported),
            *_life_points(imported),
            *_battles(replay, imported),
            *_ends(imported),
            *(
                Finding("CARD_DIFFERS", max(1, one.line), {"found": one.named, "held": one.held})
                for one in imported.strange
            ),
        ]
        found += sorted(lines, key=lambda one: one.line)
    return found


def _file(replay: Replay, imported: Imported | None) -> Iterator[Finding]:
    if replay.teams:
        yield Finding("TEAMS", 0, {"found": [len(team) for team in replay.players]})
    whole = [*replay.damage]
    if imported is not None and imported.damage is not None and imported.damage not in whole:
        whole.append(imported.damage)
    for damage in whole:
        yield Finding("DAMAGED", 0, damage.plain())
    if replay.rest:
        yield Finding("BYTES_AFTER_END", 0, {"found": replay.rest})
    held = replay.script
    if held is None or imported is None:
        return
    if held.players != replay.players:
        yield Finding("NAMES_DIFFER", 0)
    if held.flags != replay.flags:
        yield Finding("FLAGS_DIFFER", 0, {"found": replay.flags, "embedded": held.flags})
    if set(imported.start.life_points) != {held.life_points}:
        params = {"found": list(imported.start.life_points), "embedded": held.life_points}
        yield Finding("LIFE_POINTS_DIFFER", 0, params)
    sizes = tuple((len(deck.main), len(deck.extra)) for deck in held.decks)
    told = imported.start.decks
    if sizes and any(size != (0, 0) for size in told) and sizes != told:
        params = {"found": [list(one) for one in told], "embedded": [list(one) for one in sizes]}
        yield Finding("DECK_SIZE_DIFFERS", 0, params)


def _line(step: Step) -> int:
    """The line of a step: the last event just after it."""
    return max(1, step.events)


def opening_hands(imported: Imported) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return both hands as drawn before the first turn, in the order of the draw."""
    hands: list[tuple[int, ...]] = [(), ()]
    for step in imported.steps:
        for move in step.moves:
            if isinstance(move, mv.TurnStarted):
                return hands[0], hands[1]
            if isinstance(move, mv.CardsDrawn):
                hands[move.player] += move.codes
    return hands[0], hands[1]


def _opening_hands(replay: Replay, imported: Imported) -> Iterator[Finding]:
    if replay.script is None:
        return
    for player, hand in enumerate(opening_hands(imported)):
        if not hand:
            continue
        line = next(
            _line(step)
            for step in imported.steps
            if any(isinstance(one, mv.CardsDrawn) and one.player == player for one in step.moves)
        )
        top = imported.decks[player].main[::-1][: len(hand)]
        if list(hand) != top:
            yield Finding("OPENING_HAND_DIFFERS", line, {"player": SEATS[player]})
        if len(hand) != replay.script.hand:
            params = {"player": SEATS[player], "found": len(hand), "allowed": replay.script.hand}
            yield Finding("OPENING_HAND_SIZE", line, params)


def _draws(replay: Replay, imported: Imported) -> Iterator[Finding]:
    """In the Draw Phase the turn player draws once, as many cards as agreed; what a chain
    draws is its effect's."""
    allowed = replay.script.draw if replay.script is not None else 1
    drawn, chain = 0, False
    for step in imported.steps:
        table = step.table
        for move in step.moves:
            if isinstance(move, mv.TurnStarted):
                drawn = 0
            elif isinstance(move, mv.Told):
                chain = (chain or move.kind == "effect_activated") and move.kind != "chain_ended"
            elif isinstance(move, mv.CardsDrawn) and table.turn and not chain:
                if table.phase != "draw" or move.player != table.turn_player:
                    continue
                drawn += len(move.codes)
                params = {"player": SEATS[move.player], "found": drawn, "allowed": allowed}
                if table.turn == 1 and not replay.flags & FIRST_TURN_DRAW:
                    yield Finding("DRAW_ON_FIRST_TURN", _line(step), {**params, "allowed": 0})
                elif drawn > allowed:
                    yield Finding("DRAWS_IN_DRAW_PHASE", _line(step), params)


def _hands(imported: Imported) -> Iterator[Finding]:
    before: Table | None = None
    for step in imported.steps:
        turned = any(isinstance(move, mv.TurnStarted) for move in step.moves)
        if turned and before is not None and before.turn_player is not None:
            player = before.turn_player
            held = len(before.halves[player].hand)
            if held > HAND_LIMIT:
                params = {"player": SEATS[player], "found": held, "allowed": HAND_LIMIT}
                yield Finding("HAND_OVER_LIMIT", _line(step), params)
        before = step.table


def _life_points(imported: Imported) -> Iterator[Finding]:
    """Life Points added up from the messages, beside those of the log, after every message."""
    total = list(imported.start.life_points)
    shown = list(imported.start.life_points)
    written, gone = 0, False
    for step in imported.steps:
        for move in step.moves:
            if isinstance(move, mv.LifePointsChanged):
                total[move.player] += move.delta
            elif isinstance(move, mv.LifePointsSet):
                total[move.player] = move.value
            elif isinstance(move, mv.TurnStarted) and min(total) <= 0 and not gone:
                gone = True
                params = {"player": SEATS[total.index(min(total))], "found": min(total)}
                yield Finding("LP_GONE_AND_GOES_ON", _line(step), params)
        for event in imported.events[written : step.events]:
            if isinstance(event, LpChanged):
                for change in event.changes:
                    shown[SEATS.index(change.player)] = change.life_points
        written = step.events
        for player in mv.SEATS:
            if max(0, total[player]) != max(0, shown[player]):
                params = {
                    "player": SEATS[player],
                    "found": shown[player],
                    "allowed": max(0, total[player]),
                }
                yield Finding("LP_DIFFERS", _line(step), params)
                shown[player] = total[player]


@dataclass(slots=True)
class _Fight:
    """A battle: who attacks, the line of the table, and what was lost until its end."""

    step: Step
    attacker: int
    losses: tuple[int, int]
    lost: list[int]

    def lose(self, move: mv.Move) -> None:
        """Count damage towards the battle."""
        if isinstance(move, mv.LifePointsChanged) and move.cause == "damage":
            self.lost[move.player] -= move.delta


def _battles(replay: Replay, imported: Imported) -> Iterator[Finding]:
    fight: _Fight | None = None
    chain = False
    for step in imported.steps:
        for move in step.moves:
            if fight is not None and not chain:
                fight.lose(move)
            if not isinstance(move, mv.Told):
                continue
            if move.kind == "effect_activated":
                chain = True
            elif move.kind == "chain_ended":
                chain = False
            elif move.kind == "attack_declared":
                if step.table.turn == 1 and not replay.flags & FIRST_TURN_ATTACK:
                    yield Finding("ATTACK_ON_FIRST_TURN", _line(step))
            elif move.kind == "battle_resolved":
                fight = yield from _fought(step, move)
            elif move.kind == "damage_step_ended" and fight is not None:
                if tuple(fight.lost) != fight.losses:
                    params = {"found": fight.lost, "allowed": list(fight.losses)}
                    yield Finding("BATTLE_DAMAGE_DIFFERS", _line(fight.step), params)
                fight = None


def _fought(step: Step, move: mv.Told) -> Generator[Finding, None, _Fight | None]:
    """Hold a battle against the damage table; the fight whose damage is then awaited, None when
    a value is not known."""
    one, other = move.fields["card"], move.fields["target"]
    values = [one["atk"], *([other["atk"], other["def"]] if other is not None else [])]
    if any(value > UNKNOWN_VALUE for value in values):
        return None
    defending = other is not None and not other["position"] & mv.FACE_UP_ATTACK
    target = None
    if other is not None:
        target = other["def"] if defending else other["atk"]
    result = calculate(one["atk"], target, defending=defending, zero_tie=False)
    found = [one["destroyed"], other["destroyed"] if other is not None else False]
    wanted = [result.attacker_destroyed, result.target_destroyed]
    if found != wanted:
        params = {"rule": result.rule, "found": found, "allowed": wanted}
        yield Finding("BATTLE_DESTROYS_DIFFERENTLY", _line(step), params)
    losses = [0, 0]
    attacker = one["controller"]
    losses[attacker] = result.attacker_loses
    losses[1 - attacker] = result.defender_loses
    return _Fight(step, attacker, (losses[0], losses[1]), [0, 0])


def _ends(imported: Imported) -> Iterator[Finding]:
    ends = [
        (step, move)
        for step in imported.steps
        for move in step.moves
        if isinstance(move, mv.DuelEnded)
    ]
    if not ends:
        yield Finding("UNFINISHED", max(1, len(imported.events)))
        return
    step, first = ends[0]
    for again, other in ends[1:]:
        if other != first:
            params = {
                "found": [other.winner, other.reason],
                "first": [first.winner, first.reason],
            }
            yield Finding("WIN_DIFFERS", _line(again), params)
    if first.winner not in mv.SEATS:
        return
    loser = 1 - first.winner
    half = step.table.halves[loser]
    left = None
    if first.reason == BY_LIFE_POINTS and half.life_points > 0:
        left = half.life_points
    elif first.reason == BY_DECK_OUT and half.deck:
        left = len(half.deck)
    if left is not None:
        found = {"player": SEATS[loser], "reason": first.reason, "found": left}
        yield Finding("END_WITHOUT_CAUSE", _line(step), found)
