"""Erase again what a restored backup brought back: `manage.py erasures_apply`."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from people.erasure import erasures_apply, scrub


class Command(BaseCommand):
    help = "Apply the erasure list after a restore (migrate does so too)."

    def handle(self, *args: Any, **options: Any) -> None:
        """Apply the list."""
        touched = erasures_apply()
        scrub()
        self.stdout.write(f"{touched} persons erased again")
