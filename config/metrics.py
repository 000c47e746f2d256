"""Figures for Prometheus: what this process counted, and how the house stands at a scrape.

Labels are names of commands, rules, routes, topics and followers: sets that the programs bound.
No id, no address and no text of a person is ever a label. The append path only leaves notes
(eventstore.measures); counters are made of them at the end of a request, of a job, and before a
scrape. With METRICS_DIR several server processes count into files of one folder, and whichever
is asked answers for all.
"""

from __future__ import annotations

import os
import resource
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
    multiprocess,
)
from prometheus_client.core import GaugeMetricFamily, Metric

from eventstore import health, measures
from portal import state

NAMESPACE = "headjudge"
LABELS_AT_MOST = 600
OTHER = "other"
"""Label of what comes after the first LABELS_AT_MOST values, so that no set grows for ever."""
GAUGES_SECONDS = 2.0
APPEND_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
REQUEST_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
JOB_BUCKETS = (0.01, 0.1, 1, 10, 60, 600)

disable_created_metrics()  # a series more for each, and no graph asks for them
_registry = CollectorRegistry()


def _counter(name: str, text: str, *labels: str) -> Counter:
    return Counter(name, text, labels, namespace=NAMESPACE, registry=_registry)


def _gauge(name: str, text: str) -> Gauge:
    """A figure of one process, of which the sum over all that live is told."""
    return Gauge(name, text, namespace=NAMESPACE, registry=_registry, multiprocess_mode="livesum")


def _histogram(name: str, text: str, buckets: Iterable[float], *labels: str) -> Histogram:
    return Histogram(
        name, text, labels, namespace=NAMESPACE, registry=_registry, buckets=tuple(buckets)
    )


COMMANDS = _counter("commands", "Commands by name and how they ended.", "command", "outcome")
REFUSALS = _counter("refusals", "Commands refused, by the rule that refused them.", "rule")
APPEND = _histogram(
    "append_seconds",
    "From asking for the turn to write to the end of the commit, of commands that appended.",
    APPEND_BUCKETS,
)
EVENTS = _counter("events_appended", "Events appended to the log.")
JOBS = _counter(
    "job_tries", "Tries of background work by topic and how they ended.", "topic", "outcome"
)
JOB_TIME = _histogram(
    "job_seconds", "How long a try of background work took.", JOB_BUCKETS, "topic"
)
REQUESTS = _counter("requests", "Requests by route and class of status.", "route", "status")
REQUEST_TIME = _histogram(
    "request_seconds", "From the request to its answer.", REQUEST_BUCKETS, "route"
)
FAULTS = _counter("help_faults", "Helps that did not answer, and for what.", "what", "use")
SLOW = _counter("slow_statements", "Statements that took longer than SLOW_QUERY_MS.")
LISTENERS = _gauge("listeners", "Open streams of pages that follow what happens.")
MEMORY = _gauge("resident_bytes", "Memory of the server processes.")
FILES = _gauge("open_files", "Open files and connections of the server processes.")
PROCESSOR = _counter("processor_seconds", "Processor time of the server processes.")
PROCESSES = _gauge("processes", "Server processes that count here.")
POOL = {
    name: _gauge(f"database_pool_{name}", text)
    for name, text in (
        ("size", "Connections of the pools to the database."),
        ("available", "Connections that nobody uses."),
        ("waiting", "Requests that wait for a connection."),
    )
}

_seen: dict[str, set[str]] = {}


def bounded(kind: str, value: str) -> str:
    """Return a label's value, OTHER when its kind has too many already."""
    known = _seen.setdefault(kind, set())
    if value not in known:
        if len(known) >= LABELS_AT_MOST:
            return OTHER
        known.add(value)
    return value


def request(route: str, status: int, seconds: float) -> None:
    """Count a request that ended, and what was noted meanwhile."""
    route = bounded("route", route)
    REQUESTS.labels(route, f"{status // 100}xx").inc()
    REQUEST_TIME.labels(route).observe(seconds)
    gather()


def _count(one: measures.Note) -> None:
    if isinstance(one, measures.JobNote):
        topic = bounded("topic", one.topic)
        JOBS.labels(topic, one.outcome).inc()
        JOB_TIME.labels(topic).observe(one.seconds)
    elif isinstance(one, measures.FaultNote):
        FAULTS.labels(one.what, one.use).inc()
    elif isinstance(one, measures.SlowNote):
        SLOW.inc()
    else:
        name, outcome, refusal, seconds, events = one
        COMMANDS.labels(bounded("command", name), outcome).inc()
        if refusal:
            REFUSALS.labels(bounded("rule", refusal)).inc()
        if events:
            EVENTS.inc(events)
            APPEND.observe(seconds)


_gauges_at = 0.0
_processor = 0.0
_lock = threading.Lock()


def gather(*, now: bool = False) -> None:
    """Make counters of the notes; the gauges of this process every few seconds, or `now`."""
    global _gauges_at, _processor
    for one in measures.taken():
        _count(one)
    moment = time.monotonic()
    if not now and moment - _gauges_at < GAUGES_SECONDS:
        return
    with _lock:
        _gauges_at = moment
        used = time.process_time()
        PROCESSOR.inc(max(0.0, used - _processor))
        _processor = used
    PROCESSES.set(1)
    LISTENERS.set(state.listeners())
    MEMORY.set(_resident())
    FILES.set(_open_files())
    for name, value in _pool().items():
        POOL[name].set(value)


def _resident() -> int:
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):  # no Linux: the most it ever was
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _open_files() -> int:
    try:
        return len(os.listdir("/proc/self/fd"))
    except OSError:
        return 0


def _pool() -> dict[str, int]:
    """Figures of psycopg's pool; empty where there is none."""
    pool = getattr(connection, "pool", None) if connection.vendor == "postgresql" else None
    if pool is None:
        return {}
    found = pool.get_stats()
    return {
        "size": found.get("pool_size", 0),
        "available": found.get("pool_available", 0),
        "waiting": found.get("requests_waiting", 0),
    }


class House:
    """Figures that the database and the disk tell at the moment of a scrape, for all processes."""

    def collect(self) -> Iterator[Metric]:
        """Tell what can be had; a part that fails is left out, and `ready` says so."""
        found = health.health()
        ready = self._family("check_ok", "1 where a check of /readyz is content.", "check")
        for check in found.checks:
            ready.add_metric([check.name], float(check.state == health.OK))
        yield ready
        yield self._one("ready", "1 when requests can be served.", float(found.ready))
        for check in found.checks:
            if check.name == "disk" and "free" in check.figures:
                yield self._one("disk_free_bytes", "Room for data.", check.figures["free"])
        if found.ready:
            for part in (self._log, self._outbox, self._rest):
                try:
                    yield from list(part())
                except Exception:  # the database went away meanwhile
                    return

    @staticmethod
    def _family(name: str, text: str, *labels: str) -> GaugeMetricFamily:
        return GaugeMetricFamily(f"{NAMESPACE}_{name}", text, labels=labels)

    def _one(self, name: str, text: str, value: float) -> GaugeMetricFamily:
        return GaugeMetricFamily(f"{NAMESPACE}_{name}", text, value=value)

    def _log(self) -> Iterator[Metric]:
        lags = health.lags()
        events = self._family("follower_lag_events", "Events it has yet to see.", "follower")
        seconds = self._family(
            "follower_lag_seconds", "Age of the first event it has yet to see.", "follower"
        )
        failing = self._family("follower_failing", "1 while its handler fails.", "follower")
        for one in lags:
            events.add_metric([one.name], one.events)
            seconds.add_metric([one.name], one.seconds)
            failing.add_metric([one.name], float(one.failing))
        yield from (events, seconds, failing)
        yield self._one("log_position", "Position of the newest event.", health.head())

    def _outbox(self) -> Iterator[Metric]:
        queue = health.queue()
        depth = self._family("outbox_jobs", "Background work by state.", "state")
        for name, count in queue.counts.items():
            depth.add_metric([name], count)
        yield depth
        yield self._one(
            "outbox_oldest_seconds", "Age of the oldest work that is due.", queue.oldest_seconds
        )

    def _rest(self) -> Iterator[Metric]:
        messages = self._family("webhook_messages", "Messages to other programs.", "state")
        for name, count in state.webhook_messages().items():
            messages.add_metric([name], count)
        yield messages
        age = health.backup_age()
        if age is not None:
            yield self._one("backup_age_seconds", "Since the newest copy was current.", age)


def _mark_dead(folder: str) -> None:
    """Take the gauges of processes that ended out of the sum."""
    for file in Path(folder).glob("gauge_live*_*.db"):
        pid = file.stem.rpartition("_")[2]
        if pid.isdigit():
            try:
                os.kill(int(pid), 0)
            except ProcessLookupError:
                multiprocess.mark_process_dead(int(pid), folder)
            except PermissionError:
                continue


def exposition() -> bytes:
    """Return everything in Prometheus' text format 0.0.4."""
    gather(now=True)
    told = CollectorRegistry()
    if settings.METRICS_DIR:
        _mark_dead(settings.METRICS_DIR)
        multiprocess.MultiProcessCollector(told, path=settings.METRICS_DIR)
        counted = generate_latest(told)
    else:
        counted = generate_latest(_registry)
    house: Any = CollectorRegistry()
    house.register(House())
    return counted + generate_latest(house)
