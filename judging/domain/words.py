"""The words of calls and rulings: every code that a call, a ruling or a penalty may carry."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum


def values(words: Iterable[str]) -> list[str]:
    """Return words as plain text, as refusals and events carry them."""
    return [str(word) for word in words]


class Status(StrEnum):
    """Where a call stands. `NONE` is a call that nobody has raised."""

    NONE = "none"
    RAISED = "raised"
    CLAIMED = "claimed"
    AT_TABLE = "at_table"
    RULED = "ruled"
    APPEALED = "appealed"
    ESCALATED = "escalated"
    HJ_CLAIMED = "hj_claimed"
    HJ_RULED = "hj_ruled"
    CLOSED = "closed"
    WITHDRAWN = "withdrawn"
    MERGED = "merged"


OVER = frozenset({Status.CLOSED, Status.WITHDRAWN, Status.MERGED})
"""States that nothing leads out of."""
OPEN = frozenset(Status) - OVER - {Status.NONE}
BEFORE_RULING = frozenset(
    {Status.RAISED, Status.CLAIMED, Status.AT_TABLE, Status.ESCALATED, Status.HJ_CLAIMED}
)


class Kind(StrEnum):
    """Why a judge is called; all kinds share the states and the clock."""

    RULING = "ruling"
    DECK_CHECK = "deck_check"
    SLOW_PLAY = "slow_play"
    CONDUCT = "conduct"
    MISSING_OPPONENT = "missing_opponent"
    ASSISTANCE = "assistance"
    REPLAY_DISPUTE = "replay_dispute"


class Category(StrEnum):
    """What a call is about, as the caller sees it."""

    RULES = "rules"
    LP = "lp"
    HAND_COUNT = "hand_count"
    CONDUCT = "conduct"
    MISSING_OPPONENT = "missing_opponent"
    DECK = "deck"
    MEDICAL = "medical"
    ATTACK_REPLAY = "attack_replay"
    SKIPPED_ANSWER = "skipped_answer"
    REPLAY = "replay"
    OTHER = "other"


CALLABLE = tuple(one for one in Category if one is not Category.REPLAY)
"""What somebody calls a judge about; a line of a replay is disputed instead."""


class Remedy(StrEnum):
    """What happens to the game."""

    PLAY_ON = "play_on"
    RESOLVE_NOW = "resolve_now"
    REWIND = "rewind"
    LOSS = "loss"


class Penalty(StrEnum):
    """Every rung that a ladder of a pack may have, mildest first. `none`: the error is explained
    and kept on record; `dq_with_prize`: out of the event, but what was won is kept."""

    NONE = "none"
    CAUTION = "caution"
    WARNING = "warning"
    GAME_LOSS = "game_loss"
    MATCH_LOSS = "match_loss"
    DQ_WITH_PRIZE = "dq_with_prize"
    DISQUALIFICATION = "disqualification"


class Target(StrEnum):
    """What a penalty falls upon."""

    PERSON_NOTE = "person_note"
    THIS_GAME = "this_game"
    NEXT_GAME = "next_game"
    NEXT_MATCH_FIRST_GAME = "next_match_first_game"
    THIS_MATCH = "this_match"
    NEXT_MATCH = "next_match"
    EVENT = "event"


TARGETS: dict[Penalty, tuple[Target, ...]] = {
    Penalty.NONE: (Target.PERSON_NOTE,),
    Penalty.CAUTION: (Target.PERSON_NOTE,),
    Penalty.WARNING: (Target.PERSON_NOTE,),
    Penalty.GAME_LOSS: (Target.THIS_GAME, Target.NEXT_GAME, Target.NEXT_MATCH_FIRST_GAME),
    Penalty.MATCH_LOSS: (Target.THIS_MATCH, Target.NEXT_MATCH),
    Penalty.DQ_WITH_PRIZE: (Target.EVENT,),
    Penalty.DISQUALIFICATION: (Target.EVENT,),
}
"""The targets each penalty can have, the usual one first."""

NEXT_MATCH_TARGETS = frozenset({Target.NEXT_MATCH_FIRST_GAME, Target.NEXT_MATCH})
"""Targets that wait for the next match of whom they fall upon."""

DISQUALIFICATIONS = frozenset({Penalty.DQ_WITH_PRIZE, Penalty.DISQUALIFICATION})
RESULT_CHANGING = frozenset({Penalty.GAME_LOSS, Penalty.MATCH_LOSS}) | DISQUALIFICATIONS
"""Penalties that change a result; the others are kept on the person's record only."""


class Approval(StrEnum):
    """Whether a penalty waits for the head judge."""

    NOT_NEEDED = "not_needed"
    PENDING = "pending"
    APPROVED = "approved"
    DECLINED = "declined"
    SUPERSEDED = "superseded"
    WITHDRAWN = "withdrawn"


class Moment(StrEnum):
    """How far the match was when the ruling fell; decides the usual target of a loss."""

    BEFORE_MATCH = "before_match"
    IN_GAME = "in_game"
    BETWEEN_GAMES = "between_games"
    AFTER_MATCH = "after_match"


class Outcome(StrEnum):
    """What became of a ruling under appeal."""

    UPHELD = "upheld"
    MODIFIED = "modified"
    OVERTURNED = "overturned"


SEATS = ("P1", "P2")
