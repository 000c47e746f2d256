"""The judge's page of a duel: every instrument as a section, and the text to take away."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from duels import inspection, services, wording
from duels import wording_instruments as words
from duels.domain.instruments.ledgers import DrawRow, Tally
from duels.domain.instruments.repair import Return
from duels.domain.seats import VIEWERS
from duels.domain.walk import Card
from duels.inspection import Inspection
from eventstore.domain.refusal import Refused
from eventstore.ids import is_id
from people import selectors as people
from people.domain.names import joined
from people.guard import guarded
from people.web import actor_of, command_context

PLAYERS = ("P1", "P2")
FLAGGED = "flagged"


@guarded("duels.instruments_read")
@never_cache
@require_GET
def inspect(request: HttpRequest, duel_id: str) -> HttpResponse:
    """All instruments at `?at=`; nonsense there is the newest event."""
    if not is_id(duel_id):
        raise Http404
    given = request.GET.get("at", "")
    at = int(given) if given.isascii() and given.isdigit() and len(given) <= 9 else None
    viewer = actor_of(request)
    try:
        found = inspection.inspection(viewer, duel_id, at)
    except Refused:
        found = inspection.inspection(viewer, duel_id)
    players = players_of(found)
    filtered = request.GET.get("draws", "")
    return render(request, "duels/inspect.html", instruments(found, players, filtered))


@guarded("duels.lot_draw")
@require_POST
def lot(request: HttpRequest, duel_id: str) -> HttpResponse:
    """Draw lots over the hand of `player`, and go back to the page at the new line."""
    if not is_id(duel_id):
        raise Http404
    number = request.POST.get("n", "1")
    n = int(number) if number.isascii() and number.isdigit() and len(number) <= 4 else 0
    try:
        drawn = services.lot_draw(
            command_context(request, "judge"),
            duel_id=duel_id,
            player=request.POST.get("player", ""),
            n=n,
        )
    except Refused as fault:
        messages.error(request, wording.refusal_text(fault.refusal) or fault.refusal.code)
        return redirect("duels:inspect", duel_id)
    return redirect(f"{reverse('duels:inspect', args=[duel_id])}?at={drawn.version}")


@guarded("duels.duel_read")
@never_cache
@require_GET
def text(request: HttpRequest, duel_id: str) -> HttpResponse:
    """The text of the duel for `?as=`; an unknown perspective is the public one."""
    if not is_id(duel_id):
        raise Http404
    asked = request.GET.get("as", "")
    perspective = asked if asked in VIEWERS else "public"
    try:
        _, body = inspection.duel_text(actor_of(request), duel_id, perspective)
    except Refused:
        raise Http404 from None
    response = HttpResponse(body, content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="duel-{duel_id}-{perspective}.txt"'
    response["Cache-Control"] = "no-store"
    return response


def players_of(found: Inspection) -> dict[str, str]:
    """Return the names of those who play, by seat; one query."""
    names = people.names(person for persons in found.seats.values() for person in persons)
    return {seat: joined(persons, names) or wording.DASH for seat, persons in found.seats.items()}


def instruments(
    found: Inspection, players: Mapping[str, str], draws_of: str = ""
) -> dict[str, Any]:
    """Return the context of the templates in `duels/parts`: every instrument in words. `players`:
    names by seat. `draws_of` filters the draw ledger: a seat, a cause, or flagged ones; anything
    else lists all."""
    lp, audit = found.life_points, found.audit
    causes = [
        cause for cause in words.DRAW_CAUSES if any(row.cause == cause for row in found.draws)
    ]
    if draws_of not in (*PLAYERS, FLAGGED, *causes):
        draws_of = ""
    return {
        "duel": found,
        "players": players,
        "steps": {
            "before": found.at - 1 if found.at > 1 else None,
            "next": found.at + 1 if found.at < found.head else None,
        },
        "marks": [
            {"word": wording.FLAGS.get(flag.code, flag.code), "params": _params(dict(flag.params))}
            for flag in found.marks
        ],
        "infractions": [
            {"seq": one.seq, "rule": one.rule, "who": players.get(one.player or "", wording.DASH)}
            for one in found.infractions
        ],
        "draws": [_draw(row, found, players) for row in found.draws if _listed(row, draws_of)],
        "draws_of": draws_of,
        "draw_filters": [
            ("", _("all")),
            *((seat, players.get(seat, seat)) for seat in PLAYERS),
            (FLAGGED, _("flagged")),
            *((cause, words.DRAW_CAUSES[cause]) for cause in causes),
        ],
        "wrong_draws": [_draw(row, found, players) for row in found.draws if row.flags],
        "audit": audit,
        "counts": [
            {"row": row, "by": players.get(row.by or ""), "about": players.get(row.about or "")}
            for row in audit.rows
            if row.declared is not None
        ],
        "between": [_line(seq, found, players) for seq in audit.between],
        "here": _line(found.at, found, players),
        "has_points": any(lp.ledger.life_points.values()) or bool(lp.ledger.rows),
        "tallies": [_tally(one, players) for one in found.tallies],
        "divergence": lp.ledger.divergence,
        "ledger": lp.ledger.rows,
        "slips": [
            {
                "word": words.SLIPS.get(one.code, one.code),
                "who": words.knower(one.whose, players),
                "seq": one.seq,
            }
            for one in lp.candidates
        ],
        "repairable": {
            "answer": words.ANSWERS.get(found.repairable.answer, found.repairable.answer),
            "state": {"simple": "ok", "possible": "run", "information_leaked": "wait"}.get(
                found.repairable.answer, "bad"
            ),
            "reasons": [
                words.reason(one.code, one.params, players) for one in found.repairable.reasons
            ],
        },
        "plan": _plan(found, players),
        "turns": found.pace.pace.turns,
        "medians": found.pace.pace.medians,
        "room_median": found.pace.room_median,
        "knowledge": [
            {
                "card": card_name(row.card),
                "place": row.card.place,
                "knowers": [
                    {"who": words.knower(knower, players), "since": seen.since}
                    for knower, seen in row.knowers.items()
                    if knower != "judge"
                ],
            }
            for row in found.knowledge
        ],
        "fairness": {
            "word": words.FAIRNESS[found.fairness.state],
            "state": {"kept": "ok", "broken": "bad"}.get(found.fairness.state, "off"),
            "faults": [
                {"seq": one.seq, "word": words.FAIRNESS_FAULTS.get(one.code, one.code)}
                for one in found.fairness.faults
            ],
        },
    }


def _listed(row: DrawRow, draws_of: str) -> bool:
    """Say whether a row passes the filter of the draw ledger."""
    if draws_of == FLAGGED:
        return bool(row.flags)
    return draws_of in ("", row.player, row.cause)


def _line(seq: int, found: Inspection, players: Mapping[str, str]) -> dict[str, Any]:
    line = found.lines[seq - 1]
    return {"seq": seq, "text": wording.line_text(line.code, line.params, players)}


def _params(params: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {value}" for key, value in params.items())


def card_name(card: Card) -> str:
    """Name a card for a judge; one that is closed to the reader is *a hidden card*."""
    if not card.card:
        return str(words.HIDDEN_CARD)
    return card.name or card.key or wording.DASH


def _draw(row: DrawRow, found: Inspection, players: Mapping[str, str]) -> dict[str, Any]:
    return {
        "seq": row.seq,
        "time": found.times[row.seq - 1][11:19],
        "turn": row.turn,
        "phase": row.phase,
        "who": players.get(row.player, row.player),
        "card": card_name(row.card),
        "source": row.source,
        "cause": words.DRAW_CAUSES.get(row.cause, row.cause),
        "by": card_name(row.by) if row.by is not None else "",
        "known_to": ", ".join(words.knower(one, players) for one in row.known_to),
        "flags": [words.DRAW_FLAGS.get(flag, flag) for flag in row.flags],
        "struck": row.struck,
    }


def _tally(tally: Tally, players: Mapping[str, str]) -> dict[str, Any]:
    rows = [
        {
            "seq": row.seq,
            "turn": row.turn,
            "who": players.get(row.player, row.player),
            "what": words.BEFELL.get(row.what, row.what),
            "cards": ", ".join(card_name(card) for card in row.cards),
            "counts": row.counts,
            "flags": [words.TALLY_FLAGS.get(flag, flag) for flag in row.flags],
            "struck": row.struck,
        }
        for row in tally.rows
    ]
    return {
        "zone": tally.zone,
        "title": words.TALLIES.get(tally.zone, tally.zone),
        "rows": rows,
        "wrong": [row for row in rows if row["flags"]],
    }


def _plan(found: Inspection, players: Mapping[str, str]) -> dict[str, Any] | None:
    plan = found.plan
    if plan is None:
        return None
    return {
        "to": plan.to,
        "events": [_line(one.seq, found, players) for one in plan.events],
        "returns": [_return(one) for one in plan.returns],
        "decisions": [
            {"who": players.get(player, player), "n": len(plan.since.decisions[player])}
            for player in PLAYERS
        ],
        "turns": plan.since.turns,
        "shuffles": plan.since.shuffles,
        "learned": [
            {"who": words.knower(one.viewer, players), "card": card_name(one.card), "seq": one.seq}
            for one in plan.since.learned
        ],
    }


def _return(one: Return) -> dict[str, Any]:
    return {
        "card": card_name(one.card),
        "place": one.card.place,
        "back_to": one.back_to,
        "random_of": one.random_of,
    }
