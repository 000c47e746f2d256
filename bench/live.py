"""Listeners of live pages on one server process: `python -m bench.live [--quick] [--json]`.

5,000 phones (quick: 1,000) follow the public board of one event, each on a connection of its own.
Measured: what a listener costs the server in memory, and how long after an enrolment all of them
have their message, for a command of the server itself and for one of another process (on SQLite
without Redis it is heard of at the next look). Ends with 1 when a figure falls below its floor.
"""

from __future__ import annotations

import argparse
import asyncio
import http.cookiejar
import re
import resource
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

from bench._aims import held, told
from bench._child import await_server, child, environment
from tools import services

ROOT = Path(__file__).resolve().parent.parent
# figure: (floor, reach), all downwards
AIMS = {
    "kB each": (60.0, 30.0),
    "own command, all s": (10.0, 2.0),
    "other process, all s": (12.0, 3.0),
}
SPARE = 200
"""Files that are open besides the connections."""
AT_A_TIME = 50
WARM = 50
CLOCK, MOVED = b"event: clock", b"event: moved"


class Ear:
    """One listener: a connection that stays open, and when a message came last."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.heard = asyncio.Event()
        self.at = 0.0
        self.task = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        while said := await self.reader.read(4096):
            if MOVED in said:
                self.at = time.time()
                self.heard.set()


async def _opened(port: int, event_id: str, gate: asyncio.Semaphore) -> Ear:
    async with gate:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=4096)
        path = f"/live/?t=board.{event_id}"
        writer.write(f"GET {path} HTTP/1.0\r\nHost: localhost:{port}\r\n\r\n".encode())
        said = b""
        while CLOCK not in said:
            more = await asyncio.wait_for(reader.read(4096), 120)
            if not more:
                raise SystemExit(f"a stream was refused: {said[:300]!r}")
            said += more
        return Ear(reader, writer)


def _memory_kb(pid: int) -> int:
    text = Path(f"/proc/{pid}/status").read_text()
    return int(re.findall(r"VmRSS:\s+(\d+)", text)[0])


def _enrol(port: int, token: str, name: str) -> float:
    """Enrol on a phone by the join link; returns when the server had done it."""
    jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
    phone = urllib.request.build_opener(jar)
    url = f"http://localhost:{port}/join/{token}/"
    page = phone.open(url).read().decode()
    found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    assert found, "the join page has no form"
    fields = {"csrfmiddlewaretoken": found[1], "act": "join", "display_name": name}
    began = time.time()
    phone.open(url, urllib.parse.urlencode(fields).encode()).close()
    return began


async def _told(ears: list[Ear], act: Any) -> dict[str, float]:
    """Let something happen and wait until all have heard of it; seconds after it happened."""
    for ear in ears:
        ear.heard.clear()
    at = await asyncio.get_running_loop().run_in_executor(None, act)
    await asyncio.wait_for(asyncio.gather(*(ear.heard.wait() for ear in ears)), 120)
    after = sorted(ear.at - at for ear in ears)
    return {"first s": after[0], "median s": after[len(after) // 2], "all s": after[-1]}


async def _measure(port: int, pid: int, built: dict[str, str], number: int, part: Any) -> Any:
    gate = asyncio.Semaphore(AT_A_TIME)
    ears = [await _opened(port, built["event"], gate) for _ in range(WARM)]
    before, started = _memory_kb(pid), time.perf_counter()
    ears += await asyncio.gather(
        *(_opened(port, built["event"], gate) for _ in range(number - WARM))
    )
    found: dict[str, Any] = {
        "listeners": len(ears),
        "opened in s": round(time.perf_counter() - started, 1),
        "server MB": round(_memory_kb(pid) / 1024, 1),
        "kB each": round((_memory_kb(pid) - before) / (number - WARM), 1),
    }
    own = await _told(ears, lambda: _enrol(port, built["token"], "Phone one"))
    other = await _told(ears, lambda: part("act", built["event"])["at"])
    found |= {f"own command, {name}": round(value, 3) for name, value in own.items()}
    found |= {f"other process, {name}": round(value, 3) for name, value in other.items()}
    for ear in ears:
        ear.task.cancel()
        ear.writer.close()
    return found


def main() -> int:
    """Serve, listen, print; return 0 when every floor holds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="1,000 listeners")
    parser.add_argument("--json", action="store_true", help="one JSON value on standard output")
    options = parser.parse_args()
    number = 1000 if options.quick else 5000
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    limited = number
    if hard != resource.RLIM_INFINITY and hard < number + SPARE:
        limited = hard - SPARE
        print(f"only {limited} files may be open here", file=sys.stderr)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limited + SPARE, hard))
    with tempfile.TemporaryDirectory(prefix="hj") as name:
        found = _run(Path(name), limited)
    return told(found, held(found, AIMS), as_json=options.json)


def _run(folder: Path, number: int) -> dict[str, Any]:
    def part(*words: str) -> dict[str, Any]:
        return child("_live_child", folder, *words)

    built = part("build")
    port = services.free_port()
    server = subprocess.Popen(
        [
            sys.executable, "-m", "uvicorn", "config.asgi:application", "--port", str(port),
            "--log-level", "warning", "--timeout-graceful-shutdown", "1",
            "--lifespan", "off", "--http", "config.wire:BoundedProtocol",
        ],
        cwd=ROOT, env=environment(folder), stdin=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        await_server(port, server)
        return dict(asyncio.run(_measure(port, server.pid, built, number, part)))
    finally:
        services.stop(server)


if __name__ == "__main__":
    sys.exit(main())
