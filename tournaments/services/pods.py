"""A bracket of a few players from their names alone."""

from __future__ import annotations

from collections.abc import Sequence

from decks.domain.presets import PRESETS
from eventstore.commands import Unit, accept, command
from eventstore.domain.envelope import fold
from eventstore.domain.refusal import Refusal, Refused
from eventstore.domain.registry import DomainEvent
from eventstore.ids import new_id
from people import services as people
from tournaments import policies, reckoning
from tournaments.domain import ending, enrolment, rounds, scores, setup
from tournaments.domain.event import Tournament, evolve
from tournaments.services.events import event_create
from tournaments.services.loading import checked_seed, event_of
from tournaments.services.rounds import publish

MOST_NAMES = 64


def names_in(text: str) -> list[str]:
    """Return the names of a text, one a line; blanks and empty lines are left out."""
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


@command("tournaments.pod_create")
def pod_create(
    unit: Unit,
    *,
    event_id: str,
    name: str,
    names: Sequence[str],
    zone: str = "UTC",
    match_rules: str | None = None,
    seed: int | None = None,
) -> int:
    """Create an event without Swiss rounds: everybody named is in its bracket, seeded by lot, and
    the first round is published. Return the number of matches.

    Raises Refused (`tournaments.pod_names{found, allowed}` for fewer than 4 or more than 64, or
    the same name twice, and the codes of event_create and of people), NotAllowed.
    """
    least = policies.usual().policy.least_players
    if not least <= len(names) <= MOST_NAMES:
        raise Refused(
            Refusal("tournaments.pod_names", {"found": len(names), "allowed": [least, MOST_NAMES]})
        )
    folded = [one.casefold() for one in names]
    twice = next((one for one in names if folded.count(one.casefold()) > 1), None)
    if twice is not None:
        raise Refused(Refusal("tournaments.pod_name_twice", {"found": twice[:80]}))
    event_create(
        unit,
        event_id=event_id,
        name=name,
        zone=zone,
        preset=_preset(match_rules),
        match_rules=match_rules,
        decks_required=False,
        cut=len(names),
    )
    persons = [
        people.person_register(unit, person_id=new_id(), display_name=one, event_id=event_id)
        for one in names
    ]
    loaded = event_of(unit, event_id)
    made = _bracket(loaded.state, persons, checked_seed(seed))
    unit.append(loaded.stream, loaded.version, made)
    return publish(unit, event_of(unit, event_id), 1)


def _preset(match_rules: str | None) -> str:
    """Return the first deck preset of the house for the game of match rules."""
    game = scores.game_of(match_rules or "")
    return next(one.id for one in PRESETS.values() if one.game == game)


def _bracket(state: Tournament, persons: Sequence[str], seed: int) -> list[DomainEvent]:
    """Decide, one after the other, what staff would do by hand up to the draft of the bracket."""
    made: list[DomainEvent] = []

    def add(events: list[DomainEvent]) -> None:
        nonlocal state
        made.extend(events)
        state = fold(state, evolve, events)

    add(accept(setup.open_registration(state)))
    for person in persons:
        entrant = new_id()
        add(accept(enrolment.enrol(state, entrant_id=entrant, persons=(person,), by_staff=True)))
        add(accept(enrolment.check_in(state, entrant_id=entrant)))
    usual = policies.usual()
    add(accept(rounds.start(state, usual.policy, usual.hash, swiss=0)))
    facts = reckoning.facts(state.event_id)
    add(accept(ending.make_cut(state, facts, size=None, seed=seed)))
    ids = [new_id() for _ in persons]
    add(accept(rounds.pair(state, facts, seed=seed, match_ids=ids)))
    return made
