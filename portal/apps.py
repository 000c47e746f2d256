"""The portal room as a Django app."""

from typing import Any

from django.apps import AppConfig
from django.db import connection
from django.db.models.signals import post_migrate


class PortalConfig(AppConfig):
    name = "portal"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Count anew after a migration that made the tables of a log that is there already."""
        post_migrate.connect(_count_anew, sender=self)


def _count_anew(**_: Any) -> None:
    from eventstore import projections, store
    from portal.models import LiveTopic

    if LiveTopic._meta.db_table not in connection.introspection.table_names():
        return
    counted = projections.registered()["portal.live"].handlers
    if not LiveTopic.objects.exists() and store.holds_any(counted):
        projections.rebuild("portal.live")
