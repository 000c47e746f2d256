"""Imports as background work: an upload is kept, and read by a worker."""

from __future__ import annotations

from typing import Any

from cards import services
from cards.domain.banlist import MAX_BYTES as MAX_BANLIST_BYTES
from cards.domain.load import MAX_BYTES as MAX_CARDS_BYTES
from eventstore import jobfiles, outbox
from eventstore.commands import Context, Unit, command
from eventstore.domain.refusal import Refusal, Refused
from eventstore.runs import Run
from people.access import NotAllowed, require
from people.asking import asker

TOPIC = "cards.import"
"""Payload: `kind` (a key of KINDS), `file` (of eventstore.jobfiles), `source`, `dry_run`."""
KINDS = {
    "catalogue": (services.catalogue_import, "cards.catalogue_import", MAX_CARDS_BYTES),
    "banlists": (services.banlist_import, "cards.banlist_import", MAX_BANLIST_BYTES),
}


@command("cards.import_ask")
def import_ask(unit: Unit, *, kind: str, source: str, content: bytes, dry_run: bool) -> int:
    """Keep an upload and leave its import to a worker; returns the id of the job.

    Raises NotAllowed; Refused `cards.too_large`.
    """
    _service, action, limit = KINDS[kind]
    require(unit.actor, action)
    if len(content) > limit:
        raise Refused(Refusal("cards.too_large", {"found": len(content), "allowed": limit}))
    payload = {
        "kind": kind,
        "file": jobfiles.keep(content),
        "source": source,
        "dry_run": dry_run,
    }
    about = {"source": source[:80]}
    job = outbox.enqueue(TOPIC, payload, asked_by=unit.actor.ref, about=about)
    return job or 0


@outbox.long_job(TOPIC)
def run_import(payload: dict[str, Any], run: Run) -> None:
    """Read the upload with the rights its sender has now. Run again after it was done, the
    command answers as the first time. Raises Refused as the import does, and `cards.upload_gone`,
    `people.rights_lost`."""
    service, _action, _limit = KINDS[payload["kind"]]
    content = jobfiles.read(payload["file"])
    if content is None:
        raise Refused(Refusal("cards.upload_gone"))
    context = Context(actor=asker(run.asked_by), source="organiser", command_id=run.command_id())
    try:
        outcome: Any = service(
            context, source=payload["source"], content=content, dry_run=payload["dry_run"]
        )
    except NotAllowed:
        raise Refused(Refusal("people.rights_lost")) from None
    if isinstance(outcome, services.CatalogueOutcome):
        code = "cards.catalogue_compared" if outcome.dry_run else "cards.catalogue_imported"
        run.found(
            code,
            added=outcome.added,
            changed=outcome.changed,
            unchanged=outcome.unchanged,
            findings=outcome.findings,
        )
    else:
        new = [one.title for one in outcome.lists if one.new]
        code = "cards.banlists_compared" if outcome.dry_run else "cards.banlists_imported"
        run.found(code if new else "cards.banlists_known", titles=new[:20])
    run.progress(1, 1)
    run.after(lambda: jobfiles.remove(payload["file"]))
