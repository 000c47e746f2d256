"""Every symbol that a template names stands in the sprite: else its button has a hole."""

from __future__ import annotations

import re
from pathlib import Path

from django.test import Client

ROOT = Path(__file__).resolve().parents[2]


def test_every_icon_of_a_template_is_in_the_sprite() -> None:
    sprite = (ROOT / "portal/static/portal/icons.svg").read_text(encoding="utf-8")
    drawn = set(re.findall(r'id="i-([\w-]+)"', sprite))
    named = {
        (path.name, icon)
        for path in ROOT.glob("*/templates/**/*.html")
        for icon in re.findall(r'{% icon "([\w-]+)"', path.read_text(encoding="utf-8"))
    }
    assert len(named) > 100
    assert not {one for one in named if one[1] not in drawn}


def test_browsers_that_ask_for_the_old_icon_get_it() -> None:
    answer = Client().get("/favicon.ico")  # no database in this test
    body = b"".join(answer.streaming_content)  # type: ignore[attr-defined]
    assert (answer.status_code, body[:4]) == (200, b"\x00\x00\x01\x00")
    assert answer.headers["Content-Type"] in ("image/x-icon", "image/vnd.microsoft.icon")
    assert "max-age" in answer.headers["Cache-Control"]
    assert not answer.cookies
