"""What makes the pages an app on a phone: manifest, service worker, and the page without a server.

On a plain http address there is no service worker: the same pages work in the open tab.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path

from django.contrib.staticfiles import finders
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from people.guard import guarded

INK, PAPER = "#15171a", "#f5f4ef"
SHELL = (
    "portal/sw.js",
    *(f"portal/{name}" for name in ("app.css", "app.js", "live.js", "icons.svg")),
    *(f"portal/{name}" for name in ("mark.svg", "icon-192.png")),
)
UPDATE_SECONDS = 300
"""How long a browser goes by the worker that it has before it asks for a newer one."""


@cache
def _worker() -> bytes:
    """The script with a mark of the shell's files: when one of them changes, a phone installs the
    worker anew, and with it the shell."""
    files = [Path(found).read_bytes() for name in SHELL if (found := finders.find(name))]
    mark = hashlib.sha256(b"".join(files)).hexdigest()[:12]
    return files[0] + f"// {mark}".encode()


@guarded("portal.page_read")
@require_GET
def worker(request: HttpRequest) -> HttpResponse:
    """The service worker, at the root so that it serves every page. The language stands in it, as
    the page that is kept for no connection is in the reader's."""
    return HttpResponse(
        _worker() + f" {get_language()}\n".encode(),
        content_type="text/javascript; charset=utf-8",
        headers={"Cache-Control": f"private, max-age={UPDATE_SECONDS}"},
    )


@guarded("portal.page_read")
@require_GET
def manifest(request: HttpRequest) -> HttpResponse:
    """The web app manifest in the reader's language."""
    icons = [
        {"src": static("portal/mark.svg"), "sizes": "any", "type": "image/svg+xml"},
        {"src": static("portal/icon-192.png"), "sizes": "192x192", "type": "image/png"},
        {"src": static("portal/icon-512.png"), "sizes": "512x512", "type": "image/png"},
        {
            "src": static("portal/icon-mask.png"),
            "sizes": "512x512",
            "type": "image/png",
            "purpose": "maskable",
        },
    ]
    described = {
        "id": "/",
        "name": _("Headjudge: duels and tournaments"),
        "short_name": "Headjudge",
        "description": _("Your table, your list, a judge at a tap."),
        "lang": get_language(),
        "start_url": reverse("my:home"),
        "scope": "/",
        "display": "standalone",
        "background_color": PAPER,
        "theme_color": INK,
        "icons": icons,
    }
    body = json.dumps(described, ensure_ascii=False)
    return HttpResponse(body, content_type="application/manifest+json")


@guarded("portal.page_read")
@never_cache
@require_GET
def offline(request: HttpRequest) -> HttpResponse:
    """The page that a phone keeps for when no server answers. It is made for nobody: no name, no
    menu, nothing of a session."""
    return HttpResponse(render_to_string("portal/offline.html", {"LANGUAGE_CODE": get_language()}))
