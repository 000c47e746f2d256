"""Mail against a real mail server on this machine: nothing but the question before an address is
confirmed, the player's link afterwards, again with pauses, once, none where it is switched off."""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Callable, Iterator
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from config.doctor import services
from config.doctor.findings import BAD, GOOD
from eventstore import clock, outbox, projections, subscriptions
from eventstore.ids import new_id
from people.erasure import person_erase
from portal.mail import links, sending
from portal.models import MailAddress, MailDelivery
from tests.altered import altered
from tests.certificates import self_signed
from tests.conftest import Member
from tests.portal.smtp import Post, posting
from tournaments import services as tournaments
from tournaments.models import EntrantRow

pytestmark = pytest.mark.django_db
ClientOf = Callable[..., Client]
PAGE, SITE = "/my/messages/", "https://duels.example.org"
MINE = "alice@example.net"


@pytest.fixture
def post(settings: Any) -> Iterator[Post]:
    """A mail server that takes everything, and the settings that lead to it."""
    with posting() as held:
        settings.MAIL_SERVER = held.server()
        settings.MAIL_FROM = "Spring duel <duels@example.org>"
        settings.SITE_URL = SITE
        yield held


def work() -> None:
    """Do what the worker does: follow the log, then the outbox until nothing is due."""
    subscriptions.advance_all(["portal.mail"])
    while outbox.drain():
        pass


def event(olga: Member, **settings: Any) -> str:
    """An event that people can enrol in."""
    event_id = new_id()
    values = {"name": "Spring duel", "decks_required": False} | settings
    tournaments.event_create(olga.context(), event_id=event_id, **values)
    tournaments.registration_open(olga.context(), event_id=event_id)
    return event_id


def enrol(olga: Member, event_id: str, member: Member) -> None:
    """Enrol somebody at the desk."""
    tournaments.entrant_enrol(olga.context(), event_id=event_id, person_id=member.person_id)


def ask(client: Client, address: str = MINE, **headers: Any) -> Any:
    """Give an address, as the page does."""
    return client.post(PAGE, {"act": "mail", "nonce": new_id(), "address": address}, **headers)


def text_of(post: Post, at: int = -1) -> str:
    """The text of a mail."""
    return str(post.taken[at][2].get_content())


def path_in(text: str, beginning: str) -> str:
    """The path of the link in a mail."""
    found = re.search(rf"{re.escape(SITE)}({re.escape(beginning)}\S+)", text)
    assert found is not None, text
    return found[1]


def confirm(post: Post) -> Any:
    """Open the newest question and say yes, as whoever reads the mail: nobody known."""
    work()
    reader, path = Client(), path_in(text_of(post), "/mail/")
    assert "Yes, it is mine" in reader.get(path).content.decode()
    return reader.post(path, {"nonce": new_id()})


def test_an_address_is_asked_first_and_then_told_of_the_own_link(
    olga: Member, alice: Member, bob: Member, post: Post, client_of: ClientOf
) -> None:
    first = event(olga)
    enrol(olga, first, alice)
    client = client_of(alice, events=[first])
    assert ask(client).status_code == 302
    assert b"example.net" not in bytes(MailAddress.objects.get().sealed)
    second = event(olga, name="Summer duel")
    enrol(olga, second, bob)
    work()
    sender, to, mail = post.taken[0]
    assert (len(post.taken), sender, to) == (1, "FROM:<duels@example.org>", f"TO:<{MINE}>")
    assert mail["From"] == "Spring duel <duels@example.org>"
    assert "Alice" not in text_of(post)
    assert first not in text_of(post), "nothing of the person before it is confirmed"
    path = path_in(text_of(post), "/mail/")
    Client().get(path)
    assert MailAddress.objects.get().confirmed_at is None, "a mail program that looks is no yes"
    assert "is yours" in confirm(post).content.decode()
    work()
    assert [mail["Subject"] for _from, _to, mail in post.taken[1:]] == ["You are in: Spring duel"]
    phone = Client()
    joined = phone.post(path_in(text_of(post), "/join/"), {"nonce": new_id()})
    assert joined.headers["Location"] == f"/my/{first}/", "the link is the player's own"
    enrol(olga, second, alice)
    work()
    work()
    subjects = [mail["Subject"] for _from, _to, mail in post.taken]
    assert subjects[2:] == ["You are in: Summer duel"]
    mail = post.taken[-1][2]
    assert mail["Auto-Submitted"] == "auto-generated"
    stop = path_in(str(mail["List-Unsubscribe"]), "/mail/").rstrip(">")
    for name in projections.registered():
        projections.rebuild(name)
    work()
    assert len(post.taken) == 3, "a rebuild tells nothing"
    assert not MailDelivery.objects.exists()
    assert "taken out" in Client().post(stop, {"nonce": new_id()}).content.decode()
    assert not MailAddress.objects.exists()


def test_a_seat_that_is_kept_is_offered_by_mail(
    olga: Member, alice: Member, bob: Member, post: Post, client_of: ClientOf
) -> None:
    event_id = event(olga)
    tournaments.door_set(olga.context(), event_id=event_id, changes={"capacity": 1})
    enrol(olga, event_id, bob)
    enrol(olga, event_id, alice)
    ask(client_of(alice, events=[event_id]))
    confirm(post)
    work()
    assert len(post.taken) == 1, "who waits is not in"
    held = EntrantRow.objects.get(event_id=event_id)
    tournaments.entrant_drop(olga.context(), event_id=event_id, entrant_id=held.pk)
    work()
    assert post.taken[-1][2]["Subject"] == "A seat is kept for you"
    phone = Client()
    joined = phone.post(path_in(text_of(post), "/join/"), {"nonce": new_id()})
    assert joined.headers["Location"] == f"/my/{event_id}/seat/"
    client = client_of(alice, events=[event_id])
    client.post(PAGE, {"act": "choose", "nonce": new_id(), "by_mail": "1", "mail": ["seat"]})
    client.post(f"/my/{event_id}/seat/", {"act": "accept", "nonce": new_id()})
    work()
    assert len(post.taken) == 2, "enrolled is switched off"


def test_what_the_server_does_not_take_now_is_tried_again_and_nothing_comes_twice(
    olga: Member, alice: Member, post: Post, client_of: ClientOf
) -> None:
    now = clock.now()
    with clock.clock_set(lambda: now):
        client = client_of(alice, events=[event(olga)])
        post.replies = {
            "": ["421 busy", "close", "220 here"],
            "MAIL": ["451 later"],
            "TAKEN": ["452 full", "close"],
            "QUIT": ["close"],
        }
        ask(client)
        tries = []
        for _ in range(12):
            work()
            held = MailDelivery.objects.first()
            if held is None:
                break
            tries.append(held.next_at - now)
            work()
            assert post.tries == len(tries), "nothing is tried within the pause"
            now = held.next_at
        assert tries == [timedelta(minutes=m) for m in (1, 4, 16, 60, 60)]
    assert post.tries == 6
    assert len(post.taken) == 1, "taken is taken, though the connection broke at the end"
    assert not MailDelivery.objects.exists()


def test_a_server_that_is_down_costs_one_try_per_pause_and_old_mail_is_given_up(
    olga: Member, alice: Member, bob: Member, post: Post, client_of: ClientOf
) -> None:
    now = clock.now()
    with clock.clock_set(lambda: now):
        event_id = event(olga)
        post.replies = {"": ["421 busy"] * 99}
        for member in (alice, bob):
            ask(client_of(member, events=[event_id]), f"{member.name}@example.net")
        work()
        assert post.tries == 1
        now += timedelta(minutes=1)
        work()
        assert post.tries == 2
        now += timedelta(days=3)
        work()
        assert post.tries == 2
    assert not MailDelivery.objects.exists()


def test_an_address_that_is_not_taken_now_holds_up_nobody_else(
    olga: Member, alice: Member, bob: Member, post: Post, client_of: ClientOf
) -> None:
    now = clock.now()
    with clock.clock_set(lambda: now):
        event_id = event(olga)
        post.replies = {"RCPT": ["450 4.1.2 domain not found"]}
        for member in (alice, bob):
            ask(client_of(member, events=[event_id]), f"{member.name}@example.net")
        work()
        assert (post.tries, len(post.taken)) == (2, 1)
        now += timedelta(minutes=1)
        work()
        assert (post.tries, len(post.taken)) == (3, 2)


def test_an_address_that_is_refused_for_good_is_not_asked_again(
    olga: Member, alice: Member, post: Post, client_of: ClientOf
) -> None:
    event_id = event(olga)
    ask(client_of(alice, events=[event_id]))
    confirm(post)
    post.replies = {"RCPT": ["550 5.1.1 nobody here"]}
    enrol(olga, event_id, alice)
    work()
    assert len(post.taken) == 1
    assert MailAddress.objects.get().confirmed_at is None
    assert not MailDelivery.objects.exists()


@pytest.mark.parametrize(
    "address",
    ["", "alice", "a@b", "a@b.c\r\nBcc: x@y.zz", "älice@example.net", "a" * 250 + "@example.net"],
)
def test_what_is_no_address_is_refused(
    olga: Member, alice: Member, post: Post, client_of: ClientOf, address: str
) -> None:
    assert ask(client_of(alice, events=[new_id()]), address).status_code == 409
    assert not MailAddress.objects.exists()


def test_nobody_is_flooded_with_questions(
    olga: Member, alice: Member, bob: Member, post: Post, client_of: ClientOf
) -> None:
    client, other = client_of(alice, events=[new_id()]), client_of(bob, events=[new_id()])
    for number in range(3):
        assert ask(client, MINE).status_code == 302, number
    for number in range(2):
        assert ask(other, MINE.upper()).status_code == 302, number
    assert ask(other, MINE).status_code == 409
    assert ask(client, MINE).status_code == 409
    later = clock.now() + timedelta(days=1)
    with clock.clock_set(lambda: later):
        assert ask(client, MINE).status_code == 302


def test_links_that_are_forged_or_old_do_nothing(
    olga: Member, alice: Member, post: Post, client_of: ClientOf
) -> None:
    ask(client_of(alice, events=[event(olga)]))
    row = MailAddress.objects.get()
    good = links.make(links.CONFIRM, row.pk, row.digest)
    forged = [altered(good), good.replace(":", ";"), "x"]
    for token in forged:
        assert Client().post(f"/mail/{token}/", {"nonce": new_id()}).status_code == 404
    wrong = links.make(links.CONFIRM, row.pk, "0" * 64)
    assert Client().post(f"/mail/{wrong}/", {"nonce": new_id()}).status_code == 409
    assert MailAddress.objects.get().confirmed_at is None
    stop = links.make(links.STOP, row.pk, "0" * 64)
    assert Client().post(f"/mail/{stop}/", {"nonce": new_id()}).status_code == 200
    assert MailAddress.objects.exists(), "the link of an address that was given before"


def test_without_a_mail_server_nothing_is_promised_and_erasing_takes_the_address(
    olga: Member, alice: Member, post: Post, client_of: ClientOf, settings: Any
) -> None:
    event_id = event(olga)
    client = client_of(alice, events=[event_id])
    ask(client)
    assert MINE in client.get(PAGE).content.decode()
    settings.MAIL_SERVER = None
    text = client.get(PAGE).content.decode()
    assert MINE not in text
    assert "mail" not in text.lower().replace("by_mail", "")
    assert ask(client).status_code == 409
    work()
    assert post.taken == []
    assert person_erase(olga.context(), person_id=alice.person_id)["mail addresses"] == 1
    assert not MailAddress.objects.exists()


@pytest.mark.parametrize("way", ["smtps", "starttls"])
def test_tls_is_verified_and_the_password_goes_over_nothing_else(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain, secret = self_signed(tmp_path, "localhost")
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(chain, secret)
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "a@example.org", "b@example.org", "Łódź"
    mail.set_content("Đặng\n.\nend\n")
    with posting(server, from_the_start=way == "smtps") as held:
        held.users = {"olga": "word"}
        right = held.server(way, "olga", "word")
        assert sending.send(right, mail, name="x").fault == "tls"
        assert held.signed_in == []
        monkeypatch.setattr(sending, "trust", lambda: ssl.create_default_context(cafile=chain))
        assert sending.send(right, mail, name="x").taken
        assert held.taken[0][2]["Subject"] == "Łódź"
        assert held.taken[0][2].get_content() == "Đặng\n.\nend\n"
        assert sending.send(held.server(way, "olga", "no"), mail, name="x").fault == "535"
        assert sending.send(held.server(way), mail, name="x").for_good
        assert (sending.probe(right).taken, len(held.taken)) == (True, 1)
    assert sending.send(right, mail, name="x").fault == "connect"
    with posting() as plain:
        plain.users = {"olga": "word"}
        kept = plain.server("starttls", "olga", "word")
        assert not sending.send(kept, mail, name="x").taken
        assert plain.signed_in == []


def test_the_doctor_says_whether_the_mail_server_lets_us_in(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    post.users = {"olga": "word"}
    said = {}
    for user in ("", "olga:word@", "olga:no@"):
        monkeypatch.setenv("MAIL_URL", f"smtp://{user}localhost:{post.port}")
        said[user] = next(iter(services.mail()))
    assert [one.state for one in said.values()] == [GOOD, GOOD, BAD]
    assert "535" in said["olga:no@"].said
    assert "olga" not in str(list(said.values()))
    monkeypatch.delenv("MAIL_URL")
    assert next(iter(services.mail())).said == "not used"
    assert post.taken == []


def test_a_mail_server_that_hangs_is_not_waited_for(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "SECONDS", 0.2)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        server = Post(port=silent.getsockname()[1]).server()
        # it never says a word, and never hangs up: without a limit this would have no end
        assert sending.send(server, EmailMessage(), name="x").fault == "connect"


def test_a_list_that_came_back_is_told_by_mail_one_in_order_is_not(
    olga: Member, alice: Member, post: Post, client_of: ClientOf
) -> None:
    event_id = event(olga)
    enrol(olga, event_id, alice)
    ask(client_of(alice, events=[event_id]))
    confirm(post)
    work()
    held = {"event_id": event_id, "entrant_id": EntrantRow.objects.get(event_id=event_id).pk}
    tournaments.paper_receive(olga.context(), deck_id=new_id(), **held)
    work()
    count = len(post.taken)
    tournaments.paper_return(olga.context(), **held)
    work()
    assert len(post.taken) == count + 1
    assert post.taken[-1][2]["Subject"] == "Your deck list is not handed in"
    assert f"{SITE}/my/{event_id}/deck/" in text_of(post)
