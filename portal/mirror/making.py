"""Write the copy: all pages that can be reached from the event's own, each replaced at once."""

from __future__ import annotations

import contextlib
import hashlib
import html
import json
import os
import re
import secrets
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles import finders
from django.utils import translation
from django.utils.translation import gettext as _

from eventstore import clock
from portal.mirror.addresses import STARTS, Page, page_of
from portal.mirror.fetching import NotPublic, Visitor
from portal.mirror.rewriting import rewritten

MARK = ".mirror.json"
ASSETS = "assets"
MOST_PAGES = 20_000
LIST_AT_MOST = 4 << 20
"""Bytes of the list of files that are read."""
_OURS = re.compile(rf"(?:{ASSETS}/)?[A-Za-z0-9][A-Za-z0-9._-]{{0,120}}")
"""Names that a copy writes. Whoever can write into the folder can write its list: a name that
leads elsewhere makes it nobody's."""


class NotOurs(Exception):
    """The folder holds something that no mirror of this event has written."""


class TooLarge(Exception):
    """More pages than a copy takes."""


@dataclass(slots=True)
class Report:
    """What a pass did: files whose content changed, files taken away, pages looked at."""

    changed: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    pages: int = 0


def _replace(file: Path, content: bytes) -> bool:
    """Write a file wholly or not at all; return whether it is another than before."""
    with contextlib.suppress(OSError):
        if file.read_bytes() == content:
            return False
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_name(f".{file.name}.{secrets.token_hex(4)}")
    try:
        fresh.write_bytes(content)
        fresh.chmod(0o644)
        os.replace(fresh, file)
    finally:
        fresh.unlink(missing_ok=True)
    return True


class Mirror:
    """The copy of one event in one folder, in one language."""

    def __init__(self, event_id: str, folder: Path, language: str = "en") -> None:
        self.event_id, self.folder, self.language = event_id, folder, language
        self._visitor = Visitor(language)
        self._files: set[str] = set()

    def claim(self) -> None:
        """Make the folder, or see that it is ours: what its list names, and no more, is written
        over or taken away. Raises NotOurs, OSError."""
        self.folder.mkdir(parents=True, exist_ok=True)
        there = {one.name for one in self.folder.iterdir()}
        if not there:
            self._keep(set())
            return
        try:
            with (self.folder / MARK).open(encoding="utf-8") as source:
                kept = json.loads(source.read(LIST_AT_MOST))
            names = {str(name) for name in kept["files"]}
            unused = there == {MARK} and not names  # claimed for an event that was never copied
            ours = kept["event"] == self.event_id or unused
            ours = ours and all(map(_OURS.fullmatch, names))
            self._files = names
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            ours = False
        if not ours or (self.folder / ASSETS).is_symlink():
            raise NotOurs(str(self.folder))
        if unused:
            self._keep(set())

    def _keep(self, files: set[str]) -> None:
        value = {"event": self.event_id, "files": sorted(files)}
        _replace(self.folder / MARK, json.dumps(value).encode())
        self._files = files

    def _fetched(self, *, newest_only: bool) -> Iterator[tuple[Page, str]]:
        """Yield the pages that can be reached. `newest_only`: not those of a named round that
        was copied before, but for the newest one."""
        waiting = [Page(kind) for kind in STARTS]
        seen = set(waiting)
        while waiting:
            if len(seen) > MOST_PAGES:
                raise TooLarge(f"more than {MOST_PAGES} pages")
            page = waiting.pop(0)
            here = page.address(self.event_id)
            try:
                text = self._visitor.get(here)
            except NotPublic:
                if page.kind == "index" and not page.query:
                    raise
                continue
            yield page, text
            found: list[Page] = []

            def note(link: str, here: str = here, found: list[Page] = found) -> None:
                other = page_of(link, here, self.event_id)
                if other is not None:
                    found.append(other)

            rewritten(text, note, lambda link: None, "")
            newest = max((one.round for one in found if one.round), default=0)
            for one in found:
                old = newest_only and one.round and one.round < newest and one.file in self._files
                if one not in seen and not old:
                    seen.add(one)
                    waiting.append(one)

    def make(self, *, newest_only: bool = False) -> Report:
        """Copy all pages, or those that change while a round is played; `index.html` is the last
        to be replaced, and files of before that are public no more are taken away.

        Nothing is written before all pages are there. Raises NotPublic when the event itself is
        not public, Unanswered when a page could not be had, TooLarge, OSError when the folder
        fails.
        """
        report, assets = Report(), dict[str, str]()
        pages = {
            page: zlib.compress(text.encode(), 1)
            for page, text in self._fetched(newest_only=newest_only)
        }
        report.pages = len(pages)
        names = {page.file for page in pages}
        if newest_only:
            names |= {one for one in self._files if one.endswith(".html")}
        with translation.override(self.language):
            head = self._head()
        last = sorted(pages, key=lambda page: (page.kind == "index" and not page.query, page.file))
        for page in last:
            here = page.address(self.event_id)

            def link(target: str, here: str = here) -> str | None:
                other = page_of(target, here, self.event_id)
                if other is None or other.file not in names:
                    return None
                fragment = target.partition("#")[2]
                return other.file + (f"#{fragment}" if fragment else "")

            shown = zlib.decompress(pages[page]).decode()
            text = rewritten(shown, link, lambda one: self._asset(one, assets, report), head)
            if _replace(self.folder / page.file, text.encode()):
                report.changed.append(page.file)
        files = names | set(assets.values())
        if newest_only:
            files |= self._files
        for name in sorted(self._files - files):
            (self.folder / name).unlink(missing_ok=True)
            report.removed.append(name)
        self._keep(files)
        return report

    def _head(self) -> str:
        moment = clock.now().strftime("%Y-%m-%d %H:%M UTC")
        words = _("Copy of %(time)s. What is newer is not in it.") % {"time": moment}
        return f'<header class="top"><span class="grow sub">{html.escape(words)}</span></header>'

    def _asset(self, link: str, known: dict[str, str], report: Report) -> str | None:
        """Copy a static file beside the pages; return its new address."""
        path, _mark, fragment = link.partition("#")
        if not path.startswith(settings.STATIC_URL):
            return None
        if path not in known:
            name = path.removeprefix(settings.STATIC_URL)
            collected = Path(settings.STATIC_ROOT) / name
            source = collected if collected.is_file() else finders.find(name)
            if not source:
                return None
            content = Path(source).read_bytes()
            stem, dot, kind = Path(name).name.partition(".")
            mark = hashlib.sha256(content).hexdigest()[:12]
            known[path] = f"{ASSETS}/{stem}.{mark}{dot}{kind.rpartition('.')[2]}"
            if _replace(self.folder / known[path], content):
                report.changed.append(known[path])
        return known[path] + (f"#{fragment}" if fragment else "")
