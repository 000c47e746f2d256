"""Routes of an event for everyone."""

from django.urls import path

from tournaments.pages import join, public

app_name = "tournaments"
urlpatterns = [
    path("events/<str:event_id>/", public.home, name="home"),
    path("events/<str:event_id>/pairings/", public.pairings, name="pairings"),
    path("events/<str:event_id>/standings/", public.standings, name="standings"),
    path("events/<str:event_id>/bracket/", public.bracket, name="bracket"),
    path("join/<str:token>/", join.join, name="join"),
]
