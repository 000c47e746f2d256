"""The second factor: codes of an authenticator app (TOTP, RFC 6238), and recovery codes.

The secret is wrapped under the key that wraps all others (people.vault), so a copy of the
database makes no codes. A code works once: its time step must be newer than the last one used.
Recovery codes are kept as keyed hashes and work once each.
"""

from __future__ import annotations

import base64
import hmac
import secrets
from dataclasses import dataclass
from datetime import datetime

import pyotp
from django.utils.crypto import salted_hmac

from eventstore import clock
from people import vault
from people.models import Account, RecoveryCode, SecondFactor

ISSUER = "Headjudge"
STEP_SECONDS = 30
DRIFT_STEPS = 1
"""Clocks of phones differ: the code before and the one after are taken as well."""
RECOVERY_CODES, RECOVERY_SIGNS = 10, 16
"""16 signs of base32 are 80 bits: no guessing, with or without the database."""


def _owner(account: Account) -> str:
    return f"totp {account.person_id}"


@dataclass(frozen=True, slots=True)
class Offer:
    """A secret that is not in force yet, and the address that an app reads from a QR code."""

    secret: str
    address: str


def offer(account: Account, secret: str | None = None) -> Offer:
    """Make a secret for an account, or show the one given again. Nothing is kept."""
    chosen = secret or pyotp.random_base32(32)
    address = pyotp.TOTP(chosen).provisioning_uri(name=account.username, issuer_name=ISSUER)
    return Offer(chosen, address)


def offer_wrapped(account: Account, secret: str) -> str:
    """Wrap an offered secret for the session of its owner: it never stands there readable."""
    return base64.b64encode(vault.wrap_secret(_owner(account), secret.encode())).decode()


def offer_opened(account: Account, wrapped: str) -> str | None:
    """Open what `offer_wrapped` made; None for anything else."""
    try:
        secret = vault.unwrap_secret(_owner(account), base64.b64decode(wrapped, validate=True))
    except ValueError:
        return None
    return secret.decode() if secret else None


def step_of(secret: str, code: str, now: datetime) -> int | None:
    """Return the time step whose code this is, among those taken now; None for a wrong code."""
    digits = "".join(code.split())
    if not (digits.isascii() and digits.isdigit() and len(digits) == 6):
        return None
    made, current = pyotp.TOTP(secret), int(now.timestamp()) // STEP_SECONDS
    found = None
    for step in range(current - DRIFT_STEPS, current + DRIFT_STEPS + 1):
        if hmac.compare_digest(made.at(step * STEP_SECONDS), digits):
            found = step
    return found


def is_enrolled(account: Account) -> bool:
    """Say whether the account has a second factor."""
    return SecondFactor.objects.filter(pk=account.pk).exists()


def totp_take(account: Account, code: str) -> bool:
    """Say whether a code of the app is right, and use it up. One of two that come with the same
    code at the same moment is refused."""
    row = SecondFactor.objects.filter(pk=account.pk).first()
    secret = vault.unwrap_secret(_owner(account), bytes(row.sealed)) if row else None
    if row is None or secret is None:
        return False
    step = step_of(secret.decode(), code, clock.now())
    if step is None:
        return False
    newer = SecondFactor.objects.filter(pk=account.pk, last_step__lt=step)
    return newer.update(last_step=step) == 1


def recovery_codes() -> list[str]:
    """Make fresh recovery codes, in groups of four signs."""
    made = []
    for _ in range(RECOVERY_CODES):
        text = base64.b32encode(secrets.token_bytes(RECOVERY_SIGNS * 5 // 8)).decode().lower()
        made.append("-".join(text[at : at + 4] for at in range(0, len(text), 4)))
    return made


def recovery_digest(code: str) -> str:
    """Hash a recovery code as it is kept, whatever its case and however it is grouped."""
    signs = "".join(sign for sign in code.lower() if sign.isalnum())[:64]
    return salted_hmac("people.recovery", signs, algorithm="sha256").hexdigest()


def recovery_take(account: Account, digest: str) -> int | None:
    """Use up the recovery code of this hash; returns how many are left, None when none has it.
    Call inside a command."""
    unused = RecoveryCode.objects.filter(account=account, used_at=None)
    if unused.filter(digest=digest).update(used_at=clock.now()) != 1:
        return None
    return RecoveryCode.objects.filter(account=account, used_at=None).count()


def factor_write(account: Account, wrapped: bytes, step: int, digests: list[str]) -> None:
    """Put a second factor in force, in the place of an earlier one; the code just shown is used
    up. Call inside a command."""
    factor_delete(account)
    SecondFactor.objects.create(
        account=account, sealed=wrapped, last_step=step, created_at=clock.now()
    )
    RecoveryCode.objects.bulk_create(
        RecoveryCode(account=account, digest=digest) for digest in digests
    )


def factor_delete(account: Account) -> bool:
    """Take the second factor away; says whether there was one. Call inside a command."""
    RecoveryCode.objects.filter(account=account).delete()
    return SecondFactor.objects.filter(pk=account.pk).delete()[0] > 0
