"""What a ruling that takes a duel back does: lots for cards nobody can tell apart, the rewind
itself, and the sheet with what the planner said. All in the transaction of the ruling."""

from __future__ import annotations

from typing import Any

from duels.domain.instruments.repair import Plan, plan, repairable
from duels.inspection import inspects
from duels.rules.games import rules_in
from duels.selectors import opening_of, read_duel
from duels.services import duel_rewind, lot_draw
from eventstore.commands import Unit
from eventstore.domain.refusal import Refusal, Refused
from judging.domain.call import Call
from judging.domain.rewind_events import RewindSigned
from judging.domain.rewinding import forbidden
from judging.events import RulingMade
from judging.packs import pack

UNJUDGED = "unjudged"
"""The answer where the game of a duel has no instruments."""


def stream_of(ruling_id: str) -> str:
    """Return the stream of the sheet of a rewind."""
    return f"rewind-{ruling_id}"


def carry_out(unit: Unit, call: Call, made: RulingMade) -> None:
    """Take the duel of a ruling back. One lot is drawn for each card that goes back and cannot be
    told apart, among the cards of its hand that nobody can tell apart, one after the other.

    Raises Refused (`judging.rewind_forbidden`, `duels.rewind_out_of_range`), NotAllowed.
    """
    duel_id, to = made.duel or "", made.rewind_to or 0
    recorded = read_duel(duel_id)
    opening = opening_of(recorded)
    if opening is not None and not inspects(opening.game):
        _sign(unit, call, made, _back(unit, made), {"answer": UNJUDGED})
        return
    raw = [one.data for one in recorded]
    steps = rules_in(raw).walk(raw)
    planned, judged = plan(steps, to), repairable(steps, to + 1)
    if isinstance(planned, Refusal):
        raise Refused(planned)
    if isinstance(judged, Refusal):
        raise Refused(judged)
    wrong = forbidden(judged.answer, pack(call.pack, call.pack_version))
    if wrong is not None:
        raise Refused(wrong)
    lots = _lots(unit, duel_id, planned, made.ruling)
    learned = [one.viewer for one in planned.since.learned]
    told = {
        "answer": judged.answer,
        "reasons": [{"code": one.code, "params": one.params} for one in judged.reasons],
        "events": len(planned.events),
        "decisions": {seat: len(lines) for seat, lines in planned.since.decisions.items()},
        "turns": planned.since.turns,
        "shuffles": len(planned.since.shuffles),
        "learned": {viewer: learned.count(viewer) for viewer in sorted(set(learned))},
        "lots": lots,
    }
    _sign(unit, call, made, _back(unit, made), told)


def _back(unit: Unit, made: RulingMade) -> int:
    """Take the duel back; return the line of its log that says so."""
    done = duel_rewind(
        unit,
        duel_id=made.duel or "",
        to=made.rewind_to or 0,
        reason_sealed=made.note,
        ruling_id=made.ruling,
    )
    return done.version


def _sign(unit: Unit, call: Call, made: RulingMade, line: int, told: dict[str, Any]) -> None:
    """Keep the sheet of a rewind; a game without instruments tells the answer alone."""
    empty: dict[str, Any] = {
        "reasons": [], "events": 0, "decisions": {}, "turns": 0, "shuffles": 0, "learned": {},
        "lots": [],
    }  # fmt: skip
    signed = RewindSigned(
        ruling=made.ruling,
        call=call.call_id,
        tournament=call.tournament,
        match=call.match,
        duel=made.duel or "",
        to=made.rewind_to or 0,
        rewound=line,
        by=made.by,
        at=made.at,
        **{**empty, **told},
    )
    unit.append(stream_of(made.ruling), 0, [signed])


def _lots(unit: Unit, duel_id: str, planned: Plan, ruling_id: str) -> list[dict[str, Any]]:
    """Draw a lot for each card that needs one; return {line, player, place, of, back_to} each."""
    taken: dict[str, int] = {}
    lots: list[dict[str, Any]] = []
    for one in planned.returns:
        if one.random_of is None:
            continue
        player = one.card.owner
        of = one.random_of - taken.get(player, 0)
        drawn = lot_draw(unit, duel_id=duel_id, player=player, n=1, of=of, ruling_id=ruling_id)
        taken[player] = taken.get(player, 0) + 1
        event: Any = unit.recorded[-1].data
        lots.append(
            {
                "line": drawn.version,
                "player": player,
                "place": event.drawn[0],
                "of": of,
                "back_to": one.back_to,
            }
        )
    return lots
