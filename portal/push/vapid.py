"""Who sends a push message (RFC 8292): a signed word of this server to the push service.

The key is a file beside the signing key (VAPID_KEY, or DATA_DIR/vapid.key; eventstore.keyfile).
Browsers bind a subscription to its public half: with another key they have to be made anew.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from django.core.exceptions import ImproperlyConfigured

from eventstore.keyfile import secret_key
from portal.push.encryption import point, unpadded

LASTS = timedelta(hours=12)
"""The RFC allows a day; half of it leaves room for clocks that differ."""


def private_key() -> ec.EllipticCurvePrivateKey:
    """Return the key of this server, made at the first use.

    Raises ImproperlyConfigured when it is malformed or its file is open to others.
    """
    number = int.from_bytes(secret_key("VAPID_KEY", "vapid.key"), "big")
    try:
        return ec.derive_private_key(number, ec.SECP256R1())
    except ValueError:
        raise ImproperlyConfigured("VAPID_KEY: no key of P-256") from None


def public_text() -> str:
    """Return the public half as browsers take it (applicationServerKey)."""
    return unpadded(point(private_key().public_key()))


def audience(endpoint: str) -> str:
    """Return the origin of a push service, for which a token is made."""
    parts = urlsplit(endpoint)
    return f"{parts.scheme}://{parts.netloc}"


def authorization(
    key: ec.EllipticCurvePrivateKey, endpoint: str, *, contact: str, now: datetime
) -> str:
    """Return the header Authorization for a request to an endpoint.

    `contact` is where the keeper of the push service reaches ours (mailto: or https:), empty
    for none.
    """
    ends = int((now + LASTS).timestamp())
    claims = {"aud": audience(endpoint), "exp": ends} | ({"sub": contact} if contact else {})
    parts = ({"typ": "JWT", "alg": "ES256"}, claims)
    signed = ".".join(unpadded(json.dumps(one, separators=(",", ":")).encode()) for one in parts)
    r, s = decode_dss_signature(key.sign(signed.encode(), ec.ECDSA(SHA256())))
    mark = unpadded(r.to_bytes(32, "big") + s.to_bytes(32, "big"))
    return f"vapid t={signed}.{mark}, k={unpadded(point(key.public_key()))}"
