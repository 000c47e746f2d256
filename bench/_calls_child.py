"""The hall of the calls bench on one database, in a process of its own: `CALLS JUDGES`."""

from __future__ import annotations

import json
import logging
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connections  # noqa: E402
from django.test import Client  # noqa: E402

from eventstore.commands import Context  # noqa: E402
from eventstore.domain.refusal import Refused  # noqa: E402
from eventstore.ids import new_id  # noqa: E402
from eventstore.store import read_stream  # noqa: E402
from judging import services as judging  # noqa: E402
from judging.models import CallRow  # noqa: E402
from people.domain.actor import SYSTEM, Actor  # noqa: E402
from people.models import Account  # noqa: E402
from people.services import account_open, hash_password, person_register, role_grant  # noqa: E402
from tournaments import services  # noqa: E402
from tournaments.models import MatchRow  # noqa: E402

TWICE = 5
"""At every fifth table both players call."""
GIVEN_BACK = 7
"""Every seventh claim is given back once."""


def context() -> Context:
    """A new command of the house."""
    return Context(SYSTEM, "system")


def hall(tables: int, judges: int) -> tuple[str, list[Client]]:
    """An event whose first round is out, and a signed-in client of each judge."""
    call_command("migrate", verbosity=0)
    event_id = new_id()
    services.event_create(
        context(), event_id=event_id, name="Bench", decks_required=False, rounds=1, cut=0
    )
    services.registration_open(context(), event_id=event_id)
    for number in range(2 * tables):
        made = services.entrant_enrol(context(), event_id=event_id, display_name=f"P {number:04}")
        services.entrant_check_in(context(), event_id=event_id, entrant_id=made.entrant_id)
    services.registration_close(context(), event_id=event_id)
    services.event_start(context(), event_id=event_id)
    services.round_pair(context(), event_id=event_id, seed=1)
    services.round_publish(context(), event_id=event_id, number=1)
    secret = hash_password("correct horse battery")
    clients = []
    for number in range(judges):
        person, word = new_id(), f"judge{number}"
        person_register(context(), person_id=person, display_name=f"Judge {number}")
        account_open(context(), person_id=person, username=word, password_hash=secret)
        role_grant(context(), person_id=person, role="judge", event_id=event_id)
        client = Client(SERVER_NAME="localhost")
        client.force_login(Account.objects.get(username=word))
        clients.append(client)
    return event_id, clients


def at_once(parts: list[Callable[[], list[float]]]) -> list[float]:
    """Run parts in threads that begin together; return every time they measured, in ms."""
    gate = Barrier(len(parts))

    def run(part: Callable[[], list[float]]) -> list[float]:
        try:
            gate.wait()
            return part()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(parts)) as pool:
        return [one for times in pool.map(run, parts) for one in times]


def timed(act: Callable[[], Any]) -> float:
    """Milliseconds of one act."""
    started = time.perf_counter()
    act()
    return (time.perf_counter() - started) * 1000


def raise_all(tables: list[MatchRow], hands: int) -> list[float]:
    """Every table calls, many hands at once."""
    taps = [(row.pk, row.persons[0][0]) for row in tables]
    taps += [(row.pk, row.persons[1][0]) for row in tables[::TWICE]]

    def tap(match_id: str, person: str) -> None:
        player = Context(Actor(person_id=person), "player")
        judging.call_raise(player, call_id=new_id(), match_id=match_id)

    def part(mine: list[tuple[str, str]]) -> Callable[[], list[float]]:
        return lambda: [timed(lambda one=one: tap(*one)) for one in mine]

    return at_once([part(taps[at::hands]) for at in range(hands)])


def claim_all(event_id: str, clients: list[Client]) -> list[float]:
    """Every judge takes the oldest call through the page of the queue, until none waits."""
    page = f"/staff/events/{event_id}/calls/"

    def waiting() -> str | None:
        rows = CallRow.objects.filter(event_id=event_id, state="raised").order_by("raised_at")
        return rows.values_list("pk", flat=True).first()

    def part(client: Client) -> Callable[[], list[float]]:
        def judge() -> list[float]:
            times, taken = [], 0
            while (call_id := waiting()) is not None:
                form = {"act": "claim", "nonce": new_id(), "call_id": call_id}
                started = time.perf_counter()
                answer = client.post(page, form)
                took = (time.perf_counter() - started) * 1000
                if answer.status_code not in (302, 409):
                    raise SystemExit(f"a claim was answered with {answer.status_code}")
                if answer.status_code == 302:
                    times.append(took)
                    taken += 1
                    if taken % GIVEN_BACK == 0:
                        client.post(
                            f"/staff/calls/{call_id}/", {"act": "give_back", "nonce": new_id()}
                        )
            return times

        return judge

    return at_once([part(client) for client in clients])


def main(calls: int, judges: int) -> dict[str, Any]:
    """Build the hall, raise and claim, count what became of every call."""
    logging.disable(logging.CRITICAL)
    event_id, clients = hall(calls, judges)
    tables = list(MatchRow.objects.filter(event_id=event_id, round=1).order_by("table"))
    raised = raise_all(tables, min(judges, calls))
    empty = [timed(lambda: clients[0].get("/sign-in/")) for _ in range(20)]
    began = time.perf_counter()
    claimed = claim_all(event_id, clients)
    took = time.perf_counter() - began
    twice, lost = 0, 0
    for row in CallRow.objects.filter(event_id=event_id).exclude(state="merged"):
        counts = Counter(one.type for one in read_stream(f"call-{row.pk}"))
        held = counts["judging.call_claimed"] - counts["judging.call_given_back"]
        twice += held > 1
        lost += held < 1 or row.state != "claimed"
    rows = CallRow.objects.filter(event_id=event_id)
    trivial = statistics.median(empty)
    return {
        "calls": rows.exclude(state="merged").count(),
        "joined": rows.filter(state="merged").count(),
        "judges": judges,
        "claimed twice": twice,
        "lost": lost + calls - rows.exclude(state="merged").count(),
        "raise ms": round(statistics.median(raised), 1),
        "claim ms": round(statistics.median(claimed), 1),
        "empty page ms": round(trivial, 1),
        "claims of empty page": round(1000 * took / len(claimed) / trivial, 1),
    }


if __name__ == "__main__":
    try:
        print(json.dumps(main(int(sys.argv[1]), int(sys.argv[2]))))
    except Refused as fault:
        raise SystemExit(str(fault.refusal)) from fault
