"""The decks room as a Django app."""

from django.apps import AppConfig


class DecksConfig(AppConfig):
    name = "decks"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """What the room keeps of people is erased and exported with them, also by commands."""
        from decks import photos  # noqa: F401
