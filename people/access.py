"""Ask the permission table and raise its answer as an exception that the edge turns into
404 or 403."""

from __future__ import annotations

from people.domain.actor import Actor
from people.domain.permissions import Subject, Verdict, can


class NotAllowed(Exception):
    """The table said no. `hidden` means the actor may not even know that the thing exists."""

    measured_as = "denied"

    def __init__(self, action: str, verdict: Verdict) -> None:
        super().__init__(f"{action}: {verdict}")
        self.action = action
        self.hidden = verdict is Verdict.HIDDEN


def require(actor: Actor, action: str, subject: Subject | None = None) -> None:
    """Return when the actor may do the action to the subject; raises NotAllowed."""
    verdict = can(actor, action, subject)
    if verdict is not Verdict.ALLOWED:
        raise NotAllowed(action, verdict)


def may(actor: Actor, action: str, subject: Subject | None = None) -> bool:
    """Say whether the actor may do the action: for buttons on a page, not for a guard."""
    return can(actor, action, subject) is Verdict.ALLOWED
