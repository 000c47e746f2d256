"""The judging room as a Django app."""

from django.apps import AppConfig


class JudgingConfig(AppConfig):
    name = "judging"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Tell the room of the tournaments which tables a call holds open, and that of the duels
        where players may keep a pad; what the room keeps of
        people is exported with them, also by commands."""
        from duels import pads
        from judging import casephotos, statements  # noqa: F401
        from judging.matches import table_holds
        from judging.pad import pad_refused
        from tournaments import holds

        holds.register(table_holds)
        pads.register(pad_refused)
