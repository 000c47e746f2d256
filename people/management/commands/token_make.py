"""Make a token for the API and say it once."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from eventstore.commands import Context
from eventstore.domain.refusal import Refused
from eventstore.ids import new_id
from people.domain.scopes import Scope
from people.models import Account
from people.selectors import actor_for
from people.tokens import token_make, token_new


class Command(BaseCommand):
    help = "Make an API token for a log-in; it is printed once and kept as a hash."

    def add_arguments(self, parser: CommandParser) -> None:
        """Arguments of the command."""
        parser.add_argument("username")
        parser.add_argument(
            "--scope",
            action="append",
            choices=[one.value for one in Scope],
            help="may be given several times; read without one",
        )
        parser.add_argument("--days", type=int, default=30)
        parser.add_argument("--label", default="command line")
        parser.add_argument("--event", help="id of the one event it is for")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        """Make the token; standard output holds it alone, so that it can be piped."""
        account = Account.objects.filter(username=options["username"]).first()
        if account is None:
            raise CommandError(f"no user {options['username']}")
        secret, digest = token_new()
        token_id = new_id()
        try:
            token_make(
                Context(actor=actor_for(account.person_id, signed_in=True), source="system"),
                token_id=token_id,
                person_id=account.person_id,
                label=options["label"],
                digest=digest,
                scopes=options["scope"] or [Scope.READ.value],
                days=options["days"],
                event_id=options["event"],
            )
        except Refused as fault:
            raise CommandError(f"{fault.refusal.code} {fault.refusal.params}") from None
        if options["json"]:
            self.stdout.write(json.dumps({"id": token_id, "token": secret}))
        else:
            self.stdout.write(secret)
            self.stderr.write("Keep the token: it is not shown again.")
