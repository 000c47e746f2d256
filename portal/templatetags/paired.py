"""The rows of the page of pairings: a hundred of them each time, for thousands who look at once, so
they are written here and not by a template of eighty nodes each."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from django import template
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import trans_real

from portal import words
from portal.templatetags.hj import who

register = template.Library()
RESULTS_KEPT = 4096


@register.simple_tag(takes_context=True)
def paired_rows(context: template.Context, lines: Iterable[Any]) -> SafeString:
    """The tables of a round (`PairedRow` or `PairingLine`) with their players, logs and results;
    why a pairing stands is told with the page's `view`, and below its row in full for `why`."""
    view, number, why = context["view"], context["number"], context.get("why")
    mine = context["home"].entrant_id
    asked = why.side.entrant_id if why else None
    reasons = view.reasons if view.row.method else {}
    catalogue, zone = trans_real.catalog(), context["event"].zone
    marks = who("P1"), who("P2")
    written: list[str] = []
    for line in lines:
        sides = line.p1, line.p2
        ids = [side.entrant_id for side in sides]
        written += (
            '<tr class="me">' if mine and mine in ids else "<tr>",
            f'<td><span class="plate">{line.table}</span></td><td>',
            *map(_side, sides, marks),
            _logs(line.duels) if line.duels else "",
            _reasons(sides, reasons, number) if view.row.method else "",
            '</td><td class="num">',
            _result(
                catalogue, zone, line.state, line.winner, line.score, line.reason, line.corrected,
                line.contested, line.extension_s, line.ends_at if line.extension_s else "",
            ),
            "</td></tr>\n",
        )  # fmt: skip
        if asked in ids:
            written.append(render_to_string("tournaments/parts/why_row.html", {"why": why}))
    return SafeString("".join(written))


def _side(side: Any, mark: str) -> str:
    points = "" if side.points is None else f'<span class="sub">{side.points}</span>'
    return f'<span class="row">{mark}<b>{escape(side.name)}</b>{points}</span>'


def _logs(duels: Iterable[Any]) -> str:
    links = " · ".join(
        f'<a class="sub" href="{escape(reverse("duels:replay", args=[one["duel_id"]]))}">'
        + _("Log of duel %(number)s") % {"number": one["number"]}
        + "</a>"
        for one in duels
    )
    return f'<span class="sub no-print">{links}</span>'


def _reasons(sides: Iterable[Any], reasons: Any, number: int) -> str:
    links = "".join(
        f'<a class="sub" href="?round={number}&amp;by=table&amp;why={escape(side.entrant_id)}#why">'
        f"{escape(side.name)}: {escape(words.word('pair_reason', reasons[side.entrant_id]))}</a>"
        for side in sides
        if reasons.get(side.entrant_id)
    )
    return f'<span class="row">{links}</span>'


@lru_cache(maxsize=RESULTS_KEPT)
def _result(
    catalogue: Any, zone: str, state: str, winner: str, score: tuple[int, int, int], reason: str,
    corrected: bool, contested: bool, extension_s: int, ends_at: str,
) -> str:  # fmt: skip
    """Write what a table shows of its result, which is the same at most tables. It is made of
    nothing but these values, all of which it is kept under; `catalogue` is that of the language."""
    line = {
        "state": state,
        "winner": winner,
        "score": score,
        "reason": reason,
        "corrected": corrected,
        "contested": contested,
        "extension_s": extension_s,
        "extension_minutes": -(-extension_s // 60),
        "ends_at": ends_at,
    }
    return render_to_string("tournaments/result.html", {"line": line, "event": {"zone": zone}})
