"""What can be asked of a call. Each act says who asks, and when (UTC text)."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field
from typing import TypeAlias

from judging.domain.policy import Pack
from judging.domain.ruling import RulingAsk, Table
from tournaments.domain.away import Span


@dataclass(frozen=True, slots=True)
class By:
    """The one who acts: person id, whether head judge of the event, the moment. `away`: when the
    server was away in the event, which no clock of a call counts."""

    person: str
    at: str
    head_judge: bool = False
    away: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class MatchFacts:
    """The match a call is about, as the tournament knows it. `seats` are person ids."""

    match_id: str
    event_id: str
    round: int
    table: int | None
    seats: tuple[tuple[str, ...], tuple[str, ...]]
    entrants: tuple[str, str]


@dataclass(frozen=True, slots=True)
class RaiseCall:
    """Call a judge; `open_call` is the call already open at the table, if there is one."""

    by: By
    call_id: str
    match: MatchFacts
    kind: str
    category: str
    languages: tuple[str, ...]
    pack: Pack
    head_judge_wanted: bool = False
    open_call: str | None = None


@dataclass(frozen=True, slots=True)
class JoinCall:
    """Another call of the same table joins this one."""

    by: By
    joined: str
    kind: str
    category: str


@dataclass(frozen=True, slots=True)
class ClaimCall:
    """Take the call."""

    by: By


@dataclass(frozen=True, slots=True)
class Arrive:
    """Stand at the table, whose time ends at `table_end` (None: no clock)."""

    by: By
    table_end: str | None


@dataclass(frozen=True, slots=True)
class GiveBack:
    """Return a claimed call to its queue."""

    by: By


@dataclass(frozen=True, slots=True)
class Escalate:
    """Hand the call to the head judge, with a sealed note."""

    by: By
    note: str = ""


@dataclass(frozen=True, slots=True)
class Withdraw:
    """Take the call back before a ruling."""

    by: By


@dataclass(frozen=True, slots=True)
class Texts:
    """Sealed free texts of a ruling."""

    note: str = ""
    facts_agreed: str = ""
    facts_disputed: str = ""


@dataclass(frozen=True, slots=True)
class MakeRuling:
    """Rule. `rules` are the rule ids of the game; `cites` earlier rulings."""

    by: By
    ruling_id: str
    ask: RulingAsk
    pack: Pack
    table: Table
    rules: Container[str]
    cites: tuple[str, ...] = ()
    texts: Texts = field(default_factory=Texts)


@dataclass(frozen=True, slots=True)
class Approve:
    """Approve a pending penalty."""

    by: By
    ruling_id: str
    pack: Pack


@dataclass(frozen=True, slots=True)
class Decline:
    """Decline a pending penalty, with a sealed reason."""

    by: By
    ruling_id: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Accept:
    """A side accepts the ruling; staff names the seat."""

    by: By
    pack: Pack
    seat: str | None = None


@dataclass(frozen=True, slots=True)
class Appeal:
    """A side appeals to the head judge, with a sealed reason; staff names the seat."""

    by: By
    seat: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RuleAppeal:
    """Decide an appeal. `instead` is the ruling that takes the place of the first one; `cites` are
    earlier rulings that one rests on which is upheld."""

    by: By
    outcome: str
    instead: MakeRuling | None = None
    note: str = ""
    cites: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Close:
    """Play goes on. `extension_s` overrides the computed extension, with a sealed reason;
    `ended_at`: when it went on, if that was before the command came in; `real_s` states how long
    a call took that was left open."""

    by: By
    pack: Pack
    extension_s: int | None = None
    reason: str = ""
    ended_at: str | None = None
    real_s: int | None = None


@dataclass(frozen=True, slots=True)
class SetBack:
    """The judge was at the table since `claimed`; `why` is set_back or queued."""

    by: By
    claimed: str
    why: str


@dataclass(frozen=True, slots=True)
class Undo:
    """Take back what the same person did `age_s` seconds ago: `what` is start, ruling,
    escalation or close; `ruling_id` names the ruling."""

    by: By
    what: str
    age_s: int
    ruling_id: str | None = None


Act: TypeAlias = (
    RaiseCall | JoinCall | ClaimCall | Arrive | GiveBack | Escalate | Withdraw | MakeRuling
    | Approve | Decline | Accept | Appeal | RuleAppeal | Close | SetBack | Undo
)  # fmt: skip
