"""Commands on players who are not at their table."""

from __future__ import annotations

from eventstore import clock
from eventstore.commands import Loaded, Unit, accept, command
from eventstore.domain.refusal import Refused
from tournaments import policies
from tournaments.domain import enrolment, results, tardiness
from tournaments.domain.away import counted_from
from tournaments.domain.match import Match
from tournaments.domain.tardiness import Tardiness
from tournaments.house_pack import by_pack
from tournaments.models import DrawRow
from tournaments.selectors.outages import spans_of
from tournaments.services.loading import (
    event_of,
    load_played,
    refuse_own,
)
from tournaments.services.matches import append


def _loaded(unit: Unit, match_id: str, action: str) -> tuple[Loaded[Match], Tardiness]:
    loaded = load_played(unit, match_id, action)
    refuse_own(unit, loaded.state)
    return loaded, unit.load(loaded.stream, Tardiness(), tardiness.evolve).state


@command("tournaments.player_miss")
def player_miss(unit: Unit, *, match_id: str, seat: str) -> None:
    """Mark that a player is not at the table. Raises Refused (`tournaments.player_missed`,
    `tournaments.seat_unknown`, `tournaments.match_decided`, `tournaments.own_match`),
    NotAllowed."""
    loaded, state = _loaded(unit, match_id, "tournaments.tardiness_mark")
    now = clock.as_text(unit.now)
    made = accept(tardiness.miss(state, loaded.state, seat=seat, at=now))
    unit.append(loaded.stream, loaded.version, made)


@command("tournaments.player_arrive")
def player_arrive(unit: Unit, *, match_id: str, seat: str) -> None:
    """Take the mark away: the player is there. Raises Refused (`tournaments.player_not_missed`,
    `tournaments.own_match`), NotAllowed."""
    loaded, state = _loaded(unit, match_id, "tournaments.tardiness_mark")
    now = clock.as_text(unit.now)
    made = accept(tardiness.arrive(state, loaded.state, seat=seat, at=now))
    unit.append(loaded.stream, loaded.version, made)


@command("tournaments.tardiness_confirm")
def tardiness_confirm(
    unit: Unit, *, match_id: str, seat: str, kind: str, drop: bool = False
) -> str:
    """Confirm the game_loss or match_loss that the tardiness of a seat costs by the policy pack
    that was chosen for the event, else by the policy of its rounds; `drop`: who lost the match so
    is also out. Return the state of the match.

    Raises Refused (`tournaments.tardy_early`, `tournaments.tardy_confirmed`,
    `tournaments.player_not_missed`, `tournaments.penalty_unknown`, `tournaments.own_match`),
    NotAllowed.
    """
    loaded, state = _loaded(unit, match_id, "tournaments.result_enter")
    match = loaded.state
    event = event_of(unit, match.event_id)
    drawn = DrawRow.objects.get(pk=f"{match.event_id}:{match.round}")
    now = clock.as_text(unit.now)
    made = accept(
        tardiness.confirm(
            state,
            match,
            seat=seat,
            kind=kind,
            start=counted_from(spans_of(match.event_id), drawn.clock_at or drawn.published_at, now),
            now=now,
            policy=by_pack(event.state.policy or policies.usual().policy, match.event_id),
        )
    )
    word = append(unit, loaded, made)
    if drop and kind == results.MATCH_LOSS:
        for missing in state.missing:
            event = event_of(unit, match.event_id)
            entrant = match.entrants[0 if missing == "P1" else 1]
            out = enrolment.drop(event.state, entrant_id=entrant, reason=results.NO_SHOW)
            if isinstance(out, list):
                unit.append(event.stream, event.version, out)
            elif out.code != "tournaments.entrant_out":
                raise Refused(out)
    return word
