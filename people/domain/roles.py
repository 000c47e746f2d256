"""The roles a person can hold: for one event (a tournament), or for the site."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """A role in one event. `ORGANISER` without an event is the site's organiser."""

    ORGANISER = "organiser"
    SCOREKEEPER = "scorekeeper"
    HEAD_JUDGE = "head_judge"
    JUDGE = "judge"
    DECK_CHECKER = "deck_checker"
    RECORDER = "recorder"


class Relation(StrEnum):
    """How an actor stands to a subject; the words of the permission table."""

    ANYONE = "anyone"
    SIGNED_IN = "signed_in"
    OWN = "own"
    SITE_ORGANISER = "site_organiser"
    ORGANISER = "organiser"
    SCOREKEEPER = "scorekeeper"
    HEAD_JUDGE = "head_judge"
    JUDGE = "judge"
    DECK_CHECKER = "deck_checker"
    RECORDER = "recorder"
