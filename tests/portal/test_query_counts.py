"""How many statements each page costs, per reader: the baselines stand in query_counts.json.

A page that asks more than its baseline fails. After a change that is meant, write them anew:
QUERIES=write pytest tests/portal/test_query_counts.py, and look at the difference.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.helpers import query_count
from tests.portal.test_pages import CAST, PAGES, House, house  # noqa: F401

BASELINES = Path(__file__).with_name("query_counts.json")
pytestmark = pytest.mark.django_db


def test_no_page_asks_more_than_its_baseline(house: House) -> None:  # noqa: F811
    found: dict[str, dict[str, int]] = {}
    for name in CAST:
        client = house.client(name)
        for page, expected in PAGES.items():
            if expected[name] == 200:
                path = house.address(page)
                client.get(path)  # what is cached for the process is not the page's cost
                asked = query_count(lambda path=path, client=client: client.get(path))
                found.setdefault(page, {})[name] = asked
    if os.environ.get("QUERIES") == "write":
        BASELINES.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
    known = json.loads(BASELINES.read_text())
    more = [
        f"{page} for {name}: {count}, not {known.get(page, {}).get(name)}"
        for page, counts in found.items()
        for name, count in counts.items()
        if count > known.get(page, {}).get(name, -1)
    ]
    assert not more, "\n".join(more)
    gone = sorted(set(known) - set(found))
    assert not gone, f"baselines of pages that are gone: {gone}"
