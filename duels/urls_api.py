"""API routes of the duels room."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from duels import api, api_instruments, api_notes, api_replays

DUEL = "duels/<uuid:duel>"

urlpatterns: list[URLPattern | URLResolver] = [
    path(DUEL, api.DuelDetail.as_view(), name="duel"),
    path(f"{DUEL}/log", api.DuelLog.as_view(), name="duel-log"),
    path(f"{DUEL}/ledger", api.DuelLedger.as_view(), name="duel-ledger"),
    path(f"{DUEL}/acts", api.DuelActs.as_view(), name="duel-acts"),
    path(f"{DUEL}/take-back", api.DuelTakeBack.as_view(), name="duel-take-back"),
    path(f"{DUEL}/statements", api.DuelStatements.as_view(), name="duel-statements"),
    path(f"{DUEL}/lots", api_instruments.DuelLots.as_view(), name="duel-lots"),
    path(f"{DUEL}/draws", api_instruments.DuelDraws.as_view(), name="duel-draws"),
    path(f"{DUEL}/hands", api_instruments.DuelHands.as_view(), name="duel-hands"),
    path(f"{DUEL}/divergence", api_instruments.DuelDivergence.as_view(), name="duel-divergence"),
    path(f"{DUEL}/repairable", api_instruments.DuelRepairable.as_view(), name="duel-repairable"),
    path(f"{DUEL}/rewind-plan", api_instruments.DuelRewindPlan.as_view(), name="duel-plan"),
    path(f"{DUEL}/pace", api_instruments.DuelPace.as_view(), name="duel-pace"),
    path(f"{DUEL}/knowledge", api_instruments.DuelKnowledge.as_view(), name="duel-knowledge"),
    path(f"{DUEL}/deck-check", api_instruments.DuelDeckCheck.as_view(), name="duel-deck-check"),
    path(f"{DUEL}/marks", api_instruments.DuelMarks.as_view(), name="duel-marks"),
    path(f"{DUEL}/replay", api_replays.DuelReplay.as_view(), name="duel-replay"),
    path(f"{DUEL}/notes", api_notes.DuelNotes.as_view(), name="duel-notes"),
    path(
        f"{DUEL}/notes/<uuid:note>/withdraw",
        api_notes.DuelNoteWithdraw.as_view(),
        name="duel-note-withdraw",
    ),
    path(f"{DUEL}/fairness", api_instruments.DuelFairness.as_view(), name="duel-fairness"),
    path(f"{DUEL}/text", api_instruments.DuelText.as_view(), name="duel-text"),
]
