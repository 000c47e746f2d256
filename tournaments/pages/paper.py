"""Paper: the print room of an event, and every sheet as a page of its own for the printer of the
browser, for a roll, or as one file that opens without the server."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import segno
from django.conf import settings
from django.contrib.staticfiles import finders
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from eventstore import clock
from people.access import require
from people.domain.actor import Actor
from people.domain.permissions import Subject
from people.guard import guarded
from people.posts import Form, number_of, perform, send, text_of
from people.web import actor_of
from tournaments import selectors, services
from tournaments.domain.event import DRAFT
from tournaments.domain.hall import choice, sheets, slips
from tournaments.events import PaperChoice
from tournaments.models import EventRow
from tournaments.pages.common import number_in, staff_frame
from tournaments.pages.end_words import ruleset_text

PACK = "pack"
ROUND_SHEETS = ("names", "tables", "slips", "next")
EVENT_SHEETS = ("seats", "lists", "standings", "bracket", "prizes", "report")
SHEETS = (PACK, *ROUND_SHEETS, *EVENT_SHEETS)
PACKED = ("names", "tables", "slips", "standings", "next")
"""What the paper pack holds, in the order in which it leaves the printer."""
DONE = {"choose": gettext_lazy("From now on this event prints so.")}


def chosen(request: HttpRequest, kept: PaperChoice) -> PaperChoice:
    """Return how this page prints: the choice of the event, and what its address says instead.
    What cannot be read is as if it were not there."""
    asked = request.GET
    changes: dict[str, Any] = {}
    for name, known in (
        ("paper", choice.PAPERS),
        ("language", dict(settings.LANGUAGES)),
        ("ids", choice.IDS),
    ):
        if asked.get(name) in known:
            changes[name] = asked[name]
    per_page = number_in(request, "per_page")
    if per_page in slips.PER_PAGE:
        changes["per_page"] = per_page
    if asked.get("large") in ("0", "1"):
        changes["large"] = asked["large"] == "1"
    return msgspec.structs.replace(kept, **changes)


@guarded("tournaments.desk_use")
@never_cache
@require_http_methods(["GET", "POST"])
def room(request: HttpRequest, event_id: str) -> HttpResponse:
    """The print room: how the event prints, and its sheets."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    require(viewer, "tournaments.desk_use", Subject(event_id))
    form = Form()
    if request.method == "POST":
        acts = {
            "choose": lambda: send(
                request,
                "organiser",
                services.paper_choose,
                event_id=event_id,
                paper=text_of(request, "paper", 8),
                language=text_of(request, "language", 8),
                per_page=number_of(request, "per_page") or 0,
                ids=text_of(request, "ids", 20),
                large=text_of(request, "large", 1) == "1",
            )
        }
        refused = perform(request, acts, DONE)
        if refused is None:
            return redirect("staff:paper", event_id)
        form = refused
    event = context["event"]
    context |= {
        "form": form,
        "kept": selectors.paper_choice(viewer, event_id),
        "papers": choice.PAPERS,
        "per_page": slips.PER_PAGE,
        "ids": choice.IDS,
        "round_sheets": ROUND_SHEETS,
        "event_sheets": [one for one in EVENT_SHEETS if _offered(one, event)],
        "number": number_in(request, "round") or event.draft_round or event.round,
        "rounds": selectors.rounds_list(viewer, event_id),
        "public": event.status != DRAFT,
    }
    return render(request, "tournaments/paper.html", context, status=form.status)


def _offered(sheet: str, event: EventRow) -> bool:
    return sheet != "bracket" or event.stage == "cut" or event.status == "cut"


@dataclass(frozen=True)
class Printing:
    """What every sheet is made from; the sheets of one job share the round."""

    viewer: Actor
    event: EventRow
    number: int
    choice: PaperChoice

    @cached_property
    def view(self) -> selectors.RoundView | None:
        """The round, read once."""
        if not self.number:
            return None
        return selectors.pairings(self.viewer, self.event.pk, self.number)


def _names(one: Printing) -> dict[str, Any]:
    return {"view": one.view, "lines": selectors.by_name(one.view) if one.view else []}


def _tables(one: Printing) -> dict[str, Any]:
    return {"view": one.view}


def code_picture(text: str) -> SafeString:
    """Draw the code of a table as a QR code."""
    svg = segno.make(text, error="m", micro=False).svg_inline(
        scale=2, border=0, dark="#000", omitsize=True
    )
    return mark_safe(svg)  # noqa: S308


def _slips(one: Printing) -> dict[str, Any]:
    if one.view is None:
        return {"slips": None}
    per_page = 1 if one.choice.paper == choice.ROLL else one.choice.per_page
    held = selectors.slip_pages(
        one.viewer, one.event.pk, one.view, per_page=per_page, ids=one.choice.ids
    )
    pictures = {slip.code: code_picture(slip.code) for page in held.pages for slip in page if slip}
    return {
        "slips": held,
        "per_page": per_page,
        "pictures": pictures,
        "ending": ruleset_text(held.ruleset),
    }


def _standings(one: Printing) -> dict[str, Any]:
    return {"standings": selectors.standings_after(one.viewer, one.event.pk)}


def _next(one: Printing) -> dict[str, Any]:
    sheet = selectors.next_sheet(one.viewer, one.event.pk)
    known = one.event.rounds or 0
    return {"next": sheet, "last_round": bool(known) and sheet.number > known}


def _seats(one: Printing) -> dict[str, Any]:
    return {"seats": selectors.seats(one.viewer, one.event.pk)}


def _bracket(one: Printing) -> dict[str, Any]:
    view = selectors.bracket(one.viewer, one.event.pk)
    slots = [[side.entrant_id if side else None for side in made.slots] for made in view.rounds]
    named = {side.entrant_id: side for made in view.rounds for side in made.slots if side}
    lines = [made.lines for made in view.rounds]
    columns: list[list[dict[str, Any]]] = []
    for at, column in enumerate(sheets.bracket_columns(slots)):
        known = lines[at] if at < len(lines) else ()
        columns.append(
            [
                {
                    "sides": [(named.get(place.entrant_id or ""), place.open) for place in pair],
                    "line": known[tie] if tie < len(known) else None,
                }
                for tie, pair in enumerate(zip(column[::2], column[1::2], strict=False))
            ]
        )
    return {
        "bracket": view,
        "columns": [ties for ties in columns if ties],
        "wide": bool(columns) and len(columns[0]) > 8,
    }


def _prizes(one: Printing) -> dict[str, Any]:
    return _places(one) | {"prizes": selectors.prizes_of(one.viewer, one.event.pk)}


def _places(one: Printing) -> dict[str, Any]:
    """Final places once there are some, else the places of the standings."""
    roster = selectors.roster(one.viewer, one.event.pk)
    standings = selectors.standings_after(one.viewer, one.event.pk)
    lines = {line.side.entrant_id: line for line in standings.lines}
    placed = [(row.side.place, row.side) for row in roster if row.side.place]
    if not placed:
        placed = [(line.rank, line.side) for line in standings.lines]
    placed.sort(key=lambda found: (found[0], found[1].number))
    return {
        "standings": standings,
        "places": [(place, side, lines.get(side.entrant_id)) for place, side in placed],
        "final": any(row.side.place for row in roster),
    }


def _report(one: Printing) -> dict[str, Any]:
    return _places(one) | {"sums": selectors.round_sums(one.viewer, one.event.pk)}


BUILT: dict[str, Callable[[Printing], dict[str, Any]]] = {
    "names": _names,
    "tables": _tables,
    "slips": _slips,
    "standings": _standings,
    "next": _next,
    "seats": _seats,
    "lists": _seats,
    "bracket": _bracket,
    "prizes": _prizes,
    "report": _report,
}


def _context(one: Printing, sheet: str) -> dict[str, Any]:
    shown = PACKED if sheet == PACK else (sheet,)
    context: dict[str, Any] = {}
    for name in shown:
        context |= BUILT[name](one)
    return context | {
        "sheet": sheet,
        "parts": [f"tournaments/print/{name}.html" for name in shown],
    }


@guarded("tournaments.desk_use")
@never_cache
@require_GET
def sheet(request: HttpRequest, event_id: str, sheet: str) -> HttpResponse:
    """One sheet, or the paper pack, for the printer; `offline=1`: as one file to keep."""
    viewer = actor_of(request)
    home = selectors.event_home(viewer, event_id)
    require(viewer, "tournaments.desk_use", Subject(event_id))
    if sheet not in SHEETS:
        raise Http404
    event = home.row
    kept = chosen(request, selectors.paper_choice(viewer, event_id))
    number = number_in(request, "round") or event.draft_round or event.round
    offline = request.GET.get("offline") == "1"
    with translation.override(kept.language or translation.get_language()):
        context = {
            "event": event,
            "home": home,
            "number": number,
            "choice": kept,
            "language": translation.get_language(),
            "printed_at": clock.as_text(clock.now()),
            "offline": offline,
            "papers": choice.PAPERS,
        } | _context(Printing(viewer, event, number, kept), sheet)
        if offline:
            return _file(request, context, sheet)
        return render(request, "tournaments/print/page.html", context)


LINKED = re.compile(r'<link rel="stylesheet" href="[^"]*?/(print(?:-\w+)?)(?:\.\w+)?\.css">')
FOREIGN = re.compile(r"<script\b.*?</script>", re.DOTALL)


def _styles(found: re.Match[str]) -> str:
    path = finders.find(f"tournaments/{found[1]}.css")
    return f"<style>{Path(str(path)).read_text(encoding='utf-8')}</style>"


def one_file(made: str) -> str:
    """Return a page for the printer as one that needs no server: its styles inside, no script."""
    return FOREIGN.sub("", LINKED.sub(_styles, made))


def _file(request: HttpRequest, context: dict[str, Any], sheet: str) -> HttpResponse:
    """The sheet as one file that needs no server: its styles inside, no script."""
    made = render_to_string("tournaments/print/page.html", context, request)
    page = one_file(made)
    stem = slugify(context["event"].name) or "event"
    name = f"{stem}-{sheet}-{context['number']}.html"
    return HttpResponse(
        page,
        content_type="text/html; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )
