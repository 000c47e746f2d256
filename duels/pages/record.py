"""The recorder: a duel written down, or played against a referee, by taps.

The page shows exactly the acts that the rules leave open to a seat. One tap carries an act out;
an act with choices opens the next question. State stands in the address, so that every step
works as a plain link or form; htmx only swaps the page in place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from duels import recording, services, wording
from duels import wording_recorder as words
from duels.domain.offers import Answer, Effect, Offer, Option, Step, choose, meant
from duels.pages.skins import skin_of
from duels.recording import Recording
from duels.rules.games import rules_of
from eventstore.domain.refusal import Refusal
from eventstore.ids import is_id
from people import selectors as people
from people.domain.names import joined
from people.guard import guarded
from people.posts import Form, Sent, number_of, perform, send, text_of
from people.web import actor_of

MOST_TAPS = 12
LAST_LINES = 3


@guarded("duels.duel_read")
@never_cache
@require_http_methods(["GET", "POST"])
def record(request: HttpRequest, duel_id: str) -> HttpResponse:
    """The duel for `?for=`, at the question of `?pick=`; with `?zones=1` zones are asked for. A
    post carries an act out."""
    if not is_id(duel_id):
        raise Http404
    given = request.POST if request.method == "POST" else request.GET
    spaces = request.GET.get("zones") == "1"
    seat = str(given.get("for", ""))[:2]
    held = recording.recording(actor_of(request), duel_id, seat, spaces=spaces)
    form = Form()
    if request.method == "POST":
        refused = perform(request, _acts(request, held), {})
        if refused is None:
            return redirect(f"{request.path}{_after(request, held)}")
        form = refused
        held = recording.recording(actor_of(request), duel_id, held.seat, spaces=spaces)
    elif request.GET.get("seen") == str(held.version):
        return HttpResponse(status=204)  # nothing new for a page that asks again and again
    context = _context(request, held) | {"form": form}
    # a refusal is shown in place: htmx swaps no answer that says it failed
    status = 200 if getattr(request, "htmx", False) else form.status
    return render(request, "duels/record.html", context, status=status)


def _address(held: Recording, **query: Any) -> str:
    asked = {"for": held.seat, **_kept(held)}
    asked |= {key: value for key, value in query.items() if value}
    return f"?{urlencode(asked, doseq=True)}"


def _kept(held: Recording) -> dict[str, str]:
    """What stays in the address whichever seat acts."""
    return {"zones": "1"} if held.spaces else {}


def _after(request: HttpRequest, held: Recording) -> str:
    """Where to go on: after a card has been named at the act it was named for; after an act of
    one of two seats with whoever has the turn now."""
    act = request.POST.get("act")
    if act == "name":
        return _address(held, pick=text_of(request, "then").split()[:MOST_TAPS])
    if held.both and act in ("do", "beyond", "back"):
        return f"?{urlencode(_kept(held))}" if held.spaces else ""
    return _address(held)


def _acts(request: HttpRequest, held: Recording) -> dict[str, Callable[[], Sent]]:
    source = held.source
    expected = number_of(request, "expected")

    def act(plain: Any) -> Sent:
        if plain is None or expected != held.version:
            return Sent(refusal=Refusal("people.moved_on"))
        return send(
            request,
            source,
            services.act,
            duel_id=held.duel_id,
            player=held.seat,
            act=dict(plain),
            expected=expected,
        )

    def by_taps(offers: Callable[[], list[Offer]]) -> Sent:
        trail = text_of(request, "trail").split()[:MOST_TAPS]
        offer = meant(offers(), trail)
        return act(offer.act if offer is not None and not offer.unknown else None)

    def declared() -> Sent:
        kind = _effect(held, text_of(request, "effect", 40))
        if kind is None:
            return Sent(refusal=Refusal("duels.act_malformed", {"found": "effect"}))
        amount = number_of(request, "amount")
        less = text_of(request, "sign", 1) == "-"
        return act(
            held.recorder.declare(
                kind.code,
                player=held.seat,
                by=text_of(request, "by", 60),
                amount=-amount if amount is not None and less else amount,
                card=text_of(request, "card", 40),
                whose=text_of(request, "whose", 2),
                space=number_of(request, "space"),
            )
        )

    def stated(statement: dict[str, Any]) -> Sent:
        return send(
            request,
            source,
            services.statement_make,
            duel_id=held.duel_id,
            player=held.seat,
            statement=statement,
        )

    def noted(kind: str, **values: Any) -> Sent:
        about = text_of(request, "about", 2) or held.seat
        value = number_of(request, "value")
        return stated({"statement": kind, "about": about, "value": value, **values})

    lp = rules_of(held.opening.game).points(held.duel.table)
    return {
        "do": lambda: by_taps(held.offers),
        "beyond": lambda: by_taps(lambda: held.recorder.beyond(held.duel, held.seat)),
        "name": lambda: act(
            held.recorder.identify(text_of(request, "card", 40), text_of(request, "key", 60))
        ),
        "declare": declared,
        "lp": lambda: noted("lp_declared", pad_seq=_pad_next(held)),
        "hand": lambda: noted("count_declared", zone="hand"),
        "agree": lambda: stated({"statement": "lp_agreed", "p1": lp["P1"], "p2": lp["P2"]}),
        "back": lambda: send(
            request,
            source,
            services.act_take_back,
            duel_id=held.duel_id,
            expected=expected,
        ),
    }


def _pad_next(held: Recording) -> int:
    pads = held.duel.pad_lines
    return 1 + max((number for player, number in pads if player == held.seat), default=0)


def _effect(held: Recording, code: str) -> Effect | None:
    return next((one for one in held.recorder.EFFECTS if one.code == code), None)


def _context(request: HttpRequest, held: Recording) -> dict[str, Any]:
    names = people.names(one for persons in held.opening.seats.values() for one in persons)
    players = {
        seat: joined(persons, names) or wording.DASH for seat, persons in held.opening.seats.items()
    }
    table = held.table
    rules, skin = rules_of(held.opening.game), skin_of(held.opening.game)
    trail = [one[:60] for one in request.GET.getlist("pick")[:MOST_TAPS]]
    context: dict[str, Any] = {
        "held": held,
        "players": players,
        "table": table,
        "skin": skin,
        "sides": [skin.side(table, "P2"), skin.side(table, "P1")],
        "points": rules.points(held.duel.table) if rules.POINTS else None,
        "waits": held.recorder.waits_for(held.duel),
        "last": _last(held, players),
        "unnamed": [_said(one) for one in held.recorder.unnamed(held.duel)],
        "here": _address(held),
        "kept": _kept(held),
        "top": not trail,
    }
    name, by = request.GET.get("name", "")[:40], request.GET.get("by", "")[:60]
    offers = held.offers()
    if trail:
        context |= _question(request, held, offers, trail)
    elif name:
        context |= _naming(request, held, _named_card(held, name), "")
    elif by or "effects" in request.GET:
        context |= _declaring(request, held, by)
    else:
        context["groups"] = _groups(held, offers)
        context["beyond"] = _beyond(held) if "more" in request.GET else None
    return context


def _last(held: Recording, players: dict[str, str]) -> list[dict[str, Any]]:
    raw = [one.data for one in held.recorded]
    told = rules_of(held.opening.game).lines(raw, held.seat.lower())[-LAST_LINES:]
    return [
        {
            "seq": one.seq,
            "text": wording.line_text(one.code, one.params, players),
            "struck": one.struck,
        }
        for one in told
    ]


def _said(answer: Answer) -> dict[str, str]:
    """A card or word as a button shows it: whose it is, its name, and where it lies."""
    seat = answer.place.partition(".")[0]
    lies = answer.place.partition(".")[2]
    return {
        "seat": seat,
        "token": answer.token,
        "text": words.answer_text(answer),
        "place": words.place_text(answer.place)
        if answer.name is not None and lies and not lies.startswith("hand")
        else "",
    }


def _button(held: Recording, option: Option) -> dict[str, Any]:
    return _said(option.answer) | {
        "rest": words.rest_text(option.rest),
        "trail": " ".join(option.trail) if option.sole is not None else "",
        "href": _address(held, pick=list(option.trail)),
    }


def _groups(held: Recording, offers: list[Offer]) -> list[dict[str, Any]]:
    """Every group with the buttons of its first question, in the order of the game."""
    found = []
    for code in held.recorder.GROUPS:
        mine = [one for one in offers if one.group == code]
        if not mine:
            continue
        step = choose(mine, [code])
        label = words.word(words.GROUPS, code)
        buttons = [_button(held, one) for one in step.options]
        if step.offer is not None:
            buttons = [{"text": label, "trail": code, "seat": "", "place": "", "rest": ""}]
        found.append({"code": code, "label": label, "buttons": buttons})
    return found


def _beyond(held: Recording, begins: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Acts that are not open, by their group and the rule that stands against them; on paper they
    may have happened all the same. `begins`: only those whose trail begins like this."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for one in held.recorder.beyond(held.duel, held.seat):
        trail = [one.group, *(answer.token for pick in one.picks for answer in pick.answers)]
        if one.refusal is None or trail[: len(begins)] != list(begins):
            continue
        group = words.word(words.GROUPS, one.group)
        sentence = wording.refusal_text(one.refusal) or one.refusal.code
        row = found.setdefault(
            (one.group, sentence),
            {"group": group, "rule": one.refusal.code, "sentence": sentence, "acts": []},
        )
        text = words.act_text(one.picks) or group
        row["acts"].append({"text": text, "trail": " ".join(trail)})
    return list(found.values())


def _question(
    request: HttpRequest, held: Recording, offers: list[Offer], trail: list[str]
) -> dict[str, Any]:
    """The question that is open after these taps; a card without a name is named first."""
    step: Step = choose(offers, trail)
    label = words.word(words.GROUPS, trail[0])
    if step.offer is not None and step.offer.unknown:
        card = _named_card(held, step.offer.unknown, step)
        return _naming(request, held, card, " ".join(trail)) | {"group": label}
    shown: dict[str, Any] = {
        "group": label,
        "lost": step.lost,
        "taken": [words.answer_text(one) for one in step.taken],
        "question": words.word(words.QUESTIONS, step.ask) if step.ask else "",
        "buttons": [_button(held, one) for one in step.options],
        "back": _address(held, pick=trail[:-1] if len(trail) > 2 else []),
    }
    if step.lost:
        shown["beyond"] = _beyond(held, trail[:2])
    if step.offer is not None:
        shown["ready"] = " ".join(trail)
    return shown


def _named_card(held: Recording, token: str, step: Step | None = None) -> Answer:
    """The card that is to be named: one that lies open, or the one of an act."""
    lying = [*held.recorder.unnamed(held.duel), *(step.taken if step is not None else ())]
    return next((one for one in lying if one.token == token), Answer(token))


def _naming(request: HttpRequest, held: Recording, card: Answer, then: str) -> dict[str, Any]:
    """Search and list of the seat: which card is it?"""
    viewer = actor_of(request)
    text = request.GET.get("q", "").replace("\x00", "").strip()[:80]
    return {
        "naming": _said(card),
        "then": then,
        "q": text,
        "found": recording.cards_found(viewer, held, text),
        "listed": recording.cards_listed(viewer, held),
        "asked": [(key, value) for key in ("pick", "name") for value in request.GET.getlist(key)],
    }


def _declaring(request: HttpRequest, held: Recording, by: str) -> dict[str, Any]:
    """Which card's text, which kind of effect, and what the kind asks for."""
    sources = held.recorder.sources(held.duel, held.seat)
    source = next((one for one in sources if one.token == by), None)
    kind = _effect(held, request.GET.get("effect", "")[:40]) if source is not None else None
    shown: dict[str, Any] = {
        "declaring": True,
        "source": _said(source) if source is not None else None,
        "sources": [
            _said(one) | {"href": _address(held, by=one.token)}
            for one in (sources if source is None else ())
        ],
        "kinds": [
            {
                "text": words.word(words.EFFECTS, one.code),
                "href": _address(held, by=by, effect=one.code),
            }
            for one in (held.recorder.EFFECTS if source is not None and kind is None else ())
        ],
    }
    if kind is not None:
        shown["kind"] = {"code": kind.code, "text": words.word(words.EFFECTS, kind.code)}
        shown["asks"] = kind.asks
        cards = held.recorder.reached(held.duel, held.seat) if "card" in kind.asks else []
        shown["reached"] = [_said(one) for one in cards]
        asks = "space" in kind.asks
        shown["spaces"] = held.recorder.free_spaces(held.duel, held.seat) if asks else ()
        shown["back"] = _address(held, by=by)
    elif source is not None:
        shown["back"] = _address(held, effects="1")
    else:
        shown["back"] = _address(held)
    shown["heading"] = _("An effect by the text of a card")
    return shown
