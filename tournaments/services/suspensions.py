"""The command on the list of suspended Card Game IDs: the whole list is replaced."""

from __future__ import annotations

import csv
import hashlib
import io
from datetime import date

from eventstore.commands import Unit, command
from eventstore.domain import canonical
from eventstore.domain.refusal import Refusal, Refused
from eventstore.store import ANY
from people import vault
from people.access import require
from people.domain.actor import Actor
from people.domain.names import clean_card_game_id
from tournaments.domain.door_events import SuspensionsImported
from tournaments.door_models import Suspension

STREAM = "suspensions"
MOST_LINES = 20_000
MOST_SIGNS = 2_000_000
LONGEST_REASON = 500


def _invalid(line: int, found: str, allowed: str) -> Refused:
    return Refused(
        Refusal(
            "tournaments.suspension_invalid",
            {"line": line, "found": found[:60], "allowed": allowed},
        )
    )


def read(content: str) -> dict[str, tuple[date, str]]:
    """Read a list: lines `id,until,reason` with `until` a date like 2027-01-31 and the reason
    left out at will; a first line of column names and lines with # are passed over.

    Raises Refused `tournaments.suspension_invalid{line, found, allowed}`.
    """
    if len(content) > MOST_SIGNS:
        raise _invalid(1, str(len(content)), f"at most {MOST_SIGNS} signs")
    made: dict[str, tuple[date, str]] = {}
    text = canonical.text(content.lstrip("\ufeff"))
    try:
        rows = list(csv.reader(io.StringIO(text.replace(";", ",") if "," not in text else text)))
    except csv.Error as fault:
        raise _invalid(1, str(fault), "id,until,reason") from fault
    if len(rows) > MOST_LINES:
        raise _invalid(MOST_LINES + 1, str(len(rows)), f"at most {MOST_LINES} lines")
    for line, row in enumerate(rows, 1):
        cells = [cell.strip() for cell in row]
        if not any(cells) or cells[0].startswith("#"):
            continue
        if line == 1 and not any(sign.isdigit() for sign in cells[0]):
            continue
        number = clean_card_game_id(cells[0])
        if not isinstance(number, str):
            raise _invalid(line, cells[0], "at most ten digits")
        try:
            until = date.fromisoformat(cells[1]) if len(cells) > 1 else None
        except ValueError:
            until = None
        if until is None:
            raise _invalid(line, cells[1] if len(cells) > 1 else "", "2027-01-31")
        reason = ", ".join(cells[2:])
        if len(reason) > LONGEST_REASON:
            raise _invalid(line, reason, f"at most {LONGEST_REASON} signs")
        made[number] = (until, reason)
    return made


@command("tournaments.suspensions_import")
def suspensions_import(unit: Unit, *, content: str) -> int:
    """Replace the list of suspended ids; returns how many there are. An empty text empties it.

    Reasons are sealed under the key of whoever imports them. Raises Refused
    (`tournaments.suspension_invalid`), NotAllowed.
    """
    require(unit.actor, "tournaments.suspensions_manage")
    listed = read(content)
    before = set(Suspension.objects.values_list("pk", flat=True))
    Suspension.objects.all().delete()
    Suspension.objects.bulk_create(
        [
            Suspension(
                card_game_id=number,
                until=until,
                reason=vault.seal(unit.actor.ref, reason) if reason else "",
                author=unit.actor.ref,
            )
            for number, (until, reason) in sorted(listed.items())
        ],
        batch_size=200,
    )
    unit.append(
        STREAM,
        ANY,
        [
            SuspensionsImported(
                len(listed),
                len(listed.keys() - before),
                len(before - listed.keys()),
                hashlib.sha256(content.encode()).hexdigest(),
            )
        ],
    )
    return len(listed)


def suspensions(viewer: Actor) -> list[tuple[Suspension, str]]:
    """Return the list with its reasons opened: two queries. Raises NotAllowed."""
    require(viewer, "tournaments.suspensions_manage")
    rows = list(Suspension.objects.all())
    texts = vault.open_texts([(row.author, row.reason) for row in rows])
    return [(row, text or "") for row, text in zip(rows, texts, strict=True)]
