"""The rewind planner of a call: what lies between, what the log or the judge says of it, what was
signed, and the way back from a rewind.

The rewind itself is a ruling (services.ruling_make, services.appeal_rule with the remedy rewind);
what it does to the log stands in rewind_record. Nobody who plays at the table is let in here; a
card is named only where everybody knows it, or where it was revealed to the judge who reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from duels import inspection
from duels.domain.events import BESIDE, Rewound
from duels.domain.rewind import effective, struck
from duels.inspection import Inspection
from duels.models import DuelRow
from duels.selectors import read_duel
from duels.services import duel_rewind
from eventstore import clock
from eventstore.commands import Unit, command
from eventstore.domain.refusal import Refusal, Refused
from eventstore.ids import is_id
from eventstore.store import read_stream
from judging.domain.policy import Pack
from judging.domain.rewind_events import RewindChecked, RewindSigned, RewindUndone
from judging.domain.rewinding import newest_rewind
from judging.domain.words import Remedy, Status
from judging.handling import by_of, sealed, subject
from judging.matches import match_now
from judging.models import CallRow, RulingRow
from judging.packs import pack
from judging.rewind_record import stream_of
from people.access import NotAllowed, may, require
from people.domain.actor import Actor
from people.domain.permissions import Verdict
from people.selectors import names
from people.vault import open_text
from tournaments.services.loading import refuse_cancelled

READ, ORDER = "judging.rewind_plan", "judging.rewind_order"
FULL = "full"
SHOWN = 25
"""Lines of a log that are offered at first, newest first."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A rewind that was ordered: the line it went back to (None: no full log, then `checklist`),
    the answer of that moment with its reasons ({code, params}), the lots, who signed. `undone_*`:
    the rewind was taken back; `undoable`: it is the one that can be now. Texts are None where
    their author is erased."""

    ruling_id: str
    call_id: str
    duel_id: str
    to: int | None
    rewound: int | None
    answer: str
    reasons: tuple[dict[str, Any], ...]
    events: int
    learned: dict[str, int]
    lots: tuple[dict[str, Any], ...]
    checklist: dict[str, bool]
    by: str
    by_name: str
    at: str
    reason: str | None
    undone_by_name: str
    undone_at: str
    undone_reason: str | None
    undoable: bool


@dataclass(frozen=True, slots=True)
class Planner:
    """The planner of a call. `duels` of the match that can go back, oldest first; `duel_id` the
    one looked at (empty: none is kept in full, so four questions are asked); `found` its
    instruments at the line that would be struck last; `open_lines` the numbers of the lines in
    force, newest first; `signs`: as what the viewer may sign (ruling, appeal, empty)."""

    call: CallRow
    duels: tuple[DuelRow, ...]
    duel_id: str
    found: Inspection | None
    open_lines: tuple[int, ...]
    more: bool
    sheets: tuple[Sheet, ...]
    pack: Pack
    head_judge: bool
    signs: str


def _row(viewer: Actor, call_id: str, action: str) -> CallRow:
    row = CallRow.objects.filter(pk=call_id).first() if is_id(call_id) else None
    if row is None:
        raise NotAllowed(action, Verdict.HIDDEN)
    require(viewer, action, subject(row.event_id, row.seats))
    return row


def planner(
    viewer: Actor, call_id: str, duel_id: str = "", line: int | None = None, *, whole: bool = False
) -> Planner:
    """Return the planner for going back to just before `line` (None: the newest line in force; a
    line that is none of those as well). `whole` lists every line. Raises NotAllowed."""
    row = _row(viewer, call_id, READ)
    match = match_now(row.match_id)
    open_duels = [one for one in match.duels if one not in match.scored] if match else []
    rows = DuelRow.objects.filter(pk__in=open_duels, fidelity=FULL).order_by("number")
    kept = [one for one in rows if inspection.inspects(one.game)]
    chosen = next((one.pk for one in kept if one.pk == duel_id), kept[-1].pk if kept else "")
    found: Inspection | None = None
    lines: tuple[int, ...] = ()
    more = False
    if chosen:
        in_force = _plays(chosen)
        at = line if line in in_force else in_force[0] if in_force else None
        found = inspection.inspection(viewer, chosen, at)
        lines = in_force if whole else _first(in_force, at)
        more = len(lines) < len(in_force)
    return Planner(
        row,
        tuple(kept),
        chosen,
        found,
        lines,
        more,
        tuple(_sheets(row.match_id)),
        pack(row.pack, row.pack_version),
        may(viewer, ORDER, subject(row.event_id, row.seats)),
        _signs(viewer, row),
    )


def _plays(duel_id: str) -> tuple[int, ...]:
    """Numbers of the events of play in force, newest first; the opening stays."""
    raw = [one.data for one in read_duel(duel_id)]
    return tuple(
        seq for seq in reversed(effective(raw)) if seq > 1 and not isinstance(raw[seq - 1], BESIDE)
    )


def _first(in_force: Sequence[int], at: int | None) -> tuple[int, ...]:
    upto = in_force.index(at) + 10 if at in in_force else 0
    return tuple(in_force[: max(SHOWN, upto)])


def _signs(viewer: Actor, row: CallRow) -> str:
    if not may(viewer, ORDER, subject(row.event_id, row.seats)):
        return ""
    if row.claimed_by != viewer.person_id or not row.arrived_at:
        return ""
    if row.state == Status.HJ_CLAIMED and row.queue == Status.APPEALED:
        return "appeal"
    return "ruling" if row.state in (Status.AT_TABLE, Status.HJ_CLAIMED) else ""


def sheets(viewer: Actor, call_id: str) -> list[Sheet]:
    """Return every rewind that was ordered at the match of a call, oldest first. Raises
    NotAllowed."""
    return _sheets(_row(viewer, call_id, READ).match_id)


def _sheets(match_id: str) -> list[Sheet]:
    rulings = RulingRow.objects.filter(match_id=match_id, remedy=Remedy.REWIND.value)
    signed: dict[str, tuple[RewindSigned | RewindChecked, RewindUndone | None]] = {}
    rows = {row.pk: row for row in rulings.order_by("at", "ruling_id")}
    for ruling_id, row in rows.items():
        if row.rewind_to is None:
            held = [one.data for one in read_stream(f"call-{row.call_id}")]
        else:
            held = [one.data for one in read_stream(stream_of(ruling_id))]
        made = next(
            (
                one
                for one in held
                if isinstance(one, RewindSigned | RewindChecked) and one.ruling == ruling_id
            ),
            None,
        )
        if made is not None:
            gone = [one for one in held if isinstance(one, RewindUndone)]
            signed[ruling_id] = (made, gone[-1] if gone else None)
    people = {made.by for made, _ in signed.values()}
    people |= {gone.by for _, gone in signed.values() if gone is not None}
    known = names(people)
    undoable = _undoable([made for made, gone in signed.values() if gone is None])
    return [
        _sheet(rows[ruling_id], made, gone, known, undoable)
        for ruling_id, (made, gone) in signed.items()
    ]


def _undoable(standing: Sequence[RewindSigned | RewindChecked]) -> set[tuple[str, int]]:
    """Which rewinds can be undone now: of each duel the newest that nothing has struck."""
    by_duel: dict[str, list[int]] = {}
    for one in standing:
        if isinstance(one, RewindSigned):
            by_duel.setdefault(one.duel, []).append(one.rewound)
    found: set[tuple[str, int]] = set()
    for duel_id, lines in by_duel.items():
        line = newest_rewind(lines, struck([one.data for one in read_duel(duel_id)]))
        if line is not None:
            found.add((duel_id, line))
    return found


def _sheet(
    row: RulingRow,
    made: RewindSigned | RewindChecked,
    gone: RewindUndone | None,
    known: dict[str, str],
    undoable: set[tuple[str, int]],
) -> Sheet:
    logged = made if isinstance(made, RewindSigned) else None
    return Sheet(
        ruling_id=row.pk,
        call_id=row.call_id,
        duel_id=row.duel_id,
        to=logged.to if logged else None,
        rewound=logged.rewound if logged else None,
        answer=made.answer,
        reasons=tuple(logged.reasons) if logged else (),
        events=logged.events if logged else 0,
        learned=dict(logged.learned) if logged else {},
        lots=tuple(logged.lots) if logged else (),
        checklist=dict(made.checklist) if isinstance(made, RewindChecked) else {},
        by=made.by,
        by_name=known.get(made.by, ""),
        at=made.at,
        reason=open_text(row.by, row.note) if row.note else "",
        undone_by_name=known.get(gone.by, "") if gone else "",
        undone_at=gone.at if gone else "",
        undone_reason=open_text(gone.by, gone.reason) if gone else "",
        undoable=logged is not None and (logged.duel, logged.rewound) in undoable,
    )


@command("judging.rewind_undo")
def rewind_undo(unit: Unit, *, call_id: str, ruling_id: str, reason: str) -> int:
    """Take a rewind back: play stands again where it stood before it, and what was played since
    is struck. Newest rewind first. Return the line of the duel's log that says so.

    Raises Refused (judging.reason_missing, no_rewind, rewind_undone, rewind_not_newest,
    duel_scored, text_too_long), NotAllowed.
    """
    row = _row(unit.actor, call_id, ORDER)
    refuse_cancelled(row.event_id)
    if not reason.strip():
        raise Refused(Refusal("judging.reason_missing", {"act": "rewind_undo"}))
    signed = next((one for one in _sheets(row.match_id) if one.ruling_id == ruling_id), None)
    if signed is None or signed.rewound is None:
        raise Refused(Refusal("judging.no_rewind", {"found": ruling_id[:40]}))
    if signed.undone_at:
        raise Refused(Refusal("judging.rewind_undone", {"at": signed.undone_at}))
    match = match_now(row.match_id)
    if match is None or signed.duel_id in match.scored:
        raise Refused(Refusal("judging.duel_scored", {"found": signed.duel_id}))
    if not signed.undoable:
        raise Refused(Refusal("judging.rewind_not_newest", {"found": signed.rewound}))
    text = sealed(unit, reason)
    done = duel_rewind(
        unit,
        duel_id=signed.duel_id,
        to=signed.rewound - 1,
        reason_sealed=text,
        ruling_id=ruling_id,
    )
    by = by_of(unit, row.event_id)
    undone = RewindUndone(
        ruling_id, row.event_id, row.match_id, signed.duel_id, done.version, by.person,
        clock.as_text(unit.now), text,
    )  # fmt: skip
    unit.append(stream_of(ruling_id), 1, [undone])
    return done.version


def comes_back(duel_id: str, rewound: int) -> tuple[int, int]:
    """Return how many lines of play an undone rewind at line `rewound` brings back, and how many
    it strikes. Unguarded: the caller has asked for the duel."""
    raw = [one.data for one in read_duel(duel_id)]

    def plays(upto: int) -> set[int]:
        return {
            seq for seq in effective(raw[:upto]) if not isinstance(raw[seq - 1], (*BESIDE, Rewound))
        }

    then, now = plays(rewound - 1), plays(len(raw))
    return len(then - now), len(now - then)
