"""API routes of the judging room."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from judging import api, api_case, api_checks, api_disputes, api_packets, api_packs, api_rewinding

CALL = "calls/<uuid:call_id>"
PENALTY = f"{CALL}/penalties/<uuid:ruling_id>"
DISPUTE = "disputes/<uuid:dispute_id>"
PACKET = "events/<uuid:event_id>/packets/<uuid:entrant_id>"

urlpatterns: list[URLPattern | URLResolver] = [
    path("calls", api.Calls.as_view(), name="call-raise"),
    path("calls/mine", api.MyCalls.as_view(), name="calls-mine"),
    path("events/<uuid:event_id>/calls", api.Queue.as_view(), name="call-queue"),
    path("events/<uuid:event_id>/rulings", api.Rulings.as_view(), name="rulings"),
    path(
        "events/<uuid:event_id>/entrants/<uuid:entrant>/deck/repair",
        api.ListRepair.as_view(),
        name="list-repair",
    ),
    path("events/<uuid:event_id>/policy", api.Policy.as_view(), name="policy"),
    path("events/<uuid:event_id>/policy/pack", api_packs.PackRead.as_view(), name="pack"),
    path(
        "events/<uuid:event_id>/policy/choose", api_packs.PackChoose.as_view(), name="pack-choose"
    ),
    path("events/<uuid:event_id>/policy/keep", api_packs.PackKeep.as_view(), name="pack-keep"),
    path(
        "events/<uuid:event_id>/policy/confirm",
        api_packs.PackConfirm.as_view(),
        name="pack-confirm",
    ),
    path("events/<uuid:event_id>/floor", api.FloorRead.as_view(), name="floor"),
    path("matches/<uuid:match_id>/judge", api.TableJudge.as_view(), name="match-judge"),
    path(CALL, api.CallDetail.as_view(), name="call"),
    path("events/<uuid:event_id>/deck-checks", api_checks.DeckChecks.as_view(), name="checks"),
    path(
        "events/<uuid:event_id>/deck-checks/cut", api_checks.CutChecks.as_view(), name="checks-cut"
    ),
    path("matches/<uuid:match>/deck-check", api_checks.CheckBegin.as_view(), name="check-begin"),
    path(f"{CALL}/deck-check", api_checks.CheckRead.as_view(), name="check"),
    path(f"{CALL}/deck-check/count", api_checks.CheckCount.as_view(), name="check-count"),
    path(f"{CALL}/deck-check/take", api_checks.CheckTake.as_view(), name="check-take"),
    path(f"{CALL}/deck-check/return", api_checks.CheckReturn.as_view(), name="check-return"),
    path(f"{CALL}/deck-check/sleeves", api_checks.CheckSleeves.as_view(), name="check-sleeves"),
    path(f"{CALL}/case", api_case.CaseDetail.as_view(), name="case"),
    path(f"{CALL}/case/reveals", api_case.CaseReveals.as_view(), name="case-reveals"),
    path(f"{CALL}/statements", api_case.CaseStatements.as_view(), name="statements"),
    path(f"{CALL}/statements/own", api_case.StatementGive.as_view(), name="statement-give"),
    path(f"{CALL}/statements/ask", api_case.StatementsAsk.as_view(), name="statements-ask"),
    path(
        f"{CALL}/statements/withdraw",
        api_case.StatementWithdraw.as_view(),
        name="statement-withdraw",
    ),
    path(f"{CALL}/statements/open", api_case.StatementsOpen.as_view(), name="statements-open"),
    path(f"{CALL}/claim", api.CallClaim.as_view(), name="call-claim"),
    path(f"{CALL}/arrive", api.CallArrive.as_view(), name="call-arrive"),
    path(f"{CALL}/give-back", api.CallGiveBack.as_view(), name="call-give-back"),
    path(f"{CALL}/escalate", api.CallEscalate.as_view(), name="call-escalate"),
    path(f"{CALL}/withdraw", api.CallWithdraw.as_view(), name="call-withdraw"),
    path(f"{CALL}/rule", api.CallRule.as_view(), name="call-rule"),
    path(f"{CALL}/accept", api.RulingAccept.as_view(), name="ruling-accept"),
    path(f"{CALL}/appeal", api.CallAppeal.as_view(), name="call-appeal"),
    path(f"{CALL}/appeal-ruling", api.AppealRule.as_view(), name="appeal-rule"),
    path(f"{CALL}/rewinds", api_rewinding.Rewinds.as_view(), name="rewinds"),
    path(f"{CALL}/rewinds/undo", api_rewinding.RewindUndo.as_view(), name="rewind-undo"),
    path("events/<uuid:event_id>/packets", api_packets.Packets.as_view(), name="packets"),
    path(PACKET, api_packets.Detail.as_view(), name="packet"),
    path(f"{PACKET}/persons", api_packets.Person.as_view(), name="packet-person"),
    path(f"{PACKET}/persons/leave-out", api_packets.LeaveOut.as_view(), name="packet-leave-out"),
    path(f"{PACKET}/statements", api_packets.Statement.as_view(), name="packet-statement"),
    path(f"{PACKET}/report", api_packets.Report.as_view(), name="packet-report"),
    path(f"{PACKET}/evidence", api_packets.Evidence.as_view(), name="packet-evidence"),
    path(f"{PACKET}/sign", api_packets.Sign.as_view(), name="packet-sign"),
    path(f"{PACKET}/send", api_packets.Send.as_view(), name="packet-send"),
    path(f"{PACKET}/undo", api_packets.Undo.as_view(), name="packet-undo"),
    path("disputes", api_disputes.Raise.as_view(), name="dispute-raise"),
    path("events/<uuid:event_id>/disputes", api_disputes.Queue.as_view(), name="disputes"),
    path("events/<uuid:event_id>/disputes/mine", api_disputes.Mine.as_view(), name="disputes-mine"),
    path(
        "events/<uuid:event_id>/disputes/window",
        api_disputes.Window.as_view(),
        name="dispute-window",
    ),
    path(DISPUTE, api_disputes.Detail.as_view(), name="dispute"),
    path(f"{DISPUTE}/withdraw", api_disputes.Withdraw.as_view(), name="dispute-withdraw"),
    path(f"{DISPUTE}/appeal", api_disputes.Appeal.as_view(), name="dispute-appeal"),
    path(f"{DISPUTE}/take", api_disputes.Take.as_view(), name="dispute-take"),
    path(f"{DISPUTE}/give-back", api_disputes.GiveBack.as_view(), name="dispute-give-back"),
    path(f"{DISPUTE}/rule", api_disputes.Rule.as_view(), name="dispute-rule"),
    path(f"{DISPUTE}/correct", api_disputes.Correct.as_view(), name="dispute-correct"),
    path(f"{DISPUTE}/leave", api_disputes.Leave.as_view(), name="dispute-leave"),
    path(f"{CALL}/close", api.CallClose.as_view(), name="call-close"),
    path(f"{PENALTY}/approve", api.PenaltyApprove.as_view(), name="penalty-approve"),
    path(f"{PENALTY}/decline", api.PenaltyDecline.as_view(), name="penalty-decline"),
]
