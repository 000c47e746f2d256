"""Pictures of the key pages for docs/tour.md, on a phone and on a desk, of the demo event.

    python -m tools.tour [FOLDER]    (docs/tour without one)

Works in a data folder of its own that is gone at the end: makes the demo event, lets a judge come
to the table that called, serves it, takes the pictures with Chromium and packs them small.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from tools import services

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "tour"
SIZES = {
    "phone": {
        "viewport": {"width": 390, "height": 844},
        "device_scale_factor": 1.5,
        "is_mobile": True,
        "has_touch": True,
    },
    "desk": {"viewport": {"width": 1280, "height": 800}},
}
COLOURS = 128
"""Enough for ink, paper, the two players and every tint of a state."""
START_SECONDS = 60
SEED, ACTS = 11, 40
"""The duel that is on at the table that called."""


@dataclass(frozen=True, slots=True)
class Stop:
    """One page of the tour: the name of its pictures, who looks (public, player, staff), where."""

    name: str
    who: str
    path: str


STOPS = (
    Stop("event", "public", "/events/{event}/"),
    Stop("standings", "public", "/events/{event}/standings/"),
    Stop("match", "player", "/my/{event}/"),
    Stop("deck", "player", "/my/{event}/deck/"),
    Stop("desk", "staff", "/staff/events/{event}/"),
    Stop("results", "staff", "/staff/events/{event}/results/"),
    Stop("table", "staff", "/staff/events/{event}/tables/{match}/"),
    Stop("case", "staff", "/staff/calls/{call}/case/"),
    Stop("recorder", "staff", "/duels/{feature}/record/"),
    Stop("replay", "staff", "/duels/{duel}/?as=judge&at={line}"),
    Stop("rewind", "staff", "/staff/calls/{call}/rewind/?line={error}"),
    Stop("dispute", "staff", "/staff/disputes/{dispute}/"),
)


@dataclass(frozen=True, slots=True)
class Scene:
    """What stands on the demo event: ids for the addresses, and a session per kind of visitor."""

    ids: dict[str, str]
    sessions: dict[str, str]


def _environment(folder: Path) -> None:
    for name in ("DATABASE_URL", "REDIS_URL", "LAN", "HTTPS", "SECOND_FACTOR"):
        os.environ.pop(name, None)
    os.environ |= {
        "DATA_DIR": str(folder),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "BACKGROUND": "none",
    }


def _scene() -> Scene:
    """Make the demo event and what the pages show of it, and sign everybody in."""
    from tools.run import prepare

    prepare()
    from django.test import Client

    from people.models import Account
    from people.selectors import actor_for
    from people.web import DEVICE_EVENTS, DEVICE_PERSON
    from portal.management.commands.demo_event import DEMO_EVENT_ID

    account = Account.objects.get()
    ids, person_id = _incidents(DEMO_EVENT_ID, actor_for(account.person_id, signed_in=True))
    phone, desk = Client(), Client()
    session = phone.session
    session[DEVICE_PERSON], session[DEVICE_EVENTS] = person_id, [DEMO_EVENT_ID]
    session.save()
    desk.force_login(account)
    sessions = {"player": str(session.session_key), "staff": str(desk.session.session_key)}
    return Scene(ids, sessions)


def _incidents(event_id: str, staff: Any) -> tuple[dict[str, str], str]:
    """At the table that called a duel is on and the judge has come; another table is taken down;
    a line of an earlier duel is flagged and disputed. Returns the ids, and who called."""
    from duels import notes
    from duels import services as duels
    from duels.models import DuelRow
    from eventstore.commands import Context
    from eventstore.ids import new_id
    from judging import disputes
    from judging import services as judging
    from judging.models import CallRow
    from people.selectors import actor_for
    from people.services import role_grant
    from portal.demo.cast import Staff
    from portal.demo.duelling import Duelling
    from portal.demo.hall import Hall
    from tournaments import services as tournaments
    from tournaments.models import MatchRow

    hall = Hall(event_id, Staff(staff, staff, staff, staff), random.Random(SEED), print)
    call = CallRow.objects.get(event_id=event_id, open=True)
    match = MatchRow.objects.get(pk=call.match_id)
    seats = {seat: held[0] for seat, held in zip(("P1", "P2"), match.persons, strict=True)}
    for person in seats.values():
        hall.seat(person)
    tournaments.clock_start(hall.desk(), event_id=event_id, minutes=45)
    caller = hall.player(seats["P1"])
    tournaments.coin_toss(caller, match_id=match.pk, winner="P1")
    tournaments.starter_choose(hall.player(seats["P1"]), match_id=match.pk, first="P1")
    running = tournaments.duel_start(hall.player(seats["P1"]), match_id=match.pk, seed=SEED)
    play = Duelling(hall, running, seats)
    play.some(ACTS)
    for act in (judging.call_claim, judging.call_arrive):
        act(hall.judge(), call_id=call.pk)
    others = MatchRow.objects.filter(event_id=event_id, round=match.round).exclude(pk=match.pk)
    table, *rest = others.exclude(p2="").order_by("table")
    for one in rest[:3]:
        tournaments.result_enter(hall.desk(), match_id=one.pk, score=[2, 1, 0])
    role_grant(hall.organiser(), person_id=staff.person_id, role="recorder", event_id=event_id)
    recorder = actor_for(staff.person_id, signed_in=True)

    def writes() -> Context:
        return Context(actor=recorder, source="scorekeeper")

    feature = tournaments.duel_record_open(writes(), match_id=table.pk, first="P1")
    duels.act(writes(), duel_id=feature, player="P1", act={"act": "draw"})
    earlier = DuelRow.objects.filter(event_id=event_id, rewinds__gt=0)[0]
    line, dispute = earlier.events // 2, new_id()
    hall.seat(earlier.seats["P2"][0])
    player = hall.player(earlier.seats["P2"][0])
    said = "This attack was taken back before."
    notes.note_make(player, duel_id=earlier.pk, note_id=new_id(), kind="flag", line=line, text=said)
    disputes.dispute_raise(
        Context(actor=player.actor, source="player"),
        dispute_id=dispute, duel_id=earlier.pk, line=line, reason=said,
    )  # fmt: skip
    ids = {
        "event": event_id,
        "match": match.pk,
        "call": call.pk,
        "feature": feature,
        "duel": earlier.pk,
        "line": str(line),
        "error": str(play.duel.seq - 8),
        "dispute": dispute,
    }
    return ids, seats["P1"]


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    port = services.free_port()
    url = f"http://localhost:{port}"
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "uvicorn", "config.asgi:application", "--host", "127.0.0.1",
             "--port", str(port), "--lifespan", "off", "--log-level", "warning"],
            cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
        )  # fmt: skip
    try:
        limit = time.monotonic() + START_SECONDS
        while True:
            try:
                urllib.request.urlopen(url, timeout=5).close()
                break
            except OSError as fault:
                if isinstance(fault, urllib.error.HTTPError):
                    break
                if server.poll() is not None or time.monotonic() > limit:
                    raise SystemExit((folder / "server.log").read_text()) from fault
                time.sleep(0.1)
        yield url
    finally:
        services.stop(server)


def _packed(picture: bytes) -> bytes:
    from PIL import Image

    small = Image.open(BytesIO(picture)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    out = BytesIO()
    small.save(out, "PNG", optimize=True)
    return out.getvalue()


def _taken(url: str, scene: Scene, folder: Path) -> int:
    """Take every picture; returns how many bytes they are together."""
    from playwright.sync_api import sync_playwright

    browser_path = services.chromium()
    if browser_path is None:
        raise SystemExit("no Chromium on this machine (Debian: apt-get install chromium)")
    total = 0
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=browser_path, args=["--no-sandbox", "--disable-gpu"]
        )
        for size, options in SIZES.items():
            for stop in STOPS:
                values: dict[str, Any] = {**options, "service_workers": "block"}
                context = browser.new_context(
                    base_url=url, locale="en", color_scheme="light", **values
                )
                if stop.who in scene.sessions:
                    cookie = {"name": "headjudge_session", "value": scene.sessions[stop.who]}
                    theme = {"name": "headjudge_theme", "value": "light"}
                    context.add_cookies([{**cookie, "url": url}, {**theme, "url": url}])
                page = context.new_page()
                answer = page.goto(stop.path.format(**scene.ids), wait_until="networkidle")
                if answer is None or answer.status != 200:
                    raise SystemExit(f"{stop.name}: {answer.status if answer else 'no answer'}")
                body = _packed(page.screenshot())
                (folder / f"{stop.name}-{size}.png").write_bytes(body)
                total += len(body)
                context.close()
        browser.close()
    return total


def main() -> None:
    """Make the pictures and say how large they are."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    with tempfile.TemporaryDirectory(prefix="hj") as data:
        _environment(Path(data))
        scene = _scene()
        with _served(Path(data)) as url:
            total = _taken(url, scene, folder)
    print(f"{2 * len(STOPS)} pictures, {total // 1000} kB, in {folder}")


if __name__ == "__main__":
    main()
