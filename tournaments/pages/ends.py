"""The end of a match: one question at a time, on a judge's phone or inside the table sheet."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from people.domain.actor import Actor
from people.guard import guarded
from people.posts import Form, Sent, perform, send, text_of
from people.web import actor_of
from tournaments import selectors, services
from tournaments.pages import end_words
from tournaments.pages.common import staff_frame
from tournaments.selectors import EndView

DONE = {
    "start": gettext_lazy("The end of the match has begun."),
    "answer": "",
    "back": "",
    "confirm": gettext_lazy("The result is in."),
}


def end_context(viewer: Actor, match_id: str) -> dict[str, Any]:
    """Return what `tournaments/parts/end.html` needs. Raises NotAllowed."""
    view: EndView = selectors.end_of(viewer, match_id)
    names = (view.detail.p1.name, view.detail.p2.name)
    context: dict[str, Any] = {
        "end": view,
        "end_clock": view.clock,
        "end_rules": end_words.ruleset_text(view.rules.id),
        "end_answers": [
            (end_words.question_text(one), end_words.answer_text(one, said, names))
            for one, said in view.answered
        ],
    }
    if view.question is not None:
        context["end_question"] = end_words.question_text(view.question)
        context["end_options"] = [
            (one, end_words.answer_text(view.question, one, names)) for one in view.question.options
        ]
    if view.ended is not None or view.detail.row.winner:
        why = view.detail.row.end.get("why") or (view.ended.why if view.ended else ())
        context["end_why"] = [end_words.WHY[one] for one in why]
    return context


def _acts(request: HttpRequest, match_id: str) -> dict[str, Any]:
    def run(service: Any, **values: Any) -> Sent:
        return send(request, "judge", service, match_id=match_id, **values)

    def answer() -> Sent:
        given = text_of(request, "answer", 40)
        if "lp1" in request.POST:  # what was typed, so that a refusal names it
            given = f"{text_of(request, 'lp1', 20).strip()}-{text_of(request, 'lp2', 20).strip()}"
        return run(services.end_answer, question=text_of(request, "question", 40), answer=given)

    return {
        "start": lambda: run(services.end_start),
        "answer": answer,
        "back": lambda: run(services.end_back),
        "confirm": lambda: run(services.end_confirm),
    }


@guarded("tournaments.end_of_match")
@never_cache
@require_http_methods(["GET", "POST"])
def end(request: HttpRequest, match_id: str) -> HttpResponse:
    """The page of one table; asked by htmx it is the part alone, so that a sheet can hold it."""
    viewer = actor_of(request)
    selectors.end_of(viewer, match_id)
    form = Form()
    if request.method == "POST":
        refused = perform(request, _acts(request, match_id), DONE)
        if refused is None and not request.htmx:  # type: ignore[attr-defined]
            return redirect("staff:table_end", match_id)
        form = refused or form
    context = end_context(viewer, match_id) | {"end_form": form}
    if request.htmx:  # type: ignore[attr-defined]
        return render(request, "tournaments/parts/end.html", context)
    context |= staff_frame(request, viewer, context["end"].detail.event.pk)
    return render(request, "tournaments/table_end.html", context, status=form.status)
