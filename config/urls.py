"""Every route. The file of a route says who it is for: public, player, staff."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from config.developers import developers
from config.openapi import SchemaRead

api: list[URLPattern | URLResolver] = [
    path("schema", SchemaRead.as_view(), name="schema"),
    path("", include("cards.urls_api")),
    path("", include("decks.urls_api")),
    path("", include("duels.urls_api")),
    path("", include("tournaments.urls_api")),
    path("", include("judging.urls_api")),
    path("", include("portal.urls_api")),
]

urlpatterns = [
    path("developers/", developers, name="developers"),
    path("", include("portal.pages.urls_public")),
    path("", include("decks.pages.urls_public")),
    path("", include("tournaments.pages.urls_public")),
    path("", include("duels.pages.urls_public")),
    path("", include("judging.pages.urls_public")),
    path("my/", include("tournaments.pages.urls_player")),
    path("my/", include("judging.pages.urls_player")),
    path("staff/", include("decks.pages.urls_staff")),
    path("staff/", include("tournaments.pages.urls_staff")),
    path("staff/", include("judging.pages.urls_staff")),
    path("api/v1/", include((api, "api"))),
    path("admin/", admin.site.urls),
]

handler404 = "config.faults.not_found"
handler403 = "config.faults.forbidden"
handler400 = "config.faults.bad_request"
handler500 = "config.faults.server_error"
