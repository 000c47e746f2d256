"""Where the code on a table leads."""

from django.urls import path

from judging.pages import points

app_name = "points"
urlpatterns = [
    path("events/<str:event_id>/t/<int:table>/", points.point, name="point"),
]
