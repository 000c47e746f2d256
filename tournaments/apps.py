"""The tournaments room as a Django app."""

from django.apps import AppConfig


class TournamentsConfig(AppConfig):
    name = "tournaments"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Tell the room of the duels which events do not go on."""
        from duels import standing
        from tournaments import backed_up  # noqa: F401
        from tournaments.services.loading import cancelled

        standing.register(cancelled)
