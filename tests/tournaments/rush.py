"""The stage of the rush at the door, and what is left of it: run as a process of its own on the
database that a server is to use.

    python -m tests.tournaments.rush stage    builds the event, writes ids and tokens as JSON
    python -m tests.tournaments.rush verify EVENT    holds the read tables to their rebuild
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

SEATS, INSIDE, PAPER = 128, 126, 3
PASSWORD = "correct horse battery"
ACCENTED, PLAIN, NUMBER = "Łukasz Żółtański", "Lukasz Zoltanski", "0101112131"
PRIZES = "1: Trophy\n2-8: Booster\n128+ 9-16: Playmat\n129+ 17-32: Sleeves"
ROOT = Path(__file__).resolve().parents[2]


def stage() -> dict[str, Any]:
    """An event of 128 seats with 126 in: all checked in but one who pre-registered and three
    whose lists are on paper; two desks and an organiser, with tokens and log-ins."""
    from eventstore.commands import Context
    from eventstore.ids import new_id
    from people import joinlinks, tokens
    from people.domain.actor import SYSTEM, Actor
    from people.selectors import actor_for
    from people.services import account_open, hash_password, person_register, role_grant
    from tournaments import services
    from tournaments.domain import door_policy

    house = Context(SYSTEM, "system")
    hashed = hash_password(PASSWORD)

    def again(context: Context) -> Context:
        return Context(context.actor, context.source)

    def staff(name: str) -> tuple[str, str]:
        person = person_register(again(house), person_id=new_id(), display_name=name)
        account_open(again(house), person_id=person, username=name.lower(), password_hash=hashed)
        secret, digest = tokens.token_new()
        return person, json.dumps([secret, digest])

    people = {name: staff(name) for name in ("Olga", "Sven", "Dana")}
    event_id = new_id()
    role_grant(again(house), person_id=people["Olga"][0], role="organiser")

    def olga() -> Context:
        return Context(actor_for(people["Olga"][0], signed_in=True), "organiser")

    services.event_create(olga(), event_id=event_id, name="Harbour Cup", cut=8)
    for name in ("Sven", "Dana"):
        role_grant(again(house), person_id=people[name][0], role="scorekeeper", event_id=event_id)
    made: dict[str, str] = {}
    for name, (person, kept) in people.items():
        secret, digest = json.loads(kept)
        tokens.token_make(
            Context(actor_for(person, signed_in=True), "organiser"),
            token_id=new_id(),
            person_id=person,
            label="desk",
            digest=digest,
            scopes=["read", "staff_read", "desk"],
            days=1,
        )
        made[name] = secret
    prizes = door_policy.prizes_read(PRIZES)
    assert isinstance(prizes, tuple)
    services.door_set(
        olga(),
        event_id=event_id,
        changes={
            "capacity": SEATS,
            "offer_minutes": 10,
            "fee": 1500,
            "currency": "EUR",
            "prizes": [
                {"least": one.least, "first": one.first, "last": one.last, "text": one.text}
                for one in prizes
            ],
        },
    )
    services.registration_open(olga(), event_id=event_id)
    deck = (ROOT / "cards" / "data" / "decks" / "yugioh" / "starter-ember.ydk").read_text()
    ids: list[str] = []
    for number in range(1, INSIDE + 1):
        who = {"display_name": f"Player {number}"}
        if number == 1:
            who = {"display_name": ACCENTED, "card_game_id": NUMBER}
        one = services.entrant_enrol(olga(), event_id=event_id, **who)
        ids.append(one.entrant_id)
        if number <= INSIDE - PAPER:
            own = Context(Actor(person_id=one.person_id), "player")
            services.deck_submit(own, event_id=event_id, entrant_id=one.entrant_id, content=deck)
            if number > 1:
                services.entrant_check_in(olga(), event_id=event_id, entrant_id=one.entrant_id)
    link = joinlinks.make(joinlinks.JoinLink(event_id, None))
    return {"event": event_id, "entrants": ids, "tokens": made, "join": link}


def verify(event_id: str) -> dict[str, Any]:
    """Hold the read tables to their rebuild; returns what stands in them."""
    from tests.helpers import rebuilds_equal
    from tournaments.domain.event import CHECKED_IN, ENROLLED
    from tournaments.models import EntrantRow, FeeRow

    compared = rebuilds_equal("tournaments.board", "tournaments.door", "portal.live")
    rows = EntrantRow.objects.filter(event_id=event_id)
    return {
        "compared": compared,
        "entrants": rows.count(),
        "inside": rows.filter(status__in=[ENROLLED, CHECKED_IN]).count(),
        "late": rows.filter(late=True).count(),
        "money": [[one.kind, one.amount, one.method] for one in FeeRow.objects.all()],
    }


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    answer = stage() if sys.argv[1] == "stage" else verify(sys.argv[2])
    json.dump(answer, sys.stdout)
