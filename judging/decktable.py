"""A deck check at the table: decks taken and returned, photos of a deck laid out, sleeves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from decks import photos
from decks.pictures import Picture
from eventstore import clock
from eventstore.commands import Loaded, Unit, command
from eventstore.domain.refusal import Refusal, Refused
from eventstore.domain.registry import DomainEvent
from eventstore.ids import is_id
from judging.deckcheck import at_table, stream_of
from judging.domain.deckcheck import MOST_PHOTOS, NEW, DeckChecks, evolve
from judging.domain.sleeves import marks_refused
from judging.domain.words import SEATS, Kind
from judging.events import (
    DeckPhotoErased,
    DeckPhotographed,
    DeckReturned,
    DecksTaken,
    SleevesMarked,
)
from judging.models import CallRow
from judging.packs import pack
from people.access import NotAllowed, require
from people.domain.actor import SYSTEM
from people.domain.permissions import Verdict
from tournaments.selectors import lists_of_match

PLAYER, STAFF = "player", "staff"


def _check(
    unit: Unit, call_id: str, action: str = "judging.deck_check"
) -> tuple[CallRow, Loaded[DeckChecks]]:
    """Load the check of a call. Raises NotAllowed; Refused (judging.not_a_deck_check)."""
    row = CallRow.objects.filter(pk=call_id).first() if is_id(call_id) else None
    if row is None:
        raise NotAllowed(action, Verdict.HIDDEN)
    require(unit.actor, action, at_table(row))
    if row.kind != Kind.DECK_CHECK.value:
        raise Refused(Refusal("judging.not_a_deck_check", {"found": row.kind}))
    return row, unit.load(stream_of(row.event_id), NEW, evolve)


def _entrant(row: CallRow, seat: str) -> tuple[str, list[str]]:
    """Return the entrant and the persons of a seat. Raises Refused (judging.unknown_seat)."""
    if seat not in SEATS:
        raise Refused(Refusal("judging.unknown_seat", {"found": seat[:10], "allowed": SEATS}))
    at = SEATS.index(seat)
    return row.entrants[at], row.seats[at]


def _append(unit: Unit, loaded: Loaded[DeckChecks], event: DomainEvent) -> None:
    unit.append(loaded.stream, loaded.version, [event])


@command("judging.decks_take")
def decks_take(unit: Unit, *, call_id: str) -> None:
    """Take both decks of the table in hand. Raises Refused (judging.not_a_deck_check,
    judging.decks_out), NotAllowed."""
    row, loaded = _check(unit, call_id)
    if not row.open:
        raise Refused(Refusal("judging.not_a_deck_check", {"found": row.state}))
    if any(loaded.state.out(row.match_id, one) for one in row.entrants):
        raise Refused(Refusal("judging.decks_out"))
    at = clock.as_text(unit.now)
    _append(
        unit,
        loaded,
        DecksTaken(row.event_id, row.match_id, tuple(row.entrants), unit.actor.ref, at),
    )


@command("judging.deck_return")
def deck_return(unit: Unit, *, call_id: str, seat: str, confirmed_by: str) -> None:
    """Give a deck back. `confirmed_by` player: it says it has the deck; staff: the actor vouches
    for it. Also after the call is over: no deck stays out. Raises Refused
    (judging.not_a_deck_check, deck_not_out, unknown_seat, unknown_confirmer), NotAllowed."""
    row, loaded = _check(unit, call_id)
    entrant, persons = _entrant(row, seat)
    if confirmed_by not in (PLAYER, STAFF):
        raise Refused(
            Refusal(
                "judging.unknown_confirmer",
                {"found": confirmed_by[:20], "allowed": [PLAYER, STAFF]},
            )
        )
    if not loaded.state.out(row.match_id, entrant):
        raise Refused(Refusal("judging.deck_not_out"))
    who = persons[0] if confirmed_by == PLAYER else unit.actor.ref
    at = clock.as_text(unit.now)
    _append(
        unit,
        loaded,
        DeckReturned(row.event_id, row.match_id, entrant, who, unit.actor.ref, at),
    )


@command("judging.deck_photo_add")
def deck_photo_add(unit: Unit, *, call_id: str, seat: str, photo_id: str, picture: Picture) -> None:
    """Keep a photo of a deck laid out, where the policy of the event allows photos. Raises
    Refused (judging.not_a_deck_check, photos_not_allowed, unknown_seat, `decks.photos_many`,
    `decks.bad_id`), NotAllowed."""
    row, loaded = _check(unit, call_id)
    entrant, persons = _entrant(row, seat)
    if not row.open:
        raise Refused(Refusal("judging.not_a_deck_check", {"found": row.state}))
    if not pack(row.pack, row.pack_version).photos_allowed:
        raise Refused(Refusal("judging.photos_not_allowed", {"found": row.pack}))
    held = loaded.state.photos.get((row.match_id, entrant), ())
    if len(held) >= MOST_PHOTOS:
        raise Refused(Refusal("decks.photos_many", {"found": len(held), "allowed": MOST_PHOTOS}))
    photos.keep(
        unit,
        photo_id=photo_id,
        event_id=row.event_id,
        person_id=persons[0],
        about=call_id,
        picture=picture,
    )
    _append(
        unit,
        loaded,
        DeckPhotographed(
            row.event_id, row.match_id, entrant, photo_id, picture.sha256, picture.width,
            picture.height, unit.actor.ref, clock.as_text(unit.now),
        ),
    )  # fmt: skip


@command("judging.deck_photo_erase")
def deck_photo_erase(unit: Unit, *, call_id: str, photo_id: str) -> None:
    """Erase a photo of a deck for good. Raises Refused (judging.not_a_deck_check,
    `decks.photo_gone`), NotAllowed."""
    row, loaded = _check(unit, call_id, "decks.photo_erase")
    held = loaded.state.photos_left(photo_id)
    if held is None or held.match != row.match_id:
        raise Refused(Refusal("decks.photo_gone"))
    photos.forget(photo_id)
    at = clock.as_text(unit.now)
    _append(unit, loaded, DeckPhotoErased(row.event_id, row.match_id, photo_id, unit.actor.ref, at))


@command("judging.sleeves_mark")
def sleeves_mark(
    unit: Unit,
    *,
    call_id: str,
    seat: str,
    places: Sequence[int],
    cards: Mapping[str, str],
    group: Sequence[str] = (),
    pattern: str = "unsure",
) -> None:
    """Note the marked sleeves of a main deck, face down from the top; a later note takes the
    place of an earlier one. `cards` {place as text: key} are the cards found there so far.

    Raises Refused (judging.not_a_deck_check, no_list_there, unknown_seat, sleeve_place,
    sleeve_card, unknown_answer), NotAllowed.
    """
    row, loaded = _check(unit, call_id)
    entrant, _ = _entrant(row, seat)
    if not row.open:
        raise Refused(Refusal("judging.not_a_deck_check", {"found": row.state}))
    held = lists_of_match(SYSTEM, row.match_id).lists.get(seat)
    if held is None:
        raise Refused(Refusal("judging.no_list_there"))
    ordered = tuple(sorted(places))
    keys = tuple(cards.get(str(one), "") for one in ordered)
    wrong = marks_refused(held.current.main, ordered, keys, group, pattern)
    if wrong is not None:
        raise Refused(wrong)
    _append(
        unit,
        loaded,
        SleevesMarked(
            row.event_id, row.match_id, entrant, held.number, len(held.current.main), ordered,
            keys, tuple(dict.fromkeys(group)), pattern, unit.actor.ref, clock.as_text(unit.now),
        ),
    )  # fmt: skip
