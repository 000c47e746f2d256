"""What a person wants to be told, and the right to say so."""

from __future__ import annotations

from dataclasses import dataclass

from eventstore.commands import Unit, command
from eventstore.domain.refusal import Refusal, Refused
from people.access import require
from people.domain.actor import Actor
from people.domain.permissions import Subject
from people.erasure import on_erase
from portal.models import NoticeChoice
from portal.notices.kinds import MAILED, PUSHED

USE = "portal.notice_use"


def own(actor: Actor) -> Subject:
    """The viewer's own messages; a device has them in any of the events it is bound to."""
    event = min(actor.device_events, default=None) if actor.device_events is not None else None
    owners = frozenset({actor.person_id} if actor.person_id else ())
    return Subject(event, owners=owners, public=False)


@dataclass(frozen=True, slots=True)
class Choice:
    """The kinds that a person does not want, by push and by mail."""

    push_off: frozenset[str] = frozenset()
    mail_off: frozenset[str] = frozenset()


EVERYTHING = Choice()


def choices_of(persons: list[str]) -> dict[str, Choice]:
    """Return what each of some persons does not want, without those who never chose: one query."""
    rows = NoticeChoice.objects.filter(pk__in=persons)
    return {row.pk: Choice(frozenset(row.push_off), frozenset(row.mail_off)) for row in rows}


def my_choice(viewer: Actor) -> Choice:
    """Return what the viewer does not want: one query. Raises NotAllowed."""
    require(viewer, USE, own(viewer))
    person_id = viewer.person_id or ""
    return choices_of([person_id]).get(person_id, EVERYTHING)


@command("portal.notices_choose")
def notices_choose(unit: Unit, *, push: list[str], mail: list[str]) -> None:
    """Choose what the actor is told from here on, all other kinds are off.

    Raises Refused (portal.notice_kinds), NotAllowed.
    """
    require(unit.actor, USE, own(unit.actor))
    for chosen, known in ((push, PUSHED), (mail, MAILED)):
        if set(chosen) - set(known):
            raise Refused(Refusal("portal.notice_kinds", {"found": chosen, "allowed": list(known)}))
    NoticeChoice.objects.update_or_create(
        person_id=unit.actor.person_id,
        defaults={
            "push_off": [name for name in PUSHED if name not in push],
            "mail_off": [name for name in MAILED if name not in mail],
        },
    )


@on_erase("message choices")
def _erase(person_id: str) -> int:
    return NoticeChoice.objects.filter(pk=person_id).delete()[0]
