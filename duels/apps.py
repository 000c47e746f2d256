"""The duels room as a Django app."""

from django.apps import AppConfig


class DuelsConfig(AppConfig):
    name = "duels"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """What the room keeps of people is erased and exported with them, also by commands."""
        from duels import replays  # noqa: F401
