"""Names of backup copies, and which of them are kept. Pure: names in, names out.

A name tells which log it is of, when it was made, up to which event, and why. It holds no sign
that a FAT file system refuses. Beside each copy stands its manifest (eventstore.domain.manifest);
a copy without one was not finished.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

MINUTE, PUBLISH, HAND = "minute", "publish", "hand"
KINDS = (MINUTE, HAND, PUBLISH)
"""Why a copy was made, in the order in which they are given up when there is no room."""
SUFFIXES = {"sqlite": "sqlite3", "postgresql": "pgcopy.zip"}
MANIFEST = ".manifest"
PART = ".part"
"""End of a file that is being written."""
LOG_DIGITS = 8
EMPTY_LOG = "0" * LOG_DIGITS

KEPT_MINUTES, KEPT_HOURS, KEPT_PUBLISHED, KEPT_BY_HAND = 15, 24, 20, 10

_NAME = re.compile(
    r"headjudge-(?P<log>[0-9a-f]{8})-(?P<at>\d{8}T\d{6})Z-(?P<position>\d{10})-"
    r"(?P<kind>minute|publish|hand)\.(?P<suffix>sqlite3|pgcopy\.zip)"
)


@dataclass(frozen=True, slots=True)
class CopyName:
    """The name of a copy: `log` the first digits of the hash of the log's first event (zeros:
    no event yet), `at` its time (UTC, whole seconds), `position` of its newest event."""

    log: str
    at: datetime
    position: int
    kind: str
    suffix: str

    @property
    def text(self) -> str:
        """The name of the file."""
        at = self.at.astimezone(UTC).strftime("%Y%m%dT%H%M%S")
        return f"headjudge-{self.log}-{at}Z-{self.position:010}-{self.kind}.{self.suffix}"

    @property
    def manifest(self) -> str:
        """The name of its manifest."""
        return self.text + MANIFEST


def read_name(text: str) -> CopyName | None:
    """Read the name of a copy; None for any other file."""
    found = _NAME.fullmatch(text)
    if found is None:
        return None
    try:
        at = datetime.strptime(found["at"], "%Y%m%dT%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None
    return CopyName(found["log"], at, int(found["position"]), found["kind"], found["suffix"])


def log_mark(first_hash: str | None) -> str:
    """Return the digits by which names tell logs apart, from the hash of the first event."""
    return first_hash[:LOG_DIGITS] if first_hash else EMPTY_LOG


def _age(name: CopyName) -> tuple[datetime, int]:
    return name.at, name.position


def newest_first(names: Iterable[CopyName]) -> list[CopyName]:
    """Sort copies, the newest first."""
    return sorted(names, key=_age, reverse=True)


def superfluous(names: Sequence[CopyName]) -> list[CopyName]:
    """Return which copies of one log may go: all but the last KEPT_MINUTES of any kind, the
    newest of each of the last KEPT_HOURS hours that have one, the last KEPT_PUBLISHED made at a
    publication and the last KEPT_BY_HAND made by hand. The newest is never among them."""
    ordered = newest_first(names)
    kept = set(ordered[:KEPT_MINUTES])
    hours: dict[datetime, CopyName] = {}
    for one in ordered:
        hours.setdefault(one.at.replace(minute=0, second=0), one)
    kept.update(list(hours.values())[:KEPT_HOURS])
    for kind, most in ((PUBLISH, KEPT_PUBLISHED), (HAND, KEPT_BY_HAND)):
        kept.update([one for one in ordered if one.kind == kind][:most])
    return [one for one in reversed(ordered) if one not in kept]


def given_up_for_room(names: Sequence[CopyName]) -> list[CopyName]:
    """Return the copies of one log in the order in which they go when there is no room: by kind,
    the oldest first. The newest is never among them."""
    older = newest_first(names)[1:]
    return sorted(older, key=lambda one: (KINDS.index(one.kind), _age(one)))
