"""Decisions about two entrants of one event that turn out to be one human."""

from __future__ import annotations

from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent
from tournaments import events as main
from tournaments.domain import door_events as ev
from tournaments.domain import door_seats
from tournaments.domain.event import (
    CHECKED_IN,
    DISQUALIFIED,
    DROPPED,
    ENROLLED,
    Decision,
    Entrant,
    Tournament,
)


def played(state: Tournament, entrant_id: str) -> bool:
    """Say whether an entrant took part in a published round."""
    return any(entrant_id in one.entrants for one in state.published)


def persons_of(one: Entrant, keep: str, gone: str) -> tuple[str, ...]:
    """Return the persons of an entrant once `gone` is known to be `keep`: the kept id in place
    of the other, the other at the end, so that a phone bound to either goes on working. The
    first ids, as many as enrolled, are the humans."""
    named = (keep if person == gone else person for person in one.persons)
    return tuple(dict.fromkeys((*named, gone)))


KEEP, GONE = "keep", "gone"
LISTS = (KEEP, GONE)
"""Whose deck list counts where both have one: that of the id that stays, or of the other."""


def merge(state: Tournament, *, keep: str, gone: str, lists: str = "") -> Decision:
    """Make what two persons are in one event one; [] where neither is in it, or only the kept.

    Where both are entrants, the one that has not played gives way: its check-in and its fee
    follow, and its deck list where the other has none. Among two that have not played one with a
    deck list stays, else the earlier. Where both have a list, the one that was played with counts;
    before that `lists` says which (LISTS), and the other is kept apart with the entrant that
    gives way. Refused with `tournaments.both_played`, `tournaments.both_lists`,
    `tournaments.list_played`, and `tournaments.entrant_disqualified` for one who is out for good
    and would come back under another name.
    """
    one, two = state.entrant_of(keep), state.entrant_of(gone)
    made: list[DomainEvent] = []
    waiting = [held for held in (state.door.waits_as(keep), state.door.waits_as(gone)) if held]
    if two is None and state.door.waits_as(gone) is None:
        return []
    if one is not None and two is not None and one.entrant_id != two.entrant_id:
        if played(state, one.entrant_id) and played(state, two.entrant_id):
            return Refusal(
                "tournaments.both_played",
                {"found": [one.number, two.number], "event": state.event_id},
            )
        if DISQUALIFIED in (one.status, two.status):
            return Refusal("tournaments.entrant_disqualified", {"entrant": two.entrant_id})
        stays, gives_way = _kept(state, one, two)
        wanted = {KEEP: one, GONE: two}.get(lists)
        follows = _lists(state, stays, gives_way, wanted)
        if isinstance(follows, Refusal):
            return follows
        made.append(_made_one(state, stays, gives_way, keep, gone))
        made += follows
        if stays.status == DROPPED and gives_way.status in (ENROLLED, CHECKED_IN):
            made.append(door_seats.back(state, stays))
    elif one is not None or two is not None:
        only = one or two
        assert only is not None  # noqa: S101 - one of the two is there
        persons = persons_of(only, keep, gone)
        if persons != only.persons:
            made.append(ev.EntrantPersonsSet(state.event_id, only.entrant_id, persons))
    seated = (one or two) is not None
    # in the line the earlier place counts; an entrant who is in needs none
    first = min(waiting, key=lambda held: held.place, default=None)
    in_play = any(each is not None and each.status != DROPPED for each in (one, two))
    for held in waiting:
        if in_play or held is not first:
            made.append(ev.WaitingLeft(state.event_id, held.entrant_id, "merged"))
    if not seated and first is not None and first.persons != (keep, gone):
        made.append(ev.EntrantPersonsSet(state.event_id, first.entrant_id, (keep, gone)))
    return made


def _kept(state: Tournament, one: Entrant, two: Entrant) -> tuple[Entrant, Entrant]:
    """Return (the entrant that stays, the one that gives way)."""

    def rank(each: Entrant) -> tuple[bool, bool, bool, int]:
        out = each.status == DROPPED
        return not played(state, each.entrant_id), out, each.deck_id is None, each.number

    stays, gives_way = sorted((one, two), key=rank)
    return stays, gives_way


def _lists(
    state: Tournament, stays: Entrant, gives_way: Entrant, wanted: Entrant | None
) -> Decision:
    """Let the deck list follow: what is attached to whom once two entrants are one."""
    mine, theirs = stays.deck_id, gives_way.deck_id
    if theirs is None:
        return []
    if mine is None:
        return _given(state.event_id, theirs, stays, gives_way, None)
    if played(state, stays.entrant_id):
        if wanted is gives_way:
            return Refusal("tournaments.list_played", {"found": stays.number})
        return []
    if wanted is None:
        return Refusal(
            "tournaments.both_lists",
            {"found": [stays.number, gives_way.number], "event": state.event_id, "allowed": LISTS},
        )
    return [] if wanted is stays else _given(state.event_id, theirs, stays, gives_way, mine)


def _given(
    event_id: str, deck_id: str, to: Entrant, other: Entrant, back: str | None
) -> list[DomainEvent]:
    """Give a list of `other` to an entrant; `other` has `back` then, None: none."""
    left: DomainEvent = (
        main.DeckAttached(event_id, other.entrant_id, back)
        if back
        else main.DeckDetached(event_id, other.entrant_id, deck_id)
    )
    return [left, main.DeckAttached(event_id, to.entrant_id, deck_id)]


def _made_one(
    state: Tournament, stays: Entrant, gives_way: Entrant, keep: str, gone: str
) -> DomainEvent:
    mine, theirs = state.door.fee_of(stays.entrant_id), state.door.fee_of(gives_way.entrant_id)
    return ev.EntrantsMerged(
        state.event_id,
        stays.entrant_id,
        gives_way.entrant_id,
        persons_of(stays, keep, gone),
        CHECKED_IN in (stays.status, gives_way.status) and stays.status != DROPPED,
        mine.paid + theirs.paid,
        mine.comped or theirs.comped,
    )


def unmerge(state: Tournament, *, keep: str, gone: str) -> Decision:
    """Undo what `merge` did in one event; [] where it did nothing.

    The other entrant comes back as it was, with the list it came with; dropped, when a round was
    published meanwhile.
    Refused with `tournaments.event_full` when its seat has gone to somebody else.
    """
    one = state.entrant_of(keep)
    if one is None or gone not in one.persons:
        held = state.door.waits_as(keep)
        if held is None or gone not in held.persons:
            return []
        apart = _without(held.persons, held.came, keep, gone)
        return [ev.EntrantPersonsSet(state.event_id, held.entrant_id, apart)]
    for key, before in state.door.merges.items():
        theirs = state.entrants[key].persons
        # of the merges into one entrant that of these two: which of them gave way
        gave = gone in theirs and keep not in theirs
        took = keep in theirs and gone in before.persons
        if before.kept == one.entrant_id and (gave or took):
            return _apart(state, key, one, gone)
    apart = _without(one.persons, one.came, keep, gone)
    return [ev.EntrantPersonsSet(state.event_id, one.entrant_id, apart)]


def _without(
    persons: tuple[str, ...], came: tuple[str, ...], keep: str, gone: str
) -> tuple[str, ...]:
    """Return the persons of an entrant that stood alone in its event: it goes back to the id
    under which it came."""
    if gone in came and keep not in came:
        return came
    return tuple(person for person in persons if person != gone)


def _persons_apart(
    one: Entrant, before: tuple[str, ...], theirs: tuple[str, ...], gone: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return whose the two entrants are again. Ids that were merged in meanwhile stay with the
    human they belong to, and one that was parted meanwhile does not come back."""
    if gone in theirs:
        return tuple(person for person in one.persons if person != gone), theirs
    since = tuple(person for person in one.persons if person not in (*before, *theirs))
    still = tuple(person for person in theirs if person in one.persons)
    if len(before) > 1:  # of a team: nobody knows whose they are
        return (*before, *since), still
    return before, (*still, *since)


def _list_back(state: Tournament, other: Entrant, deck_id: str | None) -> list[DomainEvent]:
    """Let an entrant have the list again that it came with, in exchange for what it was left with.
    Whoever has it now may have got it by a later merge."""
    held = (one for one in state.entrants.values() if deck_id and one.deck_id == deck_id)
    holder = next(held, other)
    if holder is other or deck_id is None:
        return []
    return _given(state.event_id, deck_id, other, holder, other.deck_id)


def _apart(state: Tournament, key: str, one: Entrant, gone: str) -> Decision:
    before, other = state.door.merges[key], state.entrants[key]
    status = before.gone_status
    if status in (ENROLLED, CHECKED_IN):
        if state.current > before.after_round:
            status = DROPPED
        elif door_seats.free(state) == 0:
            return Refusal(
                "tournaments.event_full",
                {
                    "found": door_seats.taken(state) + state.door.offered,
                    "allowed": state.door.policy.capacity,
                },
            )
    back = _list_back(state, other, before.gone_deck_id)
    now = state.door.fee_of(one.entrant_id)
    came = before.gone_fee.paid
    # what the kept one paid or got back since stays with it
    left = max(0, now.paid - came)
    unchanged = one.status == CHECKED_IN and before.status == ENROLLED and not state.current
    persons, theirs = _persons_apart(one, before.persons, other.persons, gone)
    whose: list[DomainEvent] = (
        [ev.EntrantPersonsSet(state.event_id, key, theirs)] if theirs != other.persons else []
    )
    return [
        ev.EntrantsUnmerged(
            state.event_id,
            one.entrant_id,
            other.entrant_id,
            persons,
            before.status if unchanged else one.status,
            left,
            before.fee.comped,
            status,
            now.paid - left,
            before.gone_fee.comped,
        ),
        *whose,
        *back,
    ]
