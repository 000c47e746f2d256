"""Routes of deck lists for everyone."""

from django.urls import path

from decks.pages import public

app_name = "decks"
urlpatterns = [path("decks/check/", public.check, name="check")]
