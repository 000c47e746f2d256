"""Commands of who writes down a feature match on paper: open the log of the next duel, take its
result when it is over."""

from __future__ import annotations

from decks.domain.decklist import DeckList
from duels import services as duels
from eventstore.commands import Unit, accept, command
from eventstore.domain.refusal import Refusal, Refused
from eventstore.ids import new_id
from tournaments.domain import play, scores
from tournaments.models import EventRow
from tournaments.services.duels import lists_now, result_of_log
from tournaments.services.loading import load_played, refuse_own
from tournaments.services.matches import append

TAKE, WRITE = "duels.duel_record", "duels.duel_write_down"


@command("tournaments.duel_record_open")
def duel_record_open(
    unit: Unit, *, match_id: str, first: str | None = None, duel_id: str | None = None
) -> str:
    """Open the log of the next duel of a match that is played on paper; return its id. Nobody
    knows the order of the cards: of a registered list only the size is taken. `first`: who
    begins, where the log of the match does not say so yet; the coin or the choice that led to it
    is entered with it.

    Raises Refused (`tournaments.seat_unknown`, `tournaments.starter_open`,
    `tournaments.duel_running`, `tournaments.match_decided`, `tournaments.own_match`, YGO-1.1,
    YGO-1.5), NotAllowed.
    """
    loaded = load_played(unit, match_id, WRITE)
    state = loaded.state
    refuse_own(unit, state)
    event = EventRow.objects.get(pk=state.event_id)
    if state.starter is None and first:
        if first not in scores.SEATS:
            params = {"found": first[:10], "allowed": list(scores.SEATS)}
            raise Refused(Refusal("tournaments.seat_unknown", params))
        if scores.needs_toss(state.form, state.results) and state.toss is None:
            append(unit, loaded, accept(play.toss_coin(state, winner=first, seed=None)))
            loaded = load_played(unit, match_id, WRITE)
        by = scores.chooser(loaded.state.form, loaded.state.results, loaded.state.toss) or first
        append(unit, loaded, accept(play.choose_starter(loaded.state, by=by, first=first)))
        loaded = load_played(unit, match_id, WRITE)
    state = loaded.state
    opened = duel_id or new_id()
    made = accept(play.open_duel(state, duel_id=opened))
    duels.duel_open(
        unit,
        duel_id=opened,
        event_id=state.event_id,
        match_id=match_id,
        number=len(state.results) + 1,
        game=event.game,
        mode="recorded",
        fidelity="full",
        options={},
        seats={
            seat: list(persons) for seat, persons in zip(scores.SEATS, state.persons, strict=True)
        },
        starter=state.starter or "",
        decks={seat: _unseen(deck) for seat, deck in lists_now(state, event).items()},
        seed=new_id(),
    )
    append(unit, loaded, made)
    return opened


def _unseen(deck: DeckList) -> dict[str, list[None]]:
    return {"main": [None] * len(deck.main), "fusion": [None] * len(deck.extra)}


@command("tournaments.duel_record_take")
def duel_record_take(unit: Unit, *, match_id: str) -> str:
    """Take the result of the running duel from its log, for who wrote it down; return the state
    of the match. Raises as `duel_result_take`; Refused (`tournaments.own_match`)."""
    loaded = load_played(unit, match_id, TAKE)
    refuse_own(unit, loaded.state)
    return result_of_log(unit, loaded, None)
