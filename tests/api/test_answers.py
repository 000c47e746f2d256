"""What the server really answers, to everybody, is what the schema says: each status, and each
field of each body, with no field beyond it."""

from __future__ import annotations

from typing import Any

import pytest

from config.openapi import document
from tests.api.described import checker
from tests.api.routes import CONVERTER
from tests.api.test_walk import NEEDED as WALK
from tests.api.test_walk_case import NEEDED as CASE
from tests.api.test_walk_door import NEEDED as DOOR
from tests.api.test_walk_floor import NEEDED as FLOOR
from tests.api.test_walk_remedies import NEEDED as REMEDIES
from tests.api.test_walk_replays import NEEDED as REPLAYS
from tests.api.test_walk_undo import NEEDED as UNDO
from tests.portal.cast import CAST, House
from tests.portal.test_routes import ask, table

pytestmark = pytest.mark.django_db


def test_every_answer_to_everybody_is_as_described(house: House) -> None:
    faults: list[str] = []
    good: set[str] = set()
    for line in table():
        if not line.route.startswith("api/v1/") or line.bare == "api/v1/schema":
            continue
        path = "/" + CONVERTER.sub(r"{\g<name>}", line.bare)
        method = line.method.lower()
        one = document()["paths"][path][method]
        for name in CAST:
            answer: Any = ask(house.clients[name], line, house)
            status = str(answer.status_code)
            where = f"{line.method} {line.route} {name} {status}"
            if status not in one["responses"]:
                faults.append(f"{where}: not described")
                continue
            if status.startswith("2"):
                good.add(one["operationId"])
            found = checker(path, method, status).iter_errors(answer.json())
            faults += [f"{where}: {list(fault.path)} {fault.message[:200]}" for fault in found]
    assert not faults, "\n".join(faults[:40])
    every = {
        one["operationId"] for methods in document()["paths"].values() for one in methods.values()
    }
    # In the one state of the stage not all can go well; what cannot, the walks carry out.
    walked = WALK | CASE | DOOR | FLOOR | REPLAYS | UNDO | REMEDIES
    left = sorted(every - good - walked)
    assert not left, "\n".join(left)
