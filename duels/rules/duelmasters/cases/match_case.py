"""Cases of kind match, and of kind conduct around a match."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from duels.domain.cases import Case, Names, first, same, so_many
from duels.rules.duelmasters import engine, setup
from duels.rules.duelmasters import events as ev
from duels.rules.duelmasters import match as m
from duels.rules.duelmasters import options as opts
from duels.rules.duelmasters.cards import Card
from duels.rules.duelmasters.cases import duel_case
from duels.rules.duelmasters.cases.position import options_of
from duels.rules.duelmasters.draft import Draft
from duels.rules.duelmasters.duel import NEW
from eventstore.domain.refusal import Refusal

LAWFUL = {"main": {"filler": 40}}


@dataclass
class MatchRun:
    """A match under way."""

    results: list[str]
    options: dict[str, opts.Value]
    decks: Mapping[str, Any]
    facts: Mapping[str, Card]
    starter: str | None = None
    board: duel_case.Run = field(default_factory=lambda: duel_case.Run(NEW, Names()))

    @property
    def best_of(self) -> opts.Value:
        """One game or best of three."""
        return self.options["match.best_of"]


def run_match(case: Case, facts: Mapping[str, Card]) -> str | None:
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
        run.board.infractions.append((refused.code, act.get("player", "")))
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
        ended = m.outcome(run.results, run.best_of)
        wanted = then["result"]
        winner = ended.winner if ended is not None else "none"
        score = list(m.score(run.results))
        by = ended.by if ended is not None else None
        found.append(same("result winner", wanted.get("winner", winner), winner))
        found.append(same("result by", wanted.get("by", by), by))
        found.append(same("result score", wanted.get("score", score), score))
    if "starter" in then:
        found.append(same("starter", then["starter"], run.starter))
    if "next_duel" in then:
        found.append(same("next_duel", then["next_duel"], m.next_duel(run.results, run.best_of)))
    rest = {key: value for key, value in then.items() if key not in ("result",)}
    found.append(duel_case.after(run.board, rest))
    return first(found)


def _step(run: MatchRun, act: Mapping[str, Any]) -> Refusal | None:
    match act["act"]:
        case "toss_coin" | "choose_first":
            random = act["act"] == "toss_coin"
            word = act["winner" if random else "first"]
            first_ = m.starter(run.options, "random" if random else "agreed", word)
            if isinstance(first_, Refusal):
                return first_
            run.starter = first_
        case "report_duel":
            number = m.next_duel(run.results, run.best_of)
            if isinstance(number, Refusal):
                return number
            run.results.append(act["winner"])
        case "close_match":
            closed = m.close(run.results, act["winner"], run.best_of)
            return closed if isinstance(closed, Refusal) else None
        case "set_option":
            changed = opts.change(run.options, act["option"], act["value"], match_begun=True)
            if isinstance(changed, Refusal):
                return changed
            run.options = changed
        case "open_duel":
            return _open(run)
        case "draw_opening_hand":
            return Refusal("DM-1.3", {"found": act["n"], "allowed": "once, by the opening"})
        case "redraw_hand":
            return Refusal("DM-1.3", {"found": "another hand", "allowed": "none"})
        case "exchange":
            return m.exchange()
        case _:
            return duel_case.step(run.board, act)
    return None


def _open(run: MatchRun) -> Refusal | None:
    number = m.next_duel(run.results, run.best_of)
    if isinstance(number, Refusal):
        return number
    seats = setup.seats_of(run.options)
    lists = {player: run.decks.get(player) or LAWFUL for player in seats}
    opened = setup.open_table(
        setup.Opening(
            "case",
            run.starter or "P1",
            {},
            {player: _keys(lists[player].get("main", {})) for player in seats},
            options=run.options,
            number=number,
        )
    )
    if isinstance(opened, Refusal):
        return opened
    draft = Draft(NEW.table)
    draft.add(opened)
    draft.add(ev.CardsDescribed(list(run.facts.values())))
    refused = setup.too_small(draft.table)
    if refused is not None:
        return refused
    setup.prepare(draft, "case")
    run.board.duel = NEW
    run.board.take(draft.events)
    return None


def _keys(section: Mapping[str, Any]) -> list[str | None]:
    keys: list[str | None] = [None] * so_many(section.get("filler", 0))
    for name, copies in section.get("cards", {}).items():
        keys += [name] * so_many(copies)
    return keys
