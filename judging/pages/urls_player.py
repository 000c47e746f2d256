"""Routes of a player's calls."""

from django.urls import path

from judging.pages import disputes, pad, player, statement

app_name = "my_calls"
urlpatterns = [
    path("<str:event_id>/judge/", player.call, name="call"),
    path("<str:event_id>/pad/", pad.mine, name="pad"),
    path("<str:event_id>/statements/", statement.mine, name="statements"),
    path("<str:event_id>/disputes/", disputes.mine, name="disputes"),
    path("<str:event_id>/judge/panel/", player.panel, name="panel"),
]
