"""Words for background work: what it is, and what came of it, in the language of the reader."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from eventstore.domain.refusal import Refusal
from portal.wording import refusal_text, shown

TITLES: Mapping[str, Promise] = {
    "cards.import": _("Import of %(source)s"),
    "tournaments.recheck": _("Check of all deck lists: %(limits)s"),
    "tournaments.offers_settle": _("Seat offers that run out"),
    "portal.bundle": _("The whole log of the event as a file"),
    "portal.archive": _("The archive of the event as a file"),
    "portal.webhook": _("Message of a webhook"),
    "portal.push": _("Message to a phone"),
    "portal.mail": _("Mail"),
    "eventstore.checkpoint": _("Signing of the log"),
    "eventstore.backup": _("Copy of the database"),
}
OUTCOMES: Mapping[str, Promise] = {
    "cards.catalogue_imported": _(
        "%(added)s cards added, %(changed)s changed, %(unchanged)s as they were."
    ),
    "cards.catalogue_compared": _(
        "Nothing was kept: %(added)s cards would be added, %(changed)s changed."
    ),
    "cards.banlists_imported": _("New: %(titles)s."),
    "cards.banlists_compared": _("Nothing was kept. New: %(titles)s."),
    "cards.banlists_known": _("Every list of this file was there already."),
    "tournaments.lists_rechecked": _(
        "%(checked)s lists checked, %(illegal)s illegal; %(changed)s differ from when they came in."
    ),
    "portal.file_made": _("The file is made: %(bytes)s bytes. It is kept for a day."),
}


def title(topic: str, about: Mapping[str, Any]) -> str:
    """Say what a job is; work that has no words of its own is named by its topic."""
    text = TITLES.get(topic)
    return str(text) % _plain(about) if text is not None else topic


def outcome(found: Mapping[str, Any]) -> str:
    """Say what a job found, or why it was refused; nothing for work that has nothing to tell."""
    code = str(found.get("code", ""))
    params = found.get("params", {})
    if code in OUTCOMES:
        return str(OUTCOMES[code]) % _plain(params)
    return refusal_text(Refusal(code, params)) if code else ""


class _Params(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "–"


def _plain(params: Mapping[str, Any]) -> _Params:
    return _Params({name: shown(value) for name, value in params.items()})
