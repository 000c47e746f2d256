"""Commands of the hall: messages from the desk, how an event prints, a round that was run on
paper."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from django.conf import settings

from eventstore import clock
from eventstore.commands import Unit, accept, command
from eventstore.domain.refusal import Refused
from people import vault
from tournaments.domain.event import Tournament
from tournaments.domain.hall import choice, messages
from tournaments.domain.hall.messages import Meant, Message
from tournaments.events import MessagePosted, PaperChoice
from tournaments.services.loading import checked_id, load_event
from tournaments.services.rounds import draft_by_hand, round_publish


def _stream(message_id: str) -> str:
    return f"message-{message_id}"


def _seated(state: Tournament, first: int | None, last: int | None) -> tuple[str, ...]:
    """The persons who sit at tables `first` to `last` of the newest published round."""
    if first is None or last is None or not state.published:
        return ()
    entrants = [
        state.entrants[one]
        for pair in state.published[-1].pairs
        if first <= pair.table <= last
        for one in (pair.p1, pair.p2)
    ]
    return tuple(person for one in entrants for person in one.persons)


@command("tournaments.message_post")
def message_post(
    unit: Unit,
    *,
    event_id: str,
    message_id: str,
    text: str,
    audience: str = messages.ALL,
    minutes: int = 15,
    first: int | None = None,
    last: int | None = None,
) -> str:
    """Show a message to everybody, the players, the staff, or those at tables `first` to `last`
    of the round that is on (`last` None: that one table), for `minutes`. Return its id.

    Raises Refused (`tournaments.message_empty`, `tournaments.message_long`,
    `tournaments.message_audience`, `tournaments.message_minutes`, `tournaments.message_tables`,
    `tournaments.bad_id`), NotAllowed.
    """
    state = load_event(unit, event_id, "tournaments.message_post").state
    for_tables = audience == messages.TABLES
    meant = Meant(audience, first, first if last is None else last) if for_tables else None
    meant = meant or Meant(audience)
    on = state.published[-1] if state.published else None
    tables = [one.table for one in on.pairs] if on is not None else []
    wrong = messages.checked(text, meant, minutes, tables)
    if wrong is not None:
        raise Refused(wrong)
    stream = _stream(checked_id(message_id))
    made = MessagePosted(
        event_id,
        message_id,
        audience,
        vault.seal(unit.actor.ref, text.strip()),
        clock.as_text(unit.now + timedelta(minutes=minutes)),
        state.current,
        meant.first,
        meant.last,
        _seated(state, meant.first, meant.last),
    )
    unit.append(stream, 0, [made])
    return message_id


@command("tournaments.message_withdraw")
def message_withdraw(unit: Unit, *, event_id: str, message_id: str) -> None:
    """Take a message back. Raises Refused (`tournaments.message_unknown`,
    `tournaments.message_withdrawn`, `tournaments.bad_id`), NotAllowed."""
    load_event(unit, event_id, "tournaments.message_post")
    stream = _stream(checked_id(message_id))
    loaded = unit.load(stream, Message(), messages.evolve)
    state = loaded.state if loaded.state.event_id == event_id else Message()
    unit.append(stream, loaded.version, accept(messages.withdraw(state)))


@command("tournaments.paper_choose")
def paper_choose(
    unit: Unit,
    *,
    event_id: str,
    paper: str = choice.A4,
    language: str = "",
    per_page: int = 4,
    ids: str = choice.NUMBER,
    large: bool = False,
) -> None:
    """Choose how an event prints. Raises Refused (`tournaments.paper_invalid`), NotAllowed."""
    load_event(unit, event_id, "tournaments.paper_choose")
    loaded = unit.load(f"paper-{event_id}", PaperChoice(), choice.evolve)
    wanted = PaperChoice(paper, language, per_page, ids, large)
    languages = [code for code, _ in settings.LANGUAGES]
    made = accept(choice.choose(event_id, loaded.state, wanted, languages))
    if made:
        unit.append(loaded.stream, loaded.version, made)


@command("tournaments.round_from_paper")
def round_from_paper(
    unit: Unit,
    *,
    event_id: str,
    pairs: Sequence[Sequence[str]],
    tables: Sequence[int],
    byes: Sequence[str] = (),
    note: str = "",
) -> int:
    """Draft and publish the next Swiss round as it was paired on paper, each pair at its own
    table; return its number. All of it happens or nothing.

    Raises Refused (`tournaments.draft_tables`, `tournaments.draft_incomplete`,
    `tournaments.reason_missing`, and as round_pair and round_publish), NotAllowed.
    """
    number = draft_by_hand(
        unit, event_id=event_id, pairs=pairs, byes=byes, note=note, tables=tables
    )
    round_publish(unit, event_id=event_id, number=number)
    return number
