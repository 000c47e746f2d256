"""What is wrong with a replay file: a code, and the byte at which it shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from eventstore.domain.refusal import Refusal

FILE, BODY, EMBEDDED = "file", "body", "embedded"
"""What a position counts in: the file, its body once inflated, or the replay embedded in it."""


@dataclass(frozen=True, slots=True)
class Damage:
    """A place at which reading had to stop: `code` without prefix, byte `at` of `part`."""

    code: str
    at: int
    part: str
    found: str = ""

    def plain(self) -> dict[str, Any]:
        """Return the damage as plain JSON values."""
        return {
            "code": f"duels.replay_{self.code}",
            "at": self.at,
            "part": self.part,
            "found": self.found,
        }


class Fault(Exception):
    """Raised within the readers; `read` turns it into a refusal or into damage."""

    def __init__(self, code: str, at: int, found: object = "", allowed: object = None) -> None:
        super().__init__(code)
        self.code, self.at, self.found, self.allowed = code, at, found, allowed

    def refusal(self, part: str = FILE) -> Refusal:
        """Return the fault as the refusal of the whole file."""
        params: dict[str, Any] = {"at": self.at, "part": part, "found": str(self.found)[:80]}
        if self.allowed is not None:
            params["allowed"] = self.allowed
        code = f"duels.replay_{self.code}"
        return Refusal(code, params)

    def damage(self, part: str) -> Damage:
        """Return the fault as the place at which a partial import stops."""
        return Damage(self.code, self.at, part, str(self.found)[:80])
