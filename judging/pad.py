"""The Life Point pad of a player: what is written on it, as statements of the own duel.

A pad never changes what the log derives. Each line is the player's own, in order; where both pads
say the same, an agreement is an anchor. The policy pack (`devices.lp_pad`) or the event (phones
put away) closes the pad on every way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from duels import selectors as duels
from duels.domain.events import CountDeclared, LineDisputed, LpAgreed, LpDeclared
from duels.domain.seats import PLAYERS
from duels.rules.games import is_played
from duels.services import Acted, statement_make
from eventstore.commands import Unit, command
from eventstore.domain.refusal import Refusal, Refused
from judging.domain.pads import Standing, Why
from judging.domain.pads import closed as why_closed
from judging.matches import match_now, pack_of
from judging.packs import UnknownPack
from people.access import NotAllowed
from people.domain.actor import Actor
from people.domain.permissions import Verdict
from tournaments.domain.setup import NOT_IN_MATCH
from tournaments.models import EventRow, MatchRow
from tournaments.selectors import next_duel_of

MINE, THEIRS = "mine", "theirs"
HOW = ("loses", "gains", "total")
MOST = 999_999
SHOWN = 8
"""Lines of both pads that the page shows, the newest first."""


def pad_refused(event_id: str, match_id: str) -> Refusal | None:
    """Return why the players of a match keep no pad on a phone: the event has phones put away
    while the match runs, or its policy wants paper. At most six queries."""
    away = match_id and EventRow.objects.filter(pk=event_id, devices=NOT_IN_MATCH).exists()
    match = match_now(match_id) if away else None
    if match is not None and not match.decided:
        return Refusal("tournaments.devices_put_away")
    return on_paper(event_id)


def on_paper(
    event_id: str, chosen: str | None = None, found: Sequence[Sequence[Any]] | None = None
) -> Refusal | None:
    """Return why the policy of an event keeps no pads. `chosen` and `found` as for `pack_of`."""
    try:
        used = pack_of(event_id, chosen, found)
    except UnknownPack:
        return None  # an event that is none of the tournaments has no policy
    return None if used.devices.lp_pad else Refusal("judging.pad_on_paper", {"found": used.ref})


def closed(event: EventRow, match: MatchRow | None, paper: Refusal | None) -> Why:
    """Return why no pad is open or can be opened in a match of an event, empty where one is or
    can. `paper`: what `on_paper` says. No query."""
    standing = None
    if match is not None:
        last = match.duels[-1] if match.duels else None
        running = last if last is not None and last["winner"] is None else None
        standing = Standing(
            over=next_duel_of(match) is None,
            running=running is not None,
            logged=running is not None and bool(running["duel_id"]),
            starter=bool(match.starter),
        )
    return why_closed(paper=paper is not None, game=is_played(event.game), match=standing)


@dataclass(frozen=True, slots=True)
class PadLine:
    """A line of a pad: its number in the log, whose pad, about whom, the value and change it
    says (None: a total alone), and whether it is disputed."""

    seq: int
    by: str
    about: str
    value: int
    delta: int | None
    disputed: bool


@dataclass(frozen=True, slots=True)
class Pads:
    """Both pads of a duel. `values` {by: {about: Life Points}}: the newest line, else the newest
    agreement, else the opening. `agreed` values of the newest agreement (None: none yet); `same`:
    both pads say the same of both; `counts` {by: {about: cards in hand}} last counted; `next_seq`
    of the viewer's next line; `table`: the log keeps a table of its own."""

    seat: str
    values: Mapping[str, Mapping[str, int]]
    agreed: Mapping[str, int] | None
    same: bool
    told: frozenset[str]
    lines: tuple[PadLine, ...]
    counts: Mapping[str, Mapping[str, int]]
    turn: int
    active: str
    next_seq: int
    table: bool


def pads_of(viewer: Actor, duel_id: str) -> Pads:
    """Return both pads of a duel for one of its players. Two queries. Raises NotAllowed."""
    recorded = duels.read_duel(duel_id)
    opening = duels.guard_perspective(viewer, recorded, "public")
    seat = _seat(viewer, opening.seats)
    values = {by: dict.fromkeys(PLAYERS, opening.life_points) for by in PLAYERS}
    counts: dict[str, dict[str, int]] = {by: {} for by in PLAYERS}
    agreed: dict[str, int] | None = None
    told: set[str] = set()
    disputed = {one.data.line for one in recorded if isinstance(one.data, LineDisputed)}
    lines: list[PadLine] = []
    last = 0
    for one in recorded:
        event = one.data
        match event:
            case LpDeclared():
                values[event.player][event.about] = event.value
                told.add(event.player)
                lines.append(
                    PadLine(
                        one.version, event.player, event.about, event.value, event.delta,
                        one.version in disputed,
                    )
                )  # fmt: skip
                if event.player == seat:
                    last = max(last, event.pad_seq)
            case LpAgreed():
                agreed = dict(event.life_points)
                values = {by: dict(agreed) for by in PLAYERS}
            case CountDeclared() if event.zone == "hand":
                counts[event.player][event.about] = event.value
            case _:
                pass
    row = duels.duel_rows(viewer, match_id=opening.match_id or "-")
    turns = next(((r.turn, r.active) for r in row if r.duel_id == duel_id), (0, ""))
    return Pads(
        seat=seat,
        values=values,
        agreed=agreed,
        same=values["P1"] == values["P2"],
        told=frozenset(told),
        lines=tuple(reversed(lines[-SHOWN:])),
        counts=counts,
        turn=turns[0],
        active=turns[1],
        next_seq=last + 1,
        table=opening.fidelity != "pad",
    )


def _seat(actor: Actor, seats: Mapping[str, list[str]]) -> str:
    for seat in PLAYERS:
        if actor.person_id and actor.person_id in seats.get(seat, []):
            return seat
    raise NotAllowed("duels.statement_make", Verdict.HIDDEN)


def _about(seat: str, about: str) -> str:
    if about not in (MINE, THEIRS):
        params = {"found": about[:20], "allowed": [MINE, THEIRS]}
        raise Refused(Refusal("judging.unknown_answer", params))
    return seat if about == MINE else next(one for one in PLAYERS if one != seat)


@command("judging.pad_note")
def pad_note(
    unit: Unit,
    *,
    duel_id: str,
    about: str,
    how: str,
    amount: int | None,
    pad_seq: int | None,
    client_time: str | None = None,
) -> Acted:
    """Write a line on the own pad: `about` (mine, theirs) loses or gains `amount`, or is at it.

    The value follows from the own pad's line before, so that a phone without a server writes
    what its player saw happen; it stays within 0 and the most a pad takes. Raises Refused
    (judging.unknown_answer, lp_range, what `duels.statement_make` refuses), NotAllowed.
    """
    if how not in HOW:
        raise Refused(Refusal("judging.unknown_answer", {"found": how[:20], "allowed": list(HOW)}))
    if amount is None or not 0 <= amount <= MOST:
        raise Refused(Refusal("judging.lp_range", {"found": amount, "allowed": MOST}))
    pads = pads_of(unit.actor, duel_id)
    whose = _about(pads.seat, about)
    had = pads.values[pads.seat][whose]
    change = {"loses": -amount, "gains": amount}.get(how)
    value = amount if change is None else min(MOST, max(0, had + change))
    return statement_make(
        unit,
        duel_id=duel_id,
        player=pads.seat,
        statement={
            "statement": "lp_declared",
            "about": whose,
            "value": value,
            "delta": change,
            "pad_seq": pads.next_seq if pad_seq is None else pad_seq,
            "client_time": client_time,
        },
    )


@command("judging.pad_agree")
def pad_agree(unit: Unit, *, duel_id: str, mine: int | None, theirs: int | None) -> Acted:
    """Agree that both pads stand at these values, which both of them must say now: nobody agrees
    alone. Raises Refused (judging.pads_differ, what `duels.statement_make` refuses), NotAllowed."""
    pads = pads_of(unit.actor, duel_id)
    other = _about(pads.seat, THEIRS)
    said = {pads.seat: mine, other: theirs}
    if not pads.same or dict(pads.values[pads.seat]) != said or pads.told != set(PLAYERS):
        raise Refused(
            Refusal(
                "judging.pads_differ",
                {
                    "found": list(pads.values["P1"].values()),
                    "other": list(pads.values["P2"].values()),
                },
            )
        )
    return statement_make(
        unit,
        duel_id=duel_id,
        player=pads.seat,
        statement={"statement": "lp_agreed", "p1": said["P1"], "p2": said["P2"]},
    )


@command("judging.pad_count")
def pad_count(unit: Unit, *, duel_id: str, about: str, cards: int | None) -> Acted:
    """Answer how many cards a hand has. Raises Refused (judging.unknown_answer, what
    `duels.statement_make` refuses), NotAllowed."""
    pads = pads_of(unit.actor, duel_id)
    return statement_make(
        unit,
        duel_id=duel_id,
        player=pads.seat,
        statement={
            "statement": "count_declared",
            "about": _about(pads.seat, about),
            "zone": "hand",
            "value": -1 if cards is None else cards,
        },
    )


@command("judging.pad_turn")
def pad_turn(unit: Unit, *, duel_id: str, about: str, turn: int | None) -> Acted:
    """Mark that turn number `turn` of the duel begins and whose it is (mine, theirs). Raises
    Refused as pad_count, NotAllowed."""
    pads = pads_of(unit.actor, duel_id)
    return statement_make(
        unit,
        duel_id=duel_id,
        player=pads.seat,
        statement={
            "statement": "turn_marked",
            "turn": pads.turn + 1 if turn is None else turn,
            "active": _about(pads.seat, about),
        },
    )
