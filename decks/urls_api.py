"""API routes of the decks room."""

from django.urls import path

from decks import api

urlpatterns = [
    path("decks/check", api.DeckCheck.as_view(), name="deck-check"),
    path("decks/<uuid:deck>", api.DeckInForce.as_view(), name="deck"),
]
