"""Commands on the plan of an event: switches, wishes, tables, companion."""

from __future__ import annotations

from typing import Any

import msgspec

from eventstore.commands import Unit, accept, command
from eventstore.domain import canonical
from eventstore.domain.refusal import Refusal, Refused
from tournaments.domain import planning
from tournaments.events import Plan
from tournaments.services.loading import load_event


def made_plan(before: Plan, changes: dict[str, Any]) -> Plan:
    """Return a plan with some parts changed. Raises Refused (`tournaments.plan_invalid`)."""
    values: dict[str, Any] = msgspec.to_builtins(before)
    unknown = sorted(changes.keys() - values.keys())
    if unknown:
        raise Refused(
            Refusal(
                "tournaments.plan_invalid",
                {"field": unknown[0][:40], "found": "", "allowed": sorted(values)},
            )
        )
    values |= changes
    if isinstance(values["clubs"], dict):
        values["clubs"] = {
            one: " ".join(canonical.text(label).split()) if isinstance(label, str) else label
            for one, label in values["clubs"].items()
        }
    try:
        return msgspec.convert(values, Plan, strict=True)
    except msgspec.ValidationError as fault:
        raise Refused(
            Refusal(
                "tournaments.plan_invalid",
                {"field": "plan", "found": str(fault)[:200], "allowed": "docs/pairing.md"},
            )
        ) from fault


@command("tournaments.plan_make")
def plan_make(unit: Unit, *, event_id: str, changes: dict[str, Any]) -> None:
    """Change parts of the plan by name (events.Plan).

    Raises Refused (`tournaments.plan_invalid`, `tournaments.plan_fixed`,
    `tournaments.switch_invalid`, `tournaments.seating_invalid`, `tournaments.entrant_unknown`,
    `tournaments.nothing_changed`, `tournaments.wrong_state`), NotAllowed.
    """
    loaded = load_event(unit, event_id, "tournaments.event_run", stands=True)
    plan = made_plan(loaded.state.plan, changes)
    unit.append(loaded.stream, loaded.version, accept(planning.make_plan(loaded.state, plan=plan)))


@command("tournaments.plan_entrant")
def plan_entrant(unit: Unit, *, event_id: str, entrant_id: str, values: dict[str, Any]) -> None:
    """Change what the plan says of one entrant: `club`, `table`, `free`, `featured`, `needs`,
    `apart` (entrants it may not meet). Raises Refused as plan_make, NotAllowed."""
    loaded = load_event(unit, event_id, "tournaments.event_run", stands=True)
    before = loaded.state.plan
    keyed: dict[str, Any] = {}
    for name, field in (("club", "clubs"), ("table", "fixed"), ("free", "free")):
        if name in values:
            held = dict(getattr(before, field))
            held.pop(entrant_id, None)
            if values[name]:
                held[entrant_id] = values[name]
            keyed[field] = held
    for name in ("featured", "needs"):
        if name in values:
            listed = [one for one in getattr(before, name) if one != entrant_id]
            keyed[name] = [*listed, entrant_id] if values[name] else listed
    if "apart" in values:
        others = [pair for pair in before.forbidden if entrant_id not in pair]
        apart = sorted(set(values["apart"]))
        keyed["forbidden"] = [*map(list, others), *([entrant_id, one] for one in apart)]
    plan = made_plan(before, keyed)
    unit.append(loaded.stream, loaded.version, accept(planning.make_plan(loaded.state, plan=plan)))
