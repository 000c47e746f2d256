"""A duel at any event, for the perspective that the viewer may take."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote_plus

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from duels import replays, selectors, watching, wording
from duels.domain.seats import VIEWERS
from duels.pages.chart import chart
from duels.pages.jumps import jumps, marks
from duels.pages.notes import notes_on
from duels.pages.skins import skin_of
from duels.replays import ReplayShown
from duels.rules.games import recorder_of, rules_of
from duels.selectors import DuelShown, LogLine
from eventstore.domain.envelope import Recorded
from eventstore.domain.refusal import Refused
from people import selectors as people
from people.domain.actor import Actor
from people.domain.names import joined
from people.guard import guarded
from people.web import KEYS_COOKIE, actor_of

ALL_LINES = 400
"""A log up to this long is listed whole."""
ICONS = {
    "duels.rewound": "hjcall",
    "duels.lp_changed": "lp",
    "duels.lp_declared": "lp",
    "duels.lp_agreed": "check",
    "duels.attack_declared": "attack",
    "duels.attack_begun": "attack",
    "duels.attack_blocked": "shield",
    "duels.shields_broken": "shield",
    "duels.cards_drawn": "draw",
    "duels.line_disputed": "warn",
    "duels.infraction_recorded": "warn",
}
"""Lines that stand out in the list."""


def _position(request: HttpRequest, head: int) -> int:
    """Return the event of `?at=`; the newest for nonsense, the nearest for what is not there."""
    given = request.GET.get("at", "")
    if not (given.isascii() and given.isdigit() and len(given) <= 9):
        return head
    return min(max(1, int(given)), head)


def _window(at: int, head: int) -> tuple[int, int]:
    """Return which lines the list shows, as a slice: all of a usual duel, those around `at` of
    a very long one."""
    if head <= ALL_LINES:
        return 0, head
    first = max(0, min(at - 1 - ALL_LINES // 2, head - ALL_LINES))
    return first, first + ALL_LINES


def _steps(lines: list[LogLine], at: int) -> dict[str, int | None]:
    """Return where the buttons lead: None where there is nothing further."""
    head = len(lines)
    turn = lines[at - 1].turn
    before = next((one.seq for one in lines if one.turn == turn and not one.struck), at)
    if before >= at:
        before = next((one.seq for one in lines if one.turn == turn - 1 and not one.struck), 1)
    after = next((one.seq for one in lines[at:] if one.turn > turn), head)
    return {
        "start": 1 if at > 1 else None,
        "turn_before": before if at > 1 else None,
        "before": at - 1 if at > 1 else None,
        "next": at + 1 if at < head else None,
        "next_turn": after if at < head else None,
        "end": head if at < head else None,
    }


@guarded("duels.duel_read")
@never_cache
@require_GET
def replay(request: HttpRequest, duel_id: str) -> HttpResponse:
    """Board, log, Life Points. Unknown values of the query degrade to public and newest; a
    judge to whom the hidden cards are closed sees what everybody sees."""
    viewer = actor_of(request)
    recorded = selectors.read_for(viewer, duel_id)
    allowed = selectors.perspectives(viewer, duel_id, recorded)
    if not allowed:
        raise Http404
    perspective = request.GET.get("as", "")
    if perspective not in VIEWERS:
        perspective = "public"
    if request.GET.get("seen") == str(len(recorded)):
        return HttpResponse(status=204)  # nothing new for a page that follows
    lines = selectors.duel_log(viewer, duel_id, perspective, recorded)
    at = _position(request, len(lines))
    shown, closed = _shown(viewer, duel_id, at, perspective, recorded)
    ledger = selectors.lp_ledger(viewer, duel_id, recorded)
    names = people.names(person for persons in shown.seats.values() for person in persons)
    players = {seat: joined(persons, names) or "–" for seat, persons in shown.seats.items()}
    skin, rules = skin_of(shown.game), rules_of(shown.game)
    behind = None
    if perspective == "judge" and shown.table["fidelity"] == "imported":
        behind = replays.replay_behind(viewer, duel_id)
    flags = _flags(behind)
    first, last = _window(at, len(lines))
    late = watching.lateness(viewer, recorded)
    imported = shown.table["fidelity"] == "imported"
    text = request.GET.get("q", "").replace("\x00", "").strip()[:80]
    told = [wording.line_text(one.code, one.params, players) for one in lines]
    if text:
        listed = [at for at, one in enumerate(told) if text.casefold() in one.casefold()]
        first, last = 0, len(lines)
    else:
        listed = list(range(first, min(last, len(lines))))
    context: dict[str, Any] = {
        "duel": shown,
        "behind": behind,
        "flags": [{"line": line, "words": words} for line, words in sorted(flags.items())],
        "players": players,
        "allowed": allowed,
        "perspective": perspective,
        "at": at,
        "head": len(lines),
        "here_text": told[at - 1],
        "lines": [
            {
                "line": one,
                "text": told[place],
                "seat": _seat(one),
                "flags": flags.get(one.seq, []),
                "icon": ICONS.get(one.code),
                "turns": not one.struck and (place == first or lines[place - 1].turn != one.turn),
            }
            for place in listed
            for one in (lines[place],)
        ],
        "earlier": first or None,
        "later": last + 1 if last < len(lines) else None,
        "steps": _steps(lines, at),
        "skin": skin,
        "sides": [skin.side(shown.table, "P2"), skin.side(shown.table, "P1")],
        "phases": rules.PHASES,
        "chart": chart(selectors.measured(recorded, ledger), ledger, lines, at),
        "ledger": ledger,
        "disputable": len({"p1", "p2"} & set(allowed)) == 1
        and (shown.table["fidelity"] == "imported" or _is_over(lines)),
        "noted": notes_on(viewer, duel_id, recorded, at, players),
        "late": late,
        "late_minutes": -(-late // 60),
        "follows": "at" not in request.GET and shown.table["result"] is None and not imported,
        "goes_on": not _is_over(lines) and not imported,
        "jumps": jumps(lines, ledger, at, selectors.counts_wrong(recorded)),
        "marks": marks(lines),
        "single_keys": request.COOKIES.get(KEYS_COOKIE) != "off",
        "in_sight": _in_sight(shown),
        "q": text,
        "hidden_open": perspective == "judge" and not closed,
        "closed": closed,
    }
    return render(request, "duels/replay.html", context)


def _shown(
    viewer: Actor, duel_id: str, at: int, perspective: str, recorded: list[Recorded]
) -> tuple[DuelShown, bool]:
    """Return the table, and whether it is everybody's because the hidden cards are closed to the
    judge who asks."""
    try:
        return selectors.duel_view(viewer, duel_id, at, perspective, recorded), False
    except Refused as fault:
        if fault.refusal.code != "duels.not_revealed":
            raise
    return selectors.duel_view(viewer, duel_id, at, "public", recorded), True


def _in_sight(shown: DuelShown) -> list[dict[str, Any]]:
    """The cards whose face the viewer sees on the field and in hands, each with the address of
    its page at the publisher."""
    address = recorder_of(shown.game).CARD_PAGE
    found = []
    for seat in ("P2", "P1"):
        for cell in skin_of(shown.game).side(shown.table, seat).faces:
            if cell.name:
                url = address.format(name=quote_plus(cell.name)) if address else ""
                found.append({"seat": seat, "cell": cell, "url": url})
    return found


def _flags(behind: ReplayShown | None) -> dict[int, list[str]]:
    """Return the findings of the audit in words, by line (0: on the file)."""
    found: dict[int, list[str]] = {}
    for one in behind.findings if behind is not None else ():
        found.setdefault(one["line"], []).append(
            f"{wording.FINDINGS.get(one['code'], one['code'])}{wording.finding_params(one)}"
        )
    return found


def _is_over(lines: list[LogLine]) -> bool:
    return any(one.code == "duels.duel_ended" and not one.struck for one in lines)


def _seat(line: LogLine) -> str:
    seat = line.params.get("player", "")
    return seat if seat in ("P1", "P2") else ""
