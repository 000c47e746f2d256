"""Which topics an event moves: `portal.live`, kept in the transaction of the command.

A topic moves only by what its followers can see. So the numbers of two followers are equal
where what they may know is equal, whatever else goes on: the public board counts nothing while
an event is a draft, no second report of a result, no call; a call that joins an open one does
not move the pages of the players.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.models import Exists, OuterRef, Value
from django.db.models.functions import Concat

from duels import events as duels
from eventstore import named
from eventstore.ahead import ahead
from eventstore.domain.envelope import Recorded
from eventstore.domain.registry import DomainEvent
from eventstore.ids import is_id
from eventstore.named import Statement
from eventstore.prepared import Bound, PreparedUpdate, prepared
from eventstore.projections import Handler, Projection
from judging import events as judging
from judging.domain import dispute_events as disputes
from judging.domain import sheet_events as sheet
from people import events as people
from portal.live import topics
from portal.models import LiveSubject, LiveTopic
from tournaments import events as ev
from tournaments.domain import floor_events as floor
from tournaments.domain import outage_events as away
from tournaments.domain import round_events as more
from tournaments.domain.hall import messages

live = Projection("portal.live", [LiveTopic, LiveSubject])

COUNT = "INSERT INTO portal_live_topic (topic, moves, position) "
MOVED = (
    " ON CONFLICT (topic) DO UPDATE SET moves = portal_live_topic.moves + excluded.moves,"
    " position = excluded.position"
)
# one text for any number of topics, where the server keeps what it has planned
MANY = f"{COUNT} SELECT topic, %s, %s FROM unnest(%s::text[]) AS topic {MOVED}"  # noqa: S608
AT_ONCE = 300
"""Topics of one statement: a message to all players moves thousands."""


def _each(handler: Handler, *types: type[DomainEvent]) -> None:
    """Register one handler for several event types."""
    for one in types:
        live.on(one)(handler)


def _move(recorded: Recorded, moved: Iterable[str], by: int = 1) -> None:
    names = sorted(set(moved))
    for at in range(0, len(names), AT_ONCE):
        some = names[at : at + AT_ONCE]
        values: list[Any] = [by, recorded.position, some]
        sql = MANY
        if connection.vendor != "postgresql":
            sql = COUNT + "VALUES " + ", ".join(["(%s, %s, %s)"] * len(some)) + MOVED
            values = [value for topic in some for value in (topic, by, recorded.position)]
        named.write(connections[DEFAULT_DB_ALIAS], Statement(sql, values), "portal_live_topic")


def _keep(key: str, event_id: str, persons: Iterable[str] = ()) -> None:
    row = LiveSubject(key=key, event_id=event_id, persons=list(persons))
    LiveSubject.objects.bulk_create([row])


@prepared
def _subjects(key: Any) -> Any:
    """A subject, and whether everybody may know of its event."""
    of_event = Concat(Value("event:"), OuterRef("event_id"))
    public = Exists(LiveSubject.objects.filter(pk=of_event, shown=True))
    return LiveSubject.objects.filter(pk=key).order_by().annotate(public=public)


_show = PreparedUpdate(LiveSubject, "shown")


def _board(event_id: str) -> list[str]:
    """The public board of an event, once everybody may know of it."""
    found = _subjects(f"event:{event_id}")
    return _board_of(found[0]) if found else []


def _board_of(subject: Any) -> list[str]:
    """The same for a subject of the event that was read already: no query."""
    return [topics.board(subject.event_id)] if subject.public else []


def _round(event_id: str) -> list[str]:
    """The board and the topic of all tables at once, once everybody may know of the event."""
    return [*moved, topics.of_round(event_id)] if (moved := _board(event_id)) else []


def _mine(subject: LiveSubject) -> list[str]:
    return [topics.mine(subject.event_id, person) for person in subject.persons]


def _subject(key: str) -> LiveSubject:
    found: list[LiveSubject] = _subjects(key)
    if not found:
        raise LiveSubject.DoesNotExist(key)
    return found[0]


@ahead("tournaments.result_claim")
@ahead("tournaments.result_enter")
def _of_match(*, match_id: str, **_: Any) -> list[Bound]:
    """What the events of a report are told to."""
    return [_subjects.bind(f"match:{match_id}")] if is_id(match_id) else []


@live.on(duels.DuelOpened)
def duel_opened(event: duels.DuelOpened, recorded: Recorded) -> None:
    """A duel whose players keep pads is of interest to those two."""
    if event.event_id and event.fidelity != "imported":
        persons = [person for seat in event.seats.values() for person in seat]
        _keep(f"duel:{event.duel_id}", event.event_id, persons)


def _padded(event: Any, recorded: Recorded) -> None:
    """What a pad says is public; the page of the other player follows it."""
    key = recorded.stream.replace("duel-", "duel:", 1)
    subject = LiveSubject.objects.filter(pk=key).first()
    if subject is not None:
        _move(recorded, _mine(subject))


_each(_padded, duels.LpDeclared, duels.LpAgreed, duels.CountDeclared, duels.TurnMarked)


@live.on(ev.EventCreated)
def event_created(event: ev.EventCreated, recorded: Recorded) -> None:
    _keep(f"event:{event.event_id}", event.event_id)
    _move(recorded, [topics.desk(event.event_id)])


def _shown(event: Any, recorded: Recorded) -> None:
    """From here on the event is no draft."""
    LiveSubject.objects.filter(pk=f"event:{event.event_id}").update(shown=True)
    moved = [topics.board(event.event_id), topics.of_round(event.event_id)]
    _move(recorded, [*moved, topics.desk(event.event_id)])


def _seen_by_all(event: Any, recorded: Recorded) -> None:
    _move(recorded, [*_round(event.event_id), topics.desk(event.event_id)])


_each(
    _shown,
    ev.RegistrationOpened,
    ev.RegistrationClosed,
    ev.EventStarted,
    ev.EventFinished,
    ev.EventCancelled,
    more.EventReopened,
)
_each(
    _seen_by_all,
    more.FieldGrown,
    more.SeatDeclined,
    more.SeatTaken,
    ev.EventConfigured,
    ev.RoundPublished,
    ev.RoundWithdrawn,
    ev.RoundMissed,
    ev.CutUndone,
    ev.CutMade,
    ev.ClockStarted,
    ev.ClockPaused,
    ev.ClockResumed,
    ev.ClockAdjusted,
)


def _seen_by_staff(event: Any, recorded: Recorded) -> None:
    _move(recorded, [topics.desk(event.event_id)])


_each(
    _seen_by_staff,
    away.OutageSettled,
    away.OutageReopened,
    ev.RoundPaired,
    more.PolicyFixed,
    more.PlayerMissed,
    more.PlayerArrived,
    more.TardinessConfirmed,
)


@live.on(ev.EntrantEnrolled)
def entrant_enrolled(event: ev.EntrantEnrolled, recorded: Recorded) -> None:
    _keep(f"entrant:{event.entrant_id}", event.event_id, event.persons)
    _entrant(event, recorded)


def _entrant(event: Any, recorded: Recorded) -> None:
    subject = _subject(f"entrant:{event.entrant_id}")
    _move(recorded, [*_board_of(subject), topics.desk(event.event_id), *_mine(subject)])


_each(
    _entrant,
    ev.EntrantCheckedIn,
    ev.EntrantDropped,
    ev.EntrantReinstated,
    ev.EntrantDisqualified,
    ev.DisqualificationUndone,
)


def _deck(event: Any, recorded: Recorded) -> None:
    subject = _subject(f"entrant:{event.entrant_id}")
    _move(recorded, [topics.desk(event.event_id), *_mine(subject)])


_each(_deck, ev.DeckAttached, ev.DeckDetached)


@live.on(ev.MatchOpened)
def match_opened(event: ev.MatchOpened, recorded: Recorded) -> None:
    """The publication of the round tells of its matches, all at once."""
    persons = [person for side in event.persons for person in side]
    _keep(f"match:{event.match_id}", event.event_id, persons)


def _at_the_table(event: Any, recorded: Recorded) -> None:
    _move(recorded, _mine(_subject(f"match:{event.match_id}")))


_each(_at_the_table, ev.CoinTossed, ev.StarterChosen)


def _played(event: Any, recorded: Recorded) -> None:
    """The first sign that a table plays is public; what follows is not, until it is decided."""
    subject = _subject(f"match:{event.match_id}")
    moved = [topics.desk(subject.event_id), *_mine(subject)]
    if not subject.shown:
        _show(subject.key, True)
        moved += _board_of(subject)
    _move(recorded, moved)


_each(_played, ev.DuelOpened, ev.DuelScored, ev.ResultClaimed)


def _decided(event: Any, recorded: Recorded) -> None:
    subject = _subject(f"match:{event.match_id}")
    _move(recorded, [*_board_of(subject), topics.desk(subject.event_id), *_mine(subject)])


_each(_decided, ev.MatchDecided, ev.MatchCorrected, floor.ResultTakenBack, floor.TimeExtended)


def _for_the_desk(event: Any, recorded: Recorded) -> None:
    """What is said against a result, and how it is settled, is between the desk and the table."""
    subject = _subject(f"match:{event.match_id}")
    _move(recorded, [topics.desk(subject.event_id), *_mine(subject)])


_each(
    _for_the_desk,
    floor.ConflictSettled,
    floor.EndStarted,
    floor.EndAnswered,
    floor.EndAnswerWithdrawn,
    floor.EndDecided,
)


@live.on(floor.ResultContested)
def result_contested(event: floor.ResultContested, recorded: Recorded) -> None:
    """The players learn of it when it is settled: what one said is not for the other."""
    _move(recorded, [topics.desk(_subject(f"match:{event.match_id}").event_id)])


@live.on(floor.RulesetChosen)
def ruleset_chosen(event: floor.RulesetChosen, recorded: Recorded) -> None:
    _move(recorded, [topics.desk(event.event_id)])


@live.on(floor.LossPending)
def loss_pending(event: floor.LossPending, recorded: Recorded) -> None:
    subject = _subject(f"entrant:{event.entrant_id}")
    _keep(f"loss:{event.loss_id}", event.event_id, subject.persons)
    _loss(event, recorded)


def _loss(event: Any, recorded: Recorded) -> None:
    subject = _subject(f"loss:{event.loss_id}")
    _move(recorded, [topics.desk(subject.event_id), *_mine(subject)])


_each(_loss, floor.LossTakenBack, floor.LossCarriedOut)


def _message(event: Any, recorded: Recorded) -> None:
    """A message moves what those follow whom it is for, and the pages of staff."""
    moved = [topics.desk(event.event_id), topics.calls(event.event_id)]
    persons = list(event.persons)
    if event.audience == messages.ALL:
        moved += _round(event.event_id)
    elif event.audience == messages.PLAYERS:
        rows = LiveSubject.objects.filter(pk__startswith="entrant:", event_id=event.event_id)
        persons = [person for held in rows.values_list("persons", flat=True) for person in held]
    moved += [topics.mine(event.event_id, person) for person in persons]
    _move(recorded, moved)


_each(_message, ev.MessagePosted, ev.MessageWithdrawn)


@live.on(judging.CallRaised)
def call_raised(event: judging.CallRaised, recorded: Recorded) -> None:
    persons = [person for side in event.seats for person in side]
    _keep(f"call:{event.call}", event.tournament, persons)
    _call(event, recorded)


def _call(event: Any, recorded: Recorded) -> None:
    """The desk sees that a table waits, and no more."""
    subject = _subject(f"call:{event.call}")
    moved = [topics.calls(subject.event_id), topics.desk(subject.event_id)]
    _move(recorded, [*moved, *_mine(subject)])


_each(
    _call,
    judging.CallClaimed,
    judging.JudgeArrived,
    judging.CallGivenBack,
    judging.CallEscalated,
    judging.CallWithdrawn,
    judging.RulingMade,
    judging.PenaltyApproved,
    judging.PenaltyDeclined,
    judging.PenaltyEnforced,
    judging.RulingAccepted,
    judging.CallAppealed,
    judging.AppealRuled,
    judging.CallClosed,
    sheet.CallReopened,
    sheet.MomentClaimed,
    sheet.StartUndone,
    sheet.RulingUndone,
    sheet.EscalationUndone,
)


def _noted(event: Any, recorded: Recorded) -> None:
    """Judges see the notes of a table; nobody else."""
    _move(recorded, [topics.calls(event.tournament)])


_each(_noted, sheet.SheetNoted, sheet.LpCopied, sheet.EntryStruck, sheet.PrecedentMarked)


@live.on(judging.CallMerged)
def call_merged(event: judging.CallMerged, recorded: Recorded) -> None:
    """It was raised by the same command: to the players nothing has happened."""
    subject = _subject(f"call:{event.call}")
    _move(recorded, _mine(subject), by=-1)


@live.on(judging.CallJoined)
def call_joined(event: judging.CallJoined, recorded: Recorded) -> None:
    _move(recorded, [topics.calls(_subject(f"call:{event.call}").event_id)])


@live.on(judging.TableAssigned)
def table_assigned(event: judging.TableAssigned, recorded: Recorded) -> None:
    _move(recorded, [topics.desk(event.tournament), topics.calls(event.tournament)])


@live.on(disputes.DisputeRaised)
def dispute_raised(event: disputes.DisputeRaised, recorded: Recorded) -> None:
    persons = [person for side in event.seats for person in side]
    _keep(f"dispute:{event.dispute}", event.tournament, persons)
    _dispute(event, recorded)


def _dispute(event: Any, recorded: Recorded) -> None:
    subject = _subject(f"dispute:{event.dispute}")
    _move(recorded, [topics.calls(subject.event_id), *_mine(subject)])


_each(
    _dispute,
    disputes.DisputeWithdrawn,
    disputes.DisputeTaken,
    disputes.DisputeGivenBack,
    disputes.DisputeAppealed,
    disputes.DisputeRuled,
    disputes.DisputeSettled,
)


def _rights(event: Any, recorded: Recorded) -> None:
    _move(recorded, [topics.rights(event.person_id)])


_each(_rights, people.RoleGranted, people.RoleEnded, people.PersonErased)

board_topics, mine_topics, move, each = _board, _mine, _move, _each
"""What the module of the door builds on, which registers its own handlers."""
importlib.import_module("portal.door_live")
