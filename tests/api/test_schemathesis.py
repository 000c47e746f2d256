"""Requests that fit the schema and requests that do not, by everybody, each with a token of its
own: no fault of the server, no answer that the schema does not describe.

Where schemathesis draws an id, half of the time one of the stage stands in its place, so that
the requests reach the things there are. Whatever a request does is undone after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis.generation import GenerationMode

from config.openapi import document
from eventstore.ids import new_id
from people import tokens
from people.domain.scopes import Scope
from people.models import Account
from people.services import account_open
from tests.api.described import strict
from tests.conftest import PASSWORD, Member
from tests.portal.cast import House
from tests.sizes import SIZES

pytestmark = pytest.mark.django_db
CHECKS = [
    schemathesis.checks.not_a_server_error,
    *(
        found
        for found in schemathesis.checks.CHECKS.get_all()
        if found.__name__
        in {
            "status_code_conformance",
            "content_type_conformance",
            "response_headers_conformance",
            "response_schema_conformance",
        }
    ),
]
SETTINGS = settings(
    max_examples=SIZES.api_examples,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture
def secrets(house: House) -> dict[str, str]:
    """A token of every member of the cast, with all scopes; nothing for nobody."""
    made = {"anyone": ""}
    for name, member in house.cast.items():
        if member is None:
            continue
        if not Account.objects.filter(person_id=member.person_id).exists():
            account_open(
                house.cast["site"].context(),  # type: ignore[union-attr]
                person_id=member.person_id,
                username=f"log-in-{name}",
                password_hash=PASSWORD,
            )
            member = Member(member.person_id, member.name, f"log-in-{name}")
        made[name], digest = tokens.token_new()
        tokens.token_make(
            member.context(),
            token_id=new_id(),
            person_id=member.person_id,
            label="schemathesis",
            digest=digest,
            scopes=[one.value for one in Scope],
            days=1,
        )
    return made


def operations() -> Iterator[Any]:
    """Yield every operation of the schema, closed against fields that it does not name."""
    schema = schemathesis.openapi.from_dict(strict(document()))
    schema.app = WSGIHandler()
    for found in schema.get_all_operations():
        yield found.ok()


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_no_request_breaks_the_server_or_its_word(
    house: House, secrets: dict[str, str], mode: GenerationMode
) -> None:
    answers: dict[int, int] = {}

    def try_all(operation: Any) -> None:
        @SETTINGS
        @given(
            case=operation.as_strategy(generation_mode=mode),
            name=st.sampled_from(sorted(secrets)),
            known=st.booleans(),
        )
        def send(case: Any, name: str, known: bool) -> None:
            if known:
                for part in case.path_parameters or {}:
                    case.path_parameters[part] = house.ids.get(part, case.path_parameters[part])
            headers = {"Authorization": f"Bearer {secrets[name]}"} if secrets[name] else {}
            point = transaction.savepoint()
            try:
                response = case.call(headers=headers)
            finally:
                transaction.savepoint_rollback(point)
            answers[response.status_code] = answers.get(response.status_code, 0) + 1
            case.validate_response(response, checks=CHECKS)

        send()

    tried = 0
    for operation in operations():
        try:
            try_all(operation)
        except Unsatisfiable:  # nothing of it can be made not to fit
            assert mode is GenerationMode.NEGATIVE
        else:
            tried += 1
    assert tried > 40
    # The requests got somewhere: past the parsers, past the table, to the things there are.
    wanted = {200, 404} if mode is GenerationMode.POSITIVE else {400, 404}
    assert wanted <= set(answers), answers
