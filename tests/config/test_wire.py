"""What is read from the line: requests whole, one after the other, and no head without an end."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn

from config import server
from config.wire import MOST_HEAD_BYTES, BoundedProtocol


async def _counted(scope: Any, receive: Any, send: Any) -> None:
    """Say which address was asked and how many bytes came with it; /stream comes in two parts."""
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
    text = f"{scope['path']} {size}\n".encode()
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


def _said(port: int, *parts: bytes, answers: int = 1) -> bytes:
    """Send parts one after the other; return what came back, up to so many answers or the end."""
    found = b""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as line:
        try:
            for part in parts:
                line.sendall(part)
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


def test_the_server_reads_with_it() -> None:
    config = server.configuration(1)
    config.load()
    assert config.http_protocol_class is BoundedProtocol
