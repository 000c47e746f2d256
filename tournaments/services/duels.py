"""Commands between a match and the logs of its duels, and between match and Side Deck."""

from __future__ import annotations

from cards import selectors as cards
from decks import library
from decks import selectors as decks
from decks.domain.decklist import DeckList
from decks.domain.presets import Preset
from decks.domain.siding import Swap
from duels import selectors as duels_read
from duels import services as duels
from eventstore.commands import Loaded, Unit, accept, command
from eventstore.domain.refusal import Refusal, Refused
from eventstore.ids import new_id
from people.domain.actor import SYSTEM
from tournaments.domain import play, scores, sides
from tournaments.domain.match import Match
from tournaments.models import EntrantRow, EventRow
from tournaments.services.loading import (
    load_own,
    load_played,
)
from tournaments.services.matches import append


def _registered(state: Match) -> dict[str, DeckList]:
    """Return the list in force of each seat that has one."""
    deck_ids = dict(EntrantRow.objects.filter(pk__in=state.entrants).values_list("pk", "deck_id"))
    held = {
        seat: decks.deck_in_force(SYSTEM, deck_ids[entrant])
        for seat, entrant in zip(scores.SEATS, state.entrants, strict=True)
        if deck_ids.get(entrant)
    }
    # a list that is on paper alone has no cards yet
    return {seat: one.deck for seat, one in held.items() if one.submitted is not None}


def lists_now(state: Match, event: EventRow) -> dict[str, DeckList]:
    """Return the list of each seat that has one, as it now is after the exchanges with the Side
    Deck."""
    preset = library.named(event.preset)
    return {
        seat: sides.current(deck, state, seat, preset) for seat, deck in _registered(state).items()
    }


def _preset(event_id: str) -> Preset:
    return library.named(EventRow.objects.values_list("preset", flat=True).get(pk=event_id))


@command("tournaments.duel_start")
def duel_start(
    unit: Unit,
    *,
    match_id: str,
    duel_id: str | None = None,
    seed: str | int | None = None,
    mode: str = "refereed",
    fidelity: str = "full",
) -> str:
    """Open the log of the next duel with the lists as they now are; return its id.

    A seat without a list plays from paper. `seed` makes the shuffles, so it comes from a
    rehearsal and never from a player (None: a new one). Raises Refused (`tournaments.starter_open`,
    `tournaments.duel_running`, `tournaments.match_decided`, YGO-1.1, YGO-1.5), NotAllowed.
    """
    loaded = load_played(unit, match_id, "tournaments.match_play")
    state = loaded.state
    opened = duel_id or new_id()
    made = accept(play.open_duel(state, duel_id=opened))
    event = EventRow.objects.get(pk=state.event_id)
    duels.duel_open(
        unit,
        duel_id=opened,
        event_id=state.event_id,
        match_id=match_id,
        number=len(state.results) + 1,
        game=event.game,
        mode=mode,
        fidelity=fidelity,
        options={},
        seats={
            seat: list(persons) for seat, persons in zip(scores.SEATS, state.persons, strict=True)
        },
        starter=state.starter or "",
        decks=lists_now(state, event),
        seed=new_id() if seed is None else seed,
    )
    append(unit, loaded, made)
    return opened


@command("tournaments.duel_result_take")
def duel_result_take(unit: Unit, *, match_id: str, duel_id: str | None = None) -> str:
    """Read the result of the running duel from its log; return the state of the match.

    Raises Refused (`tournaments.duel_unknown`, `tournaments.duel_not_over`,
    `tournaments.match_decided`), NotAllowed.
    """
    loaded = load_played(unit, match_id, "tournaments.match_play")
    return result_of_log(unit, loaded, duel_id)


def result_of_log(unit: Unit, loaded: Loaded[Match], duel_id: str | None) -> str:
    """Take the result of the running duel, or of the one named, from its log; return the state
    of the match. The right has been asked for. Raises Refused as `duel_result_take`."""
    running = loaded.state.running
    wanted = duel_id or (running.duel_id if running else None)
    closed = play.over(loaded.state)
    if closed is not None:
        raise Refused(closed)
    if wanted is None:
        raise Refused(Refusal("tournaments.duel_unknown", {"found": None}))
    ended = duels_read.duel_result(wanted)
    if ended is None:
        raise Refused(Refusal("tournaments.duel_not_over", {"duel": wanted}))
    winner, rule, _ = ended
    made = accept(play.score_duel(loaded.state, duel_id=wanted, winner=winner, rule=rule))
    return append(unit, loaded, made)


@command("tournaments.sides_exchange")
def sides_exchange(
    unit: Unit,
    *,
    match_id: str,
    into_main: list[str],
    out_of_main: list[str],
    into_extra: list[str] | None = None,
    out_of_extra: list[str] | None = None,
) -> None:
    """A player exchanges cards with the Side Deck before the next duel.

    Raises Refused (YGO-4.1, YGO-4.2, `decks.card_not_there`, deck rules of the preset,
    `tournaments.deck_missing`), NotAllowed.
    """
    loaded, seat = load_own(unit, match_id, "tournaments.sides_exchange")
    state = loaded.state
    registered = _registered(state).get(seat)
    if registered is None:
        raise Refused(Refusal("tournaments.deck_missing", {"seat": seat}))
    made = sides.exchange(
        state,
        seat=seat,
        registered=registered,
        swap=Swap(
            tuple(into_main),
            tuple(out_of_main),
            tuple(into_extra or ()),
            tuple(out_of_extra or ()),
        ),
        catalogue=cards.catalogue(SYSTEM),
        preset=_preset(state.event_id),
    )
    append(unit, loaded, accept(made))
