"""Load the data that ships with the product: cards, tokens, the starter list."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from cards import shipped
from cards.files import put_json
from cards.models import Banlist
from cards.rows import all_facts, banlist_id
from cards.services import banlist_import, catalogue_import
from eventstore.commands import Context
from people.domain.actor import SYSTEM


class Command(BaseCommand):
    help = "Load the shipped cards and the starter list; does nothing when they are there."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add --json."""
        parser.add_argument("--json", action="store_true", help="one JSON value on stdout")

    def handle(self, *args: Any, **options: Any) -> None:
        """Load what is missing. Cards that a later import brought stay as they are."""
        held = {card.key for card in all_facts()}
        loaded: dict[str, object] = {"cards": 0, "banlist": False}
        if not held.issuperset(shipped.catalogue().cards):
            loaded["cards"] = sum(
                catalogue_import(
                    Context(actor=SYSTEM, source="system"),
                    source=path.name,
                    content=path.read_bytes(),
                ).added
                for path in shipped.SOURCES
            )
        if not Banlist.objects.filter(pk=banlist_id(shipped.banlist())).exists():
            banlist_import(
                Context(actor=SYSTEM, source="system"),
                source=shipped.BANLIST.name,
                content=shipped.BANLIST.read_bytes(),
            )
            loaded["banlist"] = True
        if options["json"]:
            put_json(self, loaded)
        else:
            self.stderr.write(
                f"shipped data: {loaded['cards']} cards added, starter list "
                + ("loaded" if loaded["banlist"] else "already there")
            )
