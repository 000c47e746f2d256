"""The case of a call on one page: log, ledgers, counts, knowledge, lists, clock, notes,
statements, and the way to hidden cards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from decks import pictures
from duels import wording as duel_words
from duels.inspection import Inspection
from duels.pages.inspect import instruments, players_of
from eventstore.domain.refusal import Refusal, Refused
from judging import case as cases
from judging import casephotos, statements, wording
from judging.case import Case
from judging.domain.words import OPEN, SEATS
from judging.packs import pack
from people.access import may
from people.domain.actor import Actor
from people.domain.permissions import Subject
from people.guard import guarded
from people.posts import Form, Sent, form_id, perform, send, text_of
from people.uploads import picture_bytes
from people.web import actor_of
from tournaments.pages.common import staff_frame

NOTE = 4000
AROUND = 6
"""Lines of the log shown on each side of the one in question."""
BEFORE, AFTER = 4, 2
"""Rows of the Life Point ledger shown before the first difference, and from it on."""


def _acts(request: HttpRequest, call_id: str) -> dict[str, Any]:
    def run(service: Any, **values: Any) -> Sent:
        return send(request, "judge", service, call_id=call_id, **values)

    def ask() -> Sent:
        persons = [one for one in request.POST.getlist("person")[:20] if len(one) <= 36]
        if not persons:
            raise BadRequest("nobody is asked")
        code = text_of(request, "infraction", 40)
        return run(statements.statements_ask, persons=persons, infraction=code)

    def photo() -> Sent:
        # decoding holds no lock of the database
        made = pictures.cleaned(picture_bytes(request, "photo", pictures.MAX_BYTES))
        if isinstance(made, Refusal):
            return Sent(refusal=made)
        return run(
            casephotos.case_photo_add,
            seat=text_of(request, "seat", 2),
            photo_id=form_id(request, "photo_id"),
            picture=made,
        )

    return {
        "photo": photo,
        "photo_erase": lambda: run(
            casephotos.case_photo_erase, photo_id=text_of(request, "photo_id", 36)
        ),
        "reveal": lambda: run(
            cases.hidden_reveal,
            duel_id=text_of(request, "duel_id", 36),
            reason=text_of(request, "reason", NOTE + 1),
        ),
        "ask": ask,
        "witness": lambda: run(
            statements.statements_ask,
            witnesses=[text_of(request, "display_name", 80)],
            infraction=text_of(request, "infraction", 40),
        ),
        "write": lambda: run(
            statements.statement_give,
            person=text_of(request, "person", 36),
            text=text_of(request, "text", NOTE + 1),
        ),
        "open": lambda: run(
            statements.statements_open, reason=text_of(request, "reason", NOTE + 1)
        ),
    }


DONE: Mapping[str, Any] = {
    "photo": gettext_lazy("The photo is kept."),
    "photo_erase": gettext_lazy("The photo is erased."),
    "reveal": gettext_lazy("The hidden cards are open to you. That is on record."),
    "ask": gettext_lazy("They are asked. Nobody reads a statement before all are in."),
    "witness": gettext_lazy("The witness is asked. Show the link to the phone of the witness."),
    "write": gettext_lazy("The statement is sealed."),
    "open": gettext_lazy("The statements are open. That is on record."),
}


@guarded("judging.case_read")
@never_cache
@require_http_methods(["GET", "POST"])
def case(request: HttpRequest, call_id: str, duel_id: str | None = None) -> HttpResponse:
    """The case at `?at=` of the log of a duel; nonsense there is the line in question."""
    viewer = actor_of(request)
    form = Form()
    here = _address(request, call_id, duel_id)
    if request.method == "POST":
        refused = perform(request, _acts(request, call_id), DONE)
        if refused is None:
            return redirect(here)
        form = refused
    given = request.GET.get("at", "")
    at = int(given) if given.isascii() and given.isdigit() and len(given) <= 9 else None
    try:
        found = cases.case(viewer, call_id, duel_id, at)
    except Refused:
        found = cases.case(viewer, call_id, duel_id)
    context = staff_frame(request, viewer, found.call.event_id)
    filtered = request.GET.get("draws", "")
    context |= _context(viewer, found, filtered) | {
        "form": form,
        "posted": request.POST,
        "here": here,
    }
    return render(request, "judging/case.html", context, status=form.status)


def _address(request: HttpRequest, call_id: str, duel_id: str | None) -> str:
    """Where the page stands, to come back to after a post."""
    if duel_id is None:
        path = reverse("calls:case", args=[call_id])
    else:
        path = reverse("calls:case_duel", args=[call_id, duel_id])
    query = request.GET.urlencode()
    return f"{path}?{query}" if query else path


def _context(viewer: Actor, found: Case, draws_of: str) -> dict[str, Any]:
    call = found.call
    used = pack(call.pack, call.pack_version)
    private = Subject(call.event_id, public=False)
    context: dict[str, Any] = {
        "case": found,
        "call": call,
        "match": found.match.row,
        "seats": list(zip(SEATS, (found.match.p1, found.match.p2), strict=True)),
        "told": [{"ruling": one, "text": wording.ruling_text(one, used)} for one in call.rulings],
        "lists": [
            {
                "seat": seat,
                "held": found.lists.lists.get(seat),
                "paper": seat in found.lists.paper,
            }
            for seat in SEATS
        ],
        "photos": casephotos.case_photos(viewer, call.call_id),
        "photos_allowed": used.photos_allowed and call.state in OPEN,
        "may_erase": may(viewer, "decks.photo_erase", private),
        "not_asked": _not_asked(found),
        "needing": [
            {"code": code, "label": wording.infraction_label(used, code)}
            for code in used.infractions
            if used.needs_statements(code)
        ],
        "may_demand": may(viewer, "judging.statements_open", private),
        "missing": [one for one in found.statements.statements if not one.given_at],
        "is_in": [one for one in found.statements.statements if one.given_at],
    }
    if found.duel is not None:
        players = players_of(found.duel)
        context |= instruments(found.duel, players, draws_of)
        context |= {"slice": _slice(found.duel, players), "near": _near(found.duel, players)}
        context["disputed"] = found.disputed
    return context


def _not_asked(found: Case) -> list[dict[str, str]]:
    """The players of the table who were not asked for a statement yet."""
    asked = {one.person_id for one in found.statements.statements}
    rows = []
    for seat, persons, shown in zip(
        SEATS, found.match.row.persons, found.call.players, strict=True
    ):
        for person, name in zip(persons, shown, strict=False):
            if person not in asked:
                rows.append({"seat": seat, "person": person, "name": name})
    return rows


def _slice(duel: Inspection, players: Mapping[str, str]) -> list[dict[str, Any]]:
    """The lines around the one looked at."""
    first, last = max(1, duel.at - AROUND), min(duel.head, duel.at + AROUND)
    return [
        {
            "seq": line.seq,
            "text": duel_words.line_text(line.code, line.params, players),
            "struck": line.struck,
            "turn": line.turn,
            "seat": seat if (seat := line.params.get("player", "")) in SEATS else "",
            "here": line.seq == duel.at,
        }
        for line in duel.lines[first - 1 : last]
    ]


def _near(duel: Inspection, players: Mapping[str, str]) -> list[dict[str, Any]]:
    """The rows of the ledger around the first difference, for the player whose Life Points
    differ."""
    ledger = duel.life_points.ledger
    if ledger.divergence is None:
        return []
    about = ledger.divergence.about
    at = next(at for at, row in enumerate(ledger.rows) if row.seq == ledger.divergence.seq)
    rows = ledger.rows[max(0, at - BEFORE) : at + AFTER]
    return [
        {
            "seq": row.seq,
            "text": duel_words.line_text(line.code, line.params, players),
            "derived": row.derived[about],
            "pads": [row.pads[seat][about] for seat in SEATS],
            "lit": row.diverges,
        }
        for row in rows
        for line in (duel.lines[row.seq - 1],)
    ]
