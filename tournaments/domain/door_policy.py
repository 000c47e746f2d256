"""Decisions about the policy of the door, and the prize table by number of players."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from eventstore.domain.refusal import Refusal
from tournaments.domain import door_seats
from tournaments.domain import event as state_of
from tournaments.domain.door_events import DoorPolicy, DoorSet, Prize
from tournaments.domain.event import CLOSED, CUT, DRAFT, OPEN, RUNNING, Decision, Tournament
from tournaments.domain.setup import is_moment

MOST_CAPACITY = 20_000
MOST_OFFER = 7 * 24 * 60
MOST_FEE = 100_000_000
MOST_PRIZES = 100
LONGEST_PRIZE = 80
LONGEST_VERSION = 20
LONGEST_NOTICE = 4000
CURRENCY = re.compile(r"[A-Z]{3}")
TIMES = ("opens_at", "closes_at", "check_in_opens", "check_in_closes")
PRIZE_LINE = re.compile(r"(?:(\d{1,5})\+\s*)?(\d{1,5})(?:\s*-\s*(\d{1,5}))?\s*:\s*(\S.*)")


def _invalid(field: str, found: object, allowed: object) -> Refusal:
    return Refusal("tournaments.door_invalid", {"field": field, "found": found, "allowed": allowed})


def _is_text(text: str, longest: int, *, lines: bool = False) -> bool:
    plain = text.replace("\n", "").replace("\r", "") if lines else text
    return len(text) <= longest and not any(
        unicodedata.category(sign) in ("Cc", "Cn", "Cs") for sign in plain
    )


def policy_refused(policy: DoorPolicy) -> Refusal | None:
    """Say what is wrong with a policy: `tournaments.door_invalid{field, found, allowed}`."""
    for field in TIMES:
        text = getattr(policy, field)
        if text is not None and not is_moment(text):
            return _invalid(field, text[:40], "UTC time")
    for opens, closes in (TIMES[:2], TIMES[2:]):
        begin, end = getattr(policy, opens), getattr(policy, closes)
        if begin is not None and end is not None and end <= begin:
            return _invalid(closes, end, f"after {begin}")
    if policy.capacity is not None and not 1 <= policy.capacity <= MOST_CAPACITY:
        return _invalid("capacity", policy.capacity, [1, MOST_CAPACITY])
    if not 1 <= policy.offer_minutes <= MOST_OFFER:
        return _invalid("offer_minutes", policy.offer_minutes, [1, MOST_OFFER])
    if not 0 <= policy.fee <= MOST_FEE:
        return _invalid("fee", policy.fee, [0, MOST_FEE])
    if not CURRENCY.fullmatch(policy.currency):
        return _invalid("currency", policy.currency[:10], "three capital letters, such as EUR")
    if not _is_text(policy.notice_version, LONGEST_VERSION):
        return _invalid("notice_version", policy.notice_version[:40], LONGEST_VERSION)
    if not _is_text(policy.notice, LONGEST_NOTICE, lines=True):
        return _invalid("notice", len(policy.notice), LONGEST_NOTICE)
    if bool(policy.notice.strip()) != bool(policy.notice_version.strip()):
        return _invalid("notice_version", policy.notice_version, "a version and its text")
    return _prizes_refused(policy.prizes)


def _prizes_refused(prizes: Sequence[Prize]) -> Refusal | None:
    if len(prizes) > MOST_PRIZES:
        return _invalid("prizes", len(prizes), [0, MOST_PRIZES])
    for one in prizes:
        shown = f"{one.least}+ {one.first}-{one.last}"
        if not (0 <= one.least <= MOST_CAPACITY and 1 <= one.first <= one.last <= MOST_CAPACITY):
            return _invalid("prizes", shown, "129+ 9-16: Playmat")
        if not one.text.strip() or not _is_text(one.text, LONGEST_PRIZE):
            return _invalid("prizes", one.text[:40], f"1 to {LONGEST_PRIZE} signs")
    return None


def set_policy(state: Tournament, *, policy: DoorPolicy) -> Decision:
    """Change the policy of the door, as long as the event is not over.

    Refused with `tournaments.door_invalid`, `tournaments.capacity_below` (more seats are held
    than it would leave), `tournaments.fees_taken` (the currency of money that was taken),
    `tournaments.nothing_changed`, `tournaments.wrong_state`.
    """
    wrong = state_of.in_status(state, DRAFT, OPEN, CLOSED, RUNNING, CUT) or policy_refused(policy)
    if wrong is not None:
        return wrong
    before = state.door.policy
    if policy == before:
        return Refusal("tournaments.nothing_changed")
    held = door_seats.taken(state) + state.door.offered
    if policy.capacity is not None and policy.capacity < held:
        lowered = before.capacity is None or policy.capacity < before.capacity
        if lowered:
            return Refusal(
                "tournaments.capacity_below", {"found": policy.capacity, "allowed": held}
            )
    if policy.currency != before.currency and state.door.money_taken:
        return Refusal(
            "tournaments.fees_taken", {"found": policy.currency, "allowed": before.currency}
        )
    return [DoorSet(state.event_id, policy)]


def prizes_read(text: str) -> tuple[Prize, ...] | Refusal:
    """Read a prize table, one line each: `1: Trophy`, `5-8: Booster`, `129+ 9-16: Playmat` (from
    129 players on). Refused with `tournaments.door_invalid`.

    >>> prizes_read("129+ 9-16: Playmat")
    (Prize(least=129, first=9, last=16, text='Playmat'),)
    """
    made: list[Prize] = []
    for line in filter(None, (" ".join(one.split()) for one in text.splitlines())):
        found = PRIZE_LINE.fullmatch(line)
        if found is None:
            return _invalid("prizes", line[:60], "129+ 9-16: Playmat")
        least, first, last, what = found.groups()
        made.append(Prize(int(least or 0), int(first), int(last or first), what))
    return tuple(made)


def prizes_text(prizes: Sequence[Prize]) -> str:
    """Write a prize table as `prizes_read` reads it."""
    return "\n".join(
        (f"{one.least}+ " if one.least else "")
        + (str(one.first) if one.first == one.last else f"{one.first}-{one.last}")
        + f": {one.text}"
        for one in prizes
    )


def prizes_for(prizes: Sequence[Prize], players: int) -> dict[int, str]:
    """Return what each place gets with so many players; a line for more players goes before."""
    table: dict[int, str] = {}
    for one in sorted(prizes, key=lambda line: line.least):
        if one.least <= players:
            for place in range(one.first, min(one.last, players) + 1):
                table[place] = one.text
    return dict(sorted(table.items()))


@dataclass(frozen=True, slots=True)
class PrizeMoved:
    """Places whose prize is another with another number of players; empty text: none."""

    first: int
    last: int
    was: str
    now: str


def prizes_moved(prizes: Sequence[Prize], before: int, after: int) -> list[PrizeMoved]:
    """Return what the prize table says differently for another number of players, neighbouring
    places with the same change as one line."""
    was, now = prizes_for(prizes, before), prizes_for(prizes, after)
    moved: list[PrizeMoved] = []
    for place in sorted(was.keys() | now.keys()):
        one, two = was.get(place, ""), now.get(place, "")
        if one == two:
            continue
        last = moved[-1] if moved else None
        if last is not None and (last.last, last.was, last.now) == (place - 1, one, two):
            moved[-1] = PrizeMoved(last.first, place, one, two)
        else:
            moved.append(PrizeMoved(place, place, one, two))
    return moved
