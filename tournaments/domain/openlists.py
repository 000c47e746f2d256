"""Who may see a deck list: by the event's setting, the viewer and the moment.

`closed`: its player and staff. `opponents`: also the opponent, while their match is open. `cut`:
the lists of the cut are everybody's from the moment the cut is made. `published`: the same from
a date on, never before; an event that ends without a cut then shows every list.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from tournaments.domain.event import CUT, FINISHED


class Decklists(StrEnum):
    """The setting of an event."""

    CLOSED = "closed"
    OPPONENTS = "opponents"
    CUT = "cut"
    PUBLISHED = "published"


class Viewer(StrEnum):
    """What a viewer is to a list. A former opponent is anybody."""

    STAFF = "staff"
    OWNER = "owner"
    OPPONENT = "opponent"
    ANYBODY = "anybody"


@dataclass(frozen=True, slots=True)
class Moment:
    """Where an event stands. `now` and `opens_at` are UTC text, `opens_at` empty for none;
    `cut_made` says whether there is a cut (an undone one is none)."""

    setting: str
    opens_at: str
    status: str
    cut_made: bool
    now: str


def opens(moment: Moment) -> bool:
    """Say whether lists of the event are everybody's now."""
    if moment.status not in (CUT, FINISHED):
        return False
    if moment.setting == Decklists.CUT:
        return moment.cut_made
    if moment.setting == Decklists.PUBLISHED:
        due = bool(moment.opens_at) and moment.now >= moment.opens_at
        return due and (moment.cut_made or moment.status == FINISHED)
    return False


def is_public(moment: Moment, *, in_cut: bool) -> bool:
    """Say whether a list is everybody's now. `in_cut`: its player is in the cut."""
    return opens(moment) and (in_cut or not moment.cut_made)


def sees(viewer: Viewer, moment: Moment, *, in_cut: bool, match_open: bool = False) -> bool:
    """Say whether a viewer may see a list now. `match_open`: the match of the two in the newest
    round has no result yet."""
    if viewer in (Viewer.STAFF, Viewer.OWNER):
        return True
    if viewer is Viewer.OPPONENT and moment.setting == Decklists.OPPONENTS and match_open:
        return True
    return is_public(moment, in_cut=in_cut)
