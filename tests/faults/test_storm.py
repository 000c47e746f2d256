"""A convention: two servers, a worker, its clock, PostgreSQL, Valkey. In the middle of a round
each is killed, and the line to the database fails in every way; afterwards nothing is missing and
nothing is there twice."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.api.receiver import receiving
from tests.faults import clients
from tests.faults.clients import until
from tests.faults.round import Round
from tests.faults.site import networked
from tests.sizes import SIZES
from tools.services import short_folder

pytestmark = pytest.mark.xdist_group("faults")


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a short path."""
    with short_folder() as made:
        yield made


def server_killed(storm: Round) -> None:
    """One server dies; the other goes on, phones come back to either."""
    servers = [storm.site.programs[name] for name in ("web1", "web2")]
    chosen = min(servers, key=lambda one: one.starts)
    chosen.kill()
    chosen.start()
    storm.site.await_doors()


def worker_killed(storm: Round) -> None:
    """The worker dies with whatever it had in hand."""
    storm.site.programs["worker"].kill()
    storm.site.programs["worker"].start()


def clock_killed(storm: Round) -> None:
    """The clock of the periodic work dies."""
    storm.site.programs["beat"].kill()
    storm.site.programs["beat"].start()


def redis_killed(storm: Round) -> None:
    """Redis dies with everything in it, and is away for a moment: nobody is kept from anything."""
    valkey = storm.site.valkey
    assert valkey is not None
    assert valkey.process is not None
    valkey.process.kill()
    valkey.process.wait()
    storm.await_kept(storm.released, 15)
    for door in storm.site.doors:
        token = {"Authorization": f"Bearer {storm.told['desk']}"}
        status, text, _ = clients.ask(door, f"/api/v1/events/{storm.event}/desk", None, token)
        assert status == 200, text
    valkey.start()


def database_killed(storm: Round) -> None:
    """PostgreSQL dies as a whole; meanwhile pages and API say so, and it recovers."""
    postgres = storm.site.postgres
    assert postgres is not None
    postgres.kill()
    says_it_is_away(storm)
    postgres.start()


def says_it_is_away(storm: Round) -> None:
    """Pages answer 503 in the reader's language, the API a problem, both when to come again."""
    path = f"/events/{storm.event}/"
    for door in storm.site.doors:
        polish = {"Cookie": "headjudge_language=pl"}
        status, text, headers = clients.ask(door, path, None, polish)
        assert (status, headers.get("content-language")) == (503, "pl"), text
        assert int(headers["retry-after"]) >= 1
        assert "Traceback" not in text
        status, text, headers = clients.ask(door, f"/api/v1{path[:-1]}", None, {})
        assert status == 503, text
        assert '"code":"unavailable"' in text
        assert headers["content-type"] == "application/problem+json"


def line_cut(storm: Round) -> None:
    """Every connection to the database is reset, and none is to be had for a moment."""
    proxy = storm.site.proxy
    assert proxy is not None
    proxy.cut()
    says_it_is_away(storm)
    proxy.mend()


def answer_lost(storm: Round) -> None:
    """A command is committed, and the line breaks before its sender hears of it and is away."""
    proxy = storm.site.proxy
    assert proxy is not None
    before = len(proxy.lost)
    proxy.lose_answer(then_cut=True)
    until(lambda: len(proxy.lost) > before, 30, "a COMMIT without an answer")
    time.sleep(0.2)
    proxy.mend()


def line_half_open(storm: Round) -> None:
    """The line swallows everything and nobody is told; new connections get through again later."""
    proxy = storm.site.proxy
    assert proxy is not None
    proxy.swallow()
    time.sleep(1)
    proxy.mend()


def line_slow(storm: Round) -> None:
    """Each piece of data takes a while."""
    proxy = storm.site.proxy
    assert proxy is not None
    proxy.delay(0.02)
    storm.await_kept(storm.released)
    proxy.mend()


FAULTS: tuple[Callable[[Round], None], ...] = (
    server_killed, worker_killed, clock_killed, redis_killed, database_killed,
    line_cut, answer_lost, line_half_open, line_slow,
)  # fmt: skip


def test_every_part_fails_in_the_middle_of_a_round(folder: Path) -> None:
    """Each fault once here, 20 times in the soak, in another order each time."""
    if SIZES.storm_kills == 1:
        plan = [one for one in FAULTS if one not in (clock_killed, line_slow)]
    else:
        plan = [one for _ in range(SIZES.storm_kills) for one in FAULTS]
        random.Random(20).shuffle(plan)
    with receiving() as receiver, networked(folder) as site:
        proxy = site.proxy
        assert proxy is not None
        told = site.stage("build", str(SIZES.storm_tables), receiver.url())
        site.await_doors()
        storm = Round(site, told, receiver)
        storm.watch()
        storm.begin(told["tables"])
        step = len(storm.items) // len(plan)
        injected: Counter[str] = Counter()
        for number, fault in enumerate(plan, 1):
            storm.release(step * number)
            storm.await_kept(step * (number - 1))
            began = time.monotonic()
            fault(storm)
            storm.back()
            injected[fault.__name__] += 1
            seconds = time.monotonic() - began
            print(f"{number} {fault.__name__}: {storm.done} kept, {seconds:.1f} s", flush=True)
        storm.finish()
        storm.publish(2)
        storm.finish()
        report = storm.settle()
        lost = b"".join(proxy.lost)
        unheard = [one.nonce for one in storm.items if one.nonce.encode() in lost]
        assert proxy.lost, "no COMMIT went without its answer"
        assert set(unheard) <= set(report["committed"])
        assert storm.watchers[0].opened > 1
        starts = {name: one.starts for name, one in site.programs.items()}
        print(f"{dict(injected)}, starts {starts}, {len(proxy.lost)} answers lost, "
              f"{len(unheard)} of them of commands of the round, {report['events']} events, "
              f"{len(report['messages'])} messages")  # fmt: skip
