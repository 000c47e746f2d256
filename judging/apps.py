"""The judging room as a Django app."""

from django.apps import AppConfig


class JudgingConfig(AppConfig):
    name = "judging"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Tell the room of the tournaments which tables a call holds open; what the room keeps of
        people is exported with them, also by commands."""
        from judging import statements  # noqa: F401
        from judging.matches import table_holds
        from tournaments import holds

        holds.register(table_holds)
