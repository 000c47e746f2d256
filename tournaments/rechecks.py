"""Every deck list of an event checked again, as background work: after the catalogue was brought
up to date, or against a list of limits that has come or will come in force meanwhile. Nothing is
changed by it."""

from __future__ import annotations

from typing import Any

from cards import selectors as cards
from decks.domain.validate import validate
from decks.library import rules_of
from decks.selectors import deck_in_force, decks_of_event
from eventstore import outbox
from eventstore.commands import Unit, command
from eventstore.domain.refusal import Refusal, Refused
from eventstore.runs import Run
from people.access import NotAllowed, require
from people.asking import asker
from people.domain.permissions import Subject
from tournaments.models import EventRow
from tournaments.selectors import event_home

TOPIC = "tournaments.recheck"
"""Payload: `event_id`, `banlist_id` (empty: the list the event names)."""
SHOWN = 200
"""Lists named in the outcome at most."""


@command("tournaments.lists_recheck")
def lists_recheck(unit: Unit, *, event_id: str, banlist_id: str = "") -> int:
    """Ask for a check of every list that is in force, against the limits of the event or against
    `banlist_id`; returns the id of the job.

    Raises NotAllowed; Refused `decks.unknown_banlist`, `decks.two_lists`.
    """
    require(unit.actor, "decks.lists_recheck", Subject(event_id, public=False))
    event = event_home(unit.actor, event_id).row
    banlist_id = banlist_id or event.banlist_id
    _preset, limits = rules_of(event.preset, banlist_id or None)
    job = outbox.enqueue(
        TOPIC,
        {"event_id": event_id, "banlist_id": banlist_id},
        asked_by=unit.actor.ref,
        event_id=event_id,
        about={"limits": limits.title if limits else None},
    )
    return job or 0


@outbox.long_job(TOPIC)
def recheck(payload: dict[str, Any], run: Run) -> None:
    """Hold each list to the preset of the event, to the limits asked for, and to the catalogue as
    it is; keep whose errors differ from those the list was taken in with. Raises Refused
    `people.rights_lost`."""
    event_id, viewer = payload["event_id"], asker(run.asked_by)
    try:
        rows = [row for row in decks_of_event(viewer, event_id) if row.number]
    except NotAllowed:
        raise Refused(Refusal("people.rights_lost")) from None
    event = EventRow.objects.get(pk=event_id)
    preset, banlist = rules_of(event.preset, payload["banlist_id"] or None)
    catalogue = cards.catalogue(viewer).of_kinds(preset.kinds_of_game)
    changed: list[dict[str, Any]] = []
    illegal = 0
    for at, row in enumerate(rows, start=1):
        held = deck_in_force(viewer, row.deck_id)
        report = validate(held.deck, catalogue, banlist, preset)
        now = sorted({one.code for one in report.errors})
        before = sorted(set(held.submitted.errors)) if held.submitted else []
        illegal += bool(now)
        if now != before:
            changed.append({"entrant_id": row.entrant_id, "before": before, "now": now})
        run.progress(at, len(rows))
    run.found(
        "tournaments.lists_rechecked",
        checked=len(rows),
        illegal=illegal,
        changed=len(changed),
        lists=changed[:SHOWN],
    )
