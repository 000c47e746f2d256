"""Routes of deck lists for staff."""

from django.urls import path

from decks.pages import photos

app_name = "photos"
urlpatterns = [path("photos/<str:photo_id>/", photos.photo, name="photo")]
