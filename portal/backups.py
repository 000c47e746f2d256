"""What the site's organiser sees of the backups, and the wish for one now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from eventstore.backups import keeper, restoring
from eventstore.commands import Unit, command
from eventstore.domain.refusal import Refusal, Refused
from eventstore.jobs import BACKUP
from eventstore.models import BackupRow, RestoreRow
from people.access import require
from people.domain.actor import Actor

USE = "portal.backup_use"


@dataclass(frozen=True, slots=True)
class Backups:
    """How backups go: the second path (empty: none is set), the state kept of it (None: no copy
    was tried yet), what is wrong, and the last restore of this database."""

    place: str
    row: BackupRow | None
    warning: dict[str, Any] | None
    restored: RestoreRow | None

    @property
    def state(self) -> str:
        """The code of the state."""
        return self.row.state if self.row is not None else "never"


def backups(viewer: Actor) -> Backups:
    """Return how backups go. The stick itself is not asked: it may hang. Raises NotAllowed."""
    require(viewer, USE)
    path = keeper.place()
    row = BackupRow.objects.filter(pk=str(path)).first() if path else None
    return Backups(str(path or ""), row, keeper.warning(), restoring.last_restore())


@command("portal.backup_now")
def backup_now(unit: Unit) -> None:
    """Have a copy made now, in the background.

    Raises Refused (portal.backup_no_place), NotAllowed.
    """
    require(unit.actor, USE)
    if keeper.place() is None:
        raise Refused(Refusal("portal.backup_no_place"))
    unit.enqueue(BACKUP)
