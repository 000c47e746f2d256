"""Put one running event into the database, to look around in."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db import transaction

from eventstore.commands import Context
from people import services as people
from people.domain.actor import SYSTEM
from people.domain.roles import Role
from people.models import RoleRow
from portal.demo.show import Programme, rehearse
from tournaments.models import EventRow

DEMO_EVENT_ID = "00000000-0000-7000-8000-00000000de30"


class Command(BaseCommand):
    help = "Load the demo event: 16 players, two rounds played, the third one running."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Arguments of the command."""
        parser.add_argument("--json", action="store_true", help="one JSON value on stdout")
        parser.add_argument(
            "--if-empty", action="store_true", help="only where there is no event at all"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Rehearse it in one transaction, unless it is there; let the organiser run it."""
        there = EventRow.objects.all()
        if not options["if_empty"]:
            there = there.filter(pk=DEMO_EVENT_ID)
        loaded = not there.exists()
        if loaded:
            # One transaction: the demo is there wholly or not, and the disk waits only once.
            with transaction.atomic():
                rehearse(
                    Programme(
                        players=16,
                        seed=7,
                        name="Lantern Street Open (demo)",
                        stop_after=2,
                        event_id=DEMO_EVENT_ID,
                    ),
                    lambda text: self.stderr.write(f"demo: {text}"),
                )
                self._hand_over()
        if options["json"]:
            self.stdout.write(json.dumps({"event": DEMO_EVENT_ID, "loaded": loaded}))
        elif not loaded:
            self.stderr.write("demo: an event is there already")

    def _hand_over(self) -> None:
        """Give every organiser of the site the roles to run and to judge the demo."""
        site = RoleRow.objects.filter(event_id="", role=Role.ORGANISER)
        for person_id in site.values_list("person_id", flat=True):
            for role in (Role.ORGANISER, Role.HEAD_JUDGE):
                people.role_grant(
                    Context(actor=SYSTEM, source="system"),
                    person_id=person_id,
                    role=role.value,
                    event_id=DEMO_EVENT_ID,
                )
