"""Notes on lines of a duel: made, withdrawn, and read as far as each may know them.

A judge who plays the duel is a player there and neither reads nor writes notes of judges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from duels.domain import notes as rules
from duels.domain.events import DuelOpened, Seat, seat
from duels.domain.notes import NONE, NoteMade, Notes, NoteWithdrawn
from duels.domain.seats import PLAYERS
from duels.models import DuelNote
from duels.rules.games import NEW, AnyDuel, evolve
from duels.selectors import opening_of, read_duel
from duels.services import stream_of, subject_of
from duels.watching import seen_until
from eventstore.commands import Loaded, Unit, command
from eventstore.domain.envelope import Recorded
from eventstore.domain.refusal import Refusal, Refused
from eventstore.ids import is_id
from people import vault
from people.access import NotAllowed, may, require
from people.domain.actor import Actor
from people.domain.permissions import Subject, Verdict

MAKE = {"note": "duels.note_make", "comment": "duels.comment_make", "flag": "duels.flag_make"}
WITHDRAW = {"note": "duels.note_withdraw", "flag": "duels.note_withdraw"}
COMMENT_WITHDRAW = "duels.comment_withdraw"


def notes_stream(duel_id: str) -> str:
    """Return the stream of the notes on a duel; raises Refused `duels.bad_id`."""
    return f"notes-{stream_of(duel_id).removeprefix('duel-')}"


def _seat_of(opening: DuelOpened, person_id: str | None) -> Seat | None:
    """Return the seat that a person plays in, None for everybody else."""
    for one in PLAYERS:
        if person_id is not None and person_id in opening.seats.get(one, []):
            return seat(one)
    return None


def _over(duel: AnyDuel) -> bool:
    return duel.table.result is not None or duel.table.fidelity == "imported"


@command("duels.note_make")
def note_make(
    unit: Unit, *, duel_id: str, note_id: str, kind: str, line: int, text: str = ""
) -> str:
    """Write on a line of a duel: a note for judges, a comment for everybody, a player's flag.
    The text is sealed under the author's key. Returns the note's id.

    Raises Refused (as `notes.decide_make`, `duels.bad_id`, `duels.not_open`), NotAllowed.
    """
    loaded = unit.load(stream_of(duel_id), NEW, evolve)
    subject = subject_of(loaded.state)
    require(unit.actor, MAKE.get(kind, "duels.duel_read"), subject)
    opening = loaded.state.opening
    if opening is None:
        raise Refused(Refusal("duels.not_open", {}))
    if not is_id(note_id):
        raise Refused(Refusal("duels.note_id", {}))
    held = unit.load(notes_stream(duel_id), NONE, rules.evolve)
    text = text.strip()
    decided = rules.decide_make(
        held.state,
        note_id=note_id,
        kind=kind,
        line=line,
        by=unit.actor.ref,
        length=len(text),
        lines=loaded.version,
        over=_over(loaded.state),
    )
    if isinstance(decided, Refusal):
        raise Refused(decided)
    made = NoteMade(
        note_id,
        duel_id,
        opening.event_id,
        decided,
        line,
        unit.actor.ref,
        _seat_of(opening, unit.actor.ref) if decided == "flag" else None,
        vault.seal(unit.actor.ref, text) if text else "",
    )
    unit.append(held.stream, held.version, [made])
    return note_id


@command("duels.note_withdraw")
def note_withdraw(unit: Unit, *, duel_id: str, note_id: str) -> str:
    """Let a note stand no longer: its author, or whoever moderates. The log keeps it.

    Raises Refused (`duels.note_withdrawn`, `duels.bad_id`), NotAllowed; a note that the actor
    may not read is hidden.
    """
    duel = unit.load(stream_of(duel_id), NEW, evolve).state
    held: Loaded[Notes] = unit.load(notes_stream(duel_id), NONE, rules.evolve)
    note = held.state.made.get(note_id)
    if note is None or not _reads(unit.actor, duel, note.kind, note.by, note.seat):
        raise NotAllowed("duels.note_withdraw", Verdict.HIDDEN)
    require(unit.actor, *_to_withdraw(unit.actor, duel, note.kind, note.by))
    refusal = rules.decide_withdraw(held.state, note_id)
    if refusal is not None:
        raise Refused(refusal)
    unit.append(held.stream, held.version, [NoteWithdrawn(note_id, unit.actor.ref)])
    return note_id


def _to_withdraw(actor: Actor, duel: AnyDuel, kind: str, by: str) -> tuple[str, Subject]:
    """Return what to ask the permission table: to the author it is the own, to a moderator a
    matter of the duel, in which nobody moderates who plays it."""
    action = WITHDRAW.get(kind, COMMENT_WITHDRAW)
    subject = subject_of(duel)
    if actor.ref == by:
        return action, Subject(event_id=subject.event_id, owners=frozenset({by}))
    return f"{action}_of_others", subject


def _reads(actor: Actor, duel: AnyDuel, kind: str, by: str, at: Seat | None) -> bool:
    """Say whether somebody may know of a note."""
    if kind == "comment":
        return may(actor, "duels.duel_read", subject_of(duel))
    if kind == "flag" and at is not None and may(actor, "duels.flag_read", subject_of(duel, at)):
        return True
    return may(actor, "duels.note_read", subject_of(duel))


@dataclass(frozen=True, slots=True)
class NoteShown:
    """A note as its reader may know it. `text` is None once its author is erased. `mine`: the
    reader wrote it; `own_side`: it is a flag of the reader's side; `may_withdraw`: the reader may
    take it away."""

    note_id: str
    kind: str
    line: int
    by: str
    seat: str | None
    text: str | None
    made_at: str
    withdrawn: bool
    withdrawn_by: str
    mine: bool
    own_side: bool
    may_withdraw: bool


@dataclass(frozen=True, slots=True)
class NotesShown:
    """The notes on a duel that a reader may know of, by line, and which kinds the reader may
    write."""

    notes: tuple[NoteShown, ...]
    may_make: tuple[str, ...]

    def on(self, line: int) -> tuple[NoteShown, ...]:
        """Return those that stand on a line."""
        return tuple(one for one in self.notes if one.line == line and not one.withdrawn)

    @property
    def lines(self) -> frozenset[int]:
        """Lines that have one that stands."""
        return frozenset(one.line for one in self.notes if not one.withdrawn)


def notes_shown(viewer: Actor, duel_id: str, recorded: list[Recorded] | None = None) -> NotesShown:
    """Return the notes on a duel that the viewer may know of. What is withdrawn is shown to its
    author and to judges alone; who only watches reads them as late as the duel itself. Three
    queries beside the log (`recorded`, when it is at hand).

    Raises NotAllowed; a duel that does not exist is hidden.
    """
    opening = opening_of(read_duel(duel_id) if recorded is None else recorded)
    duel = evolve(NEW, opening) if opening is not None else NEW
    require(viewer, "duels.duel_read", subject_of(duel))
    judge = may(viewer, "duels.note_read", subject_of(duel))
    limit = seen_until(viewer, opening) if opening is not None else None
    rows = [
        row
        for row in DuelNote.objects.filter(duel_id=duel_id)
        if _reads(viewer, duel, row.kind, row.by, _seat(row))
        and (not row.withdrawn_by or judge or row.by == viewer.person_id)
        and (limit is None or row.made_at <= limit or row.by == viewer.person_id)
    ]
    texts = _texts(rows)
    made = tuple(
        NoteShown(
            row.note_id,
            row.kind,
            row.line,
            row.by,
            row.seat or None,
            text,
            row.made_at,
            bool(row.withdrawn_by),
            row.withdrawn_by,
            row.by == viewer.person_id,
            row.kind == "flag"
            and may(viewer, "duels.flag_make", subject_of(duel, row.seat or None)),
            not row.withdrawn_by and may(viewer, *_to_withdraw(viewer, duel, row.kind, row.by)),
        )
        for row, text in zip(rows, texts, strict=True)
    )
    may_make = tuple(kind for kind, action in MAKE.items() if may(viewer, action, subject_of(duel)))
    return NotesShown(made, may_make)


def _seat(row: DuelNote) -> Seat | None:
    return seat(row.seat) if row.seat else None


def _texts(rows: Sequence[DuelNote]) -> list[Any]:
    """Open the texts; a flag without one has the empty text."""
    opened = vault.open_texts([(row.by, row.sealed) for row in rows if row.sealed])
    found = iter(opened)
    return [next(found) if row.sealed else "" for row in rows]
