"""Routes of duels for everyone; what is shown follows the viewer."""

from django.urls import path

from duels.pages import replay

app_name = "duels"
urlpatterns = [path("duels/<str:duel_id>/", replay.replay, name="replay")]
