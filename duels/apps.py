"""The duels room as a Django app."""

from django.apps import AppConfig


class DuelsConfig(AppConfig):
    name = "duels"
    default_auto_field = "django.db.models.BigAutoField"
