"""Routes of deck lists for everyone."""

from django.urls import path

from decks.pages import limits, public

app_name = "decks"
urlpatterns = [
    path("decks/check/", public.check, name="check"),
    path("decks/limits/", limits.limits, name="limits"),
]
