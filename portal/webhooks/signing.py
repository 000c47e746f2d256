"""The signature of a webhook, as the specification "Standard Webhooks" has it.

    webhook-id: ID      webhook-timestamp: SECONDS      webhook-signature: v1,BASE64

HMAC-SHA256 over `ID.SECONDS.BODY` under the secret. A receiver that checks the signature, and
that the time is near its own, cannot be fed a message twice under a new time or a changed one.
"""

from __future__ import annotations

import base64
import hashlib
import hmac

PREFIX = "whsec_"
SECRET_BYTES = 32


def secret_text(secret: bytes) -> str:
    """Write a secret in the form in which receivers take it."""
    return PREFIX + base64.b64encode(secret).decode()


def signature(secret: bytes, message_id: str, seconds: int, body: bytes) -> str:
    """Sign a message; `seconds` since 1970."""
    signed = b".".join([message_id.encode(), str(seconds).encode(), body])
    return "v1," + base64.b64encode(hmac.new(secret, signed, hashlib.sha256).digest()).decode()


def headers(secret: bytes, message_id: str, seconds: int, body: bytes) -> dict[str, str]:
    """Return the headers of a message."""
    return {
        "Content-Type": "application/json",
        "User-Agent": "Headjudge",
        "webhook-id": message_id,
        "webhook-timestamp": str(seconds),
        "webhook-signature": signature(secret, message_id, seconds, body),
    }
