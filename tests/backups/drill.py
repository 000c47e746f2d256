"""The two machines of the drill: `python -m tests.backups.drill first|second STICK`.

Each does its part in one process, with its own data folder and database, and prints what it saw.
"""

from __future__ import annotations

import io
import json
import sys
import threading
from contextlib import redirect_stdout
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import django

django.setup()

from django.core.management import call_command  # noqa: E402

from tests.backups import fill  # noqa: E402


def _command(*words: str, **options: Any) -> str:
    out = io.StringIO()
    call_command(*words, stdout=out, stderr=io.StringIO(), **options)
    return out.getvalue()


def _backup(stick: Path) -> str:
    return str(json.loads(_command("backup", to=stick, json=True))["file"])


def first(stick: Path) -> dict[str, Any]:
    """Run an event on this machine and make copies: the keeper's, then three by command."""
    from eventstore import clock, heartbeat, outbox, store
    from eventstore.backups import keeper, making
    from eventstore.commands import Context
    from eventstore.models import BackupRow
    from people.domain.actor import SYSTEM
    from people.services import person_register

    said = io.StringIO()
    with redirect_stdout(said):
        fill.main()
    seen: dict[str, Any] = {**json.loads(said.getvalue()), "before": keeper.warning()}
    heartbeat.beat()  # this machine serves it
    outbox.drain()  # the round was published: signed, then copied
    assert keeper.wait(60)
    seen["kept"] = BackupRow.objects.get().kind
    seen["ok"] = keeper.warning()
    seen["unchanged"] = keeper.run(stick, "minute") is None
    away = stick.with_name("away")
    stick.rename(away)
    stick.mkdir()  # the mount point without the stick
    seen["absent"] = keeper.run(stick, "minute") is None and BackupRow.objects.get().code
    seen["written"] = sorted(one.name for one in stick.iterdir())
    later = clock.now() + timedelta(minutes=4)
    with clock.clock_set(lambda: later):
        seen["warned"] = keeper.warning()
    stick.rmdir()
    away.rename(stick)
    system = Context(actor=SYSTEM, source="system")
    person_register(system, person_id=fill.GONE[:-1] + "2", display_name="Late Comer")
    store_head = store.head_position()
    seen["again"] = keeper.run(stick, "minute") is not None
    seen["position"] = BackupRow.objects.get().position == store_head
    try:
        with making.only_one():
            making.make_copy(stick)
    except making.Busy:
        seen["busy"] = True
    seen.update(_hanging(later))
    seen["old"] = _backup(stick)
    fill.erase()
    seen["good"] = _backup(stick)
    seen["head"] = store.head_position()
    person_register(
        Context(actor=SYSTEM, source="system"),
        person_id=fill.GONE[:-1] + "3",
        display_name="Very Late",
    )
    seen["damaged"] = _backup(stick)
    return seen


def _hanging(later: datetime) -> dict[str, Any]:
    """A stick that hangs in the middle of a write. What hangs here is a wait of ours, for no
    file system that hangs is at hand; everything around it is the real thing."""
    from eventstore import clock
    from eventstore.backups import keeper
    from eventstore.backups.place import Place
    from eventstore.models import BackupRow

    usual, stuck, going = Place.write, threading.Event(), threading.Event()

    def hang(self: Place, *words: Any) -> None:
        stuck.set()
        assert going.wait(60)
        usual(self, *words)

    Place.write = hang  # type: ignore[method-assign]
    try:
        keeper.ask("hand")
        assert stuck.wait(60)
        keeper.tick()  # comes back at once, and waits its turn
        with clock.clock_set(lambda: later):
            seen = {"stuck": BackupRow.objects.get().state, "slow": keeper.warning()}
        going.set()
        assert keeper.wait(60)
    finally:
        Place.write = usual  # type: ignore[method-assign]
    return {**seen, "freed": [BackupRow.objects.get().state, keeper.warning()]}


def _state() -> dict[str, Any]:
    from django.contrib.sessions.models import Session

    from eventstore import store
    from eventstore.models import BackupRow, RestoreRow
    from eventstore.verification import verify_log
    from people.models import Person, PersonKey
    from tests.helpers import rebuilds_equal

    report = verify_log()
    return {
        "faults": [(one.position, one.code) for one in report.faults],
        "vouched": report.unvouched_from is None,
        "head": store.head_position(),
        "projections": rebuilds_equal(),
        "sessions": Session.objects.count(),
        "backups": BackupRow.objects.count(),
        "restores": RestoreRow.objects.count(),
        "gone": Person.objects.get(pk=fill.GONE).display_name,
        "gone_key": PersonKey.objects.filter(pk=fill.GONE).exists(),
    }


def _pages(event_id: str) -> dict[str, int]:
    from django.test import Client

    from people.models import Account

    staff = Client(headers={"host": "localhost"})
    staff.force_login(Account.objects.get(username="olga"))
    paths = ("/", f"/events/{event_id}/", f"/staff/events/{event_id}/", "/staff/backups/")
    return {path.replace(event_id, "ID"): staff.get(path).status_code for path in paths}


def second(stick: Path, first: dict[str, Any]) -> dict[str, Any]:
    """Take over on another machine, go on, then go back to an older copy by hand."""
    from django.core.management import CommandError

    from eventstore import heartbeat
    from people import vault

    seen: dict[str, Any] = {"report": _command("restore", str(stick))}
    seen["state"] = _state()
    mark = heartbeat.mark_read()
    seen["copy"] = mark is not None and mark.hash == heartbeat.COPY
    seen["pages"] = _pages(first["event"])
    seen["closed"] = vault.open_text(first["olga"], first["sealed"])
    fresh = vault.seal(first["olga"], "written on the other machine")
    seen["fresh"] = vault.open_text(first["olga"], fresh)
    try:
        _command("restore", str(stick))
    except CommandError as fault:
        seen["refused"] = str(fault)
    older = _command("restore", str(stick / first["old"]), force=True, json=True)
    seen["older"] = json.loads(older)
    seen["older_state"] = _state()
    return seen


if __name__ == "__main__":
    if sys.argv[1] == "first":
        print(json.dumps(first(Path(sys.argv[2]))))
    else:
        print(json.dumps(second(Path(sys.argv[2]), json.loads(sys.stdin.read() or "{}"))))
