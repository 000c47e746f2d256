"""Template parts that every page uses: symbols, badges, faults, forms, times, words."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django import template
from django.http import HttpRequest
from django.middleware.csrf import get_token
from django.template.base import Parser, Token
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString

from decks import library
from eventstore import clock
from eventstore.domain.refusal import Refusal
from eventstore.ids import is_id, new_id
from portal import findings, wording, words
from portal.log_words import LOG_WORDS
from tournaments.domain.door_money import digits_of

register = template.Library()

PLAIN_NAME = re.compile(r'"[a-z0-9_-]+"')
STATE_ICONS = {"ok": "done", "run": "run", "wait": "wait", "bad": "stop", "off": "open"}


@register.simple_tag
def icon(name: str, label: str = "") -> SafeString:
    """A symbol of the sprite; with a label it is an image of its own, else decoration."""
    if label:
        href = f"{static('portal/icons.svg')}#i-{name}"
        return format_html(
            '<svg class="icon" role="img" aria-label="{}"><use href="{}"/></svg>', label, href
        )
    return _decoration(name)


@lru_cache(maxsize=256)
def _decoration(name: str) -> SafeString:
    """A page has some twenty; their address stays while the process runs."""
    href = f"{static('portal/icons.svg')}#i-{name}"
    return format_html('<svg class="icon" aria-hidden="true"><use href="{}"/></svg>', href)


class SymbolNode(template.Node):
    """A symbol without a label, named in the template."""

    def __init__(self, name: str) -> None:
        self.name = name

    def render(self, context: template.Context) -> SafeString:
        """Write the symbol."""
        return _decoration(self.name)


_symbol_tag = register.tags["icon"]


@register.tag("icon")
def _icon_tag(parser: Parser, token: Token) -> template.Node:
    """`icon`, of which a page has twenty: one that is named in quotes has nothing to resolve."""
    _, *asked = token.split_contents()
    if len(asked) == 1 and PLAIN_NAME.fullmatch(asked[0]):
        return SymbolNode(asked[0][1:-1])
    return _symbol_tag(parser, token)


@register.simple_tag
def card_icon(kind: str) -> SafeString:
    """The symbol of a kind of card (n, e, f, r, s, t) in its colour."""
    href = f"{static('portal/icons.svg')}#i-k-{kind}"
    return format_html(
        '<svg class="icon kind k-{}" aria-hidden="true"><use href="{}"/></svg>', kind, href
    )


@register.simple_tag
def badge(state: str, word: str, symbol: str = "", small: bool = False) -> SafeString:
    """A state in a row: tint, symbol and word. `state` is ok, run, wait, bad or off."""
    return format_html(
        '<span class="badge{}" data-s="{}">{}{}</span>',
        " xs" if small else "",
        state,
        icon(symbol or STATE_ICONS[state]),
        word,
    )


@register.simple_tag
def state_badge(subject: str, code: str, small: bool = False) -> SafeString:
    """The badge of a state code, its tint and word from portal.words."""
    return badge(words.tint(subject, code), words.word(subject, code), small=small)


@register.filter
def word(code: Any, subject: str) -> str:
    """The word for a code of a subject, in the language of the reader."""
    return words.word(subject, str(code))


@register.filter
def preset_name(name: str) -> str:
    """What a preset is called: a word of ours, or the title that its organiser gave it."""
    return library.title_of(name) or words.word("preset", name)


@register.simple_tag
def who(seat: str) -> SafeString:
    """The mark of a player: A is round, B is square."""
    second = seat in {"P2", "2", "b", "B"}
    return format_html('<b class="who {}">{}</b>', "b" if second else "a", "B" if second else "A")


def _token(request: HttpRequest) -> str:
    """The CSRF token of a page, masked once for all its forms: each answer has a mask of its own,
    which is what keeps it from being guessed. A rotated secret has a new token."""
    secret = request.META.get("CSRF_COOKIE")
    held: tuple[str | None, str] | None = getattr(request, "token_masked", None)
    if held is None or secret is None or held[0] != secret:
        token = get_token(request)
        held = (request.META.get("CSRF_COOKIE"), token)
        request.token_masked = held  # type: ignore[attr-defined]
    return held[1]


@register.simple_tag(takes_context=True)
def secured(context: template.Context, act: str = "") -> SafeString:
    """The hidden fields of a form: CSRF token, the nonce of its command, and which act it is.

    After a failure of the database the form that was sent keeps its nonce (`people.posts.send`).
    """
    request = context["request"]
    kept = getattr(request, "nonce_kept", False) and request.POST.get("act", "") == act
    nonce = request.POST.get("nonce", "") if kept else ""
    return _fields(act, _token(request), nonce if is_id(nonce) else new_id())


def _fields(act: str, token: str, nonce: str) -> SafeString:
    """Write them; a token and a nonce are letters, digits and hyphens (a page has six of these)."""
    said = f'<input type="hidden" name="act" value="{conditional_escape(act)}">' if act else ""
    return SafeString(
        f'<input type="hidden" name="csrfmiddlewaretoken" value="{token}">'
        f'<input type="hidden" name="nonce" value="{nonce}" data-fresh>{said}'
    )


@register.simple_tag
def made_id(name: str) -> SafeString:
    """A hidden id for what a form makes, so that sending it twice makes one thing."""
    return format_html('<input type="hidden" name="{}" value="{}" data-fresh>', name, new_id())


@register.simple_tag
def fault(refusal: Refusal | None) -> SafeString:
    """A refusal in words: what is wrong, which rule, what would be right; nothing without one."""
    if refusal is None:
        return SafeString()
    return render_to_string("portal/parts/fault.html", _worded(refusal))


def _worded(refusal: Refusal) -> dict[str, Any]:
    return {
        "refusal": refusal,
        "sentence": wording.refusal_text(refusal),
        "rule": refusal.code if wording.is_rule_id(refusal.code) else "",
        "title": wording.rule_title(refusal.code),
        "also": [one for one in refusal.also if one != refusal.code],
    }


@register.filter
def refusal_text(refusal: Refusal) -> str:
    """The sentence of a refusal."""
    return wording.refusal_text(refusal)


@register.filter
def shown(value: Any) -> str:
    """A value for people: lists with commas, yes and no in words."""
    return wording.shown(value)


@register.filter
def rule_title(code: str) -> str:
    """The short title of a rule; empty for a code that is none."""
    return wording.rule_title(code)


@register.filter
def finding_words(finding: dict[str, Any]) -> findings.Worded:
    """What was found in a deck list, in words."""
    return findings.finding_words(finding)


def _zone(name: str | None) -> Any:
    try:
        return ZoneInfo(name) if name else UTC
    except (ZoneInfoNotFoundError, ValueError):
        return UTC


def _moment(value: Any) -> datetime | None:
    if isinstance(value, datetime):
        return value
    try:
        return clock.from_text(str(value))
    except ValueError:
        return None


@register.filter
def clock_text(seconds: Any) -> str:
    """Seconds left as a clock shows them: 12:05; below zero the time that it is over: +0:30."""
    if not isinstance(seconds, int):
        return "–"
    rest = abs(seconds)
    return f"{'+' if seconds < 0 else ''}{rest // 60}:{rest % 60:02}"


@register.filter
def event_word(name: Any) -> str:
    """The word for a type of event in the log (`judging.ruling_made`); the name in plain words
    where a page has no other."""
    step = str(name).partition(".")[2]
    known = LOG_WORDS.get(step) or words.WORDS["call_step"].get(step)
    return str(known) if known is not None else step.replace("_", " ")


@register.filter
def extra_time(seconds: Any) -> str:
    """A time extension: +4:30."""
    return f"+{clock_text(seconds)}" if isinstance(seconds, int) else ""


@register.filter
def at_time(value: Any, zone: str | None = None) -> str:
    """The clock time of a moment in a zone: 14:57."""
    moment = _moment(value)
    return date_format(timezone.localtime(moment, _zone(zone)), "H:i") if moment else ""


@register.filter
def at_second(value: Any, zone: str | None = None) -> str:
    """The clock time of a moment in a zone, to the second: 14:31:05."""
    moment = _moment(value)
    return date_format(timezone.localtime(moment, _zone(zone)), "H:i:s") if moment else ""


@register.filter
def as_day(value: str) -> str:
    """A day written as YYYY-MM-DD, in the way of the language: 1 May 2026."""
    try:
        return date_format(date.fromisoformat(value), "DATE_FORMAT")
    except (TypeError, ValueError):
        return str(value)


@register.filter
def at_moment(value: Any, zone: str | None = None) -> str:
    """Date and time of a moment in a zone, the zone named: 4 July 2026 09:30 CEST."""
    moment = _moment(value)
    if moment is None:
        return ""
    local = timezone.localtime(moment, _zone(zone))
    return f"{date_format(local, 'DATE_FORMAT')} {date_format(local, 'H:i')} {local.tzname()}"


@register.filter
def permille(value: Any) -> str:
    """Per mille as a percentage with one digit: 726 is 72.6, in the language of the reader."""
    return number_format(value / 10, 1) if isinstance(value, int) else "–"


@register.filter
def money(amount: Any, currency: str) -> str:
    """Minor units of a currency in the language of the reader: 15.50 EUR."""
    if not isinstance(amount, int):
        return "–"
    digits = digits_of(currency)
    return f"{number_format(Decimal(amount) / 10**digits, digits)}\u00a0{currency}"


@register.filter
def figure(value: Any, name: str) -> str:
    """A figure of the standings: rates as a percentage, counts as they are."""
    return permille(value) if str(name).endswith("permille") else str(value)


@register.filter
def get(mapping: Any, key: Any) -> Any:
    """Look a key up in a mapping; None when it is not there."""
    return mapping.get(key) if hasattr(mapping, "get") else None
