"""Take the second factor of a log-in away: for the only organiser, who lost phone and codes."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from eventstore.commands import Context
from eventstore.domain.refusal import Refused
from people import security
from people.domain.actor import SYSTEM
from people.models import Account


class Command(BaseCommand):
    help = "Remove the second factor of a log-in and end its sessions."

    def add_arguments(self, parser: CommandParser) -> None:
        """Arguments of the command."""
        parser.add_argument("username")

    def handle(self, *args: Any, **options: Any) -> None:
        """Send people.factor_remove as the system."""
        account = Account.objects.filter(username=options["username"]).first()
        if account is None:
            raise CommandError(f"There is no log-in {options['username']!r}.")
        try:
            context = Context(actor=SYSTEM, source="system")
            security.factor_remove(context, person_id=account.person_id)
        except Refused as fault:
            raise CommandError(f"Not done: {fault.refusal.code}") from None
        self.stderr.write("The second factor is removed; every session of the log-in has ended.")
