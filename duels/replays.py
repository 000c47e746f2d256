"""Replay files in a match: handed in, imported as a duel, the original kept sealed for judges."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from duels.domain.events import ReplayImported, Seat
from duels.facts import facts_for
from duels.imports.replay.importing import Imported
from duels.imports.replay.summary import Found, ending, examine
from duels.models import ReplayFile
from duels.rules.games import NEW, evolve
from duels.selectors import opening_of, read_duel
from duels.services import stream_of, subject_of
from eventstore import clock
from eventstore.commands import Unit, command
from eventstore.domain.refusal import Refusal, Refused
from eventstore.ids import new_id
from people import vault
from people.access import NotAllowed, require
from people.domain.actor import SYSTEM, Actor
from people.domain.permissions import Subject, Verdict
from people.erasure import on_erase, on_export

MOST_UPLOAD = 3 * 1024 * 1024 // 2
"""Largest file that may be handed in: more than the largest unpacked one seen."""
MOST_FILES = 6
"""Files that one person may hand in for one match: a match has three duels, and an end may be
in two of them."""
SEATS: tuple[Seat, Seat] = ("P1", "P2")


class HandedIn(msgspec.Struct, frozen=True):
    """What became of a file: its duel, events, what the file says of the end (a proposal), and
    how many findings the audit has."""

    duel_id: str
    events: int
    winner: str
    reason: str
    findings: int


@command("duels.replay_import")
def replay_import(
    unit: Unit,
    *,
    duel_id: str,
    event_id: str,
    match_id: str,
    number: int,
    seats: Mapping[str, Sequence[str]],
    data: bytes,
    seed: str | None = None,
) -> HandedIn:
    """Import a .yrpX as the log of a duel of a match. `seats`: P1 is who began. `seed` scatters
    instance ids; it comes from a rehearsal, never from a person.

    Raises Refused (as the reader of the file, `duels.exists`, `duels.bad_id`), NotAllowed.
    """
    persons = frozenset(person for seat in seats.values() for person in seat)
    subject = Subject(event_id=event_id, owners=persons, public=False)
    require(unit.actor, "duels.replay_import", subject)
    stream = stream_of(duel_id)
    if unit.load(stream, NEW, evolve).version:
        raise Refused(Refusal("duels.exists", {"found": duel_id}))
    if not data:
        raise Refused(Refusal("duels.replay_missing", {}))
    if len(data) > MOST_UPLOAD:
        raise Refused(
            Refusal(
                "duels.replay_too_large",
                {"at": MOST_UPLOAD, "found": len(data), "allowed": MOST_UPLOAD},
            )
        )
    sha256 = hashlib.sha256(data).hexdigest()
    held = ReplayFile.objects.filter(match_id=match_id)
    mine = set(held.filter(person_id=unit.actor.ref).values_list("sha256", flat=True))
    if sha256 in set(held.values_list("sha256", flat=True)):
        raise Refused(Refusal("duels.replay_again", {}))
    if len(mine) >= MOST_FILES:
        raise Refused(Refusal("duels.replay_many", {"found": len(mine), "allowed": MOST_FILES}))
    found = examine(
        data,
        duel_id,
        facts_of=lambda keys: facts_for(SYSTEM, keys),
        seed=new_id() if seed is None else seed,
        seats=seats,
        event_id=event_id,
        match_id=match_id,
        number=number,
    )
    if isinstance(found, Refusal):
        raise Refused(found)
    if found.imported is None:
        raise Refused(Refusal("duels.replay_no_duel", {"found": found.replay.head.kind}))
    told = _told(found, found.imported, unit.actor.ref, sha256, len(data))
    events = [*found.imported.events, told]
    unit.acting_as("import").append(stream, 0, events)
    ReplayFile.objects.create(
        duel_id=duel_id,
        event_id=event_id,
        match_id=match_id,
        person_id=unit.actor.ref,
        sha256=sha256,
        sealed=vault.seal_bytes(unit.actor.ref, data),
        handed_in_at=clock.as_text(unit.now),
    )
    return HandedIn(duel_id, len(events), told.winner, told.reason, len(told.findings))


def _told(found: Found, imported: Imported, by: str, sha256: str, size: int) -> ReplayImported:
    winner, reason = ending(imported)
    return ReplayImported(
        sha256,
        size,
        found.replay.head.kind,
        found.replay.head.client,
        by,
        "none" if winner is None else (*SEATS, "draw")[winner],
        reason,
        [one.plain() for one in imported.unknown],
        imported.damage.plain() if imported.damage is not None else None,
        [one.plain() for one in found.findings],
    )


@dataclass(frozen=True, slots=True)
class ReplayShown:
    """What judges see of the file behind a duel. `kept`: the original can be downloaded."""

    sha256: str
    size: int
    format: str
    client: str
    by: str
    winner: str
    reason: str
    unknown: list[dict[str, Any]]
    damage: dict[str, Any] | None
    findings: list[dict[str, Any]]
    kept: bool


def replay_behind(viewer: Actor, duel_id: str) -> ReplayShown | None:
    """Return the file behind an imported duel, None for a duel of another origin. For judges
    of its event; two queries. Raises NotAllowed."""
    recorded = read_duel(duel_id)
    opening = opening_of(recorded)
    duel = evolve(NEW, opening) if opening is not None else NEW
    require(viewer, "duels.duel_read_as_judge", subject_of(duel))
    told = next((one.data for one in recorded if isinstance(one.data, ReplayImported)), None)
    if not isinstance(told, ReplayImported):
        return None
    kept = ReplayFile.objects.filter(pk=duel_id).exists()
    return ReplayShown(**msgspec.structs.asdict(told), kept=kept)


def original(viewer: Actor, duel_id: str) -> bytes:
    """Return the file as it was handed in, for judges of its event. A file that is not there,
    cannot be opened any more, or is not what the log has the hash of, is hidden. Raises
    NotAllowed."""
    recorded = read_duel(duel_id)
    opening = opening_of(recorded)
    duel = evolve(NEW, opening) if opening is not None else NEW
    require(viewer, "duels.replay_original_read", subject_of(duel))
    row = ReplayFile.objects.filter(pk=duel_id).first()
    data = None if row is None else vault.open_bytes(row.person_id, bytes(row.sealed))
    logged = {one.data.sha256 for one in recorded if isinstance(one.data, ReplayImported)}
    if data is None or hashlib.sha256(data).hexdigest() not in logged:
        raise NotAllowed("duels.replay_original_read", Verdict.HIDDEN)
    return data


@on_erase("replay files")
def _erase(person_id: str) -> int:
    return ReplayFile.objects.filter(person_id=person_id).delete()[0]


@on_export("replay files")
def _export(person_id: str) -> list[dict[str, Any]]:
    found = []
    for row in ReplayFile.objects.filter(person_id=person_id):
        data = vault.open_bytes(person_id, bytes(row.sealed))
        found.append(
            {
                "event_id": row.event_id,
                "handed_in_at": row.handed_in_at,
                "file": base64.b64encode(data).decode() if data else None,
            }
        )
    return found
