"""The page of the rewind planner: pick the line of the error, read what lies since, sign."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from duels import wording as duel_words
from duels import wording_instruments as instruments
from duels.inspection import Inspection
from duels.pages.inspect import card_name
from judging import rewinding, services
from judging.domain.rewinding import QUESTIONS, answer_of, read_checklist
from judging.domain.words import Outcome, Remedy
from judging.packs import pack
from judging.rewinding import Planner, Sheet
from judging.selectors import citable_rules
from judging.wording import infraction_label
from people import selectors as people
from people.domain.names import joined
from people.guard import guarded
from people.posts import Form, Sent, form_id, perform, send, text_of
from people.web import actor_of
from tournaments.pages.common import number_in, staff_frame

NOTE = 4000


def _checklist(given: Mapping[str, str]) -> dict[str, bool]:
    """Read the four answers of a form; a question without one is left out."""
    return {one: given[one] == "yes" for one in QUESTIONS if given.get(one) in ("yes", "no")}


def _acts(request: HttpRequest, call_id: str, signs: str) -> dict[str, Any]:
    def sign() -> Sent:
        infraction, _, kind = text_of(request, "infraction", 80).partition(":")
        values: dict[str, Any] = {
            "ruling_id": form_id(request, "ruling_id"),
            "rule_id": text_of(request, "rule_id", 40) or None,
            "infraction": infraction or None,
            "infraction_kind": kind or None,
            "target_entrant": text_of(request, "target_entrant", 36) or None,
            "remedy": Remedy.REWIND.value,
            "note": text_of(request, "note", NOTE + 1),
        }
        line = text_of(request, "line", 9)
        if "line" in request.POST:
            number = int(line) if line.isascii() and line.isdigit() else 0
            values |= {"duel_id": text_of(request, "duel_id", 36), "rewind_to": number - 1}
        else:
            values["checklist"] = _checklist(request.POST)
        if signs == "appeal":
            outcome = text_of(request, "outcome", 20) or Outcome.OVERTURNED.value
            return send(
                request, "judge", services.appeal_rule, call_id=call_id, outcome=outcome, **values
            )
        return send(request, "judge", services.ruling_make, call_id=call_id, **values)

    def undo() -> Sent:
        return send(
            request,
            "judge",
            rewinding.rewind_undo,
            call_id=call_id,
            ruling_id=text_of(request, "ruling_id", 36),
            reason=text_of(request, "reason", NOTE + 1),
        )

    return {"sign": sign, "undo": undo}


DONE = {
    "sign": gettext_lazy("The game goes back. The sheet below says what to do at the table."),
    "undo": gettext_lazy("The rewind is undone: play stands where it stood before it."),
}


@guarded("judging.rewind_plan")
@never_cache
@require_http_methods(["GET", "POST"])
def planner(request: HttpRequest, call_id: str) -> HttpResponse:
    """What going back to `?line=` of `?duel=` would undo, or the four questions; sign and undo."""
    viewer = actor_of(request)
    given = request.POST if request.method == "POST" else request.GET
    duel_id, line = given.get("duel_id", "")[:36], number_in(request, "line")
    whole = "all" in request.GET
    view = rewinding.planner(viewer, call_id, duel_id, line, whole=whole)
    context = staff_frame(request, viewer, view.call.event_id)
    form = Form()
    if request.method == "POST":
        refused = perform(request, _acts(request, call_id, view.signs), DONE)
        if refused is None:
            return redirect("calls:rewind", call_id)
        form = refused
    names = people.names(one for seat in view.call.seats for one in seat)
    players = {
        seat: joined(persons, names) or duel_words.DASH
        for seat, persons in zip(("P1", "P2"), view.call.seats, strict=True)
    }
    used = pack(view.call.pack, view.call.pack_version)
    answered = read_checklist(_checklist(given))
    context |= {
        "form": form,
        "view": view,
        "call": view.call,
        "posted": request.POST,
        "players": players,
        "info_gain": used.rewind.info_gain,
        "pack": used,
        "infractions": [
            {"value": f"{code}:{kind}", "code": code, "kind": kind, "label": _label(used, code)}
            for code, one in used.infractions.items()
            if Remedy.REWIND in one.remedies
            for kind in one.kinds
        ],
        "rules": citable_rules(viewer, view.call.event_id) if view.signs else [],
        "seats": list(zip(("P1", "P2"), view.call.entrants, players.values(), strict=True)),
        "plan": _plan(view.found, view, players) if view.found else None,
        "questions": [{"code": one, "given": given.get(one, "")} for one in QUESTIONS],
        "answer": answer_of(answered) if isinstance(answered, dict) else "",
        "outcomes": [Outcome.MODIFIED.value, Outcome.OVERTURNED.value],
        "sheets": [_sheet(one, players) for one in reversed(view.sheets)],
    }
    return render(request, "judging/rewind.html", context, status=form.status)


def _label(used: Any, code: str) -> str:
    return infraction_label(used, code)


def _text(found: Inspection, seq: int, players: Mapping[str, str]) -> str:
    line = found.lines[seq - 1]
    return duel_words.line_text(line.code, line.params, players)


def _plan(found: Inspection, view: Planner, players: Mapping[str, str]) -> dict[str, Any]:
    """The plan in words: lines newest first, what goes back, what was learned and by whom."""
    made = found.plan
    struck = {one.seq for one in made.events} if made else set()
    return {
        "line": found.at,
        "to": made.to if made else found.at - 1,
        "events": len(struck),
        "lines": [
            {
                "seq": seq,
                "text": _text(found, seq, players),
                "turn": found.lines[seq - 1].turn,
                "struck": seq in struck,
            }
            for seq in view.open_lines
        ],
        "answer": found.repairable.answer,
        "reasons": [
            instruments.reason(one.code, one.params, players) for one in found.repairable.reasons
        ],
        "decisions": [
            {"who": players[seat], "n": len(made.since.decisions[seat])} for seat in players
        ]
        if made
        else [],
        "turns": made.since.turns if made else 0,
        "shuffles": len(made.since.shuffles) if made else 0,
        "returns": [
            {
                "card": card_name(one.card),
                "owner": players.get(one.card.owner, ""),
                "place": one.card.place,
                "back_to": one.back_to,
                "random_of": one.random_of,
            }
            for one in (made.returns if made else ())
        ],
        "learned": [
            {
                "who": instruments.knower(one.viewer, players),
                "card": card_name(one.card),
                "seq": one.seq,
            }
            for one in (made.since.learned if made else ())
        ],
    }


def _sheet(one: Sheet, players: Mapping[str, str]) -> dict[str, Any]:
    back, gone = (
        rewinding.comes_back(one.duel_id, one.rewound)
        if one.undoable and one.rewound is not None
        else (0, 0)
    )
    return {
        "one": one,
        "reasons": [
            instruments.reason(str(told["code"]), told["params"], players) for told in one.reasons
        ],
        "no": [code for code in QUESTIONS if one.checklist and not one.checklist[code]],
        "lots": [{**lot, "who": players.get(lot["player"], "")} for lot in one.lots],
        "learned": [
            {"who": instruments.knower(viewer, players), "n": n}
            for viewer, n in one.learned.items()
        ],
        "back": back,
        "gone": gone,
    }
