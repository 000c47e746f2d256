"""What a caller is told when the database fails: whether the command happened, or that nobody
knows yet. In each case the same command may be sent again with the same id.
"""

from __future__ import annotations

from django.db.utils import OperationalError

BUSY, FULL, LOST = "busy", "full", "lost"
AGAIN_SECONDS = 2
"""What Retry-After asks for when the database is busy, full or away."""


def reason_of(fault: BaseException) -> str:
    """Tell a busy database, a full disk and a lost connection apart by the driver's words."""
    text = str(fault).lower()
    if "locked" in text or "busy" in text or "lock timeout" in text or "deadlock" in text:
        return BUSY
    if "full" in text or "no space" in text:
        return FULL
    return LOST


class CommandFailed(OperationalError):
    """The database failed during a command. `reason` is busy, full or lost."""

    def __init__(self, command_id: str, reason: str) -> None:
        super().__init__(f"command {command_id}: {reason}")
        self.command_id, self.reason = command_id, reason


class NotDone(CommandFailed):
    """Nothing of the command was kept."""

    measured_as = "not_done"


class OutcomeUnknown(CommandFailed):
    """The connection broke while the commit was under way and could not be had again: the
    command happened wholly or not at all. Sending it again tells."""

    measured_as = "unknown"
