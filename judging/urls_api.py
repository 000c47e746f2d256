"""API routes of the judging room."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from judging import api

CALL = "calls/<uuid:call_id>"
PENALTY = f"{CALL}/penalties/<uuid:ruling_id>"

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
    path("events/<uuid:event_id>/floor", api.FloorRead.as_view(), name="floor"),
    path("matches/<uuid:match_id>/judge", api.TableJudge.as_view(), name="match-judge"),
    path(CALL, api.CallDetail.as_view(), name="call"),
    path(f"{CALL}/claim", api.CallClaim.as_view(), name="call-claim"),
    path(f"{CALL}/arrive", api.CallArrive.as_view(), name="call-arrive"),
    path(f"{CALL}/give-back", api.CallGiveBack.as_view(), name="call-give-back"),
    path(f"{CALL}/escalate", api.CallEscalate.as_view(), name="call-escalate"),
    path(f"{CALL}/withdraw", api.CallWithdraw.as_view(), name="call-withdraw"),
    path(f"{CALL}/rule", api.CallRule.as_view(), name="call-rule"),
    path(f"{CALL}/accept", api.RulingAccept.as_view(), name="ruling-accept"),
    path(f"{CALL}/appeal", api.CallAppeal.as_view(), name="call-appeal"),
    path(f"{CALL}/appeal-ruling", api.AppealRule.as_view(), name="appeal-rule"),
    path(f"{CALL}/close", api.CallClose.as_view(), name="call-close"),
    path(f"{PENALTY}/approve", api.PenaltyApprove.as_view(), name="penalty-approve"),
    path(f"{PENALTY}/decline", api.PenaltyDecline.as_view(), name="penalty-decline"),
]
