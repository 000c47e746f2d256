"""Background work of the store itself."""

from __future__ import annotations

from typing import Any

from eventstore import outbox
from eventstore.checkpoints import checkpoint_make

CHECKPOINT = "eventstore.checkpoint"
"""Topic: sign the log. Payload: `reason`, a short code, and `subject`, what it is made for."""


@outbox.job(CHECKPOINT)
def checkpoint(payload: dict[str, Any]) -> None:
    """Sign the log after the command that asked for it was committed.

    Not in the command itself: a log that was altered, or a key file that is missing, must be
    seen (the row of work keeps the fault, verify_log names the event), but must not keep a hall
    waiting for its pairings.
    """
    checkpoint_make(reason=str(payload["reason"]), subject=str(payload.get("subject", "")))
