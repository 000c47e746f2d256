"""The read tables of calls and rulings."""

from __future__ import annotations

from typing import Any

from eventstore.domain.envelope import Recorded
from eventstore.projections import Projection
from judging.domain.dispute_events import DisputeAppealRuled
from judging.domain.pack_events import PackChosen, PackConfirmed, PackKept
from judging.domain.sheet_events import (
    CallReopened,
    EscalationUndone,
    MomentClaimed,
    PrecedentMarked,
    RulingUndone,
    StartUndone,
)
from judging.domain.statement_events import (
    StatementGiven,
    StatementsAsked,
    StatementsOpened,
    StatementWithdrawn,
)
from judging.domain.words import DISQUALIFICATIONS, SEATS, Approval, Outcome, Status
from judging.events import (
    AppealRuled,
    CallAppealed,
    CallClaimed,
    CallClosed,
    CallEscalated,
    CallGivenBack,
    CallJoined,
    CallMerged,
    CallRaised,
    CallWithdrawn,
    JudgeArrived,
    PenaltyApproved,
    PenaltyDeclined,
    PenaltyEnforced,
    RulingAccepted,
    RulingMade,
    TableAssigned,
)
from judging.models import (
    CallPersonRow,
    CallRow,
    EventPackRow,
    PackRow,
    PrecedentRow,
    RulingRow,
    StatementRow,
    TableJudgeRow,
)
from tournaments.events import DisqualificationUndone

calls = Projection("judging.calls", [CallRow, CallPersonRow, RulingRow, PrecedentRow])
statements = Projection("judging.statements", [StatementRow])
floor = Projection("judging.floor", [TableJudgeRow])
policies = Projection("judging.policies", [PackRow, EventPackRow])


def _change(call_id: str, **values: Any) -> None:
    CallRow.objects.filter(pk=call_id).update(**values)


def _pending(call_id: str) -> int:
    return RulingRow.objects.filter(call_id=call_id, approval=Approval.PENDING.value).count()


@calls.on(CallRaised)
def call_raised(event: CallRaised, recorded: Recorded) -> None:
    """A new row, and one per player at the table."""
    CallRow(
        call_id=event.call,
        event_id=event.tournament,
        match_id=event.match,
        round=event.round,
        table=event.table,
        kind=event.kind,
        category=event.category,
        state=Status.RAISED.value,
        head_judge_wanted=event.head_judge_wanted,
        languages=list(event.languages),
        seats=[list(persons) for persons in event.seats],
        entrants=list(event.entrants),
        pack=event.pack,
        pack_version=event.pack_version,
        raised_by=event.by,
        raised_at=event.at,
    ).save()
    for seat, persons in zip(SEATS, event.seats, strict=True):
        for person in persons:
            CallPersonRow(
                key=f"{event.call} {person}",
                call_id=event.call,
                person_id=person,
                event_id=event.tournament,
                seat=seat,
            ).save()


@calls.on(CallMerged)
def call_merged(event: CallMerged, recorded: Recorded) -> None:
    """The second tap is over before it began."""
    _change(event.call, state=Status.MERGED.value, open=False, merged_into=event.into)


@calls.on(CallJoined)
def call_joined(event: CallJoined, recorded: Recorded) -> None:
    """Count who joined."""
    row = CallRow.objects.get(pk=event.call)
    row.joined += 1
    row.save()


@calls.on(CallClaimed)
def call_claimed(event: CallClaimed, recorded: Recorded) -> None:
    """Keep the judge, and the queue a give-back returns to."""
    row = CallRow.objects.get(pk=event.call)
    row.queue = row.state
    row.state = (
        Status.CLAIMED.value if row.state == Status.RAISED.value else Status.HJ_CLAIMED.value
    )
    row.claimed_by = event.by
    row.claimed_at = row.claimed_at or event.at
    row.save()


@calls.on(JudgeArrived)
def judge_arrived(event: JudgeArrived, recorded: Recorded) -> None:
    """Keep the first arrival and the end of the table's time as read then."""
    row = CallRow.objects.get(pk=event.call)
    if row.state == Status.CLAIMED.value:
        row.state = Status.AT_TABLE.value
    if not row.arrived_at:
        row.arrived_at = event.at
        row.table_end = event.table_end or ""
    row.save()


@calls.on(CallGivenBack)
def call_given_back(event: CallGivenBack, recorded: Recorded) -> None:
    """Back to the queue; the clock goes on only when a judge had come."""
    row = CallRow.objects.get(pk=event.call)
    row.state = row.queue
    row.claimed_by = ""
    if not row.arrived_at and not row.ruled_at:
        row.claimed_at = ""
    row.save()


@calls.on(CallEscalated)
def call_escalated(event: CallEscalated, recorded: Recorded) -> None:
    """Waits for the head judge."""
    _change(event.call, state=Status.ESCALATED.value, claimed_by="", head_judge_wanted=True)


@calls.on(CallWithdrawn)
def call_withdrawn(event: CallWithdrawn, recorded: Recorded) -> None:
    """Over without a ruling."""
    _change(event.call, state=Status.WITHDRAWN.value, open=False, closed_at=event.at)


@calls.on(RulingMade)
def ruling_made(event: RulingMade, recorded: Recorded) -> None:
    """A new ruling; the one it replaces is marked, never removed."""
    row = CallRow.objects.get(pk=event.call)
    if event.replaces:
        RulingRow.objects.filter(pk=event.replaces).update(approval=Approval.SUPERSEDED.value)
    RulingRow(
        ruling_id=event.ruling,
        call_id=event.call,
        event_id=row.event_id,
        match_id=row.match_id,
        round=row.round,
        table=row.table,
        by=event.by,
        at=event.at,
        final=event.final,
        rule_id=event.rule_id or "",
        infraction=event.infraction or "",
        infraction_kind=event.infraction_kind or "",
        remedy=event.remedy,
        penalty=event.penalty or "",
        target=event.target or "",
        target_entrant=event.target_entrant or "",
        duel_id=event.duel or "",
        rewind_to=event.rewind_to,
        approval=event.approval,
        decided_by=event.approved_by or "",
        pack=event.pack,
        pack_version=event.pack_version,
        cites=list(event.cites),
        self_reported=event.self_reported,
        replaces=event.replaces or "",
        note=event.note,
        facts_agreed=event.facts_agreed,
        facts_disputed=event.facts_disputed,
    ).save()
    by_head_judge = row.state in (Status.HJ_CLAIMED.value, Status.HJ_RULED.value)
    row.state = Status.HJ_RULED.value if by_head_judge else Status.RULED.value
    row.ruled_at = event.at
    row.accepted = []
    row.pending = _pending(event.call)
    row.save()


@calls.on(PenaltyApproved)
def penalty_approved(event: PenaltyApproved, recorded: Recorded) -> None:
    """No longer pending, and final."""
    RulingRow.objects.filter(pk=event.ruling).update(
        approval=Approval.APPROVED.value, decided_by=event.by, final=True
    )
    row = CallRow.objects.get(pk=event.call)
    if event.extension_s is not None and event.extension_s != row.extension_s:
        row.extension_s = event.extension_s
        row.extension_why = "game_loss"
    row.pending = _pending(event.call)
    row.save()


@calls.on(PenaltyDeclined)
def penalty_declined(event: PenaltyDeclined, recorded: Recorded) -> None:
    """No longer pending, and without effect."""
    RulingRow.objects.filter(pk=event.ruling).update(
        approval=Approval.DECLINED.value, decided_by=event.by
    )
    _change(event.call, pending=_pending(event.call))


@calls.on(PenaltyEnforced)
def penalty_enforced(event: PenaltyEnforced, recorded: Recorded) -> None:
    """In force from now on."""
    RulingRow.objects.filter(pk=event.ruling).update(in_force=True)


@calls.on(RulingAccepted)
def ruling_accepted(event: RulingAccepted, recorded: Recorded) -> None:
    """Remember the side."""
    row = CallRow.objects.get(pk=event.call)
    row.accepted = sorted({*row.accepted, event.seat})
    row.save()


@calls.on(CallAppealed)
def call_appealed(event: CallAppealed, recorded: Recorded) -> None:
    """Waits for the head judge."""
    _change(event.call, state=Status.APPEALED.value, claimed_by="", appealed_at=event.at)


@calls.on(AppealRuled)
def appeal_ruled(event: AppealRuled, recorded: Recorded) -> None:
    """Keep the outcome beside the first ruling."""
    row = RulingRow.objects.get(pk=event.ruling)
    row.outcome, row.final = event.outcome, True
    row.cites = list(dict.fromkeys([*row.cites, *event.cites]))
    if event.outcome == Outcome.UPHELD.value and row.approval == Approval.PENDING.value:
        row.approval, row.decided_by = Approval.APPROVED.value, event.by
    row.save()
    _change(event.call, state=Status.HJ_RULED.value, pending=_pending(event.call))


@calls.on(CallClosed)
def call_closed(event: CallClosed, recorded: Recorded) -> None:
    """Over; what the pack computed stays visible beside what the table got."""
    _change(
        event.call,
        state=Status.CLOSED.value,
        open=False,
        closed_at=event.at,
        took_s=event.took_s,
        computed_s=event.computed_s,
        extension_s=event.extension_s,
        extension_why=event.why,
    )


@calls.on(MomentClaimed)
def moment_claimed(event: MomentClaimed, recorded: Recorded) -> None:
    """A start that was earlier; the end is read when the call closes, in the same command."""
    if event.what == "start":
        row = CallRow.objects.get(pk=event.call)
        row.claimed_at = min(event.claimed, row.claimed_at or event.claimed)
        row.arrived_at = min(event.claimed, row.arrived_at or event.claimed)
        row.save()


@calls.on(StartUndone)
def start_undone(event: StartUndone, recorded: Recorded) -> None:
    """Back in its queue, as if nobody had come."""
    _change(
        event.call,
        state=event.state,
        claimed_by="",
        claimed_at=event.claimed_at or "",
        arrived_at=event.arrived_at or "",
        table_end=event.table_end or "",
    )


@calls.on(RulingUndone)
def ruling_undone(event: RulingUndone, recorded: Recorded) -> None:
    """The ruling stays, marked; the call waits for another one."""
    RulingRow.objects.filter(pk=event.ruling).update(
        approval=Approval.WITHDRAWN.value, in_force=False
    )
    _change(event.call, state=event.state, accepted=[], pending=_pending(event.call))


@calls.on(DisqualificationUndone)
def disqualification_undone(event: DisqualificationUndone, recorded: Recorded) -> None:
    """The rulings that disqualified stay, marked."""
    RulingRow.objects.filter(
        event_id=event.event_id,
        target_entrant=event.entrant_id,
        penalty__in=[one.value for one in DISQUALIFICATIONS],
        in_force=True,
    ).update(approval=Approval.WITHDRAWN.value, in_force=False)


@calls.on(DisputeAppealRuled)
def dispute_appeal_ruled(event: DisputeAppealRuled, recorded: Recorded) -> None:
    """What the head judge made of the ruling of a review."""
    values = {"outcome": event.outcome}
    if event.outcome != Outcome.UPHELD.value:
        values["approval"] = Approval.SUPERSEDED.value
    RulingRow.objects.filter(pk=event.first).update(**values)


@calls.on(EscalationUndone)
def escalation_undone(event: EscalationUndone, recorded: Recorded) -> None:
    """Back with its judge."""
    _change(event.call, state=event.state, claimed_by=event.judge or "")


@calls.on(CallReopened)
def call_reopened(event: CallReopened, recorded: Recorded) -> None:
    """Open as before; what the close brought is gone."""
    RulingRow.objects.filter(call_id=event.call, approval=Approval.NOT_NEEDED.value).update(
        in_force=False
    )
    _change(
        event.call,
        state=event.state,
        open=True,
        closed_at="",
        took_s=0,
        computed_s=0,
        extension_s=0,
        extension_why="",
    )


@floor.on(TableAssigned)
def table_assigned(event: TableAssigned, recorded: Recorded) -> None:
    """Keep who has the table now."""
    TableJudgeRow.objects.filter(pk=event.match).delete()
    if event.judge:
        TableJudgeRow(
            match_id=event.match, event_id=event.tournament, judge=event.judge, at=event.at
        ).save()


@calls.on(PrecedentMarked)
def precedent_marked(event: PrecedentMarked, recorded: Recorded) -> None:
    """The newest mark counts."""
    PrecedentRow.objects.filter(pk=event.ruling).delete()
    if event.mark:
        PrecedentRow(
            ruling_id=event.ruling, event_id=event.tournament, mark=event.mark, by=event.by
        ).save()


@policies.on(PackKept)
def pack_kept(event: PackKept, recorded: Recorded) -> None:
    """A version more; earlier ones stay."""
    PackRow(
        ref=f"{event.pack}@{event.version}",
        event_id=event.tournament,
        number=int(event.version),
        based_on=event.based_on,
        content=event.content,
        hash=event.hash,
        by=event.by,
        at=event.at,
    ).save()


def _policy(event_id: str) -> EventPackRow:
    held = EventPackRow.objects.filter(pk=event_id).first()
    return held or EventPackRow(event_id=event_id)


@policies.on(PackChosen)
def pack_chosen(event: PackChosen, recorded: Recorded) -> None:
    """The newest choice counts."""
    row = _policy(event.tournament)
    row.ref, row.hash = f"{event.pack}@{event.version}", event.hash
    row.save()


@policies.on(PackConfirmed)
def pack_confirmed(event: PackConfirmed, recorded: Recorded) -> None:
    """Keep each value with who confirmed it, and when."""
    row = _policy(event.tournament)
    told = {path: [value, event.by, event.at] for path, value in event.values}
    row.confirmed = {**row.confirmed, **told}
    row.save()


@statements.on(StatementsAsked)
def statements_asked(event: StatementsAsked, recorded: Recorded) -> None:
    """A row for each of the asked."""
    for at, person in enumerate(event.of):
        StatementRow(
            key=f"{event.call} {recorded.version:03d}{at:02d}",
            call_id=event.call,
            event_id=event.tournament,
            person_id=person,
            asked_at=event.at,
        ).save()


@statements.on(StatementGiven)
def statement_given(event: StatementGiven, recorded: Recorded) -> None:
    """It is in; an addendum does not change when."""
    if not event.addendum:
        rows = StatementRow.objects.filter(call_id=event.call, person_id=event.person)
        rows.update(given_at=event.at, dictated=event.by != event.person)


@statements.on(StatementWithdrawn)
def statement_withdrawn(event: StatementWithdrawn, recorded: Recorded) -> None:
    """It is not in any more."""
    rows = StatementRow.objects.filter(call_id=event.call, person_id=event.person)
    rows.update(given_at="", dictated=False)


@statements.on(StatementsOpened)
def statements_opened(event: StatementsOpened, recorded: Recorded) -> None:
    """From now on they can be read."""
    StatementRow.objects.filter(call_id=event.call).update(opened_at=event.at)
