"""Cases of kind duel, and of kind conduct on a board."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from duels.domain import statements
from duels.domain.cases import Case, CaseFault, Names, same
from duels.domain.events import InfractionRecorded, Rewound
from duels.rules.duelmasters import acts as a
from duels.rules.duelmasters import conduct, engine
from duels.rules.duelmasters.cards import Card
from duels.rules.duelmasters.cases.compare import differences
from duels.rules.duelmasters.cases.position import build, seen
from duels.rules.duelmasters.duel import Duel, evolve, held
from duels.rules.duelmasters.knowledge import by_place
from duels.rules.duelmasters.match import exchange
from duels.rules.duelmasters.rewinding import decide_rewind
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent


@dataclass
class Run:
    """A case under way."""

    duel: Duel
    names: Names
    infractions: list[tuple[str, str]] = field(default_factory=list)
    answer: Any = None
    marks: list[int] = field(default_factory=list)

    def take(self, events: Iterable[DomainEvent]) -> None:
        """Fold events in and note infractions."""
        for event in events:
            self.duel = evolve(self.duel, event)
            if isinstance(event, InfractionRecorded):
                self.infractions.append((event.rule, event.player or ""))


def translate(act: Mapping[str, Any], names: Names, seats: tuple[str, ...]) -> dict[str, Any]:
    """Return an act with card names turned into instances, as the engine reads it."""
    plain = {key: value for key, value in act.items() if value is not None}
    plain.setdefault("player", "P1")
    for key in ("card", "target", "onto"):
        if isinstance(plain.get(key), str) and not (key == "target" and plain[key] in seats):
            plain[key] = names.find(plain[key])
    if "targets" in plain:
        plain["targets"] = [names.find(name) for name in plain["targets"]]
    if "ops" in plain:
        plain["ops"] = [_op(op, names) for op in plain["ops"]]
    return plain


def _op(op: Mapping[str, Any], names: Names) -> dict[str, Any]:
    plain = dict(op)
    target = plain.get("target")
    if isinstance(target, list):
        plain["target"] = [names.find(name) for name in target]
    elif isinstance(target, str):
        card = names.get(target)
        plain["target"] = card if card is not None else target
    return plain


def run_duel(case: Case, facts: Mapping[str, Card]) -> str | None:
    """Run a case; return the first difference, None when it passes. Raises CaseFault."""
    duel, names = build(case.get("given", {}), facts, case)
    run = Run(duel, names)
    then = case["then"]
    acts = case.get("acts", [])
    for number, act in enumerate(acts, 1):
        refused = step(run, act)
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
        run.take(engine.passes(run.duel))
    return after(run, then)


def after(run: Run, then: Mapping[str, Any]) -> str | None:
    """Compare what is true at the end."""
    if "infraction" in then:
        wanted = (then["infraction"]["rule"], then["infraction"]["player"])
        if wanted not in run.infractions:
            return f"infraction: expected {wanted}, found {run.infractions}"
    if "answer" in then:
        expected, found = then["answer"], run.answer
        if isinstance(expected, list):
            expected, found = sorted(expected), sorted(found or [])
        if difference := same("answer", expected, found):
            return difference
    return differences(run.duel.table, run.names, then)


def step(run: Run, act: Mapping[str, Any]) -> Refusal | None:
    """Carry one act of a case out; return its refusal. Raises CaseFault."""
    refused = _step(run, act)
    run.marks.append(run.duel.seq)
    return refused


def _step(run: Run, act: Mapping[str, Any]) -> Refusal | None:
    match act["act"]:
        case "ask":
            run.answer = _answer(run, act)
            return None
        case "state":
            said = statements.DeclareCount(act["player"], act["player"], "hand", act["value"])
            events = statements.decide(said, lines=run.duel.seq, pad_lines=())
            if isinstance(events, Refusal):
                return events
            run.take(events)
            if conduct.false_count(run.duel, act["player"]):
                run.infractions.append(("DM-10.14", act["player"]))
            return None
        case "rewind":
            return _rewind(run, act["to"])
        case "exchange":
            return exchange()
    read = a.read(translate(act, run.names, run.duel.table.seats))
    if isinstance(read, Refusal):
        raise CaseFault(f"act {act['act']}: {read.params}")
    run.take(engine.implied(run.duel, read))
    decided = engine.decide(run.duel, read)
    if isinstance(decided, Refusal):
        run.infractions.append((decided.code, read.player))
        return decided
    run.take(decided)
    return None


def _rewind(run: Run, to: int) -> Refusal | None:
    """Back to the state just after act number `to`, windows included."""
    if not 0 <= to <= len(run.marks):
        raise CaseFault(f"rewind to act {to}, which is not there")
    if to == 0:  # the position of the case, before any event
        run.take([Rewound(0, [], "judge", None, None, 0, "", "", "", {}, False)])
        return None
    if run.marks[to - 1] >= run.duel.seq:
        return None
    back = decide_rewind(run.duel, run.marks[to - 1], authorised_by="judge")
    if isinstance(back, Refusal):
        return back
    run.take([back])
    return None


def _answer(run: Run, act: Mapping[str, Any]) -> Any:
    table = run.duel.table
    if act["about"] == "hand_count":
        return held(table, act["of"], "hand")
    asking = act.get("player", "P1")
    return [
        seen(table, card)
        for card in table.side(act["of"]).graveyard
        if asking in by_place(table, card)
    ]
