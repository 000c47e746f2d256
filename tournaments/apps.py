"""The tournaments room as a Django app."""

from django.apps import AppConfig


class TournamentsConfig(AppConfig):
    name = "tournaments"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Tell the room of the duels which events do not go on, and hear when the server was
        away."""
        from duels import standing
        from eventstore import heartbeat
        from tournaments import backed_up  # noqa: F401
        from tournaments.services.loading import cancelled
        from tournaments.services.outages import notice_all

        standing.register(cancelled)
        heartbeat.register(notice_all)
