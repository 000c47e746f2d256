"""The rows of the page of pairings are written by hand: byte by byte those of a plain template."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import pytest
from django.template import engines
from django.utils import translation

from tournaments.selectors.paired import PairedRow, PairedSide

PLAIN = """\
{% load i18n hj %}{% for line in page %}<tr{% if mine and mine == line.p1.entrant_id or \
mine and mine == line.p2.entrant_id %} class="me"{% endif %}>\
<td><span class="plate">{{ line.table }}</span></td><td>\
<span class="row">{% who "P1" %}<b>{{ line.p1.name }}</b>\
{% if line.p1.points is not None %}<span class="sub">{{ line.p1.points }}</span>{% endif %}</span>\
<span class="row">{% who "P2" %}<b>{{ line.p2.name }}</b>\
{% if line.p2.points is not None %}<span class="sub">{{ line.p2.points }}</span>{% endif %}</span>\
{% if line.duels %}<span class="sub no-print">{% for duel in line.duels %}\
<a class="sub" href="{% url 'duels:replay' duel.duel_id %}">{% blocktranslate trimmed with \
number=duel.number %}Log of duel {{ number }}{% endblocktranslate %}</a>\
{% if not forloop.last %} · {% endif %}{% endfor %}</span>{% endif %}\
{% if view.row.method %}<span class="row">\
{% for side in line.sides %}{% with reason=view.reasons|get:side.entrant_id %}{% if reason %}\
<a class="sub" href="?round={{ number }}&amp;by=table&amp;why={{ side.entrant_id }}#why">\
{{ side.name }}: {{ reason|word:"pair_reason" }}</a>{% endif %}{% endwith %}{% endfor %}</span>\
{% endif %}</td><td class="num">{% include "tournaments/result.html" %}</td></tr>
{% if why and why.side.entrant_id == line.p1.entrant_id or \
why and why.side.entrant_id == line.p2.entrant_id %}<tr class="why open" id="why">\
<td colspan="3">{% include "tournaments/why_paired.html" %}</td></tr>{% endif %}{% endfor %}"""
NAMES = ("Ida", 'O\'Neil <b>&"quoted"</b>', "Żółw 亀 / {{ x }}", "%(number)s {0}", "")
LOG = "01890000-0000-7000-8000-00000000000"
DUELS: tuple[tuple[dict[str, Any], ...], ...] = (
    (),
    ({"number": 1, "duel_id": LOG + "1"},),
    ({"number": 1, "duel_id": LOG + "1"}, {"number": 3, "duel_id": LOG + "3"}),
)
END = "2026-03-01T14:35:00.000000Z"


def _lines() -> list[PairedRow]:
    """Every value in every place where a row has room for it, each with changing neighbours."""
    names, points = itertools.cycle(NAMES), itertools.cycle((None, 0, 3, 1200))
    duels = itertools.cycle(DUELS)
    said = [
        *itertools.product(
            ("waiting", "playing", "claimed", "disputed", "between", "unheard"), [""], [(0, 0, 0)],
            [""], [False], [False], (0, 1, 200), ("", END),
        ),
        *itertools.product(
            ["decided"], ("P1", "draw"), ((2, 0, 0), (1, 1, 1), (0, 2, 11)),
            ("", "played", "no_show", "<b>"), (False, True), (False, True), [90], [""],
        ),
    ]  # fmt: skip
    return [
        PairedRow(
            at,
            PairedSide(f"a{at}", next(names), next(points)),
            PairedSide(f"b{at}", next(names), next(points)),
            state, winner, score, reason, corrected, next(duels), extension_s, end, contested,
        )
        for at, (state, winner, score, reason, corrected, contested, extension_s, end)
        in enumerate(said, 1)
    ]  # fmt: skip


def _plain(line: PairedRow) -> dict[str, Any]:
    """What a template of the whole row read."""
    minutes = -(-line.extension_s // 60)
    return line._asdict() | {"sides": (line.p1, line.p2), "extension_minutes": minutes}


@pytest.mark.parametrize(("language", "method"), [("en", ""), ("en", "exact"), ("pl", "exact")])
def test_rows_are_byte_by_byte_those_of_a_plain_template(language: str, method: str) -> None:
    lines, django = _lines(), engines["django"]
    reasons = {"a1": "odd_group", "b1": "by_hand", "b5": "<i>", "a20": "locked"}
    told = {"kind": "bye", "reason": "odd_group", "proven": True}
    rows = django.from_string("{% load paired %}{% paired_rows page %}")
    plain = django.from_string(PLAIN)
    for mine, asked, zone in (
        (None, None, "UTC"),
        ("a7", None, "Europe/Budapest"),
        ("b9", "b9", "Asia/Tokyo"),
        (None, "a120", "nonsense"),
    ):
        why = asked and {"side": SimpleNamespace(entrant_id=asked, name=NAMES[1]), "why": told}
        context = {
            "page": lines,
            "mine": mine,
            "home": SimpleNamespace(entrant_id=mine),
            "event": SimpleNamespace(zone=zone),
            "view": SimpleNamespace(row=SimpleNamespace(method=method), reasons=reasons),
            "number": 4,
            "why": SimpleNamespace(**why) if why else None,
        }
        with translation.override(language):
            expected = plain.render(context | {"page": [_plain(line) for line in lines]})
            for _once_made_and_once_kept in range(2):
                assert rows.render(context) == expected
        assert expected.count("<tr") == len(lines) + bool(asked)
        assert expected.count('class="me"') == bool(mine)
