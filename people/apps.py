"""The people room as a Django app."""

from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate


def _apply_erasures(**kwargs: Any) -> None:
    from people.erasure import erasures_apply

    erasures_apply()


class PeopleConfig(AppConfig):
    name = "people"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """A restored backup is brought to the schema by migrate: then erase again. Sessions are
        to be stamped from the first log-in on."""
        from people import backed_up, sessions  # noqa: F401

        post_migrate.connect(_apply_erasures, sender=self)
