"""Decisions about the start, the pairing and the publication of rounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from eventstore.domain.refusal import Refusal
from tournaments import events as ev
from tournaments.domain import drafting, recommended
from tournaments.domain import event as state_of
from tournaments.domain.drafting import record_of
from tournaments.domain.event import (
    CLOSED,
    CUT,
    CUT_STAGE,
    DRAFT,
    ENROLLED,
    OPEN,
    RUNNING,
    SWISS_STAGE,
    Decision,
    Round,
    Tournament,
)
from tournaments.domain.pairing import elimination
from tournaments.domain.records import Played
from tournaments.domain.round_events import Policy, PolicyFixed


@dataclass(frozen=True, slots=True)
class Facts:
    """What the matches have come to, handed in by the caller: `played` are the results of all
    published rounds, `open_tables` those of the newest round without one, `started_tables`
    those among them where something has happened, `conflicts` those with a result that somebody
    contests."""

    played: Sequence[Played] = ()
    open_tables: Sequence[int] = ()
    started_tables: Sequence[int] = ()
    conflicts: Sequence[int] = ()


def results_open(facts: Facts) -> Refusal | None:
    """Refuse with `tournaments.results_open{tables}` while a table has no result, and with
    `tournaments.results_conflict{tables}` while one has two that differ."""
    if facts.open_tables:
        return Refusal("tournaments.results_open", {"tables": sorted(facts.open_tables)})
    if facts.conflicts:
        return Refusal("tournaments.results_conflict", {"tables": sorted(facts.conflicts)})
    return None


def fix_policy(state: Tournament, policy: Policy, fingerprint: str) -> Decision:
    """Choose the version of the policy the event goes by, before it starts; `fingerprint` is
    the hash of its data. Refused with `tournaments.nothing_changed`."""
    wrong = state_of.in_status(state, DRAFT, OPEN, CLOSED)
    if wrong is not None:
        return wrong
    if state.policy == policy:
        return Refusal("tournaments.nothing_changed", {"found": policy.policy})
    return [PolicyFixed(state.event_id, policy, fingerprint)]


def start(
    state: Tournament, usual: Policy, fingerprint: str, *, swiss: int | None = None
) -> Decision:
    """Start the event: policy, rounds and cut are fixed, who is not checked in is out.

    `usual` is the policy of an event that chose none; `swiss` 0: a bracket alone. Refused with
    `tournaments.too_few_players{found, allowed}`.
    """
    wrong = state_of.in_status(state, OPEN, CLOSED)
    if wrong is not None:
        return wrong
    players = len(state.active)
    policy = state.policy or usual
    if players < policy.least_players:
        return Refusal(
            "tournaments.too_few_players",
            {"found": players, "allowed": policy.least_players},
        )
    advised = recommended.advice(policy, players)
    settings = state.chosen
    if settings.cut > players:
        return Refusal("tournaments.cut_too_large", {"found": settings.cut, "allowed": players})
    absent = sorted(
        (one for one in state.entrants.values() if one.status == ENROLLED),
        key=lambda one: one.number,
    )
    fixed = [] if state.policy else [PolicyFixed(state.event_id, policy, fingerprint)]
    return [
        *fixed,
        ev.EventStarted(
            state.event_id,
            players,
            swiss if swiss is not None else settings.rounds or advised[0],
            settings.cut,
            advised,
            policy.policy,
        ),
        *(ev.EntrantDropped(state.event_id, one.entrant_id, 0, "absent") for one in absent),
    ]


def may_pair(state: Tournament, facts: Facts) -> Refusal | None:
    """Say whether a round can be drafted now: `tournaments.results_open`,
    `tournaments.companion_mode`, `tournaments.rounds_played`, `tournaments.too_few_active`."""
    wrong = state_of.in_status(state, RUNNING, CUT) or results_open(facts)
    if wrong is not None:
        return wrong
    if state.plan.companion:
        return Refusal("tournaments.companion_mode", {"found": state.plan.companion})
    if state.status == CUT:
        return None
    number = state.current + 1
    if number > state.planned:
        return Refusal("tournaments.rounds_played", {"found": number, "allowed": state.planned})
    if len(state.active) < 2:
        return Refusal("tournaments.too_few_active", {"found": len(state.active), "allowed": 2})
    return None


def pair(
    state: Tournament,
    facts: Facts,
    *,
    seed: int,
    match_ids: Sequence[str],
    locked: Sequence[tuple[str, str]] | None = None,
) -> Decision:
    """Draft the next round, or draft it anew while it is not published.

    `match_ids` are fresh ids, at least one for each pair. `locked` pairs are kept; None: those
    of the draft. Refused as may_pair and drafting.draft, and with `tournaments.cut_over`.
    """
    wrong = may_pair(state, facts)
    if wrong is not None:
        return wrong
    if state.status == CUT:
        return _pair_cut(state, facts, seed, match_ids)
    return drafting.draft(state, facts.played, seed=seed, match_ids=match_ids, locked=locked)


def cut_winners(state: Tournament, facts: Facts) -> Mapping[tuple[str, str], str]:
    """Return who advanced from each match of the newest published round of the cut."""
    winners: dict[tuple[str, str], str] = {}
    for one in facts.played:
        if one.round == state.current and one.winner in ("P1", "P2"):
            winner = one.p1 if one.winner == "P1" else one.p2
            winners[one.p1, one.p2] = winners[one.p2, one.p1] = winner
    return winners


def cut_places(state: Tournament, facts: Facts) -> elimination.Slots:
    """Return the places of the round of the cut to come; one place: the cut is over."""
    newest = state.published[-1] if state.published else None
    gone = frozenset(state.entrants) - {one.entrant_id for one in state.active}
    if newest is None or newest.stage != CUT_STAGE:
        return elimination.without(elimination.first_round(state.seeds), gone)
    slots = elimination.next_round(newest.slots, cut_winners(state, facts))
    return slots if len(slots) == 1 else elimination.without(slots, gone)


def _pair_cut(state: Tournament, facts: Facts, seed: int, match_ids: Sequence[str]) -> Decision:
    slots = cut_places(state, facts)
    if len(slots) < 2 or sum(one is not None for one in slots) < 2:
        return Refusal("tournaments.cut_over", {"winner": next(filter(None, slots), None)})
    fixtures, byes = elimination.matches(slots)
    pairs = tuple(
        ev.Pair(match_ids[at], at + 1, one, two) for at, (one, two) in enumerate(fixtures)
    )
    return [
        ev.RoundPaired(
            state.event_id,
            state.current + 1,
            CUT_STAGE,
            pairs,
            tuple(byes),
            seed,
            {},
            (),
            dict.fromkeys(byes, "higher_seed"),
            slots,
            None,
            (),
            (),
            "random",
            0,
            False,
            None,
        )
    ]


def publish(state: Tournament, facts: Facts, *, number: int) -> Decision:
    """Publish the draft of a round.

    Refused as results_open (a result may have been taken back or contested since), with
    `tournaments.no_draft`, `tournaments.round_published` (twice has one effect),
    `tournaments.draft_stale{gone, missing, moved}` when entrants came or left after the draft,
    or a corrected result moved somebody.
    """
    wrong = state_of.in_status(state, RUNNING, CUT)
    if wrong is not None:
        return wrong
    draft = state.draft
    if 1 <= number <= state.current:
        return Refusal("tournaments.round_published", {"found": number, "newest": state.current})
    if draft is None or draft.number != number:
        return Refusal(
            "tournaments.no_draft",
            {"found": number, "allowed": draft.number if draft else None},
        )
    unclear = results_open(facts)
    if unclear is not None:
        return unclear
    playing = {one.entrant_id for one in state.active}
    gone = sorted(draft.entrants - playing)
    missing = sorted(playing - draft.entrants) if draft.stage == SWISS_STAGE else []
    moved = _moved(state, facts, draft)
    if gone or missing or moved:
        return Refusal(
            "tournaments.draft_stale", {"gone": gone, "missing": missing, "moved": moved}
        )
    return [ev.RoundPublished(state.event_id, number)]


def _moved(state: Tournament, facts: Facts, draft: Round) -> list[str]:
    """Return those whose points, or place in the bracket, are no longer what the draft took."""
    if draft.stage == CUT_STAGE:
        places = cut_places(state, facts)
        return sorted({one for one in draft.slots if one} ^ {one for one in places if one})
    made = record_of(state, facts.played)
    return sorted(one for one, points in draft.points.items() if made[one].points != points)


def matches_opened(state: Tournament, draft: Round) -> list[tuple[str, ev.MatchOpened]]:
    """Return (match id, first event of its stream) for each pair of a draft."""
    settings = state.chosen
    return [
        (
            pair.match_id,
            ev.MatchOpened(
                pair.match_id,
                state.event_id,
                draft.number,
                draft.stage,
                pair.table,
                pair.p1,
                pair.p2,
                (state.entrants[pair.p1].persons, state.entrants[pair.p2].persons),
                settings.match_rules,
                draft.stage == CUT_STAGE and settings.play_on,
            ),
        )
        for pair in draft.pairs
    ]
