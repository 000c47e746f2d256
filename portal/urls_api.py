"""API routes of the portal."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from portal import api

WEBHOOK = "webhooks/<uuid:webhook>"

urlpatterns: list[URLPattern | URLResolver] = [
    path("events/<uuid:event>/webhooks", api.Webhooks.as_view(), name="webhooks"),
    path(f"{WEBHOOK}/remove", api.WebhookRemove.as_view(), name="webhook-remove"),
    path(f"{WEBHOOK}/ping", api.WebhookPing.as_view(), name="webhook-ping"),
    path(f"{WEBHOOK}/deliveries", api.Deliveries.as_view(), name="webhook-deliveries"),
    path("jobs/<int:job>", api.Job.as_view(), name="job"),
    path("events/<uuid:event>/lists/recheck", api.ListsRecheck.as_view(), name="lists-recheck"),
    path(
        "webhook-deliveries/<uuid:delivery>/redeliver",
        api.Redeliver.as_view(),
        name="webhook-redeliver",
    ),
]
