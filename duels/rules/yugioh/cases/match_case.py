"""Cases of kind match, and of kind conduct around a match."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from duels.domain.events import CardFacts
from duels.rules.yugioh import engine, setup
from duels.rules.yugioh import match as m
from duels.rules.yugioh import options as opts
from duels.rules.yugioh.cases import deck_case, duel_case
from duels.rules.yugioh.cases.base import Case, Names, first, same, so_many
from duels.rules.yugioh.cases.position import options_of
from duels.rules.yugioh.duel import NEW, Duel, evolve
from eventstore.domain.refusal import Refusal

LAWFUL = {"main": {"filler": 40}}


@dataclass
class MatchRun:
    """A match under way."""

    results: list[str]
    options: dict[str, opts.Value]
    decks: Mapping[str, Any]
    facts: Mapping[str, CardFacts]
    toss: str | None = None
    starter: str | None = None
    board: duel_case.Run = field(default_factory=lambda: duel_case.Run(NEW, Names()))


def run_match(case: Case, facts: Mapping[str, CardFacts]) -> str | None:
    """Run a case; return the first difference, None when it passes. Raises CaseFault."""
    given = case.get("given", {})
    run = MatchRun(list(given.get("results", [])), options_of(case), given.get("decks", {}), facts)
    then = case["then"]
    acts = case.get("acts", [])
    for number, act in enumerate(acts, 1):
        refused = _step(run, act)
        run.board.marks += [run.board.duel.seq] * (number - len(run.board.marks))
        last = number == len(acts)
        if refused is None:
            if last and "refused" in then:
                return f"refused: expected {then['refused']}, found accepted"
            continue
        if not last or "refused" not in then:
            return f"act {number} ({act['act']}): refused {refused.code} {refused.params}"
        if refused.code != then["refused"]:
            return f"refused: expected {then['refused']}, found {refused.code} {refused.params}"
    if "refused" not in then and not case.get("leave_open", False):
        run.board.take(engine.passes(run.board.duel))
    return _after(run, then)


def _after(run: MatchRun, then: Mapping[str, Any]) -> str | None:
    found: list[str | None] = []
    if "result" in then:
        ended = m.outcome(run.results)
        wanted = then["result"]
        winner = ended.winner if ended is not None else "none"
        score = list(m.score(run.results))
        found.append(same("result winner", wanted.get("winner", winner), winner))
        found.append(same("result score", wanted.get("score", score), score))
    if "starter" in then:
        found.append(same("starter", then["starter"], run.starter))
    if "chooser" in then:
        found.append(same("chooser", then["chooser"], m.chooser(run.results, run.toss)))
    if "next_duel" in then:
        found.append(same("next_duel", then["next_duel"], m.next_duel(run.results)))
    if "coin_toss" in then:
        found.append(same("coin_toss", then["coin_toss"], m.needs_toss(run.results)))
    rest = {key: value for key, value in then.items() if key not in ("result",)}
    found.append(duel_case.after(run.board, rest))
    return first(found)


def _step(run: MatchRun, act: Mapping[str, Any]) -> Refusal | None:
    match act["act"]:
        case "toss_coin":
            tossed = m.toss(run.results, act["winner"])
            if isinstance(tossed, Refusal):
                return tossed
            run.toss = tossed
        case "choose_first":
            chosen = m.choose_first(run.results, run.toss, act["player"], act["first"])
            if isinstance(chosen, Refusal):
                return chosen
            run.starter = chosen
        case "report_duel":
            number = m.next_duel(run.results)
            if isinstance(number, Refusal):
                return number
            run.results.append(act["winner"])
        case "close_match":
            closed = m.close(run.results, act["winner"])
            return closed if isinstance(closed, Refusal) else None
        case "set_option":
            changed = opts.change(run.options, act["option"], act["value"], match_begun=True)
            if isinstance(changed, Refusal):
                return changed
            run.options = changed
        case "open_duel":
            return _open(run)
        case "exchange":
            deck = {**LAWFUL, **run.decks.get(act["player"], {})}
            table = run.board.duel.table
            moment = "between_duels" if run.results else "before_match"
            if table.opened and table.result is None:
                moment = "during_duel"
            swapped = deck_case.exchange(deck, moment, act, run.facts, run.options)
            return swapped if isinstance(swapped, Refusal) else None
        case _:
            return duel_case.step(run.board, act)
    return None


def _open(run: MatchRun) -> Refusal | None:
    number = m.next_duel(run.results)
    if isinstance(number, Refusal):
        return number
    lists = {player: run.decks.get(player) or LAWFUL for player in m.PLAYERS}
    opened = setup.open_table(
        setup.Opening(
            "case",
            run.starter or m.P1,
            {},
            {player: _keys(lists[player].get("main", {})) for player in m.PLAYERS},
            {player: _keys(lists[player].get("fusion", {})) for player in m.PLAYERS},
            list(run.facts.values()),
            run.options,
            number=number,
        )
    )
    if isinstance(opened, Refusal):
        return opened
    run.board.duel = evolve(Duel(NEW.trail), opened)
    return None


def _keys(section: Mapping[str, Any]) -> list[str | None]:
    keys: list[str | None] = [None] * so_many(section.get("filler", 0))
    for name, copies in section.get("cards", {}).items():
        keys += [name] * so_many(copies)
    return keys
