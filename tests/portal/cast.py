"""The whole cast on the stage, and every address of the product filled with what stands there."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.core.management import call_command
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from PIL import Image

from cards.models import Banlist, Card
from decks import pictures
from decks import services as decks
from decks.preset_services import preset_publish
from duels import notes
from eventstore import checkpoints
from eventstore.ids import new_id
from eventstore.models import Event, OutboxRow
from judging import disputes
from judging import services as judging
from judging.models import RulingRow
from people import joinlinks
from people.joinlinks import JoinLink
from people.models import RoleRow
from people.services import role_end
from portal.models import WebhookDelivery
from portal.webhooks import services as webhooks
from tests.conftest import Member, make_member
from tests.duels.replays import made
from tests.portal.stage import Stage, outage_of, player, set_stage
from tournaments import rechecks, services
from tournaments.models import EntrantRow, MatchRow, RoundRow

CAST = (
    "anyone",
    "alice",
    "bob",
    "third",
    "organ",
    "score",
    "judge",
    "head",
    "check",
    "spect",
    "site",
)
"""Nobody known; two opponents; a player of another table; the organiser, scorekeeper, judge, head
judge and deck checker of this event; somebody with a log-in and no role; the site's organiser."""

ClientOf = Callable[[Member | None], Client]


@dataclass(frozen=True, slots=True)
class Route:
    """A route as it is written in the URL conf, and its view."""

    text: str
    view: Any

    @property
    def part(self) -> str:
        """The section of the table that holds it: api, admin or pages."""
        beginning = self.text.split("/")[0]
        return beginning if beginning in ("api", "admin") else "pages"

    @property
    def methods(self) -> frozenset[str]:
        """The methods that a class-based view answers; of a function they cannot be read."""
        holder = getattr(self.view, "cls", None) or getattr(self.view, "view_class", None)
        if holder is None:
            return frozenset()
        return frozenset(
            name.upper()
            for name in ("get", "post", "put", "patch", "delete")
            if hasattr(holder, name)
        )


def routes(resolver: URLResolver | None = None, before: str = "") -> Iterator[Route]:
    """Yield every route of the URL conf."""
    for one in (resolver or get_resolver()).url_patterns:
        text = before + str(one.pattern)
        if isinstance(one, URLResolver):
            yield from routes(one, text)
        else:
            assert isinstance(one, URLPattern)
            yield Route(text.replace("^", "").replace("$", ""), one.callback)


PRESET = 'id = "pond"\ntitle = "Pond singles"\n[main]\nleast = 40\n'
"""A preset that the site's organiser made."""


@dataclass
class House:
    """The stage with the whole cast, and what to fill into an address."""

    stage: Stage
    cast: dict[str, Member | None]
    clients: dict[str, Client]
    ids: dict[str, str]

    def address(self, route: str) -> str:
        """Fill a route with what stands on the stage."""
        model = re.match(r"admin/(\w+)/(\w+)/", route)
        ids = dict(self.ids)
        if model and "<" in route:
            ids["object_id"] = self._first(*model.groups())

        def value(found: re.Match[str]) -> str:
            name = (found[1] or found[2]).split(":")[-1]
            return ids[name]

        # `<event_word=start>` names the word itself
        text = re.sub(r"<\w+=([\w-]+)>", r"\1", route)
        return "/" + re.sub(r"\(\?P<(\w+)>[^)]*\)|<([\w:]+)>", value, text)

    @staticmethod
    def _first(app: str, model: str) -> str:
        first = apps.get_model(app, model).objects.order_by("pk").first()
        return str(first.pk) if first is not None else "1"


def _checkpoint() -> int:
    """Sign the log as it stands; returns the size it had."""
    checkpoints.checkpoint_make()
    return checkpoints.checkpoints()[-1].checkpoint.size


def _photo(jude: Member, stage: Stage) -> str:
    """Keep a photo of a list on paper that Fay brought."""
    kept = decks.paper_receive(
        jude.context("judge"),
        deck_id=new_id(),
        event_id=stage.event_id,
        entrant_id=new_id(),
        person_id=stage.persons["Fay"],
    )
    picture = io.BytesIO()
    Image.new("RGB", (8, 8), "teal").save(picture, "PNG")
    cleaned = pictures.cleaned(picture.getvalue())
    assert isinstance(cleaned, pictures.Picture)
    photo_id = new_id()
    decks.photo_add(jude.context("judge"), deck_id=kept.deck_id, photo_id=photo_id, picture=cleaned)
    return photo_id


def _dispute(alice: Member, stage: Stage) -> str:
    """A line of a replay file that Alice handed in is disputed by her."""
    file = made.file(made.YRPX, made.stream([*made.opening(), made.damage(1, 800)]))
    handed = services.replay_hand_in(
        alice.context(), match_id=stage.match_id, first=stage.seat, data=file
    )
    raised = disputes.dispute_raise(
        alice.context(), dispute_id=new_id(), duel_id=handed.duel_id, line=2, reason="I did not"
    )
    return raised.dispute_id


def set_house(
    olga: Member,
    alice: Member,
    bob: Member,
    charlie: Member,
    jude: Member,
    hedda: Member,
    client_of: ClientOf,
) -> House:
    """Put everybody on the stage: Olga keeps the event and gives the site to Sita; the call of
    Alice is ruled by Jude, and its game loss waits for Hedda."""
    call_command("load_shipped", verbosity=0)
    stage = set_stage(olga, alice, bob, jude, hedda)
    scorer, checker = (make_member(7, "Sven", account=True), make_member(8, "Dana", account=True))
    sita = make_member(9, "Sita", account=True)
    scorer.grant("scorekeeper", stage.event_id)
    checker.grant("deck_checker", stage.event_id)
    sita.grant("organiser")
    if not RoleRow.objects.filter(person_id=olga.person_id, event_id=stage.event_id).exists():
        olga.grant("organiser", stage.event_id)
    role_end(sita.context(), person_id=olga.person_id, role="organiser")
    preset_publish(sita.context(), content=PRESET)
    ruling_id = new_id()
    judging.call_claim(jude.context("judge"), call_id=stage.call_id)
    judging.call_arrive(jude.context("judge"), call_id=stage.call_id)
    judging.ruling_make(
        jude.context("judge"),
        call_id=stage.call_id,
        ruling_id=ruling_id,
        rule_id="YGO-11.1",
        infraction="PE-MAJOR",
        infraction_kind="late_slip",
        target_entrant=stage.entrants["Bob"],
        remedy="loss",
    )
    assert RulingRow.objects.get(pk=ruling_id).approval == "pending"
    dispute_id = _dispute(alice, stage)
    hook = webhooks.webhook_add(
        olga.context(),
        webhook_id=new_id(),
        event_id=stage.event_id,
        url="https://example.org/hook",
        kinds=["round.published"],
    )
    message = webhooks.webhook_ping(olga.context(), webhook_id=hook)
    WebhookDelivery.objects.update(state="dead")
    job = rechecks.lists_recheck(olga.context(), event_id=stage.event_id)
    OutboxRow.objects.filter(pk=job).update(state="given_up", attempts=6, error="Broken: at once")
    message_id = new_id()
    services.message_post(
        olga.context(),
        event_id=stage.event_id,
        message_id=message_id,
        text="Lunch until two",
        minutes=60,
    )
    services.paper_choose(olga.context(), event_id=stage.event_id, per_page=2)
    note_id = new_id()
    notes.note_make(
        player(alice.person_id), duel_id=stage.duel_id, note_id=note_id, kind="flag", line=4
    )
    third = Member(stage.persons["Dora Varga"], "Dora Varga")
    cast: dict[str, Member | None] = {
        "anyone": None,
        "alice": alice,
        "bob": bob,
        "third": third,
        "organ": olga,
        "score": scorer,
        "judge": jude,
        "head": hedda,
        "check": checker,
        "spect": charlie,
        "site": sita,
    }
    entrant = EntrantRow.objects.get(pk=stage.entrants["Alice"])
    ids = {
        "event": stage.event_id,
        "event_id": stage.event_id,
        "match": stage.match_id,
        "match_id": stage.match_id,
        "duel": stage.duel_id,
        "duel_id": stage.duel_id,
        "call": stage.call_id,
        "call_id": stage.call_id,
        "ruling_id": ruling_id,
        "dispute_id": dispute_id,
        "entrant": entrant.pk,
        "entrant_id": entrant.pk,
        "deck": str(entrant.deck_id),
        "number": str(
            RoundRow.objects.filter(event_id=stage.event_id).order_by("number").last().number
        ),  # type: ignore[union-attr]
        "key": Card.objects.order_by("key").first().key,  # type: ignore[union-attr]
        "banlist_id": str(Banlist.objects.order_by("pk").first().pk),  # type: ignore[union-attr]
        "preset": "pond@1",
        "webhook": hook,
        "job": str(job),
        "message": message_id,
        "sheet": "slips",
        "kind": "archive",
        "deck_format": "ydk",
        "note": note_id,
        "photo_id": _photo(jude, stage),
        "delivery": message.delivery_id,
        "size": str(_checkpoint()),
        "loss": new_id(),
        "outage": outage_of(stage.event_id),
        "line": f"{MatchRow.objects.get(pk=stage.match_id).table} 2-0",
        "seat": stage.seat.lower(),
        "SEAT": stage.seat,
        "token": joinlinks.make(JoinLink(stage.event_id, stage.persons["Fay"])),
        "position": str(Event.objects.get(stream=f"call-{stage.call_id}", version=1).position),
        "table": str(MatchRow.objects.get(pk=stage.match_id).table),
        "content_type_id": "1",
        "object_id": "1",
        "app_label": "people",
        "url": "no-such-page",
    }
    return House(stage, cast, {name: client_of(member) for name, member in cast.items()}, ids)
