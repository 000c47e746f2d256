"""A replay in a few plain values, as the command prints and a page shows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from duels.imports.engine import moves as mv
from duels.imports.replay.audit import Finding, audit
from duels.imports.replay.importing import Imported, import_replay
from duels.imports.replay.reading import Replay, read
from eventstore.domain.refusal import Refusal

REASONS = {0: "surrender", 1: "lp", 2: "deck_out", 3: "time", 4: "connection"}
BY_CARD = 0x10
"""From here on a card's effect ended the duel."""


@dataclass(frozen=True, slots=True)
class Found:
    """A replay read, imported (None for a file without messages) and audited."""

    replay: Replay
    imported: Imported | None
    findings: list[Finding]


def examine(data: bytes, duel_id: str, **opening: Any) -> Found | Refusal:
    """Read, import and audit a file. Refused as `read` and `import_replay` refuse; a .yrp has
    no messages and is no refusal; those of a duel of teams are not played through."""
    replay = read(data)
    if isinstance(replay, Refusal):
        return replay
    imported = None
    if replay.head.kind == "yrpX" and not replay.teams:
        made = import_replay(replay, duel_id, **opening)
        if isinstance(made, Refusal):
            return made
        imported = made
    return Found(replay, imported, audit(replay, imported))


def ending(imported: Imported | None) -> tuple[int | None, str]:
    """Return the winner (0, 1, or 2 for a draw; None without an end) and the reason."""
    end = imported.table.ended if imported is not None else None
    if end is None:
        return None, "none"
    reason = REASONS.get(end.reason, "effect" if end.reason >= BY_CARD else "none")
    return end.winner if end.winner in (*mv.SEATS, 2) else None, reason


def summary(found: Found, file: str) -> dict[str, Any]:
    """Return what the command prints of a file: players and decks by seat, the one who begins
    first; `lp` as the messages add up (below 0 when more was dealt than was left)."""
    replay, imported = found.replay, found.imported
    winner, reason = ending(imported)
    if imported is not None:
        lp = [half.life_points for half in imported.table.halves]
    else:
        lp = [replay.script.life_points] * 2 if replay.script is not None else []
    decks = imported.decks if imported is not None and not replay.decks else replay.decks
    return {
        "file": file,
        "format": replay.head.kind,
        "client": replay.head.client,
        "players": [name for team in replay.players for name in team],
        "decks": [{"main": list(deck.main), "extra": list(deck.extra)} for deck in decks],
        "turns": imported.table.turn if imported is not None else 0,
        "events": len(imported.events) if imported is not None else 0,
        "unknown_messages": [one.plain() for one in imported.unknown] if imported else [],
        "winner": winner,
        "reason": reason,
        "lp": lp,
        "findings": [one.plain() for one in found.findings],
    }
