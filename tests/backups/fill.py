"""A running event in the database of the environment: `python -m tests.backups.fill`.

Four tables, two results in, a call open, a free text of the judge, a session, an erased person.
"""

from __future__ import annotations

import json

import django

django.setup()

from eventstore.commands import Context  # noqa: E402
from eventstore.ids import new_id  # noqa: E402
from judging import services as judging  # noqa: E402
from people import vault  # noqa: E402
from people.domain.actor import SYSTEM, Actor  # noqa: E402
from people.erasure import person_erase  # noqa: E402
from people.services import person_register  # noqa: E402
from tests.conftest import make_member  # noqa: E402
from tournaments import services  # noqa: E402
from tournaments.models import MatchRow  # noqa: E402


def main() -> None:
    """Build it and print the ids."""
    from django.contrib.sessions.backends.db import SessionStore

    olga = make_member(4, "Olga", account=True)
    olga.grant("organiser")
    event_id = new_id()
    services.event_create(
        olga.context(),
        event_id=event_id,
        name="Harbour Open",
        zone="Europe/Zagreb",
        rounds=3,
        decks_required=False,
    )

    def run(service: object, **values: object) -> object:
        return service(olga.context(), event_id=event_id, **values)  # type: ignore[operator]

    run(services.registration_open)
    for number in range(8):
        made = run(services.entrant_enrol, display_name=f"Player {number}")
        run(services.entrant_check_in, entrant_id=made.entrant_id)  # type: ignore[attr-defined]
    run(services.registration_close)
    run(services.event_start)
    run(services.round_pair, seed=1)
    run(services.round_publish, number=1)
    first, second, third, _ = MatchRow.objects.filter(event_id=event_id).order_by("table")
    services.result_enter(olga.context(), match_id=first.pk, score=[2, 0, 0])
    services.result_enter(olga.context(), match_id=second.pk, score=[0, 2, 0])
    judging.call_raise(
        Context(Actor(person_id=third.persons[0][0]), "player"),
        call_id=new_id(),
        match_id=third.pk,
    )
    system = Context(actor=SYSTEM, source="system")
    person_register(system, person_id=GONE, display_name="Somebody Gone")
    sealed = vault.seal(olga.person_id, "the table by the window")
    vault.seal(GONE, "secret of somebody gone")
    session = SessionStore()
    session["mark"] = "session-of-the-hall"
    session.save()
    print(json.dumps({"event": event_id, "sealed": sealed, "olga": olga.person_id}))


def erase() -> None:
    """Erase the one who leaves."""
    person_erase(Context(actor=SYSTEM, source="system"), person_id=GONE)


GONE = "00000000-0000-7000-8000-0000000000e1"

if __name__ == "__main__":
    main()
