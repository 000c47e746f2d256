"""Notes on lines of a duel: those on the line looked at, beside the board, and a page of all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from duels import notes as reads
from duels import selectors, wording
from duels.domain.notes import LONGEST
from duels.domain.seats import VIEWERS
from duels.notes import NoteShown, NotesShown
from eventstore.domain.envelope import Recorded
from people import selectors as people
from people.domain.actor import Actor
from people.domain.names import joined
from people.guard import guarded
from people.posts import Form, form_id, number_of, perform, send, text_of
from people.web import actor_of

SOURCES = {"flag": "player", "note": "judge", "comment": "judge"}


@dataclass(frozen=True, slots=True)
class Worded:
    """A note with the name of its author and the word for its kind."""

    note: NoteShown
    who: str
    kind: Promise


@dataclass(frozen=True, slots=True)
class Noted:
    """What the board shows beside a line: the notes on it, the lines that have any, which kinds
    the reader may write there, and the reader's own flag on it."""

    here: list[Worded]
    lines: frozenset[int]
    may_make: tuple[str, ...]
    total: int
    longest: int = LONGEST

    @property
    def flagged(self) -> bool:
        """Say whether the reader has flagged this line."""
        return any(one.note.kind == "flag" and one.note.mine for one in self.here)


def _worded(notes: Iterable[NoteShown], players: Mapping[str, str]) -> list[Worded]:
    shown = list(notes)
    staff = people.names(one.by for one in shown if one.seat is None)
    return [
        Worded(
            one,
            players[one.seat] if one.seat else staff.get(one.by, wording.DASH),
            wording.NOTE_KINDS[one.kind],
        )
        for one in shown
    ]


def notes_on(
    viewer: Actor, duel_id: str, recorded: list[Recorded], at: int, players: Mapping[str, str]
) -> Noted:
    """Return the notes on the line `at` as the board shows them; up to three queries."""
    shown = reads.notes_shown(viewer, duel_id, recorded)
    here = _worded(shown.on(at), players)
    return Noted(here, shown.lines, shown.may_make, len(shown.notes))


def _board(duel_id: str, line: int | None, perspective: str) -> str:
    at = f"?at={line}&as={perspective}" if line else f"?as={perspective}"
    return f"{reverse('duels:replay', args=[duel_id])}{at}#notes"


def _post(request: HttpRequest, duel_id: str, line: int | None) -> Form | None:
    kind = request.POST.get("kind", "")
    source = SOURCES.get(kind, "player")
    return perform(
        request,
        {
            "make": lambda: send(
                request,
                source,
                reads.note_make,
                duel_id=duel_id,
                note_id=form_id(request, "note_id"),
                kind=kind,
                line=line or 0,
                text=request.POST.get("text", "").replace("\x00", "")[: LONGEST + 1],
            ),
            "withdraw": lambda: send(
                request,
                source,
                reads.note_withdraw,
                duel_id=duel_id,
                note_id=text_of(request, "note_id", 36),
            ),
        },
        {"make": _("It is noted."), "withdraw": _("It is withdrawn.")},
    )


@guarded("duels.duel_read")
@never_cache
@require_http_methods(["GET", "POST"])
def notes(request: HttpRequest, duel_id: str) -> HttpResponse:
    """Every note that the reader may know of. A form posted from the board comes here, and back
    to the board when it went well."""
    viewer = actor_of(request)
    recorded = selectors.read_duel(duel_id)
    shown = reads.notes_shown(viewer, duel_id, recorded)
    asked = request.POST.get("as") or request.GET.get("as", "")
    perspective = asked if asked in VIEWERS else "public"
    line = number_of(request, "line")
    form: Form = Form()
    if request.method == "POST":
        refused = _post(request, duel_id, line)
        if refused is None:
            return redirect(_board(duel_id, line, perspective))
        form = refused
        shown = reads.notes_shown(viewer, duel_id, recorded)
    context = _context(duel_id, recorded, shown)
    context |= {"form": form, "posted": request.POST, "line": line, "perspective": perspective}
    return render(request, "duels/notes.html", context, status=form.status)


def _context(duel_id: str, recorded: list[Recorded], shown: NotesShown) -> dict[str, Any]:
    opening = selectors.opening_of(recorded)
    seats = opening.seats if opening is not None else {}
    names = people.names(person for persons in seats.values() for person in persons)
    players = {seat: joined(persons, names) or wording.DASH for seat, persons in seats.items()}
    return {
        "duel_id": duel_id,
        "number": opening.number if opening is not None else 0,
        "players": players,
        "notes": _worded(shown.notes, players),
        "may_make": shown.may_make,
        "longest": LONGEST,
    }
