"""What is read from the line: requests whole, one after the other, and no head without an end."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn

from config import server
from config.wire import MOST_HEAD_BYTES, BoundedProtocol

STREAMS: list[Any] = []


async def _beating(receive: Any, send: Any) -> None:
    """Send until the client leaves, as the live stream does."""
    gone = asyncio.ensure_future(_gone(receive))
    STREAMS.append(gone)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    while not gone.done():
        await send({"type": "http.response.body", "body": b"beat", "more_body": True})
        await asyncio.sleep(0.02)
    STREAMS.remove(gone)


async def _gone(receive: Any) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _counted(scope: Any, receive: Any, send: Any) -> None:
    """Say which address was asked and how many bytes came with it; /stream comes in two parts."""
    if scope["path"] == "/beat":
        await _beating(receive, send)
        return
    if scope["path"] == "/stream":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"one\n", "more_body": True})
        await send({"type": "http.response.body", "body": b"two\n"})
        return
    size, more = 0, True
    while more:
        message = await receive()
        size += len(message.get("body", b""))
        more = message.get("more_body", False)
    names = b",".join(name for name, _ in scope["headers"] if name.startswith(b"x-for"))
    text = f"{scope['path']} {size}{names.decode()}\n".encode()
    headers = [(b"content-length", str(len(text)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": text})


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    config = uvicorn.Config(_counted, http=BoundedProtocol, lifespan="off", log_config=None)
    one = uvicorn.Server(config)
    door = server.listen("127.0.0.1", 0)
    thread = threading.Thread(target=one.run, kwargs={"sockets": [door]})
    thread.start()
    while not one.started:
        time.sleep(0.01)
    yield door.getsockname()[1]
    one.should_exit = True
    thread.join()


def _said(port: int, *parts: bytes, answers: int = 1, apart: float = 0.0) -> bytes:
    """Send parts one after the other, so many seconds apart; return what came back, up to so many
    answers or the end."""
    found = b""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as line:
        try:
            for part in parts:
                line.sendall(part)
                time.sleep(apart)
            while found.count(b"\n") < answers * 6:
                more = line.recv(65536)
                if not more:
                    break
                found += more
        except (BrokenPipeError, ConnectionResetError):
            return found or b"closed"
    return found


def _get(path: str, size: int = 0) -> bytes:
    filled = f"X-Long: {'x' * size}\r\n" if size else ""
    return f"GET {path} HTTP/1.1\r\nHost: here\r\n{filled}\r\n".encode()


def _post(path: str, size: int) -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: here\r\nContent-Length: {size}\r\n\r\n"
    return head.encode() + b"b" * size


@pytest.mark.parametrize(
    "head",
    [b"GET / HTTP/1.1\r\nHost: here\r\nX-Long: ", b"GET /"],
    ids=["a header", "an address"],
)
def test_a_head_without_an_end_is_refused(port: int, head: bytes) -> None:
    found = _said(port, head, *[b"x" * 16_384] * 200)
    assert found == b"closed" or found.startswith(b"HTTP/1.1 400 "), found[:100]
    assert b"HTTP/1.1 200" in _said(port, _get("/after"))


def test_many_headers_without_an_end_are_refused(port: int) -> None:
    lines = b"".join(b"X-%d: value\r\n" % number for number in range(1000))
    found = _said(port, b"GET / HTTP/1.1\r\nHost: here\r\n", *[lines] * 200)
    assert found == b"closed" or found.startswith(b"HTTP/1.1 400 "), found[:100]


def test_bodies_and_requests_of_one_line_do_not_count_as_heads(port: int) -> None:
    large = 8 * MOST_HEAD_BYTES
    found = _said(port, _post("/one", large), _get("/two"), _post("/three", large), answers=3)
    assert f"/one {large}\n".encode() in found
    assert b"/two 0\n" in found
    assert f"/three {large}\n".encode() in found
    # as many at once as make more bytes than a head may have
    many = 2 * MOST_HEAD_BYTES // len(_get("/many"))
    assert _said(port, _get("/many") * many, answers=many).count(b"/many 0\n") == many


def test_a_large_head_that_ends_is_read(port: int) -> None:
    request = _get("/long", MOST_HEAD_BYTES - 200)
    assert b"/long 0\n" in _said(port, request[:30_000], request[30_000:])


def test_an_old_client_gets_an_answer_without_chunks(port: int) -> None:
    stream = _said(port, b"GET /stream HTTP/1.0\r\nHost: here\r\n\r\n", answers=100)
    head, _, body = stream.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 ")
    assert b"chunked" not in head.lower()
    assert body == b"one\ntwo\n"
    new = _said(
        port, b"GET /stream HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n", answers=100
    )
    assert b"transfer-encoding: chunked" in new.lower()
    assert new.endswith(b"4\r\none\n\r\n4\r\ntwo\n\r\n0\r\n\r\n")


CHUNKED = (
    b"POST /chunks HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n"
)


def test_what_comes_behind_a_body_is_no_header_and_has_an_end(port: int) -> None:
    trailed = CHUNKED + b"X-Forwarded-For: 192.0.2.9\r\n\r\n"
    assert b"\r\n\r\n/chunks 3\n" in _said(port, trailed)
    lines = b"".join(b"X-%d: value\r\n" % number for number in range(1000))
    found = _said(port, CHUNKED, *[lines] * 200)
    assert found == b"closed" or found.startswith(b"HTTP/1.1 400 "), found[:100]


def test_a_stream_ends_with_its_client_though_it_asked_for_more(port: int) -> None:
    for _ in range(3):
        with socket.create_connection(("127.0.0.1", port), timeout=20) as line:
            line.sendall(_get("/beat"))
            assert line.recv(100)
            line.sendall(_get("/behind"))
            time.sleep(0.05)
    until = time.monotonic() + 10
    while STREAMS and time.monotonic() < until:
        time.sleep(0.02)
    assert not STREAMS


def _offering(method: str, body: bytes) -> bytes:
    """A request as some clients send their first: they would rather speak HTTP/2."""
    head = (
        f"{method} /first HTTP/1.1\r\nHost: here\r\nConnection: Upgrade, HTTP2-Settings\r\n"
        f"Upgrade: h2c\r\nHTTP2-Settings: AAMA\r\n"
    )
    return (head + (f"Content-Length: {len(body)}\r\n\r\n" if body else "\r\n")).encode()


@pytest.mark.parametrize("before", [b"", _get("/before")], ids=["first", "later"])
def test_a_body_that_comes_with_an_offer_of_another_protocol_is_read(
    port: int, before: bytes
) -> None:
    body = _get("/smuggled")
    parts = [before, _offering("POST", body), body, _get("/last")]
    found = b""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as line:
        for part in filter(None, parts):
            line.sendall(part)
            time.sleep(0.05)
        while b"/last 0\n" not in found:
            more = line.recv(65536)
            assert more, found
            found += more
    assert f"/first {len(body)}\n".encode() in found
    assert b"/smuggled" not in found


def test_an_offer_whose_body_cannot_be_told_apart_is_refused(port: int) -> None:
    body = _get("/smuggled")
    offer = _offering("POST", body)
    found = _said(port, offer[:30], offer[30:], body, answers=100, apart=0.1)
    assert b"/smuggled" not in found
    assert b"/first" not in found
    assert found.startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    "first",
    [
        b"POST /first HTTP/1.1\r\nHost: here\r\n",
        b"POST /first HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n",
        b"POST /first HTTP/1.0\r\nHost: here\r\nConnection: keep-alive\r\n",
    ],
    ids=["httptools", "h11-offered", "h11"],
)
def test_a_body_whose_length_is_told_in_two_ways_is_refused(
    port: int, first: bytes, turned: bool
) -> None:
    told = [b"Content-Length: 5\r\n", b"transfer-encoding: chunked\r\n"]
    head = first + b"".join(reversed(told) if turned else told)
    found = _said(port, head + b"\r\n0\r\n\r\n" + _get("/smuggled"), answers=100)
    assert b"/smuggled" not in found
    assert b"/first" not in found
    assert found.startswith(b"HTTP/1.1 400 ")


def test_an_offer_behind_others_is_the_last_of_its_line(port: int) -> None:
    many = _get("/stream") + _offering("GET", b"")
    parts = _get("/zero")[:9], _get("/zero")[9:] + many, _get("/never")
    found = _said(port, *parts, answers=100, apart=0.1)
    assert b"/first 0\n" in found
    assert b"/never" not in found


def test_the_server_reads_with_it() -> None:
    config = server.configuration(1)
    config.load()
    assert config.http_protocol_class is BoundedProtocol
