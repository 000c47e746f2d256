"""The judging room as a Django app."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.apps import AppConfig

if TYPE_CHECKING:
    from django.http import HttpRequest
    from django.utils.safestring import SafeString

    from eventstore.prepared import Bound
    from people.domain.actor import Actor
    from tournaments.beside import Rows
    from tournaments.selectors import EventHome


class JudgingConfig(AppConfig):
    name = "judging"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Tell the room of the tournaments which tables a call holds open, what the policy pack
        says of an event and what its match page shows of calls, and that of the duels where players
        may keep a pad; what the room keeps of people is exported with them, also by commands."""
        from duels import pads
        from judging import casephotos, statements  # noqa: F401
        from judging.matches import pack_terms, table_holds
        from judging.pad import pad_refused
        from tournaments import beside, holds, house_pack

        holds.register(table_holds)
        house_pack.register(pack_terms)
        beside.register(_calls_needs, _calls_part)
        pads.register(pad_refused)


def _calls_needs(viewer: Actor, held: EventHome) -> list[Bound]:
    """What the calls on a match page look up; the pages are loaded with the first asked for."""
    from judging.pages.player import needs

    return needs(viewer, held)


def _calls_part(request: HttpRequest, held: EventHome, found: Rows) -> SafeString:
    """Write the calls on a match page."""
    from judging.pages.player import part

    return part(request, held, found)
