"""Routes of duels for everyone; what is shown follows the viewer."""

from django.urls import path

from duels.pages import as_json, inspect, notes, offline, original, record, replay

app_name = "duels"
urlpatterns = [
    path("duels/<str:duel_id>/", replay.replay, name="replay"),
    path("duels/<str:duel_id>/record/", record.record, name="record"),
    path("duels/<str:duel_id>/text/", inspect.text, name="text"),
    path("duels/<str:duel_id>/json/", as_json.as_json, name="json"),
    path("duels/<str:duel_id>/offline/", offline.offline, name="offline"),
    path("duels/<str:duel_id>/notes/", notes.notes, name="notes"),
    path("duels/<str:duel_id>/original/", original.original, name="original"),
    path("duels/<str:duel_id>/judge/lot/", inspect.lot, name="lot"),
    path("duels/<str:duel_id>/judge/", inspect.inspect, name="inspect"),
]
