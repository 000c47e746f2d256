"""API routes of the cards room."""

from django.urls import path

from cards import api

urlpatterns = [
    path("cards", api.CardSearch.as_view(), name="card-search"),
    path("cards/<str:key>", api.CardDetail.as_view(), name="card"),
    path("banlists", api.BanlistList.as_view(), name="banlists"),
    path("banlists/<str:banlist_id>", api.BanlistDetail.as_view(), name="banlist"),
]
