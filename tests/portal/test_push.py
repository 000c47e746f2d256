"""Web push against a real receiver on this machine: encrypted for the browser alone, signed by the
server, once, again with pauses, gone with the browser, and never more than the person may know."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils.translation import gettext, override

from eventstore import clock, outbox, projections, subscriptions
from eventstore.domain.refusal import Refused
from eventstore.ids import new_id
from judging import services as judging
from judging.floor import table_assign
from people import security
from people.access import NotAllowed
from people.domain.actor import ANONYMOUS
from people.erasure import person_erase
from people.joinlinks import JoinLink, make
from people.selectors import names
from portal.models import NoticeChoice, PushDelivery, PushSubscription
from portal.notices import services as notices
from portal.notices.kinds import PUSHED, Told
from portal.push import delivery, services, vapid
from portal.webhooks import sending
from tests.api.receiver import Receiver, receiving
from tests.conftest import PASSWORD, Member
from tests.judging.hall import Hall, open_hall, raise_call
from tests.portal.browser_keys import Browser, claims
from tests.portal.stage import starter
from tournaments import services as tournaments
from tournaments.models import MatchRow

pytestmark = pytest.mark.django_db
ClientOf = Callable[..., Client]
PAGE = "/my/messages/"


@pytest.fixture(autouse=True)
def private(settings: Any) -> None:
    """The push service of these tests stands on this machine."""
    settings.WEBHOOKS_PRIVATE = True
    settings.PUSH_CONTACT = "mailto:olga@example.org"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A push service that takes everything."""
    with receiving() as held:
        held.status = 201
        yield held


@pytest.fixture
def hall(olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member) -> Hall:
    """An event whose first round is on."""
    return open_hall(olga, alice, bob, jude, hedda)


def endpoint(receiver: Receiver, name: str) -> str:
    """The address of one browser at the push service."""
    return f"http://127.0.0.1:{receiver.port}/push/{name}"


def tell(client: Client, receiver: Receiver, name: str, browser: Browser, **headers: Any) -> Any:
    """Switch messages on, as the page does."""
    form = {
        "act": "tell",
        "nonce": new_id(),
        "subscription_id": new_id(),
        "subscription": browser.told(endpoint(receiver, name)),
    }
    return client.post(PAGE, form, **headers)


def work() -> None:
    """Do what the worker does: follow the log, then the outbox until nothing is due."""
    subscriptions.advance_all(["portal.push"])
    while outbox.drain():
        pass


def shown(receiver: Receiver, name: str, browser: Browser) -> list[dict[str, Any]]:
    """What one browser was shown, read with its own keys."""
    got = [body for path, _headers, body in receiver.got if path == f"/push/{name}"]
    return [json.loads(browser.opened(body)) for body in got]


def hungarian(text: str, **values: object) -> str:
    """What bob's phone says."""
    with override("hu"):
        return gettext(text) % values


def next_round(hall: Hall, olga: Member) -> int:
    """Decide what is open and publish the next round."""
    for row in MatchRow.objects.filter(event_id=hall.event_id).exclude(state="decided"):
        tournaments.result_enter(olga.context(), match_id=row.pk, score=[2, 1, 0])
    number = int(tournaments.round_pair(olga.context(), event_id=hall.event_id, seed=1))
    tournaments.round_publish(olga.context(), event_id=hall.event_id, number=number)
    return number


def test_an_encrypted_request_reaches_the_browser_that_may_know(
    olga: Member, alice: Member, hall: Hall, receiver: Receiver, client_of: ClientOf
) -> None:
    mine = Browser.made(1)
    client = client_of(alice)
    assert tell(client, receiver, "alice", mine).status_code == 302
    sealed = bytes(PushSubscription.objects.get().sealed)
    assert b"push/alice" not in sealed, "address and keys are wrapped"
    number = next_round(hall, olga)
    work()
    work()
    assert len(receiver.got) == 1, "once"
    _path, headers, body = receiver.got[0]
    rows = MatchRow.objects.filter(event_id=hall.event_id, round=number)
    row = next(one for one in rows if hall.ea in (one.p1, one.p2))
    other = next(p for side in row.persons for p in side if p != alice.person_id)
    told = shown(receiver, "alice", mine)[0]
    assert told["title"] == f"Round 2: table {row.table}"
    assert told["body"] == f"Against {names([other])[other]}. Spring duel"
    assert told["data"] == f"/my/{hall.event_id}/"
    assert set(told) == {"title", "body", "data", "tag", "renotify", "lang", "icon"}
    assert b"table" not in body
    now = clock.now().timestamp()
    said = claims(headers["authorization"], vapid.public_text(), now)
    assert said["aud"] == f"http://127.0.0.1:{receiver.port}"
    assert said["sub"] == "mailto:olga@example.org"
    assert headers["content-encoding"] == "aes128gcm"
    assert headers["urgency"] == "high"
    assert 1700 < int(headers["ttl"]) <= 1800
    assert len(headers["topic"]) == 32
    assert hall.event_id not in str(headers)
    assert not PushDelivery.objects.exists(), "what was taken is not kept"
    for name in projections.registered():
        projections.rebuild(name)
    work()
    assert len(receiver.got) == 1, "a rebuild tells nothing"


def test_players_and_judges_are_told_what_is_theirs_in_their_language(
    olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member, charlie: Member,
    hall: Hall, receiver: Receiver, client_of: ClientOf,
) -> None:  # fmt: skip
    cast = {"alice": alice, "bob": bob, "jude": jude, "hedda": hedda, "charlie": charlie}
    keys = {name: Browser.made(at) for at, name in enumerate(cast, 1)}
    for name, member in cast.items():
        language = {"Accept-Language": "hu" if name == "bob" else "en"}
        tell(client_of(member), receiver, name, keys[name], headers=language)
    call_id = raise_call(alice, hall.match_id)
    work()
    table = hall.match.table
    titles = lambda name: [one["title"] for one in shown(receiver, name, keys[name])]  # noqa: E731
    assert titles("jude") == titles("hedda") == [f"Table {table} calls a judge"]
    assert titles("alice") == titles("bob") == []
    judging.call_claim(jude.context("judge"), call_id=call_id)
    work()
    assert titles("alice") == [f"A judge is coming to table {table}"]
    assert titles("bob") == [hungarian("A judge is coming to table %(table)s", table=table)]
    judging.call_give_back(jude.context("judge"), call_id=call_id)
    work()
    assert titles("hedda") == [f"Table {table} calls a judge"] * 2
    assert titles("jude") == [f"Table {table} calls a judge"], "who gives it back knows"
    judging.call_claim(jude.context("judge"), call_id=call_id)
    judging.call_arrive(jude.context("judge"), call_id=call_id)
    judging.ruling_make(
        jude.context("judge"), call_id=call_id, ruling_id=new_id(), remedy="play_on", note="Secret"
    )
    work()
    assert titles("bob")[1:] == [hungarian("A ruling was made at table %(table)s", table=table)]
    judging.call_appeal(alice.context(), call_id=call_id, seat=hall.seat)
    tournaments.time_extend(olga.context(), match_id=hall.match_id, seconds=180)
    tournaments.clock_start(olga.context(), event_id=hall.event_id, minutes=40)
    tournaments.clock_adjust(olga.context(), event_id=hall.event_id, minutes=-1)
    tournaments.clock_adjust(olga.context(), event_id=hall.event_id, minutes=5)
    table_assign(hedda.context("judge"), match_id=hall.other_match, judge=jude.person_id)
    work()
    assert titles("hedda")[2:] == [f"Appeal at table {table}"]
    assert titles("bob")[2:] == [
        hungarian("%(time)s for table %(table)s", time="+3:00", table=table),
        hungarian("%(time)s for this round", time="+5:00"),
    ]
    assert titles("jude")[1:] == [
        f"Table {MatchRow.objects.get(pk=hall.other_match).table} is yours to look after"
    ]
    assert titles("charlie") == [], "whoever has no part in it is told nothing"
    assert {one["lang"] for one in shown(receiver, "bob", keys["bob"])} == {"hu"}
    assert {one["lang"] for one in shown(receiver, "alice", keys["alice"])} == {"en"}
    everything = json.dumps([shown(receiver, name, keys[name]) for name in cast])
    for hidden in ("Secret", "rules", alice.person_id, "Dora"):
        assert hidden not in everything
    assert not PushDelivery.objects.exists()


def test_a_message_whose_matter_is_over_is_not_sent_and_a_newer_one_takes_its_place(
    olga: Member, alice: Member, jude: Member, hall: Hall, receiver: Receiver, client_of: ClientOf
) -> None:
    tell(client_of(alice), receiver, "alice", Browser.made(1))
    tell(client_of(jude), receiver, "jude", Browser.made(2))
    call_id = raise_call(alice, hall.match_id)
    judging.call_claim(jude.context("judge"), call_id=call_id)
    judging.call_arrive(jude.context("judge"), call_id=call_id)
    work()
    assert receiver.got == [], "taken, and at the table, before anybody was told"
    receiver.status = 503
    next_round(hall, olga)
    work()
    next_round(hall, olga)
    work()
    assert PushDelivery.objects.count() == 1, "the newer round alone waits"
    receiver.status = 201
    later = clock.now() + timedelta(minutes=2)
    with clock.clock_set(lambda: later):
        work()
    told = shown(receiver, "alice", Browser.made(1))
    assert told[-1]["title"].startswith("Round 3")
    topics = {headers["topic"] for _path, headers, _body in receiver.got}
    assert len(topics) == 1, "the push service keeps the newest too"


def test_pauses_grow_and_the_pause_that_is_asked_for_is_kept(
    alice: Member, hall: Hall, receiver: Receiver, client_of: ClientOf
) -> None:
    now = clock.now()
    with clock.clock_set(lambda: now):
        client = client_of(alice)
        tell(client, receiver, "alice", Browser.made(1))
        receiver.script = [500, 429, 201]
        receiver.headers = {"Retry-After": "90"}
        client.post(PAGE, {"act": "try", "nonce": new_id()})
        work()
        for passed, tries in ((14, 1), (1, 2), (89, 2), (1, 3), (600, 3)):
            now += timedelta(seconds=passed)
            if tries < 3:  # pressed again meanwhile: the pause is kept
                client.post(PAGE, {"act": "try", "nonce": new_id()})
            work()
            assert len(receiver.got) == tries, passed
    assert [int(headers["ttl"]) for _p, headers, _b in receiver.got] == [300, 285, 195]
    told = shown(receiver, "alice", Browser.made(1))
    assert len(told) == 3
    assert told[0] == told[2]
    assert not PushDelivery.objects.exists()


def test_what_one_person_makes_fail_does_not_keep_the_service_from_others(
    alice: Member, bob: Member, jude: Member, hall: Hall, receiver: Receiver, client_of: ClientOf,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(delivery, "AT_ONCE", 1)
    clients = [client_of(alice), client_of(bob)]
    for name, client in zip(("alice", "bob"), clients, strict=True):
        tell(client, receiver, name, Browser.made())
    now = clock.now()
    with clock.clock_set(lambda: now):
        receiver.script, receiver.headers = [429, 201], {"Retry-After": "3600"}
        judging.call_claim(jude.context("judge"), call_id=raise_call(alice, hall.match_id))
        work()
        assert len(receiver.got) == 2, "too many requests for one browser are not too many for all"
        receiver.script = [503, 201]
        for client in clients:
            client.post(PAGE, {"act": "try", "nonce": new_id()})
        work()
        assert len(receiver.got) == 4, "nor does a trial hold up others"


def test_a_service_that_hangs_costs_one_try_and_old_messages_are_given_up(
    alice: Member, bob: Member, jude: Member, hall: Hall, receiver: Receiver, client_of: ClientOf,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(sending, "WHOLE_SECONDS", 2.0)
    monkeypatch.setattr(delivery, "AT_ONCE", 1)
    for name, member in (("alice", alice), ("bob", bob)):
        tell(client_of(member), receiver, name, Browser.made())
    now = clock.now()
    with clock.clock_set(lambda: now):
        receiver.script = ["hangs"]
        judging.call_claim(jude.context("judge"), call_id=raise_call(alice, hall.match_id))
        work()
        assert len(receiver.got) == 1, "the other waits without a try"
        assert sorted(PushDelivery.objects.values_list("attempts", flat=True)) == [0, 1]
        assert set(PushDelivery.objects.values_list("next_at", flat=True)) == {
            now + delivery.FIRST_PAUSE
        }
        now += timedelta(minutes=11)
        work()
        assert len(receiver.got) == 1, "ten minutes later nobody is on the way any more"
        assert not PushDelivery.objects.exists()


def test_a_worker_that_is_killed_or_meets_a_fault_leaves_nobody_untold(
    olga: Member, alice: Member, bob: Member, hall: Hall, receiver: Receiver, client_of: ClientOf,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    now = clock.now()
    with clock.clock_set(lambda: now):
        for at, member in enumerate((alice, bob), 1):
            tell(client_of(member), receiver, member.name, Browser.made(at))
        next_round(hall, olga)
        subscriptions.advance_all(["portal.push"])
        batch = PushDelivery.objects.values_list("batch", flat=True)[0]
        for held in PushDelivery.objects.filter(subscription__person_id=alice.person_id):
            assert delivery._taken_up(held, now), "killed here"
            assert not delivery._taken_up(held, now)
        work()
        assert [path for path, _headers, _body in receiver.got] == ["/push/Bob"]
        now += delivery.LEASE
        usual = delivery.request_of

        def broken(held: PushDelivery, *rest: Any) -> Any:
            if held.kind == "trial":
                raise RuntimeError("a fault of ours")
            return usual(held, *rest)

        monkeypatch.setattr(delivery, "request_of", broken)
        row = PushSubscription.objects.get(person_id=bob.person_id)
        services._queue([row], Told("trial", "", frozenset()), None)
        PushDelivery.objects.update(batch=batch)
        work()
        delivery.hand_over({"batch": batch})
        assert [path for path, _headers, _body in receiver.got] == ["/push/Bob", "/push/Alice"]
        assert not PushDelivery.objects.exists()


def test_when_to_come_again_is_seconds_or_a_date() -> None:
    noon = datetime(2026, 7, 4, 12, 0, tzinfo=UTC).timestamp()
    for text, seconds in (
        ("120", 120),
        ("Sat, 04 Jul 2026 12:01:30 GMT", 90),
        ("Sat, 04 Jul 2026 11:00:00 GMT", 0),
        ("soon", 0),
        ("-5", 0),
        ("", 0),
        (None, 0),
        ("9" * 30, 999_999_999),
    ):
        assert sending._seconds(text, noon) == seconds, text


@pytest.mark.parametrize("status", [404, 410])
def test_a_browser_that_is_gone_is_forgotten(
    olga: Member, alice: Member, hall: Hall, receiver: Receiver, client_of: ClientOf, status: int
) -> None:
    tell(client_of(alice), receiver, "alice", Browser.made())
    receiver.status = status
    next_round(hall, olga)
    work()
    assert len(receiver.got) == 1
    assert not PushSubscription.objects.exists()


def test_what_a_service_refuses_for_good_is_dropped_and_no_redirect_followed(
    alice: Member, hall: Hall, receiver: Receiver, client_of: ClientOf
) -> None:
    client = client_of(alice)
    tell(client, receiver, "alice", Browser.made())
    for number, status in enumerate((301, 400, 403, 413, 401), 1):
        receiver.status = status
        client.post(PAGE, {"act": "try", "nonce": new_id()})
        work()
        assert len(receiver.got) == number
        assert {path for path, _h, _b in receiver.got} == {"/push/alice"}
        assert not PushDelivery.objects.exists()
    assert not PushSubscription.objects.exists(), "five times in a row: it is of no use"


def test_each_kind_can_be_switched_off(
    olga: Member, alice: Member, bob: Member, hall: Hall, receiver: Receiver, client_of: ClientOf
) -> None:
    client = client_of(alice)
    tell(client, receiver, "alice", Browser.made())
    tell(client_of(bob), receiver, "bob", Browser.made())
    left = [name for name in PUSHED if name not in ("round", "call", "handed")]
    answer = client.post(PAGE, {"act": "choose", "nonce": new_id(), "push": left})
    assert answer.status_code == 302
    text = client.get(PAGE).content.decode()
    assert 'value="round">' in text
    assert 'value="judge" checked>' in text
    assert NoticeChoice.objects.get().push_off == ["round"], "what is not on the form stays"
    next_round(hall, olga)
    work()
    assert [path for path, _h, _b in receiver.got] == ["/push/bob"]
    wrong = client.post(PAGE, {"act": "choose", "nonce": new_id(), "push": ["everything"]})
    assert wrong.status_code == 409


def test_it_ends_with_the_session_the_links_the_person(
    olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member, hall: Hall,
    receiver: Receiver, client_of: ClientOf, settings: Any,
) -> None:  # fmt: skip
    def told() -> set[str]:
        receiver.got.clear()
        for row in PushSubscription.objects.all():
            services._queue([row], Told("trial", "", frozenset()), None)
        work()
        return {path.rpartition("/")[2] for path, _headers, _body in receiver.got}

    clients = {
        name: client_of(member)
        for name, member in (("alice", alice), ("bob", bob), ("jude", jude), ("hedda", hedda))
    }
    for at, (name, client) in enumerate(clients.items(), 1):
        tell(client, receiver, name, Browser.made(at))
    assert told() == {"alice", "bob", "jude", "hedda"}
    clients["jude"].post("/sign-out/", {"nonce": new_id()})
    assert told() == {"alice", "bob", "hedda"}
    security.sessions_end(hedda.context(), person_id=hedda.person_id)
    assert told() == {"alice", "bob"}
    security.join_links_end(olga.context(), event_id=hall.event_id, person_id=bob.person_id)
    assert told() == {"alice"}
    counts = person_erase(olga.context(), person_id=alice.person_id)
    assert counts["phones told"] == 1
    assert told() == set()
    assert not PushSubscription.objects.exists()
    client = client_of(jude)
    tell(client, receiver, "jude", Browser.made(3))
    assert told() == {"jude"}
    client.post("/sign-in/", {"username": "hedda", "password": PASSWORD})
    assert told() == set(), "somebody else has signed in on this browser"
    client = client_of(jude)
    tell(client, receiver, "jude", Browser.made(3))
    later = clock.now() + timedelta(seconds=settings.STAFF_SESSION_SECONDS + 1)
    with clock.clock_set(lambda: later):
        assert told() == set(), "a session of staff ends after a long day"


def test_a_phone_tells_the_person_who_has_it(
    alice: Member, bob: Member, hall: Hall, receiver: Receiver, client_of: ClientOf
) -> None:
    """The same browser, another person: whoever had it before is not told there any more."""
    browser = Browser.made()
    tell(client_of(alice), receiver, "phone", browser)
    second = client_of(bob)
    tell(second, receiver, "phone", browser)
    assert [row.person_id for row in PushSubscription.objects.all()] == [bob.person_id]
    for at in range(2, 9):
        tell(second, receiver, f"more{at}", Browser.made(at))
    assert PushSubscription.objects.count() == services.MAX_PHONES
    assert "4 other devices" in second.get(PAGE).content.decode()
    second.post(PAGE, {"act": "end", "nonce": new_id()})
    assert PushSubscription.objects.count() == services.MAX_PHONES - 1
    second.post(PAGE, {"act": "end_all", "nonce": new_id()})
    assert not PushSubscription.objects.exists()


def test_a_bound_phone_is_told_of_its_events_alone(
    olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member, hall: Hall,
    receiver: Receiver, client_of: ClientOf,
) -> None:  # fmt: skip
    tell(client_of(alice, events=[hall.event_id]), receiver, "alice", Browser.made())
    other = open_hall(olga, alice, bob, jude, hedda, again=True)
    work()
    assert receiver.got == [], "a link of one event opens nothing of another"
    call_id = raise_call(alice, other.match_id)
    judging.call_claim(jude.context("judge"), call_id=call_id)
    work()
    assert receiver.got == []
    phone = Client()
    for event_id, told, left in (
        (hall.event_id, alice, []),
        (other.event_id, alice, [hall.event_id, other.event_id]),
        (hall.event_id, bob, None),
    ):
        phone.post(f"/join/{make(JoinLink(event_id, told.person_id))}/", {"act": "join"})
        if not left and left is not None:
            tell(phone, receiver, "phone", Browser.made(2))
        elif left is not None:
            assert sorted(PushSubscription.objects.latest("created_at").events) == sorted(left)
    held = PushSubscription.objects.values_list("person_id", flat=True)
    assert list(held) == [alice.person_id], "the phone that another person was bound to is not told"


def test_what_becomes_of_a_deck_list_is_told_to_its_player(
    olga: Member, alice: Member, bob: Member, receiver: Receiver, client_of: ClientOf
) -> None:
    call_command("load_shipped", verbosity=0)
    event_id = new_id()
    tournaments.event_create(olga.context(), event_id=event_id, name="Spring duel")
    tournaments.registration_open(olga.context(), event_id=event_id)
    ids, keys = {}, {"alice": Browser.made(1), "bob": Browser.made(2)}
    for member in (alice, bob):
        name = member.name.lower()
        made = tournaments.entrant_enrol(
            olga.context(), event_id=event_id, person_id=member.person_id
        )
        ids[name] = {"event_id": event_id, "entrant_id": made.entrant_id}
        tell(client_of(member), receiver, name, keys[name])
    tournaments.deck_submit(alice.context(), content=starter(), **ids["alice"])
    tournaments.paper_receive(olga.context(), deck_id=new_id(), **ids["bob"])
    work()
    assert receiver.got == []
    tournaments.list_confirm(olga.context(), number=1, **ids["alice"])
    tournaments.paper_return(olga.context(), **ids["bob"])
    work()
    tournaments.decks_lock_all(olga.context(), event_id=event_id)
    tournaments.decks_unlock_all(olga.context(), event_id=event_id, reason="Secret")
    work()
    told = {name: shown(receiver, name, keys[name]) for name in keys}
    assert [one["title"] for one in told["alice"]] == [
        "Your deck list is checked",
        "Your deck list is open again",
    ]
    assert [one["title"] for one in told["bob"]] == ["Your deck list is not handed in"]
    assert "Secret" not in str(told)
    assert {one["data"] for one in told["alice"]} == {f"/my/{event_id}/deck/"}


def test_phones_that_are_put_away_in_a_match_stay_dark(
    olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member,
    receiver: Receiver, client_of: ClientOf,
) -> None:  # fmt: skip
    hall = open_hall(olga, alice, bob, jude, hedda, devices="not_in_match")
    tell(client_of(alice), receiver, "alice", Browser.made())
    call_id = raise_call(jude, hall.match_id)
    judging.call_claim(jude.context("judge"), call_id=call_id)
    tournaments.time_extend(olga.context(), match_id=hall.match_id, seconds=60)
    work()
    assert receiver.got == []
    next_round(hall, olga)
    work()
    assert len(receiver.got) == 1, "where to sit is told before the match"


@pytest.mark.parametrize(
    "subscription",
    [
        "",
        "{}",
        "[1]",
        '{"endpoint": "x", "y": ' + "[" * 3900,
        '{"endpoint": 3, "keys": {}}',
        '{"endpoint": "http://10.0.0.1/x", "keys": {"p256dh": "!", "auth": "x"}}',
        Browser.made().told("ftp://push.example.net/x"),
        Browser.made().told("https://u:p@push.example.net/x"),
        Browser.made().told("https://push.example.net/" + "x" * 1000),
        json.dumps(
            {"endpoint": "https://push.example.net/x", "keys": {"p256dh": "AA", "auth": "AA"}}
        ),
    ],
)
def test_what_is_no_subscription_is_refused(
    alice: Member, client_of: ClientOf, subscription: str
) -> None:
    client = client_of(alice, events=[new_id()])
    form = {"act": "tell", "nonce": new_id(), "subscription": subscription}
    assert client.post(PAGE, form).status_code == 409
    assert not PushSubscription.objects.exists()


def test_no_request_into_a_private_network(
    alice: Member, receiver: Receiver, client_of: ClientOf, settings: Any
) -> None:
    """Neither when it is given nor, where a name changes what it means, when it is sent."""
    client = client_of(alice, events=[new_id()])
    settings.WEBHOOKS_PRIVATE = False
    assert tell(client, receiver, "x", Browser.made()).status_code == 409
    settings.WEBHOOKS_PRIVATE = True
    assert tell(client, receiver, "x", Browser.made()).status_code == 302
    settings.WEBHOOKS_PRIVATE = False
    client.post(PAGE, {"act": "try", "nonce": new_id()})
    work()
    assert receiver.got == []
    assert not PushDelivery.objects.exists()


def test_nobody_chooses_for_somebody_else(
    alice: Member, bob: Member, receiver: Receiver, client_of: ClientOf
) -> None:
    event = new_id()
    tell(client_of(alice, events=[event]), receiver, "alice", Browser.made())
    held = PushSubscription.objects.get().pk
    services.push_end(bob.context(), subscription_id=held)
    assert PushSubscription.objects.filter(pk=held).exists()
    with pytest.raises(Refused):
        services.push_try(bob.context(), subscription_id=held)
    anyone = Client()
    assert anyone.get(PAGE).status_code == 302
    with pytest.raises(NotAllowed):
        notices.my_choice(ANONYMOUS)


def test_by_plain_http_nothing_is_promised(
    alice: Member, client_of: ClientOf, settings: Any
) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    client = client_of(alice, events=[new_id()])
    plain = client.get(PAGE, headers={"host": "10.1.2.3:8000"}).content.decode()
    assert "came by plain http" in plain
    assert 'data-do="tell"' not in plain
    assert 'data-do="tell"' in client.get(PAGE, secure=True).content.decode()
    for host in ("localhost", "localhost:8000", "127.0.0.1:8000", "[::1]:8000"):
        assert 'data-do="tell"' in client.get(PAGE, headers={"host": host}).content.decode()
