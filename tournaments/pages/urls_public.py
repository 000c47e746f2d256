"""Routes of an event for everyone."""

from django.urls import path

from tournaments.pages import join, openlists, public, wall

app_name = "tournaments"
urlpatterns = [
    path("events/<str:event_id>/", public.home, name="home"),
    path("events/<str:event_id>/pairings/", public.pairings, name="pairings"),
    path("events/<str:event_id>/standings/", public.standings, name="standings"),
    path("events/<str:event_id>/limits/", public.limits, name="limits"),
    path("events/<str:event_id>/bracket/", public.bracket, name="bracket"),
    path("events/<str:event_id>/lists/", openlists.index, name="open_lists"),
    path("events/<str:event_id>/lists/<str:entrant_id>/", openlists.shown, name="open_list"),
    path(
        "events/<str:event_id>/lists/<str:entrant_id>/<str:deck_format>/",
        openlists.file,
        name="open_list_file",
    ),
    path("events/<str:event_id>/wall/", wall.wall, name="wall"),
    path("join/<str:token>/", join.join, name="join"),
]
