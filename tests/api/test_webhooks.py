"""Webhooks against a real receiver: signed, once, again with pauses, dead and sent again; never
into a private network, never told of what is hidden, never in a rebuild."""

from __future__ import annotations

import ipaddress
import json
import socket
import ssl
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from eventstore import clock, outbox, projections, subscriptions
from eventstore.domain.refusal import Refused
from eventstore.ids import new_id
from eventstore.models import OutboxRow
from people.access import NotAllowed
from people.erasure import person_erase
from people.services import role_end
from portal.models import Webhook, WebhookDelivery
from portal.webhooks import address, delivery, sending, services, signing
from portal.webhooks.kinds import KINDS, NAMES
from tests.api.receiver import Receiver, is_signed, receiving
from tests.certificates import self_signed
from tests.conftest import Member, make_member
from tests.helpers import rebuilds_equal
from tests.judging.hall import Hall, open_hall, raise_call
from tournaments import services as tournaments
from tournaments.models import EntrantRow, MatchRow

pytestmark = pytest.mark.django_db
ClientOf = Callable[[Member | None], Client]
START = datetime(2026, 7, 4, 9, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def private(settings: Any) -> None:
    """The receiver of these tests stands on this machine."""
    settings.WEBHOOKS_PRIVATE = True


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A receiver that takes everything."""
    with receiving() as held:
        yield held


@pytest.fixture
def hall(olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member) -> Hall:
    """An event whose first round is on."""
    return open_hall(olga, alice, bob, jude, hedda)


def add(olga: Member, event_id: str, url: str, *kinds: str) -> str:
    """Add a webhook; returns its id."""
    return services.webhook_add(
        olga.context(), webhook_id=new_id(), event_id=event_id, url=url, kinds=list(kinds or NAMES)
    )


def work() -> None:
    """Do what the worker does: follow the log, then the outbox until nothing is due."""
    subscriptions.advance_all(["portal.webhooks"])
    while outbox.drain():
        pass


def test_a_round_that_is_published_and_the_end_of_the_event_are_told(
    olga: Member, hall: Hall, receiver: Receiver
) -> None:
    add(olga, hall.event_id, receiver.url(), "round.published", "event.finished")
    for row in MatchRow.objects.filter(event_id=hall.event_id).exclude(state="decided"):
        tournaments.result_enter(olga.context(), match_id=row.pk, score=[2, 1, 0])
    number = tournaments.round_pair(olga.context(), event_id=hall.event_id, seed=1)
    work()
    assert not receiver.got, "a draft is told to nobody"
    tournaments.round_publish(olga.context(), event_id=hall.event_id, number=number)
    for row in MatchRow.objects.filter(event_id=hall.event_id).exclude(state="decided"):
        tournaments.result_enter(olga.context(), match_id=row.pk, score=[2, 1, 0])
    for entrant in EntrantRow.objects.filter(event_id=hall.event_id, status="checked_in"):
        tournaments.entrant_drop(olga.context(), event_id=hall.event_id, entrant_id=entrant.pk)
    tournaments.event_finish(olga.context(), event_id=hall.event_id)
    work()
    told = [json.loads(body) for _path, _headers, body in receiver.got]
    assert [(one["type"], one["data"]) for one in told] == [
        ("round.published", {"event_id": hall.event_id, "round": number}),
        ("event.finished", {"event_id": hall.event_id}),
    ]


def decide(olga: Member, hall: Hall) -> str:
    """Enter the result of a table that has none; returns the match."""
    row = MatchRow.objects.filter(event_id=hall.event_id).exclude(state="decided").first()
    assert row is not None
    tournaments.result_enter(olga.context(), match_id=row.pk, score=[2, 1, 0])
    return row.pk


def test_a_message_arrives_once_signed_and_says_no_more_than_that(
    olga: Member, hall: Hall, receiver: Receiver
) -> None:
    before = decide(olga, hall)
    hook = add(olga, hall.event_id, receiver.url())
    secret = services.secret_of(olga.actor, hook)
    match_id = decide(olga, hall)
    call_id = raise_call(hall.dora, hall.other_match)
    work()
    work()
    told = [(json.loads(body), headers, body, path) for path, headers, body in receiver.got]
    assert [one[0]["type"] for one in told] == ["result.decided", "call.raised"]
    for _message, headers, body, path in told:
        assert path == "/hook?of=us"
        assert is_signed(secret, headers, body)
        assert not is_signed(secret, headers, body + b" ")
        assert not is_signed("whsec_" + "A" * 43 + "=", headers, body)
        assert headers["content-type"] == "application/json"
    assert set(told[0][0]) == {"type", "timestamp", "data"}
    assert told[0][0]["data"] == {"event_id": hall.event_id, "match_id": match_id, "round": 1}
    assert told[1][0]["data"] == {"event_id": hall.event_id, "call_id": call_id}
    everything = b"".join(body for _path, _headers, body in receiver.got)
    assert before.encode() not in everything, "what was before the webhook is not told"
    for secret_word in ("Alice", "Dora", hall.dora.person_id, "lp", "category", "score", "winner"):
        assert secret_word.encode() not in everything
    assert len({headers["webhook-id"] for _path, headers, _body in receiver.got}) == 2
    assert set(WebhookDelivery.objects.values_list("state", "attempts", "status")) == {
        ("delivered", 1, 204)
    }
    rebuilds_equal()


def test_every_kind_says_only_ids_and_numbers() -> None:
    """Whatever an event holds, its message has ids and numbers: no name, text or score."""
    allowed = {"match_id", "round", "players", "after_round", "call_id"}
    samples = {
        path.name.rsplit(".v", 1)[0]: json.loads(path.read_text())
        for path in (Path(__file__).parents[1] / "golden").glob("*.json")
    }
    from eventstore.domain import canonical, registry

    for kind in KINDS:
        name, schema = registry.name_of(kind.event)
        event = registry.decode(name, schema, canonical.encode(samples[name]))
        assert set(kind.data(event)) <= allowed, kind.name
        assert kind.event_id(event)


def test_nothing_is_told_in_a_rebuild(olga: Member, hall: Hall, receiver: Receiver) -> None:
    add(olga, hall.event_id, receiver.url())
    decide(olga, hall)
    work()
    count = len(receiver.got)
    assert count == 1
    for name in projections.registered():
        projections.rebuild(name)
    work()
    assert len(receiver.got) == count
    assert WebhookDelivery.objects.count() == count


def test_a_handler_that_runs_again_tells_nothing_twice(
    olga: Member, hall: Hall, receiver: Receiver
) -> None:
    add(olga, hall.event_id, receiver.url())
    decide(olga, hall)
    subscriptions.advance_all(["portal.webhooks"])
    held = WebhookDelivery.objects.get()
    delivery.hand_over({"delivery": held.pk})
    work()
    assert len(receiver.got) == 1


def test_pauses_grow_to_a_dead_message_and_the_button_sends_it_again(
    olga: Member, hall: Hall, receiver: Receiver
) -> None:
    receiver.status = 500
    now = START
    with clock.clock_set(lambda: now):
        add(olga, hall.event_id, receiver.url(), "result.decided")
        decide(olga, hall)
        pauses = []
        work()
        for _ in range(delivery.TRIES):
            held = WebhookDelivery.objects.get()
            if held.next_at is None:
                break
            assert held.state == "waiting"
            pauses.append(held.next_at - now)
            tries = len(receiver.got)
            now = held.next_at - timedelta(seconds=1)
            work()
            assert len(receiver.got) == tries, "nothing is sent within the pause"
            now = held.next_at
            work()
        assert pauses == [timedelta(seconds=15 * 4**n) for n in range(4)] + [timedelta(hours=1)] * 3
        held = WebhookDelivery.objects.get()
        assert (held.state, held.attempts, held.status) == ("dead", delivery.TRIES, 500)
        assert len(receiver.got) == delivery.TRIES
        assert len({headers["webhook-id"] for _p, headers, _b in receiver.got}) == 1
        receiver.status = 200
        now += timedelta(days=3)
        work()
        assert len(receiver.got) == delivery.TRIES, "a dead message stays dead by itself"
        services.webhook_redeliver(olga.context(), delivery_id=held.pk)
        work()
    held = WebhookDelivery.objects.get()
    assert (held.state, held.attempts, held.status) == ("delivered", 1, 200)
    assert Webhook.objects.get().failures == 0
    assert not OutboxRow.objects.filter(done_at=None).exists()


def test_an_address_that_is_down_costs_one_try_per_pause(
    olga: Member, hall: Hall, receiver: Receiver
) -> None:
    receiver.status = 503
    now = START
    with clock.clock_set(lambda: now):
        hook = add(olga, hall.event_id, receiver.url())
        for _ in range(6):
            services.webhook_ping(olga.context(), webhook_id=hook)
        Webhook.objects.update(quiet_until=None)
        work()
        assert len(receiver.got) == 1
        now += timedelta(seconds=15)
        work()
        assert len(receiver.got) == 2
        receiver.status = 200
        now += timedelta(hours=2)
        work()
        assert len(receiver.got) == 8
        assert set(WebhookDelivery.objects.values_list("state", flat=True)) == {"delivered"}


def test_a_day_old_message_is_given_up(olga: Member, hall: Hall, receiver: Receiver) -> None:
    receiver.status = 500
    now = START
    with clock.clock_set(lambda: now):
        services.webhook_ping(olga.context(), webhook_id=add(olga, hall.event_id, receiver.url()))
        now += timedelta(days=1, seconds=1)
        work()
    assert WebhookDelivery.objects.get().state == "dead"


def test_retries_against_a_receiver_that_fails_in_every_way_lose_and_double_nothing(
    olga: Member, hall: Hall, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It answers 500, 429, hangs, redirects, hangs up at once or in the middle of its headers,
    speaks no HTTP; between these it takes a message now and then. The worker runs on, meanwhile
    more happens, and a job is run a second time as after a kill."""
    monkeypatch.setattr(sending, "WHOLE_SECONDS", 2.0)
    now = START
    with clock.clock_set(lambda: now):
        hook = add(olga, hall.event_id, receiver.url())
        secret = services.secret_of(olga.actor, hook)
        decide(olga, hall)
        raise_call(hall.dora, hall.other_match)
        receiver.script = [500, 500, "hangs", 204, 302, "cut", 429, "garbage", 200, "nothing", 503]
        for turn in range(12):
            work()
            if turn == 2:
                services.webhook_ping(olga.context(), webhook_id=hook)
            for held in WebhookDelivery.objects.exclude(state="waiting"):
                delivery.hand_over({"delivery": held.pk})
            now += timedelta(minutes=61)
        assert not receiver.script, "every way to fail was met"
    assert set(WebhookDelivery.objects.values_list("state", flat=True)) == {"delivered"}
    ids = [headers["webhook-id"] for headers in receiver.taken]
    assert len(ids) == len(set(ids)) == WebhookDelivery.objects.count() == 3
    bodies = {(headers["webhook-id"], body) for _path, headers, body in receiver.got}
    assert len(bodies) == 3, "each try of a message carries the same id and the same bytes"
    assert len(receiver.got) == 3 + 9
    assert {path for path, _headers, _body in receiver.got} == {"/hook?of=us"}
    for _path, headers, body in receiver.got:
        assert is_signed(secret, headers, body, near=None)


@pytest.mark.parametrize("status", [200, 204, 299, 301, 307, 404, 410, 429, 500])
def test_only_a_2xx_counts_and_no_redirect_is_followed(
    olga: Member, hall: Hall, receiver: Receiver, status: int
) -> None:
    receiver.status = status
    hook = add(olga, hall.event_id, receiver.url())
    services.webhook_ping(olga.context(), webhook_id=hook)
    work()
    held = WebhookDelivery.objects.get()
    assert held.state == ("delivered" if status < 300 else "waiting")
    assert held.status == status
    assert [path for path, _headers, _body in receiver.got] == ["/hook?of=us"]


def test_a_webhook_ends_with_the_rights_of_its_maker(
    olga: Member, hall: Hall, receiver: Receiver
) -> None:
    organiser = make_member(30, "Orla", account=True)
    organiser.grant("organiser", hall.event_id)
    hook = add(organiser, hall.event_id, receiver.url())
    decide(olga, hall)
    role_end(
        olga.context(), person_id=organiser.person_id, role="organiser", event_id=hall.event_id
    )
    work()
    assert receiver.got == []
    row = Webhook.objects.get(pk=hook)
    assert (row.ended_why, WebhookDelivery.objects.get().state) == ("rights_lost", "dropped")
    with pytest.raises(Refused) as caught:
        services.webhook_ping(olga.context(), webhook_id=hook)
    assert caught.value.refusal.code == "portal.webhook_over"


def test_what_waits_is_dropped_when_a_webhook_is_removed(
    olga: Member, hall: Hall, receiver: Receiver
) -> None:
    hook = add(olga, hall.event_id, receiver.url())
    decide(olga, hall)
    subscriptions.advance_all(["portal.webhooks"])
    services.webhook_remove(olga.context(), webhook_id=hook)
    services.webhook_remove(olga.context(), webhook_id=hook)
    decide(olga, hall)
    work()
    assert receiver.got == []
    assert WebhookDelivery.objects.get().state == "dropped"


def test_an_erased_person_leaves_no_webhook(olga: Member, hall: Hall, receiver: Receiver) -> None:
    organiser = make_member(30, "Orla", account=True)
    organiser.grant("organiser", hall.event_id)
    add(organiser, hall.event_id, receiver.url())
    counts = person_erase(olga.context(), person_id=organiser.person_id)
    assert counts["webhooks"] == 1
    assert not Webhook.objects.exists()


def test_only_organisers_know_of_webhooks(
    olga: Member, hall: Hall, jude: Member, alice: Member, charlie: Member, receiver: Receiver
) -> None:
    hook = add(olga, hall.event_id, receiver.url())
    services.webhook_ping(olga.context(), webhook_id=hook)
    held = WebhookDelivery.objects.get()
    for member in (jude, alice, charlie):
        tries: list[Callable[[], Any]] = [
            lambda member=member: services.webhooks_of(member.actor, hall.event_id),
            lambda member=member: services.deliveries_of(member.actor, hook),
            lambda member=member: services.deliveries_in(member.actor, hall.event_id),
            lambda member=member: services.secret_of(member.actor, hook),
            lambda member=member: services.webhook_ping(member.context(), webhook_id=hook),
            lambda member=member: services.webhook_remove(member.context(), webhook_id=hook),
            lambda member=member: services.webhook_redeliver(member.context(), delivery_id=held.pk),
            lambda member=member: add(member, hall.event_id, receiver.url()),
        ]
        for one in tries:
            with pytest.raises(NotAllowed) as caught:
                one()
            assert caught.value.hidden


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"kinds": []}, "portal.webhook_kinds"),
        ({"kinds": ["round.published", "everything"]}, "portal.webhook_kinds"),
        ({"url": "ftp://example.org/"}, "portal.webhook_url_scheme"),
        ({"url": "https://user:pw@example.org/"}, "portal.webhook_url_userinfo"),
        ({"url": "https://example.org:22/"}, "portal.webhook_url_port"),
        ({"url": "https://exa mple.org/"}, "portal.webhook_url_malformed"),
        ({"url": "https:///x"}, "portal.webhook_url_malformed"),
        ({"url": "https://ex\u00e4mple.org/"}, "portal.webhook_url_malformed"),
        ({"url": "https://example.org/\r\nX: y"}, "portal.webhook_url_malformed"),
        ({"url": "https://[::1/"}, "portal.webhook_url_malformed"),
        ({"url": "https://example.org/" + "x" * 500}, "portal.webhook_url_too_long"),
        ({"webhook_id": "x"}, "portal.webhook_exists"),
    ],
)
def test_bad_wishes_are_refused(
    olga: Member, hall: Hall, values: dict[str, Any], code: str
) -> None:
    usual = {"webhook_id": new_id(), "url": "https://example.org/", "kinds": ["cut.made"]}
    with pytest.raises(Refused) as caught:
        services.webhook_add(olga.context(), event_id=hall.event_id, **(usual | values))
    assert caught.value.refusal.code == code
    assert not Webhook.objects.exists()


# ------------------------------------------------------- the private network

CLOSED = [
    "127.0.0.1", "127.9.9.9", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254",
    "100.64.0.1", "0.0.0.0", "224.0.0.1", "255.255.255.255", "192.0.2.1", "240.0.0.1", "::1", "::",
    "fe80::1", "fc00::1", "fd12::1", "ff02::1", "fec0::1", "2001:db8::1", "::ffff:127.0.0.1",
    "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::",
    "2002:a00:1::1", "2001:0:7f00:1::", "2001::f5ff:fffe",
]  # fmt: skip
OPEN = ["8.8.8.8", "93.184.216.34", "2606:4700::1111", "64:ff9b::808:808", "2002:808:808::1"]


@pytest.mark.parametrize("text", CLOSED)
def test_a_private_address_is_no_address(text: str) -> None:
    assert not address.is_public(ipaddress.ip_address(text))
    host = f"[{text}]" if ":" in text else text
    with pytest.raises(address.Forbidden, match="private"):
        address.read(f"https://{host}/", private=False)


@pytest.mark.parametrize("text", OPEN)
def test_a_public_address_is_one(text: str) -> None:
    assert address.is_public(ipaddress.ip_address(text))


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:{port}/",
        "https://127.0.0.1:{port}/",
        "https://127.1:{port}/",
        "https://2130706433:{port}/",
        "https://0x7f000001:{port}/",
        "https://0177.0.0.1:{port}/",
        "https://localhost:{port}/",
        "https://LOCALHOST.:{port}/",
        "https://[::ffff:127.0.0.1]:{port}/",
    ],
)
def test_no_spelling_leads_into_this_machine(receiver: Receiver, url: str) -> None:
    outcome = sending.post(url.format(port=receiver.port), {}, b"{}", private=False)
    assert (outcome.status, outcome.fault) == (None, "address")
    assert receiver.got == []


def test_one_private_address_among_public_ones_closes_the_name(
    monkeypatch: pytest.MonkeyPatch, receiver: Receiver
) -> None:
    def both(*_: Any, **__: Any) -> list[Any]:
        return [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", (text, receiver.port))
            for text in ("93.184.216.34", "127.0.0.1")
        ]

    monkeypatch.setattr(socket, "getaddrinfo", both)
    url = f"https://hook.test:{receiver.port}/"
    assert sending.post(url, {}, b"{}", private=False).fault == "address"
    assert receiver.got == []


def test_the_connection_goes_to_the_address_that_was_checked(
    monkeypatch: pytest.MonkeyPatch, receiver: Receiver
) -> None:
    """A name that changes its answer is asked once: there is no second look-up to win."""
    asked: list[str] = []

    def changing(host: str, port: int, **_: Any) -> list[Any]:
        asked.append(host)
        text = "127.0.0.1" if len(asked) == 1 else "10.255.255.1"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (text, port))]

    monkeypatch.setattr(socket, "getaddrinfo", changing)
    outcome = sending.post(receiver.url("hook.test"), {"X-A": "b"}, b"{}", private=True)
    assert outcome.taken
    assert asked == ["hook.test"]
    _path, headers, _body = receiver.got[0]
    assert headers["host"] == f"hook.test:{receiver.port}"


def test_a_name_and_a_port_without_anybody_are_named_so(receiver: Receiver) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        free = taken.getsockname()[1]
    assert sending.post(f"http://127.0.0.1:{free}/", {}, b"", private=True).fault == "connect"
    assert sending.post("http://no-such.invalid/", {}, b"", private=True).fault == "name"
    receiver.raw = b"SMTP ready\r\n"
    assert sending.post(receiver.url(), {}, b"", private=True).fault == "answer"
    receiver.raw = b""
    assert sending.post(receiver.url(), {}, b"", private=True).fault == "answer"


def test_a_dripping_answer_is_over_in_time(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "WHOLE_SECONDS", 0.6)
    receiver.drip = 0.05
    assert sending.post(receiver.url(), {}, b"{}", private=True).fault == "time"


# ------------------------------------------------------------------------ TLS


@pytest.mark.parametrize(
    ("named", "trusted", "drip", "fault"),
    [
        ("hook.test", True, 0.0, ""),
        ("other.test", True, 0.0, "tls"),
        ("hook.test", False, 0.0, "tls"),
        ("hook.test", True, 0.05, "time"),
    ],
)
def test_tls_is_verified_against_the_name_and_bounded_in_time(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    named: str,
    trusted: bool,
    drip: float,
    fault: str,
) -> None:
    chain, secret = self_signed(tmp_path, named)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(chain, secret)
    if trusted:
        monkeypatch.setattr(sending, "trust", lambda: ssl.create_default_context(cafile=chain))
    if fault == "time":
        monkeypatch.setattr(sending, "WHOLE_SECONDS", 1.0)
    usual = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", lambda host, *a, **k: usual("127.0.0.1", *a, **k))
    with receiving(server) as held:
        held.drip = drip
        outcome = sending.post(held.url("hook.test", "https"), {}, b"{}", private=True)
    assert outcome.fault == fault
    assert outcome.taken is (fault == "")


def test_the_signature_is_that_of_the_specification() -> None:
    """Against a value computed with openssl: HMAC-SHA256 of `msg_1.1614265330.{"test": 1}`."""
    secret = bytes(range(32))
    assert signing.secret_text(secret) == "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    made = signing.signature(secret, "msg_1", 1614265330, b'{"test": 1}')
    assert made == "v1,ye1v+XOORO1cGv1i1klJC6UwOLDnjUtqKJUqNt8sSfY="


# ------------------------------------------------------------ page and routes


def test_the_page_adds_shows_the_secret_once_tries_and_sends_again(
    olga: Member, hall: Hall, receiver: Receiver, client_of: ClientOf
) -> None:
    client, path = client_of(olga), f"/staff/events/{hall.event_id}/webhooks/"
    form = {
        "act": "add",
        "nonce": new_id(),
        "webhook_id": new_id(),
        "url": receiver.url(),
        "kind": ["result.decided", "call.raised"],
    }
    first = client.post(path, form).content.decode()
    assert "whsec_" in first
    assert client.post(path, form).content.decode().count("whsec_") == 1, "the first outcome again"
    assert Webhook.objects.count() == 1
    assert "whsec_" not in client.get(path).content.decode()
    wrong = client.post(path, form | {"nonce": new_id(), "webhook_id": new_id(), "url": "x"})
    assert wrong.status_code == 409
    assert "The address must begin with https" in wrong.content.decode()
    hook = form["webhook_id"]
    receiver.status = 500
    client.post(path, {"act": "ping", "nonce": new_id(), "webhook_id": hook})
    work()
    text = client.get(path).content.decode()
    assert "HTTP 500" in text
    assert "1 try failed" in text
    receiver.status = 200
    held = WebhookDelivery.objects.get()
    client.post(path, {"act": "redeliver", "nonce": new_id(), "delivery_id": held.pk})
    work()
    assert "Delivered" in client.get(path).content.decode()
    client.post(path, {"act": "remove", "nonce": new_id(), "webhook_id": hook})
    assert 'value="redeliver"' not in client.get(path).content.decode()


def test_the_routes_do_the_same(
    olga: Member, hall: Hall, receiver: Receiver, client_of: ClientOf
) -> None:
    client, base, key = client_of(olga), "/api/v1", new_id()
    path = f"{base}/events/{hall.event_id}/webhooks"
    body = {"url": receiver.url(), "kinds": ["round.published"]}
    answers = [
        client.post(path, body, "application/json", headers={"Idempotency-Key": key})
        for _ in range(2)
    ]
    assert [one.status_code for one in answers] == [201, 201]
    assert answers[0].content == answers[1].content
    made = answers[0].json()
    assert made["id"] == key
    assert made["secret"].startswith("whsec_")
    assert "secret" not in client.get(path).json()["results"][0]
    hook = f"{base}/webhooks/{key}"
    sent = client.post(f"{hook}/ping", {}, "application/json").json()["delivery_id"]
    work()
    assert is_signed(made["secret"], receiver.got[0][1], receiver.got[0][2])
    listed = client.get(f"{hook}/deliveries?state=delivered").json()
    assert [one["id"] for one in listed["results"]] == [sent]
    assert client.get(f"{hook}/deliveries?state=dead").json()["count"] == 0
    again = client.post(f"{base}/webhook-deliveries/{sent}/redeliver", {}, "application/json")
    assert again.status_code == 201
    work()
    assert len(receiver.got) == 2
    assert client.post(f"{hook}/remove", {}, "application/json").json() == {"done": True}
    assert client.get(f"{path}?live=true").json()["count"] == 0
    assert client.get(f"{path}?live=false").json()["count"] == 1
