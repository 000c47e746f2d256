"""Find the cards of recordings: a named file, or the one beside the folder of the recording."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from duels.imports.engine.recording import PoolCard, read_pool
from eventstore.domain.refusal import Refusal

POOL = "pool.json"


class Pools:
    """The pools of cards by path, each read once."""

    def __init__(self, named: str | None) -> None:
        self.named = named
        self.read: dict[Path, Mapping[int, PoolCard] | Refusal] = {}

    def beside(self, path: Path) -> Mapping[int, PoolCard] | Refusal:
        """Return the named pool, or the one beside the folder of a recording."""
        where = Path(self.named) if self.named else path.resolve().parent.parent / POOL
        if where not in self.read:
            try:
                self.read[where] = read_pool(where.read_bytes())
            except OSError as trouble:
                self.read[where] = Refusal(
                    "duels.pool_unreadable", {"found": trouble.strerror or "", "file": str(where)}
                )
        return self.read[where]
