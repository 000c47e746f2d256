"""The case of a call: what its log, ledgers, lists, clock and notes tell about the matter.

For the judges of the table, one who plays there is not among them. Hidden cards of a running duel
stand in a case only after the judge revealed them to oneself: with a reason, for this call, on
record (duels.reveals); the head judge sees every such look.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from duels import inspection
from duels import reveals as looks
from duels import selectors as duels
from duels.domain.events import LineDisputed
from duels.inspection import Inspection
from duels.models import DuelRow
from duels.reveals import Reveal, Revealed
from eventstore.commands import Unit, command
from eventstore.domain.refusal import Refusal, Refused
from eventstore.store import read_stream
from judging import handling, selectors
from judging.domain.sheet import first_difference
from judging.domain.sheet_events import EntryStruck, LpCopied, SheetNoted
from judging.domain.words import OPEN, Category
from judging.models import CallRow
from judging.packs import pack
from judging.selectors import CallView
from judging.sheet import sheet_stream
from judging.statements import StatementsView, statements_of
from people.access import NotAllowed, may, require
from people.domain.actor import Actor
from people.domain.permissions import Subject, Verdict
from people.selectors import names
from people.vault import open_text
from tournaments import selectors as tournaments
from tournaments.models import EntrantPerson, MatchRow
from tournaments.selectors import ListsNow, MatchDetail


@command("judging.hidden_reveal")
def hidden_reveal(unit: Unit, *, call_id: str, duel_id: str, reason: str) -> Revealed:
    """Open the hidden cards of a duel of the call's match to the judge who has the call, or to
    the head judge, as its log stands now.

    Raises Refused (judging.wrong_state, not_your_call, duel_not_of_match, reason_missing,
    text_too_long, text_signs, `duels.nothing_hidden`), NotAllowed.
    """
    loaded = handling.load(unit, call_id, "judging.case_read")
    call = loaded.state
    if call.status not in OPEN:
        allowed = sorted(one.value for one in OPEN)
        raise Refused(
            Refusal("judging.wrong_state", {"found": call.status.value, "allowed": allowed})
        )
    by = handling.by_of(unit, call.tournament)
    if call.claimed_by != by.person and not by.head_judge:
        found = call.claimed_by or ""
        known = names([found]).get(found) if found else None
        raise Refused(Refusal("judging.not_your_call", {"by": found, "name": known}))
    rows = {one.duel_id for one in duels.duel_rows(unit.actor, match_id=call.match)}
    if duel_id not in rows:
        params = {"found": duel_id[:40], "allowed": sorted(rows)}
        raise Refused(Refusal("judging.duel_not_of_match", params))
    sealed = handling.sealed(unit, reason)
    if not sealed:
        raise Refused(Refusal("judging.reason_missing"))
    return looks.hidden_reveal(unit, duel_id=duel_id, case_id=call_id, reason_sealed=sealed)


@dataclass(frozen=True, slots=True)
class Look:
    """A reveal with the name of the judge."""

    reveal: Reveal
    name: str


@dataclass(frozen=True, slots=True)
class Note:
    """A note of a judge at the table or in the call; for copied Life Points `about` is the seat,
    `first` and `second` the totals of both pads and `differs` the line (from 0) in which they
    part (None: they agree as far as both go)."""

    by_name: str
    at: str
    text: str | None
    about: str = ""
    first: tuple[int, ...] = ()
    second: tuple[int, ...] = ()
    differs: int | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """The whole case. `duels`: the logs of the match, oldest first; `duel` the one looked at with
    its instruments, None where no log was kept, or its game has none; `disputed`: the lines of it
    that a player did not
    accept; `left_s` on the clock of the table; `looks` at hidden cards, `may_reveal` another."""

    call: CallView
    match: MatchDetail
    duels: tuple[DuelRow, ...]
    duel: Inspection | None
    disputed: tuple[int, ...]
    lists: ListsNow
    left_s: int | None
    notes: tuple[Note, ...]
    statements: StatementsView
    looks: tuple[Look, ...]
    may_reveal: bool


def case(viewer: Actor, call_id: str, duel_id: str | None = None, at: int | None = None) -> Case:
    """Return the case of a call, with the log of `duel_id` (None: the newest one) at line `at`
    (None: the newest disputed one, else the first difference where Life Points or a hand are the
    matter, else the newest).

    Raises NotAllowed, hidden for a call or a duel of another match; Refused
    `duels.no_such_line`.
    """
    row = _call(viewer, call_id)
    call = selectors.call_detail(viewer, call_id)
    match = tournaments.match_detail(viewer, row.match_id)
    rows = sorted(
        duels.duel_rows(viewer, match_id=row.match_id), key=lambda one: (one.number, one.opened_at)
    )
    shown = _chosen(rows, duel_id)
    found = _inspected(viewer, shown, row.category, at) if shown is not None else None
    mine = row.claimed_by == viewer.person_id or may(
        viewer, "duels.reveals_read_all", handling.subject(row.event_id, row.seats)
    )
    return Case(
        call=call,
        match=match,
        duels=tuple(rows),
        duel=found,
        disputed=_disputed(shown),
        lists=tournaments.lists_of_match(viewer, row.match_id),
        left_s=selectors.table_clock(viewer, call_id),
        notes=_notes(row, call),
        statements=statements_of(viewer, call_id),
        looks=tuple(looks_of_case(viewer, call_id)),
        may_reveal=found is not None and not found.opened and row.open and mine,
    )


def _call(viewer: Actor, call_id: str) -> CallRow:
    row = CallRow.objects.filter(pk=call_id).first()
    if row is None:
        raise NotAllowed("judging.case_read", Verdict.HIDDEN)
    require(viewer, "judging.case_read", handling.subject(row.event_id, row.seats))
    return row


def _chosen(rows: Sequence[DuelRow], duel_id: str | None) -> DuelRow | None:
    if duel_id is None:
        played = [one for one in rows if one.fidelity != "imported"]
        return (played or rows)[-1] if rows else None
    shown = next((one for one in rows if one.duel_id == duel_id), None)
    if shown is None:
        raise NotAllowed("judging.case_read", Verdict.HIDDEN)
    return shown


def _inspected(viewer: Actor, shown: DuelRow, category: str, at: int | None) -> Inspection | None:
    if not inspection.inspects(shown.game):
        return None
    if at is None:
        at = next(iter(_disputed(shown)), None)
    found = inspection.inspection(viewer, shown.duel_id, at)
    first = {
        Category.LP.value: found.life_points.ledger.first_divergence,
        Category.HAND_COUNT.value: found.audit.first_wrong,
    }.get(category)
    if at is None and first is not None:
        return inspection.inspection(viewer, shown.duel_id, first)
    return found


def _disputed(shown: DuelRow | None) -> tuple[int, ...]:
    """Return the lines that a player disputed, the newest dispute first."""
    recorded = duels.read_duel(shown.duel_id) if shown is not None else []
    lines = [one.data.line for one in reversed(recorded) if isinstance(one.data, LineDisputed)]
    return tuple(dict.fromkeys(lines))


def _notes(row: CallRow, call: CallView) -> tuple[Note, ...]:
    """Return what judges wrote down at the table, and the words that go with the steps of the
    call, oldest first; entries that were struck are left out."""
    recorded = read_stream(sheet_stream(row.match_id))
    struck = {one.data.entry for one in recorded if isinstance(one.data, EntryStruck)}
    kept = [
        one.data
        for one in recorded
        if isinstance(one.data, SheetNoted | LpCopied) and one.data.entry not in struck
    ]
    known = names([one.by for one in kept])
    found = [_note(one, known) for one in kept]
    found += [Note(step.by_name, step.at, step.text) for step in call.steps if step.text]
    return tuple(sorted(found, key=lambda one: one.at))


def _note(one: SheetNoted | LpCopied, known: Mapping[str, str]) -> Note:
    name = known.get(one.by, "")
    if isinstance(one, SheetNoted):
        return Note(name, one.at, open_text(one.by, one.note))
    return Note(
        name,
        one.at,
        "",
        one.about,
        one.first,
        one.second,
        first_difference(one.first, one.second),
    )


def looks_of_case(viewer: Actor, call_id: str) -> list[Look]:
    """Return the looks at hidden cards in one case, newest first: all for the head judge, the own
    ones for a judge. Raises NotAllowed."""
    row = _call(viewer, call_id)
    found = looks.reveals(viewer, row.event_id, case_id=call_id)
    known = names([one.by for one in found])
    return [Look(one, known.get(one.by, "")) for one in found]


def looked_at(viewer: Actor, event_id: str) -> list[Look]:
    """Return the looks at hidden cards of an event, newest first: all for the head judge, the own
    ones for a judge. Raises NotAllowed."""
    found = looks.reveals(viewer, event_id)
    known = names([one.by for one in found])
    return [Look(one, known.get(one.by, "")) for one in found]


def log_withheld(viewer: Actor, event_id: str) -> bool:
    """Say whether the whole log of an event is kept from a viewer, because it holds the hidden
    cards of duels that go on at open tables and the viewer judges or plays there: at most three
    queries."""
    judges = may(viewer, "duels.reveals_read", Subject(event_id=event_id, public=False))
    exports = may(viewer, "tournaments.log_export", Subject(event_id))
    if not judges and not (exports and _enrolled(viewer, event_id)):
        return False
    matches = set(looks.closed_duels(event_id).values())
    return bool(matches) and MatchRow.objects.filter(pk__in=matches, winner="").exists()


def _enrolled(viewer: Actor, event_id: str) -> bool:
    playing = EntrantPerson.objects.filter(event_id=event_id, person_id=viewer.person_id or "-")
    return playing.exists()


def told_of_looks(calls: Sequence[CallView]) -> set[str]:
    """Return those of a player's calls of which the player may know that a judge looked at hidden
    cards: over, and under a pack that says so. One query where there is such a pack."""
    over = [
        one.call_id
        for one in calls
        if one.state not in OPEN and pack(one.pack, one.pack_version).reveal_shown
    ]
    return looks.looked(over) if over else set()
