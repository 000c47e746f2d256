"""Make the first organiser account and say its password once."""

from __future__ import annotations

import json
import secrets
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from eventstore.commands import Context
from eventstore.ids import new_id
from people import services
from people.domain.actor import SYSTEM
from people.domain.roles import Role
from people.models import Account, RoleRow


class Command(BaseCommand):
    help = "Create the site organiser's account; does nothing when there is one."

    def add_arguments(self, parser: CommandParser) -> None:
        """Arguments of the command."""
        parser.add_argument("--username", default="organiser")
        parser.add_argument("--name", default="Organiser")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        """Create person, role and account; print user name and password once."""
        if RoleRow.objects.filter(event_id="", role=Role.ORGANISER).exists():
            made = None
        else:
            made = self._create(options["username"], options["name"])
        if options["json"]:
            self.stdout.write(json.dumps({"created": made}))
        elif made:
            self.stdout.write(f"user {made['username']}, password {made['password']}")
            self.stderr.write("Write the password down: it is not shown again.")
        else:
            self.stderr.write("There is an organiser already.")

    def _create(self, username: str, name: str) -> dict[str, str]:
        if Account.objects.filter(username=username).exists():
            username = f"{username}-{secrets.token_hex(2)}"
        password = "-".join(secrets.token_hex(2) for _ in range(4))
        person_id = new_id()

        def context() -> Context:
            return Context(actor=SYSTEM, source="system")

        services.person_register(context(), person_id=person_id, display_name=name)
        services.role_grant(context(), person_id=person_id, role=Role.ORGANISER.value)
        services.account_open(
            context(),
            person_id=person_id,
            username=username,
            password_hash=services.hash_password(password),
        )
        return {"username": username, "password": password}
