"""One match of a rehearsal: coin, choice, duels, exchanges with the Side Deck, incidents."""

from __future__ import annotations

from cards.selectors import catalogue
from decks import selectors as decks
from people.domain.actor import SYSTEM
from portal.demo import incidents
from portal.demo.duelling import Duelling
from portal.demo.hall import Hall
from tournaments import services as tournaments
from tournaments.domain.scores import SEATS
from tournaments.models import EntrantRow
from tournaments.selectors.matches import MatchDetail, match_detail

SWAPPED = 3


def play(hall: Hall, match_id: str, *, incident: str | None = None, dispute: bool = False) -> None:
    """Play a match to its result. `incident` is a key of incidents.BEFORE or BETWEEN."""
    match = match_detail(SYSTEM, match_id)
    persons = {seat: side[0] for seat, side in zip(SEATS, match.row.persons, strict=True)}
    if incident in incidents.BEFORE:
        incidents.BEFORE[incident](hall, match)
    while not (match := match_detail(SYSTEM, match_id)).row.winner:
        if incident in incidents.BETWEEN and any(match.score):
            incidents.BETWEEN[incident](hall, match)
            continue
        if match.toss_due:
            tournaments.coin_toss(hall.player(persons["P1"]), match_id=match_id, seed=hall.seed())
            continue
        if match.chooser is not None:
            first = hall.rng.choice(SEATS)
            tournaments.starter_choose(
                hall.player(persons[match.chooser]), match_id=match_id, first=first
            )
            continue
        if any(match.score):
            _exchange(hall, match, persons)
        duel_id = tournaments.duel_start(
            hall.player(persons["P1"]), match_id=match_id, seed=hall.seed()
        )
        Duelling(hall, duel_id, persons).play(dispute=match_id if dispute else None)
        dispute = False
        tournaments.duel_result_take(hall.player(persons["P2"]), match_id=match_id, duel_id=duel_id)
    hall.matches += 1
    hall.reasons[match.row.reason] += 1


def _exchange(hall: Hall, match: MatchDetail, persons: dict[str, str]) -> None:
    """Each player with a Side Deck exchanges a few cards before the second duel."""
    if sum(match.score) != 1:
        return
    deck_ids = dict(
        EntrantRow.objects.filter(pk__in=[match.row.p1, match.row.p2]).values_list("pk", "deck_id")
    )
    for seat, entrant in zip(SEATS, (match.row.p1, match.row.p2), strict=True):
        deck = decks.deck_in_force(SYSTEM, deck_ids[entrant]).deck
        usable = [key for key in deck.side if not _is_extra(key)]
        count = min(SWAPPED, len(usable))
        if count:
            tournaments.sides_exchange(
                hall.player(persons[seat]),
                match_id=match.row.pk,
                into_main=hall.rng.sample(usable, count),
                out_of_main=hall.rng.sample(list(deck.main), count),
            )


def _is_extra(key: str) -> bool:
    facts = catalogue(SYSTEM).get(key)
    return facts is not None and facts.is_extra
