"""Passwords at the edge: checked, then hashed, so that no command ever carries one."""

from __future__ import annotations

from django.contrib.auth.hashers import make_password
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError

from eventstore.domain.refusal import Refusal, Refused
from people.models import Account

LONGEST = 200
"""Longer input is not hashed: it is no password, it is work for the server."""


def checked_hash(password: str, *, username: str) -> str:
    """Hash a password that a person chose. Raises Refused (people.password_weak): `found` names
    what is wrong with it, in the codes of the validators of AUTH_PASSWORD_VALIDATORS."""
    faults: list[str] = []
    if len(password) > LONGEST:
        faults.append("password_too_long")
    else:
        try:
            validate_password(password, Account(username=username))
        except ValidationError as fault:
            faults = [str(one.code) for one in fault.error_list]
    if faults:
        raise Refused(Refusal("people.password_weak", {"found": faults}))
    return make_password(password)
