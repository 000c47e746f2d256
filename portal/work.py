"""Background work as people see it: whose it is, how far it has come, what it found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet

from eventstore import bundles, jobfiles, outbox
from eventstore.checkpoints import LogFault, NotCovered
from eventstore.commands import Unit, command
from eventstore.domain import work
from eventstore.domain.refusal import Refusal, Refused
from eventstore.models import OutboxRow
from eventstore.runs import Run
from eventstore.store import ANY
from judging.case import log_withheld
from people.access import NotAllowed, may, require
from people.asking import asker
from people.domain.actor import Actor
from people.domain.permissions import Subject, Verdict
from portal.events import JobStartedAgain
from tournaments import rechecks, selectors

BUNDLE, ARCHIVE = "portal.bundle", "portal.archive"
"""Topics: the whole log of an event as a file; the event itself. Payload: `event_id`."""
READ, START_AGAIN = "portal.job_read", "portal.job_start_again"
NEEDED = {
    rechecks.TOPIC: "decks.list_read",
    BUNDLE: "tournaments.log_export",
    ARCHIVE: "tournaments.event_run",
}
"""What one must be allowed to see what a job found, beyond seeing the job."""


def _subject(row: OutboxRow) -> Subject:
    owners = frozenset({row.asked_by}) if row.asked_by else frozenset()
    return Subject(row.event_id or None, owners, public=False)


def job_of(viewer: Actor, job_id: int) -> OutboxRow:
    """Return a job that the viewer asked for or runs the event or site of. Raises NotAllowed;
    one that is not there is as hidden as one of others."""
    row = OutboxRow.objects.filter(pk=job_id).first() if 0 < job_id < 2**63 else None
    if row is None:
        raise NotAllowed(READ, Verdict.HIDDEN)
    require(viewer, READ, _subject(row))
    return row


def jobs_of_site(viewer: Actor) -> QuerySet[OutboxRow]:
    """Return what somebody asked for, and what failed or was given up, newest first. Raises
    NotAllowed."""
    require(viewer, "portal.jobs_read", Subject(public=False))
    shown = ~Q(asked_by="") | Q(state__in=[work.GIVEN_UP, work.FAILED])
    return OutboxRow.objects.filter(shown).order_by("-pk")


def jobs_of_event(viewer: Actor, event_id: str) -> QuerySet[OutboxRow]:
    """Return the jobs of an event, newest first. Raises NotAllowed."""
    require(viewer, "portal.event_jobs_read", Subject(event_id, public=False))
    return OutboxRow.objects.filter(event_id=event_id).order_by("-pk")


def found_by(viewer: Actor, row: OutboxRow) -> dict[str, Any]:
    """Return code and params of what a job found; empty when it found nothing, or nothing that
    the viewer may see."""
    action = NEEDED.get(row.topic)
    if action and not may(viewer, action, Subject(row.event_id, public=False)):
        return {}
    return dict(row.found)


@command("portal.job_start_again")
def job_start_again(unit: Unit, *, job_id: int) -> None:
    """Let work that was given up be tried anew. Raises NotAllowed; Refused
    `portal.job_not_given_up`."""
    row = job_of(unit.actor, job_id)
    require(unit.actor, START_AGAIN, _subject(row))
    if not outbox.start_again(job_id):
        raise Refused(Refusal("portal.job_not_given_up"))
    unit.append(f"job-{job_id}", ANY, [JobStartedAgain(job_id, row.topic, row.event_id)])


def _may_bundle(actor: Actor, event_id: str) -> None:
    require(actor, "tournaments.log_export", Subject(event_id))
    selectors.event_home(actor, event_id)
    if log_withheld(actor, event_id):
        raise Refused(Refusal("portal.log_withheld"))


def _may_archive(actor: Actor, event_id: str) -> None:
    selectors.event_home(actor, event_id)
    require(actor, "tournaments.event_run", Subject(event_id))


def _bundle(actor: Actor, event_id: str) -> Made:
    try:
        content = bundles.export(event_id)
    except (LogFault, NotCovered):
        raise Refused(Refusal("portal.log_damaged")) from None
    return Made(content, f"event-{event_id[:8]}.zip", "application/zip")


def _archive(actor: Actor, event_id: str) -> Made:
    return Made(*selectors.event_file(actor, event_id, "archive"))


@dataclass(frozen=True, slots=True)
class Made:
    """A file that a job made."""

    content: bytes
    name: str
    content_type: str


@dataclass(frozen=True, slots=True)
class _File:
    """A kind of file: who may have it (raises NotAllowed, Refused), and how it is made."""

    ask: Callable[[Actor, str], None]
    make: Callable[[Actor, str], Made]


FILES = {BUNDLE: _File(_may_bundle, _bundle), ARCHIVE: _File(_may_archive, _archive)}


@command("portal.file_ask")
def file_ask(unit: Unit, *, topic: str, event_id: str) -> int:
    """Ask for a file of an event, by a topic of FILES; returns the id of the job. Raises
    NotAllowed; Refused `portal.log_withheld`."""
    FILES[topic].ask(unit.actor, event_id)
    payload = {"event_id": event_id}
    job = outbox.enqueue(topic, payload, asked_by=unit.actor.ref, event_id=event_id)
    return job or 0


def _make(payload: dict[str, Any], run: Run) -> None:
    """Make a file and keep it for a day. Raises Refused `people.rights_lost`,
    `portal.log_withheld`, `portal.log_damaged`."""
    kind, event_id, actor = FILES[run.topic], payload["event_id"], asker(run.asked_by)
    try:
        kind.ask(actor, event_id)
    except NotAllowed:
        raise Refused(Refusal("people.rights_lost")) from None
    made = kind.make(actor, event_id)
    run.progress(1, 1)
    run.found(
        "portal.file_made",
        file=jobfiles.keep(made.content),
        name=made.name,
        content_type=made.content_type,
        bytes=len(made.content),
    )


for _topic in FILES:
    outbox.long_job(_topic)(_make)


def download(viewer: Actor, job_id: int) -> Made | None:
    """Return the file of a job, None when it is gone. The rights are those of now: who may no
    longer see the log does not get the file either. Raises NotAllowed; Refused
    `portal.log_withheld`."""
    row = job_of(viewer, job_id)
    if row.topic not in FILES or row.state != work.DONE:
        raise NotAllowed(READ, Verdict.HIDDEN)
    FILES[row.topic].ask(viewer, row.event_id)
    found = row.found["params"]
    content = jobfiles.read(str(found["file"]))
    return None if content is None else Made(content, found["name"], found["content_type"])
