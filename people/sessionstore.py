"""Django's sessions in the database, looked up by a statement that is written once: each request
of somebody known asks it."""

from __future__ import annotations

from typing import Any

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.utils import timezone

from eventstore.prepared import prepared


@prepared
def _kept(key: Any) -> Any:
    return Session.objects.filter(pk=key)


class SessionStore(db.SessionStore):
    """A session; of this name, which is part of how Django signs its content."""

    def _get_session_from_db(self) -> Session | None:
        """Return the row of a session that is not over; forget the key of any other."""
        # what else a cookie may hold is no key of ours, and some of it no text of the database
        known = self.session_key if (self.session_key or "").isalnum() else None
        found = _kept(known) if known else []
        if found and found[0].expire_date > timezone.now():
            row: Session = found[0]
            return row
        self._session_key = None
        return None
