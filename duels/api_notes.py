"""REST API of notes on lines of a duel."""

from __future__ import annotations

from dataclasses import asdict
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from duels import notes
from duels.domain.notes import KINDS, LONGEST
from eventstore.domain import canonical
from eventstore.ids import new_id
from people.rest import (
    Body,
    DoneId,
    Endpoint,
    PageQuery,
    answer,
    context,
    given,
    only,
    operation,
    page,
)
from people.web import actor_of


class NotesQuery(PageQuery):
    """Which notes."""

    line = serializers.IntegerField(min_value=1, max_value=10**9, required=False)
    kind = serializers.ChoiceField(list(KINDS), required=False)


class LineNoteBody(Body):
    """A note on a line: `note` for judges, `comment` for everybody, `flag` of a player."""

    note_id = serializers.UUIDField(required=False)
    kind = serializers.ChoiceField(list(KINDS))
    line = serializers.IntegerField(min_value=1, max_value=10**9)
    text = serializers.CharField(required=False, allow_blank=True, max_length=LONGEST)


class DuelNotes(Endpoint):
    """Notes on lines of a duel."""

    guard_action = "duels.duel_read"

    @operation("duel_notes", answers=notes.NoteShown, query=NotesQuery, pages=True)
    def get(self, request: Request, duel: UUID) -> Response:
        """Answer one page of the notes that the caller may know of, by line."""
        shown = notes.notes_shown(actor_of(request), str(duel))
        return page(self, request, only(shown.notes, self.asked, "line", "kind"), asdict)

    @operation("duel_note", body=LineNoteBody, answers=DoneId, status=201)
    def post(self, request: Request, duel: UUID) -> Response:
        """Write on a line. A flag and a note for judges are for those who may know of them; a
        comment is for everybody, and waits for the end of the duel."""
        values = given(LineNoteBody, request)
        made = notes.note_make(
            context(request, "player" if values["kind"] == "flag" else None),
            duel_id=str(duel),
            note_id=str(values.get("note_id") or new_id()),
            kind=values["kind"],
            line=values["line"],
            text=canonical.text(values.get("text", "")),
        )
        return answer(made, 201)


class DuelNoteWithdraw(Endpoint):
    """A note that is to stand no longer."""

    guard_action = "duels.duel_read"

    @operation("duel_note_withdraw", answers=DoneId)
    def post(self, request: Request, duel: UUID, note: UUID) -> Response:
        """Withdraw a note: its author, or whoever moderates. The log keeps it."""
        return answer(notes.note_withdraw(context(request), duel_id=str(duel), note_id=str(note)))
