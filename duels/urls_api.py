"""API routes of the duels room."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from duels import api

DUEL = "duels/<uuid:duel>"

urlpatterns: list[URLPattern | URLResolver] = [
    path(DUEL, api.DuelDetail.as_view(), name="duel"),
    path(f"{DUEL}/log", api.DuelLog.as_view(), name="duel-log"),
    path(f"{DUEL}/ledger", api.DuelLedger.as_view(), name="duel-ledger"),
    path(f"{DUEL}/acts", api.DuelActs.as_view(), name="duel-acts"),
    path(f"{DUEL}/statements", api.DuelStatements.as_view(), name="duel-statements"),
]
