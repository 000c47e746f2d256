"""Ways to a judge that begin at a table: its printed code, and staff who call for it."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from eventstore.domain.refusal import Refusal
from judging import selectors_sheet as selectors
from judging import services
from judging.domain.words import CALLABLE, Category
from people.access import may, require
from people.domain.permissions import Subject
from people.guard import guarded
from people.posts import Form, Sent, form_id, number_of, perform, send, text_of
from people.web import actor_of
from tournaments import selectors as tournaments
from tournaments.pages.common import number_in, paged, staff_frame
from tournaments.pages.people import only_here, qr_svg

MOST_CODES, PER_PAGE = 500, 60


@guarded("portal.page_read")
@never_cache
@require_GET
def point(request: HttpRequest, event_id: str, table: int) -> HttpResponse:
    """Where the code on a table leads: a judge to its sheet, a player to the call of a judge,
    other staff to calling one there, everybody else to the event."""
    viewer = actor_of(request)
    home = tournaments.event_home(viewer, event_id)
    private = Subject(event_id, public=False)
    if may(viewer, "judging.call_take", private):
        # the pad leads on, to the sheet or, who plays at this table, to the call of a player
        return redirect(f"{reverse('calls:find', args=[event_id])}?number={table}")
    if home.entrant_id is not None:
        return redirect("my_calls:call", event_id)
    if may(viewer, "judging.call_raise", private):
        return redirect(f"{reverse('calls:raise', args=[event_id])}?table={table}")
    return redirect("tournaments:home", event_id)


def _raised(result: Any) -> str:
    if result.merged:
        return _("A judge is called there already; your call was joined to it.")
    return _("A judge is called.")


@guarded("judging.call_raise")
@never_cache
@require_http_methods(["GET", "POST"])
def raise_call(request: HttpRequest, event_id: str) -> HttpResponse:
    """Staff call a judge to a table."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    require(viewer, "judging.call_raise", Subject(event_id, public=False))
    form = Form()
    if request.method == "POST":
        refused = perform(request, {"raise": lambda: _raise(request, event_id)}, {"raise": _raised})
        if refused is None:
            return redirect("calls:raise", event_id)
        form = refused
    context |= {
        "form": form,
        "table": number_of(request, "table") or number_in(request, "table"),
        "categories": [one.value for one in CALLABLE],
        "waiting": selectors.waiting(viewer, event_id),
    }
    return render(request, "judging/raise.html", context, status=form.status)


def _raise(request: HttpRequest, event_id: str) -> Sent:
    table = number_of(request, "table") or 0
    match_id = selectors.match_at(actor_of(request), event_id, table)
    if match_id is None:
        return Sent(refusal=Refusal("judging.no_such_table", {"found": table}))
    return send(
        request,
        "organiser",
        services.call_raise,
        call_id=form_id(request, "call_id"),
        match_id=match_id,
        category=text_of(request, "category", 20) or Category.RULES.value,
        head_judge_wanted=request.POST.get("head_judge") == "1",
    )


@guarded("judging.floor_watch")
@never_cache
@require_GET
def strip(request: HttpRequest, event_id: str) -> HttpResponse:
    """The fragment of the desk: which tables wait for a judge, and how long."""
    viewer = actor_of(request)
    found = selectors.waiting(viewer, event_id)
    reads = may(viewer, "judging.queue_read", Subject(event_id, public=False))
    return render(
        request,
        "judging/strip.html",
        {"waiting": found, "event_id": event_id, "reads_queue": reads},
    )


@guarded("tournaments.desk_use")
@never_cache
@require_GET
def codes(request: HttpRequest, event_id: str) -> HttpResponse:
    """Codes of tables to print, cut and lay out: `from` and `to`, else the tables of the round; in
    pages of sixty, all of them at once for printing (`all`)."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    require(viewer, "tournaments.desk_use", Subject(event_id))
    tables = selectors.table_numbers(event_id)
    first = number_in(request, "from") or (min(tables) if tables else 1)
    last = number_in(request, "to") or (max(tables) if tables else max(1, first))

    numbers = range(first, min(last, first + MOST_CODES - 1) + 1)
    whole = request.GET.get("all") == "1"
    page = paged(request, numbers, MOST_CODES if whole else PER_PAGE)

    def code(number: int) -> SafeString:
        address = reverse("points:point", args=[event_id, number])
        return qr_svg(request.build_absolute_uri(address))

    context |= {
        "first": first,
        "last": last,
        "page": page,
        "whole": whole,
        "codes": [(number, code(number)) for number in page],
        "only_here": only_here(request),
    }
    return render(request, "judging/table_codes.html", context)
