"""Files go out part by part: none is whole in memory, and the server says nothing of it."""

from __future__ import annotations

import asyncio
import io
import warnings
from typing import Any

from django.http import FileResponse, HttpRequest
from django.http.response import HttpResponseBase
from django.test import RequestFactory

from config.handler import PARTS, Handler

SIZE = Handler.chunk_size * (2 * PARTS) + 17


class Told(io.BytesIO):
    """A file that tells how far it was read."""

    def read(self, size: int | None = -1) -> bytes:
        assert size == Handler.chunk_size
        return super().read(size)


def test_a_file_is_sent_whole_and_read_as_it_goes() -> None:
    held = Told(bytes(range(256)) * (SIZE // 256) + b"x" * (SIZE % 256))
    ahead: list[int] = []
    sent: list[bytes] = []

    class Answers(Handler):
        async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
            return FileResponse(held)

    async def send(message: dict[str, Any]) -> None:
        if body := message.get("body"):
            sent.append(body)
            ahead.append(held.tell() - sum(map(len, sent)))

    whole = held.getvalue()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        asyncio.run(Answers()._served(RequestFactory().get("/"), send))
    assert b"".join(sent) == whole
    assert max(ahead) < PARTS * Handler.chunk_size
    assert held.closed
