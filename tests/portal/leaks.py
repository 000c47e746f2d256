"""Whether a secret shows: what every address answers to a reader before and after it changes.

A reader who may not know gets equal bytes and costs an equal number of queries, on every page,
every route of the API, every export. `Watch` asks all of them; what is drawn by lot for each
request (tokens of forms, ids for what a form will make) is taken out first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.portal.cast import House
from tests.sizes import SOAK

FIELDS = (
    b"csrfmiddlewaretoken|nonce|call_id|ruling_id|deck_id|event_id|token_id|webhook_id|message_id"
    b"|duel_id|note_id|photo_id|subscription_id"
)
DRAWN = re.compile(
    b'name="(?:' + FIELDS + b')" value="[^"]*"' + rb'|<path class="qrline"[^>]*>|/join/[^/"]+/'
)
"""What is new in each answer: ids of forms, join links, which are signed anew."""
COUNTERS = re.compile(rb'data-at="[\d.]*"|^[\d. ]+$')
"""How often something moved that the page follows."""
KEPT_HEADERS = ("content-type", "location", "etag", "content-disposition", "link")


@dataclass(frozen=True, slots=True)
class Seen:
    """What one reader got from one address, and what it cost."""

    status: int
    headers: tuple[str, ...]
    body: bytes
    queries: int


def seen(client: Client, address: str) -> Seen:
    """Ask one address once; streams are read to their end."""
    client.cookies.pop("messages", None)  # what the address asked before this one left to say
    connection.queries_log.clear()  # it keeps the last 9000 of a test, and then counts wrong
    with CaptureQueriesContext(connection) as captured:
        answer: Any = client.get(address)
        body = b"".join(answer) if answer.streaming else answer.content
    asked = [one for one in captured.captured_queries if "SAVEPOINT" not in str(one["sql"])]
    headers = tuple(str(answer.headers.get(name, "")) for name in KEPT_HEADERS)
    return Seen(answer.status_code, headers, DRAWN.sub(b"", body), len(asked))


class Watch:
    """Every address, as seen by some of the cast, at one moment."""

    def __init__(self, house: House, readers: Iterable[str], addresses: Iterable[str]) -> None:
        self.house = house
        self.readers, self.addresses = tuple(readers), tuple(addresses)
        for address in self.addresses:  # what a process caches is not a reader's cost
            seen(house.clients[self.readers[0]], address)
        for name in self.readers[1:]:  # nor what a first visit leaves in the own session
            for address in self.addresses:
                if address.startswith("/account/"):
                    seen(house.clients[name], address)
        self.first = self._look()

    def _look(self) -> dict[tuple[str, str], Seen]:
        return {
            (name, address): seen(self.house.clients[name], address)
            for name in self.readers
            for address in self.addresses
        }

    def _again(self) -> Iterator[tuple[str, str, Seen]]:
        """Ask again; of what a reader was denied, in a sample every fourth address, in the soak
        all."""
        denied = 0
        for (name, address), before in self.first.items():
            denied += before.status != 200
            if SOAK or before.status == 200 or denied % 4 == 0:
                yield name, address, seen(self.house.clients[name], address)

    def differences(self, *, counters: bool = True) -> list[str]:
        """Look again, and say what is not as it was: one line a reader and address.

        Without `counters`: where the reader may know that something moved, but not what.
        """
        lines: list[str] = []
        for name, address, now in self._again():
            before = self.first[name, address]
            if not counters:
                before, now = (
                    replace(one, body=COUNTERS.sub(b"", one.body)) for one in (before, now)
                )
            if now != before:
                lines.append(f"{name} {address}: {_difference(before, now)}")
        return lines


def _difference(before: Seen, now: Seen) -> str:
    if before.status != now.status:
        return f"{before.status} became {now.status}"
    if before.headers != now.headers:
        return f"headers {before.headers} became {now.headers}"
    if before.queries != now.queries and before.body == now.body:
        return f"{before.queries} queries became {now.queries}"
    at = next(
        (
            at
            for at, (one, two) in enumerate(zip(before.body, now.body, strict=False))
            if one != two
        ),
        min(len(before.body), len(now.body)),
    )
    around = slice(max(0, at - 60), at + 60)
    return f"{before.body[around]!r} became {now.body[around]!r}"


def shows(watch: Watch, change: Callable[[], object]) -> list[str]:
    """Change the secret and return what shows of it."""
    change()
    return watch.differences()
