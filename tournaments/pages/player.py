"""A player's own pages: my events, my match, my standing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from decks import library
from duels import selectors as duels
from duels import services as duel_services
from duels.pads import pad_refused
from duels.rules.games import is_played
from eventstore import clock
from eventstore.domain.refusal import Refusal
from eventstore.ids import is_id
from eventstore.prepared import Bound
from people.domain.actor import Actor
from people.guard import guarded
from people.live import live
from people.posts import Form, Sent, number_of, perform, send, text_of
from people.web import DEVICE_EVENTS, actor_of, keep_offline
from tournaments import selectors, services
from tournaments.beside import beside, looked_up
from tournaments.domain import results, scores
from tournaments.domain.enrolment import taken_back
from tournaments.domain.setup import NOT_IN_MATCH
from tournaments.models import MatchRow
from tournaments.selectors import EventHome, MatchDetail

OTHER = {"P1": "P2", "P2": "P1"}


@guarded("tournaments.event_read")
@never_cache
@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """My events; the one this phone was joined to, or the only one, opens at once."""
    viewer = actor_of(request)
    events = selectors.my_events(viewer)
    waiting = selectors.my_waiting(viewer, {one.pk for one in events})
    joined = request.session.get(DEVICE_EVENTS, [])[-1:]
    for held, page in ((events, "my:match"), (waiting, "my:seat")):
        if any(one.pk in joined for one in held):
            return redirect(page, joined[0])
    if len(events) == 1 and not waiting:
        return redirect("my:match", events[0].pk)
    if joined and not events and not waiting:
        row = selectors.event_home(viewer, joined[0]).row
        if selectors.my_seat(viewer, row, selectors.door_now(viewer, row.pk)).state == "none":
            # a witness who does not play: only what the judges ask
            return redirect("my_calls:statements", row.pk)
    return render(request, "tournaments/my_home.html", {"events": events, "waiting": waiting})


def own(
    request: HttpRequest, viewer: Actor, event_id: str, along: Sequence[Bound] = ()
) -> tuple[EventHome, dict[str, Any]]:
    """Return an event the viewer takes part in, and the context of the player's frame; `along` as
    for `selectors.event_home`.

    Raises NotAllowed, and Http404 for an event that the viewer does not take part in.
    """
    held = selectors.event_home(viewer, event_id, along)
    if held.entrant_id is None:
        raise Http404
    return held, {"home": held, "event": held.row}


def put_away(
    request: HttpRequest, viewer: Actor, held: EventHome, context: dict[str, Any]
) -> HttpResponse | None:
    """Return the bare page for a player whose match runs where phones are forbidden in a match:
    table, clock, "raise your hand". None where the usual page may show. A post is refused with
    `tournaments.devices_put_away`."""
    if held.row.devices != NOT_IN_MATCH:
        return None
    detail = selectors.my_match(viewer, held.row.pk, held)
    if detail is None or detail.row.winner:
        return None
    refusal = Refusal("tournaments.devices_put_away") if request.method == "POST" else None
    context |= {"detail": detail, "form": Form("", refusal), "time": clock.now()}
    context["clock"] = selectors.table_clock(detail.row)
    return render(request, "tournaments/my_put_away.html", context, status=409 if refusal else 200)


def match_meant(request: HttpRequest, viewer: Actor, event_id: str) -> MatchDetail | None:
    """Return the match that a form was written for: a phone may send it rounds later. Without
    one it is the viewer's match of the newest round, None without a match.

    Raises NotAllowed, and Http404 for a match of another event.
    """
    meant = request.POST.get("match_id", "")
    if not is_id(meant):
        return selectors.my_match(viewer, event_id)
    detail = selectors.match_detail(viewer, meant)
    if detail.row.event_id != event_id:
        raise Http404
    return detail


def match_row_meant(request: HttpRequest, viewer: Actor, held: EventHome) -> MatchRow | None:
    """Return the row of the same match for a form that needs no more of it: no query where it was
    asked along with the event.

    Raises NotAllowed, for a match of another event as well.
    """
    meant = request.POST.get("match_id", "")
    if is_id(meant):
        return selectors.match_of(viewer, held.row.pk, meant, *held.along)
    detail = selectors.my_match(viewer, held.row.pk, held)
    return None if detail is None else detail.row


def turned(score: tuple[int, int, int], seat: str | None) -> str:
    """Write a score as the player of a seat says it: own wins first, draws last if any."""
    first, second, drawn = score if seat != "P2" else (score[1], score[0], score[2])
    return f"{first}-{second}-{drawn}" if drawn else f"{first}-{second}"


def _choices(detail: MatchDetail) -> list[dict[str, Any]]:
    """Return the scores a report can show, own wins first, best for the player first."""
    rows = []
    wins = scores.named(detail.row.rules).wins
    for score in detail.possible:
        mine = score[1] if detail.seat == "P2" else score[0]
        theirs = score[0] if detail.seat == "P2" else score[1]
        rows.append(
            {
                "value": "-".join(str(part) for part in score),
                "label": turned(score, detail.seat),
                "plain": score[2] == 0 and max(mine, theirs) == wins,
                "order": (-(mine - theirs), score[2]),
            }
        )
    return sorted(rows, key=lambda one: one["order"])


def score_of(request: HttpRequest, name: str = "score") -> list[int] | None:
    """Return a posted score such as 2-1 or 1-1-1 as three numbers; None for anything else."""
    parts = text_of(request, name, 20).split("-")
    if len(parts) not in (2, 3) or not all(one.isascii() and one.isdigit() for one in parts):
        return None
    numbers = [int(one) for one in parts]
    return numbers if len(numbers) == 3 else [*numbers, 0]


def _acts(request: HttpRequest, row: MatchRow, seat: str) -> dict[str, Any]:
    match_id = row.pk

    def run(service: Any, **values: Any) -> Sent:
        return send(request, "player", service, match_id=match_id, **values)

    def toss() -> Sent:
        winner = text_of(request, "winner", 2)
        return run(services.coin_toss, winner=winner if winner in scores.SEATS else None)

    return {
        "claim": lambda: run(services.result_claim, score=score_of(request)),
        "concede": lambda: run(
            services.result_claim, reason=results.CONCESSION, winner=OTHER.get(seat)
        ),
        "toss": toss,
        "choose": lambda: run(services.starter_choose, first=text_of(request, "first", 2)),
        "duel": lambda: run(services.duel_start),
        "take": lambda: run(services.duel_result_take),
        "lp": lambda: _lp_noted(request, row, seat),
    }


def _lp_noted(request: HttpRequest, row: MatchRow, seat: str) -> Sent:
    """Record a line of the player's own pad: the Life Points of one of the two."""
    mine, duel_id = text_of(request, "about", 6) != "theirs", text_of(request, "duel_id", 36)
    if all(one["duel_id"] != duel_id for one in row.duels):
        return Sent(refusal=Refusal("duels.not_open"))
    statement = {
        "statement": "lp_declared",
        "about": seat if mine else OTHER.get(seat, ""),
        "value": number_of(request, "value"),
        "pad_seq": number_of(request, "pad_seq"),
        "client_time": text_of(request, "client_time", 30) or None,
    }
    return send(
        request,
        "player",
        duel_services.statement_make,
        duel_id=duel_id,
        player=seat,
        statement=statement,
    )


def _claimed(state: str) -> str:
    return {
        "claimed": _("Your report is in. It counts when your opponent reports the same."),
        "disputed": _("Your report differs from your opponent's. Staff will decide."),
        "decided": _("The result is in force."),
        "contested": _("Staff have entered another result. Your report stands beside it."),
    }.get(state, _("Your report is in."))


DONE = {
    "claim": _claimed,
    "concede": gettext_lazy("You have conceded the match."),
    "toss": gettext_lazy("The coin is tossed."),
    "choose": gettext_lazy("It is settled who starts."),
    "duel": gettext_lazy("The log of the duel is open."),
    "take": gettext_lazy("The result of the duel is taken from its log."),
    "lp": gettext_lazy("Your line is noted in the log of the duel."),
    "check_in": gettext_lazy("You are checked in."),
    "drop": gettext_lazy("You have dropped from the event."),
}


def _waits(viewer: Actor, event_id: str) -> bool:
    """Say whether the viewer waits, or waited, for a seat in an event. Raises NotAllowed."""
    home = selectors.event_home(viewer, event_id)
    seats = selectors.door_now(viewer, event_id)
    return selectors.my_seat(viewer, home.row, seats).state != "none"


def _along(request: HttpRequest, viewer: Actor, event_id: str) -> list[Bound]:
    """Return what is asked along with the event: the match that a form names, for the page the
    own one."""
    if request.method == "GET":
        return [selectors.own_matches.bind(viewer.person_id, event_id)]
    meant = request.POST.get("match_id", "")
    return [selectors.match_rows.bind(meant)] if is_id(meant) else []


@guarded("tournaments.match_read")
@live("round", "mine")
@never_cache
@require_http_methods(["GET", "POST"])
def match(request: HttpRequest, event_id: str) -> HttpResponse:
    """My match: table, opponent, coin and choice, the duel, my report. Who waits for a seat is
    led to the place in the line."""
    viewer = actor_of(request)
    try:
        held, context = own(request, viewer, event_id, _along(request, viewer, event_id))
    except Http404:
        if _waits(viewer, event_id):
            return redirect("my:seat", event_id)
        raise
    bare = put_away(request, viewer, held, context)
    if bare is not None:
        return bare
    if held.row.devices != NOT_IN_MATCH:
        keep_offline(request, reverse("my:home"))
    entrant_id = held.entrant_id or ""
    form = Form()
    if request.method == "POST":
        acts = {
            "check_in": lambda: send(
                request,
                "player",
                services.entrant_check_in,
                event_id=event_id,
                entrant_id=entrant_id,
            ),
            "drop": lambda: send(
                request,
                "player",
                services.entrant_drop,
                event_id=event_id,
                entrant_id=entrant_id,
            ),
        }
        meant = match_row_meant(request, viewer, held)
        if meant is not None:
            acts |= _acts(request, meant, selectors.seat_in(viewer, meant) or "")
        refused = perform(request, acts, DONE)
        if refused is None:
            return redirect("my:match", event_id)
        form = refused
    posted = request.POST if request.method == "POST" else request.GET  # a score as proposed
    context |= {"form": form, "posted": posted}
    known = held.along if request.method == "GET" else ()
    table = selectors.my_table(viewer, held, looked_up(viewer, held), *known)
    if table is None:
        context["me"] = selectors.own_line(viewer, event_id, entrant_id)
        context["losses"] = selectors.my_losses(viewer, event_id, entrant_id)
        context["beside"] = beside(request, held)
    else:
        detail = table.detail
        context["me"] = detail.own or selectors.own_line(viewer, event_id, entrant_id)
        context |= {"detail": detail, "losses": table.losses, "messages_read": table.messages}
        context |= {"clock": table.clock, "beside": beside(request, held, table.more)}
        context |= _match_context(detail)
        context["logged"] = is_played(held.row.game)
        if detail.running is not None and detail.running["duel_id"]:
            context["pad_open"] = pad_refused(event_id, detail.row.pk) is None
        context["sided"] = library.named(held.row.preset).has_side
    context["taken_back"] = context["me"].reason == taken_back(held.row.round)
    return render(request, "tournaments/my_match.html", context, status=form.status)


def _match_context(detail: MatchDetail) -> dict[str, Any]:
    mine, theirs = (detail.p1, detail.p2) if detail.seat == "P1" else (detail.p2, detail.p1)
    claim = detail.claims.get(detail.seat or "")
    return {
        "opponent": theirs,
        "mine": mine,
        "other_seat": OTHER.get(detail.seat or "", ""),
        "score": turned(detail.score, detail.seat),
        "claim": claim,
        "claim_score": turned(tuple(claim["score"]), detail.seat) if claim else "",
        "choices": _choices(detail),
        "won": detail.row.winner == detail.seat,
        "logs": [one for one in detail.duels if one["duel_id"] and one["winner"]],
        "pad_next": _pad_next(detail),
    }


def _pad_next(detail: MatchDetail) -> int:
    """The number of the next line on the player's own pad; one query while a duel is logged."""
    running = detail.running
    if running is None or not running["duel_id"] or not detail.may_play:
        return 0
    lines = duels.duel_state(running["duel_id"]).pad_lines
    return 1 + max((number for player, number in lines if player == detail.seat), default=0)


@guarded("tournaments.standings_read")
@live("board")
@never_cache
@require_GET
def standing(request: HttpRequest, event_id: str) -> HttpResponse:
    """My place, what it is made of, and who is around me."""
    viewer = actor_of(request)
    held, context = own(request, viewer, event_id)
    bare = put_away(request, viewer, held, context)
    if bare is not None:
        return bare
    view = selectors.standings_after(viewer, event_id)
    lines = list(view.lines)
    at = next((at for at, one in enumerate(lines) if one.side.entrant_id == held.entrant_id), None)
    by_id = {one.side.entrant_id: one.side for one in lines}
    context |= {"view": view, "opened": lines[at] if at is not None else None}
    if at is not None:
        context["around"] = lines[max(0, at - 2) : at + 3]
        context["facing"] = [
            (by_id.get(one["entrant"]), one) for one in lines[at].detail["opponents"]
        ]
    return render(request, "tournaments/my_standing.html", context)
