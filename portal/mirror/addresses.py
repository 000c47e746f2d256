"""Which pages of an event are copied, and under which names."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

from django.urls import Resolver404, resolve, reverse

KINDS = {
    "tournaments:home": ("index", frozenset({"page"})),
    "tournaments:pairings": ("pairings", frozenset({"round", "by", "page"})),
    "tournaments:standings": ("standings", frozenset({"round", "revision", "page"})),
    "tournaments:bracket": ("bracket", frozenset()),
    "tournaments:limits": ("limits", frozenset()),
}
"""Routes that are copied: the beginning of the file's name, and what a query may ask for."""
ROUTES = {name: route for route, (name, _) in KINDS.items()}
MARKS = {"round": "", "revision": "r", "page": "p"}
STARTS = ("index", "pairings", "standings", "bracket", "limits")


@dataclass(frozen=True, slots=True)
class Page:
    """One page to copy: its kind and what its query asks for, in order of name."""

    kind: str
    query: tuple[tuple[str, str], ...] = ()

    @property
    def file(self) -> str:
        """Return the name of the file."""
        given = dict(self.query)
        kind = "names" if given.get("by") == "name" else self.kind
        parts = [f"{mark}{given[key]}" for key, mark in MARKS.items() if key in given]
        return "-".join([kind, *parts]) + ".html"

    @property
    def round(self) -> int | None:
        """Return the round it is about, None for the newest or none."""
        number = dict(self.query).get("round")
        return int(number) if number else None

    def address(self, event_id: str) -> str:
        """Return the path and query under which the server has it."""
        path = reverse(ROUTES[self.kind], args=[event_id])
        return f"{path}?{urlencode(self.query)}" if self.query else path


def page_of(link: str, here: str, event_id: str) -> Page | None:
    """Return the page that a link on the page at address `here` leads to; None for everything
    that is not copied: other events, other pages, searches, other sites."""
    parts = urlsplit(urljoin(here, link))
    if parts.netloc or parts.scheme:
        return None
    try:
        found = resolve(parts.path)
    except Resolver404:
        return None
    kind, known = KINDS.get(found.view_name, ("", frozenset()))
    if not kind or found.kwargs.get("event_id") != event_id:
        return None
    query: dict[str, str] = {}
    for key, value in parse_qsl(parts.query):
        plain = value.isascii() and value.isdigit() and len(value) < 6
        if key not in known or not (plain or (key, value) in {("by", "name"), ("by", "table")}):
            return None
        query[key] = value
    # what says the same as nothing has one file only
    if query.get("by") == "table":
        del query["by"]
    if query.get("page") == "1":
        del query["page"]
    return Page(kind, tuple(sorted(query.items())))
