"""Make a page of the server into a file: what needs a server is taken out, links are relative.

Pure: what a link becomes is asked of the caller.
"""

from __future__ import annotations

import html
from collections.abc import Callable
from html.parser import HTMLParser

VOID = frozenset(
    "area base br col embed hr img input link meta source track wbr".split()  # noqa: SIM905
)
DROPPED = frozenset({"script", "form", "button", "dialog", "input", "label", "noscript"})
"""Elements that do nothing in a file."""
DROPPED_CLASSES = frozenset({"tabbar", "skip", "crumbs"})
LINKS_KEPT = frozenset({"stylesheet", "icon"})
POLICY = "script-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'"
"""No word of styles: opened from a stick, a page's own folder is not 'self' to every browser."""

Link = Callable[[str], str | None]
Asset = Callable[[str], str | None]


class Rewriter(HTMLParser):
    """Reads one page; `written` is the file. `link` gives the new target of a link, None to
    leave the words without one; `asset` that of a static file; `head` is put in place of the
    page's own head line."""

    def __init__(self, link: Link, asset: Asset, head: str) -> None:
        super().__init__(convert_charrefs=False)
        self._link, self._asset, self._head = link, asset, head
        self._out: list[str] = []
        self._depth = 0
        self._skipped_from: int | None = None

    @property
    def written(self) -> str:
        """The file."""
        return "".join(self._out)

    def _say(self, text: str) -> None:
        if self._skipped_from is None:
            self._out.append(text)

    def _is_dropped(self, tag: str, given: dict[str, str]) -> bool:
        classes = set(given.get("class", "").split())
        return (
            tag in DROPPED
            or "hidden" in given
            or given.get("role") == "timer"
            or bool(classes & DROPPED_CLASSES)
            or (tag == "meta" and given.get("name") == "htmx-config")
            or (tag == "link" and given.get("rel") not in LINKS_KEPT)
        )

    def _tag(self, tag: str, attrs: list[tuple[str, str | None]], *, closed: bool) -> None:
        given = {key: value or "" for key, value in attrs}
        opens = not closed and tag not in VOID
        if self._skipped_from is None and tag == "header" and given.get("class") == "top":
            self._out.append(self._head)
            self._skipped_from = self._depth
        elif self._skipped_from is None and self._is_dropped(tag, given):
            if not opens:
                return
            self._skipped_from = self._depth
        if self._skipped_from is None:
            kept = [(key, value) for key, value in attrs if self._keeps(key)]
            kept = [(key, self._target(tag, key, value)) for key, value in kept]
            words = "".join(
                f" {key}" if value is None else f' {key}="{html.escape(value)}"'
                for key, value in kept
                if not (key == "href" and value is None)
            )
            self._out.append(f"<{tag}{words}{'/' if closed else ''}>")
            if tag == "head":
                self._out.append(
                    f'<meta http-equiv="Content-Security-Policy" content="{html.escape(POLICY)}">'
                )
        if opens:
            self._depth += 1

    @staticmethod
    def _keeps(key: str) -> bool:
        return not key.startswith(("data-live", "data-at", "data-spread", "data-do", "hx-", "on"))

    def _target(self, tag: str, key: str, value: str | None) -> str | None:
        if key not in ("href", "src", "xlink:href") or value is None:
            return value
        if value.startswith("#"):
            return value
        if tag == "a":
            return self._link(value)
        return self._asset(value)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element begins."""
        self._tag(tag, attrs, closed=False)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element without content."""
        self._tag(tag, attrs, closed=True)

    def handle_endtag(self, tag: str) -> None:
        """An element ends."""
        if tag in VOID:
            return
        self._depth -= 1
        if self._skipped_from is None:
            self._out.append(f"</{tag}>")
        elif self._depth <= self._skipped_from:
            self._skipped_from = None

    def handle_data(self, data: str) -> None:
        """Text."""
        self._say(data)

    def handle_entityref(self, name: str) -> None:
        """A named sign."""
        self._say(f"&{name};")

    def handle_charref(self, name: str) -> None:
        """A numbered sign."""
        self._say(f"&#{name};")

    def handle_decl(self, decl: str) -> None:
        """The doctype."""
        self._say(f"<!{decl}>")


def rewritten(text: str, link: Link, asset: Asset, head: str) -> str:
    """Return a page as a file."""
    reader = Rewriter(link, asset, head)
    reader.feed(text)
    reader.close()
    return reader.written
