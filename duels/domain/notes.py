"""Notes on lines of a duel: what judges keep for themselves, what staff say to everybody, what a
player wants looked at. Stream `notes-<duel id>`, apart from the log of the duel: a note changes no
line, and nobody can tell from the log that one was made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from duels.domain.events import Seat
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent, event

Kind = Literal["note", "comment", "flag"]
KINDS: tuple[Kind, ...] = ("note", "comment", "flag")
"""A note is for the judges of the event, a comment for everybody; a flag is a player's, for the
own side and the judges."""
MOST_STANDING = 100
"""Notes that one person may have standing on one duel."""
LONGEST = 1000
"""Signs of a text."""


@event("duels.note_made")
class NoteMade(DomainEvent, frozen=True):
    """`by` wrote on a line of the duel (version in its stream). `seat`: the side of a player who
    flags it, None for staff. `text` is sealed under the author's key, empty for a bare flag."""

    note_id: str
    duel_id: str
    event_id: str | None
    kind: Kind
    line: int
    by: str
    seat: Seat | None
    text: str


@event("duels.note_withdrawn")
class NoteWithdrawn(DomainEvent, frozen=True):
    """A note no longer stands: its author took it back, or a moderator took it away."""

    note_id: str
    by: str


@dataclass(frozen=True, slots=True)
class Note:
    """One note as it stands."""

    kind: Kind
    line: int
    by: str
    seat: Seat | None
    withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class Notes:
    """Every note of a duel by its id."""

    made: Mapping[str, Note] = field(default_factory=dict)


NONE = Notes()


def evolve(notes: Notes, event: DomainEvent) -> Notes:
    """Return the notes after an event."""
    match event:
        case NoteMade():
            note = Note(event.kind, event.line, event.by, event.seat)
            return Notes({**notes.made, event.note_id: note})
        case NoteWithdrawn():
            gone = replace(notes.made[event.note_id], withdrawn=True)
            return Notes({**notes.made, event.note_id: gone})
    return notes


def decide_make(
    notes: Notes,
    *,
    note_id: str,
    kind: str,
    line: int,
    by: str,
    length: int,
    lines: int,
    over: bool,
) -> Kind | Refusal:
    """Return the kind of a note that may be made. `length`: signs of its text; `lines`: those of
    the log; `over`: nobody plays this duel any more.

    Refused with `duels.note_kind`, `duels.no_such_line`, `duels.note_exists`, `duels.note_empty`,
    `duels.note_too_long`, `duels.comment_while_played` (a word to everybody would be advice to
    who plays), `duels.flag_again`, `duels.notes_many`.
    """
    wanted = next((one for one in KINDS if one == kind), None)
    if wanted is None:
        return Refusal("duels.note_kind", {"found": kind[:40], "allowed": list(KINDS)})
    if not 1 <= line <= lines:
        return Refusal("duels.no_such_line", {"found": line, "allowed": [1, lines]})
    if note_id in notes.made:
        return Refusal("duels.note_exists", {"found": note_id})
    if wanted != "flag" and not length:
        return Refusal("duels.note_empty", {})
    if length > LONGEST:
        return Refusal("duels.note_too_long", {"found": length, "allowed": LONGEST})
    if wanted == "comment" and not over:
        return Refusal("duels.comment_while_played", {})
    mine = [one for one in notes.made.values() if one.by == by and not one.withdrawn]
    if wanted == "flag" and any(one.kind == "flag" and one.line == line for one in mine):
        return Refusal("duels.flag_again", {"found": line})
    if len(mine) >= MOST_STANDING:
        return Refusal("duels.notes_many", {"found": len(mine), "allowed": MOST_STANDING})
    return wanted


def decide_withdraw(notes: Notes, note_id: str) -> Refusal | None:
    """Refuse with `duels.note_withdrawn` what does not stand any more."""
    if notes.made[note_id].withdrawn:
        return Refusal("duels.note_withdrawn", {})
    return None
