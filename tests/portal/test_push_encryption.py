"""Web push without a network: the example of RFC 8291 to the byte, and what a browser can read."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric import ec
from django.core.exceptions import ImproperlyConfigured

from portal.push import encryption, vapid
from tests.portal.browser_keys import Browser, b64, claims, un64

NOON = datetime(2026, 7, 4, 12, 0, tzinfo=UTC)
# RFC 8291, appendix A
SENDER = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
RECEIVER = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
P256DH = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
AUTH, SALT = "BTBZMqHH6r4Tts7J_aSIgg", "DGv6ra1nlYgDCS1FRnbzlw"
TEXT = b"When I grow up, I want to be a watermelon"
BODY = (
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6"
    "TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulc"
    "y4a-fN"
)


def _key(text: str) -> ec.EllipticCurvePrivateKey:
    return ec.derive_private_key(int.from_bytes(un64(text), "big"), ec.SECP256R1())


def sealed(text: bytes, browser: Browser, **values: Any) -> bytes:
    """Encrypt for a browser under fixed salt and key."""
    usual = {"salt": bytes(16), "sender": _key(SENDER)}
    return encryption.encrypt(
        text, **({"p256dh": browser.p256dh, "auth": browser.auth} | usual | values)
    )


def test_the_example_of_the_rfc_to_the_byte() -> None:
    made = encryption.encrypt(
        TEXT,
        p256dh=encryption.from_text(P256DH),
        auth=encryption.from_text(AUTH),
        salt=encryption.from_text(SALT),
        sender=_key(SENDER),
        step=1,
    )
    assert encryption.unpadded(made) == BODY
    assert Browser(_key(RECEIVER), un64(AUTH)).opened(un64(BODY)) == TEXT


@pytest.mark.parametrize("text", [b"", b"x", "Đặng Minh Châu".encode(), b"y" * encryption.LONGEST])
def test_the_browser_reads_it_and_no_other(text: bytes) -> None:
    mine, other = Browser.made(1), Browser.made(2)
    body = sealed(text, mine)
    assert mine.opened(body) == text
    assert len(body) <= 4096
    for wrong in (other, Browser(mine.key, other.auth), Browser(other.key, mine.auth)):
        with pytest.raises(InvalidTag):
            wrong.opened(body)
    with pytest.raises(InvalidTag):
        mine.opened(body[:-1] + bytes([body[-1] ^ 1]))


def test_the_size_tells_nothing_of_a_short_text() -> None:
    browser = Browser.made()
    sizes = {len(sealed(b"x" * length, browser)) for length in (1, 90, 400, 512)}
    assert len(sizes) == 1


def test_keys_that_are_none_are_refused() -> None:
    points = [b"", b"\x04" + bytes(64), b"\x02" + bytes(32)]
    wrong = [{"p256dh": one} for one in points] + [{"auth": bytes(15)}, {"auth": b""}]
    for values in wrong:
        with pytest.raises(encryption.BadKeys):
            sealed(b"x", Browser.made(), **values)
    with pytest.raises(ValueError, match="at most"):
        sealed(b"x" * (encryption.LONGEST + 1), Browser.made())
    for text in ("ü", "a b", "a+b/", "=a", "abcde"):
        with pytest.raises(encryption.BadKeys):
            encryption.from_text(text)


def test_the_word_of_the_sender_is_for_one_service_for_half_a_day() -> None:
    key = _key(SENDER)
    public = b64(encryption.point(key.public_key()))
    header = vapid.authorization(
        key, "https://push.example.net:8443/a/b?c", contact="mailto:o@example.org", now=NOON
    )
    assert claims(header, public, NOON.timestamp()) == {
        "aud": "https://push.example.net:8443",
        "exp": int(NOON.timestamp()) + 12 * 3600,
        "sub": "mailto:o@example.org",
    }
    bare = vapid.authorization(key, "https://push.example.net/x", contact="", now=NOON)
    assert "sub" not in claims(bare, public, NOON.timestamp())
    with pytest.raises(AssertionError):
        claims(header, P256DH, NOON.timestamp())
    changed = header.replace("t=eyJ0", "t=eyJ1", 1)
    with pytest.raises(InvalidSignature):
        claims(changed, public, NOON.timestamp())


def test_the_key_is_a_file_of_its_own_or_a_variable(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.DATA_DIR = tmp_path
    monkeypatch.delenv("VAPID_KEY", raising=False)
    first = vapid.public_text()
    file = tmp_path / "vapid.key"
    assert file.stat().st_mode & 0o777 == 0o600
    assert vapid.public_text() == first
    assert len(un64(first)) == 65
    file.chmod(0o644)
    with pytest.raises(ImproperlyConfigured, match="open to others"):
        vapid.public_text()
    monkeypatch.setenv("VAPID_KEY", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE=")
    assert vapid.public_text() != first
    for wrong in ("x", "AAAA", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="):
        monkeypatch.setenv("VAPID_KEY", wrong)
        with pytest.raises(ImproperlyConfigured, match="VAPID_KEY"):
            vapid.public_text()
