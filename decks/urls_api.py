"""API routes of the decks room."""

from django.urls import path

from decks import api

urlpatterns = [
    path("decks/check", api.DeckCheck.as_view(), name="deck-check"),
    path("presets", api.PresetList.as_view(), name="presets"),
    path("presets/<str:preset>", api.PresetDetail.as_view(), name="preset"),
    path("decks/<uuid:deck>", api.DeckInForce.as_view(), name="deck"),
]
