"""The event store as a Django app. The projections of every room register at start."""

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class EventstoreConfig(AppConfig):
    name = "eventstore"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Load `events`, `projections` and `jobs` of every app, so that nothing is missed, and
        the system checks of this one."""
        from eventstore import checks  # noqa: F401

        autodiscover_modules("events", "projections", "jobs")
