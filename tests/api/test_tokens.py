"""Tokens: made once, shown once, bound by scopes and event, never more than their person."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from eventstore import clock, store
from eventstore.commands import Context
from eventstore.domain.refusal import Refused
from eventstore.ids import new_id
from people import tokens
from people.access import NotAllowed
from people.domain.actor import Actor
from people.domain.permissions import TABLE, Subject, Verdict, can, scopes_for
from people.domain.roles import Role
from people.domain.scopes import NOT_FOR_TOKENS, Scope
from people.models import Account, ApiToken
from people.services import role_end
from tests.altered import altered
from tests.conftest import Member
from tests.helpers import rebuilds_equal
from tests.judging.hall import Hall, open_hall, raise_call

pytestmark = pytest.mark.django_db
ClientOf = Callable[[Member | None], Client]
BASE = "/api/v1"


@pytest.fixture
def hall(olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member) -> Hall:
    """An event whose first round is on."""
    return open_hall(olga, alice, bob, jude, hedda)


def make_token(member: Member, *scopes: str, days: int = 1, event_id: str | None = None) -> str:
    """Make a token for a member as the page does."""
    secret, digest = tokens.token_new()
    tokens.token_make(
        member.context(),
        token_id=new_id(),
        person_id=member.person_id,
        label="test",
        digest=digest,
        scopes=list(scopes),
        days=days,
        event_id=event_id,
    )
    return secret


def bearer(secret: str) -> dict[str, Any]:
    """Keywords of a test client's request that carries a token."""
    return {"headers": {"Authorization": f"Bearer {secret}"}}


def test_a_token_is_kept_as_a_hash_and_its_secret_stands_nowhere(charlie: Member) -> None:
    secret = make_token(charlie, "read")
    row = ApiToken.objects.get()
    assert secret.startswith("hj_")
    assert len(secret) > 40
    kept = json.dumps([str(value) for value in vars(row).values()])
    assert secret not in kept
    events = store.read_stream(f"person-{charlie.person_id}")
    assert events[-1].type == "people.token_made"
    assert all(secret not in str(one.data) and row.digest not in str(one.data) for one in events)
    assert Client().get(f"{BASE}/events", **bearer(secret)).status_code == 200


def test_use_is_marked_and_not_at_every_request(charlie: Member) -> None:
    start = datetime(2026, 7, 4, 9, tzinfo=UTC)
    with clock.clock_set(lambda: start):
        secret = make_token(charlie, "read")
        Client().get(f"{BASE}/events", **bearer(secret))
    assert ApiToken.objects.get().used_at == start
    with clock.clock_set(lambda: start + timedelta(minutes=1)):
        Client().get(f"{BASE}/events", **bearer(secret))
    assert ApiToken.objects.get().used_at == start
    with clock.clock_set(lambda: start + timedelta(minutes=6)):
        Client().get(f"{BASE}/events", **bearer(secret))
    assert ApiToken.objects.get().used_at == start + timedelta(minutes=6)


@pytest.mark.parametrize("end", ["expire", "revoke", "close", "forge", "empty"])
def test_a_token_that_is_over_is_refused_by_name(charlie: Member, end: str) -> None:
    secret = make_token(charlie, "read")
    when = clock.now()
    if end == "expire":
        when += timedelta(days=1, seconds=1)
    elif end == "revoke":
        tokens.token_revoke(
            charlie.context(), token_id=ApiToken.objects.get().pk, person_id=charlie.person_id
        )
    elif end == "close":
        Account.objects.filter(person_id=charlie.person_id).update(is_active=False)
    elif end == "forge":
        secret = altered(secret)
    else:
        secret = ""
    with clock.clock_set(lambda: when):
        answer = Client().get(f"{BASE}/events", **bearer(secret))
    assert answer.status_code == 401
    assert answer["WWW-Authenticate"] == "Bearer"
    assert answer.json()["code"] == "token_refused"
    assert answer["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"scopes": []}, "people.token_scopes"),
        ({"scopes": ["root"]}, "people.token_scopes"),
        ({"scopes": ["read", "root"]}, "people.token_scopes"),
        ({"days": 0}, "people.token_days"),
        ({"days": 9999}, "people.token_days"),
        ({"label": "  "}, "people.token_label"),
        ({"label": "x" * 61}, "people.token_label"),
        ({"label": "a\x00b"}, "people.token_label"),
    ],
)
def test_bad_wishes_are_refused_and_leave_nothing(
    charlie: Member, values: dict[str, Any], code: str
) -> None:
    usual = {"label": "x", "scopes": ["read"], "days": 1, "digest": "0" * 64}
    with pytest.raises(Refused) as caught:
        tokens.token_make(
            charlie.context(),
            token_id=new_id(),
            person_id=charlie.person_id,
            **(usual | values),
        )
    assert caught.value.refusal.code == code
    assert not ApiToken.objects.exists()


def test_nobody_makes_or_ends_a_token_of_somebody_else(
    charlie: Member, olga: Member, alice: Member
) -> None:
    values = {"token_id": new_id(), "label": "x", "scopes": ["read"], "days": 1, "digest": "0" * 64}
    with pytest.raises(NotAllowed):
        tokens.token_make(olga.context(), person_id=charlie.person_id, **values)
    make_token(charlie, "read")
    row = ApiToken.objects.get()
    with pytest.raises(NotAllowed):
        tokens.token_revoke(olga.context(), token_id=row.pk, person_id=charlie.person_id)
    with pytest.raises(Refused) as caught:
        tokens.token_revoke(olga.context(), token_id=row.pk, person_id=olga.person_id)
    assert caught.value.refusal.code == "people.token_unknown"
    # a phone on a join link has no log-in: a token of it would be more than the phone is
    with pytest.raises(Refused) as caught:
        tokens.token_make(alice.context(), person_id=alice.person_id, **values)
    assert caught.value.refusal.code == "people.token_needs_account"


def test_a_token_is_not_enough_to_make_a_token(olga: Member) -> None:
    actor, _row = tokens.token_actor(make_token(olga, *Scope)) or pytest.fail("no actor")
    with pytest.raises(NotAllowed):
        tokens.token_make(
            Context(actor, "player"),
            token_id=new_id(),
            person_id=olga.person_id,
            label="more",
            digest="1" * 64,
            scopes=["site"],
            days=366,
        )


# --------------------------------------------------------------------- scopes

EVENT = "00000000-0000-7000-8000-00000000e001"
OTHER = "00000000-0000-7000-8000-00000000e002"


def everybody() -> list[Actor]:
    """One actor per role, one with all, and a player, each with a log-in."""
    roles: list[frozenset[Role]] = [frozenset({one}) for one in Role]
    made = [
        Actor("p", True, event_roles={EVENT: held, OTHER: held})
        for held in [*roles, frozenset(Role), frozenset()]
    ]
    return [*made, Actor("p", True, site_organiser=True, event_roles={EVENT: frozenset(Role)})]


def subjects() -> list[Subject]:
    return [
        Subject(event_id=event, owners=frozenset(owners), public=public)
        for event in (EVENT, OTHER, None)
        for owners in ((), ("p",), ("q",))
        for public in (True, False)
    ]


def test_a_token_never_exceeds_its_person() -> None:
    tried = 0
    chosen = [
        frozenset(some) for size in (0, 1, 2, 7) for some in itertools.combinations(Scope, size)
    ]
    for actor in everybody():
        for scopes in chosen:
            token = replace(actor, scopes=frozenset(one.value for one in scopes))
            for action in TABLE:
                for subject in subjects():
                    tried += 1
                    theirs, its = can(actor, action, subject), can(token, action, subject)
                    assert its is not Verdict.ALLOWED or theirs is Verdict.ALLOWED, action
                    # and it learns of nothing that its person may not know of
                    assert its is Verdict.HIDDEN or theirs is not Verdict.HIDDEN, action
    assert tried > 100_000


def test_reading_scopes_act_nowhere_and_no_scope_makes_tokens() -> None:
    for action in TABLE:
        looks = {"read", "staff_read"} & set(scopes_for(action))
        if looks:
            assert action.endswith(
                ("_read", "_read_draft", "_as_player", "_as_judge", "list_check", "desk_use")
            ), action
        if action in NOT_FOR_TOKENS:
            assert scopes_for(action) == []
    assert scopes_for("tournaments.result_enter") == ["desk", "judge"]
    assert scopes_for("duels.duel_act") == ["play"]
    assert scopes_for("judging.queue_read") == ["staff_read", "desk", "judge"]
    assert scopes_for("portal.webhook_manage") == ["desk", "site", "webhooks"]
    assert scopes_for("tournaments.event_create") == ["site"]


def test_scopes_over_http(hall: Hall, jude: Member, hedda: Member) -> None:
    call_id = raise_call(hall.dora, hall.other_match)
    queue, claim = f"{BASE}/events/{hall.event_id}/calls", f"{BASE}/calls/{call_id}/claim"

    def tries(*scopes: str, event_id: str | None = None) -> list[int]:
        with_token = bearer(make_token(jude, *scopes, event_id=event_id))
        return [
            Client().get(queue, **with_token).status_code,
            Client().post(claim, {}, "application/json", **with_token).status_code,
        ]

    assert tries("read") == [404, 404]
    assert tries("play") == [404, 404]
    assert tries("desk") == [404, 404], "Jude has no desk to act at"
    assert tries("staff_read") == [200, 404]
    assert tries("judge", event_id=new_id()) == [404, 404], "a token for another event"
    assert tries("judge", event_id=hall.event_id) == [200, 200]
    with_token = bearer(make_token(jude, "judge"))
    role_end(hall.olga.context(), person_id=jude.person_id, role="judge", event_id=hall.event_id)
    assert Client().get(queue, **with_token).status_code == 404, "the role ended, the token lives"


def test_a_token_needs_no_csrf_and_a_session_does(olga: Member, client_of: ClientOf) -> None:
    secret = make_token(olga, "site")
    strict = Client(enforce_csrf_checks=True)
    made = strict.post(f"{BASE}/events", {"name": "x"}, "application/json", **bearer(secret))
    assert made.status_code == 201
    strict.force_login(Account.objects.get(username="olga"))
    refused = strict.post(f"{BASE}/events", {"name": "y"}, "application/json")
    assert (refused.status_code, refused.json()["code"]) == (403, "csrf_failed")


# ------------------------------------------------------------------- the page


def page_form(client: Client) -> dict[str, str]:
    """Read the hidden fields of the form that makes a token."""
    text = client.get("/my/access/").content.decode()
    form = re.search(r'<form method="post" class="card stack">(.*?)</form>', text, re.S)
    assert form
    return dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form[1]))


def test_the_page_makes_shows_once_lists_and_ends(charlie: Member, client_of: ClientOf) -> None:
    client = client_of(charlie)
    form = page_form(client) | {"label": "My screen", "scope": ["read", "play"], "days": "7"}
    answer = client.post("/my/access/", form)
    secret = re.search(r'id="secret" readonly value="(hj_[^"]+)"', answer.content.decode())
    assert secret
    assert "no-store" in answer["Cache-Control"]
    row = ApiToken.objects.get()
    assert (row.label, row.scopes) == ("My screen", ["read", "play"])
    assert Client().get(f"{BASE}/events", **bearer(secret[1])).status_code == 200
    again = client.get("/my/access/").content.decode()
    assert "My screen" in again
    assert "hj_" not in again
    twice = client.post("/my/access/", form)
    assert twice.status_code == 409
    assert ApiToken.objects.count() == 1
    ended = client.post(
        "/my/access/", {"act": "revoke", "nonce": new_id(), "token_id": row.pk}, follow=True
    )
    assert "The token is ended." in ended.content.decode()
    assert Client().get(f"{BASE}/events", **bearer(secret[1])).status_code == 401
    rebuilds_equal()


def test_the_page_is_for_log_ins(alice: Member, charlie: Member, client_of: ClientOf) -> None:
    for nobody in (client_of(None), client_of(alice)):
        assert nobody.get("/my/access/")["Location"] == "/sign-in/?next=%2Fmy%2Faccess%2F"
    client = client_of(charlie)
    wrong = page_form(client) | {"label": "", "scope": "read", "days": "7"}
    assert client.post("/my/access/", wrong).status_code == 409
    strange = page_form(client) | {"label": "x", "scope": "root", "days": "\u0663"}
    assert client.post("/my/access/", strange).status_code == 409
    assert not ApiToken.objects.exists()


def test_the_command_prints_the_token_alone(charlie: Member) -> None:
    out, err = StringIO(), StringIO()
    call_command("token_make", "charlie", "--scope", "play", stdout=out, stderr=err)
    secret = out.getvalue().strip()
    assert secret.startswith("hj_")
    assert Client().get(f"{BASE}/events", **bearer(secret)).status_code == 200
    out = StringIO()
    call_command("token_make", "charlie", "--json", stdout=out)
    assert set(json.loads(out.getvalue())) == {"id", "token"}
    with pytest.raises(CommandError, match="no user"):
        call_command("token_make", "nobody")
    with pytest.raises(CommandError, match="token_days"):
        call_command("token_make", "charlie", "--days", "0")


def test_no_token_before_the_second_factor_that_is_due(
    olga: Member, client_of: ClientOf, settings: Any
) -> None:
    """A token would carry the powers that the session has not proved itself for."""
    settings.SECOND_FACTOR = "required"
    client = client_of(olga)
    form = {"act": "make", "nonce": new_id(), "label": "x", "scope": "site", "days": "1"}
    for answer in (client.get("/my/access/"), client.post("/my/access/", form)):
        assert answer["Location"] == "/account/second-factor/"
    assert not ApiToken.objects.exists()
