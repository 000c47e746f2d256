"""The examples of a scrape and of alerts name figures that there are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families as read

from config import metrics
from eventstore import health

ROOT = Path(__file__).resolve().parent.parent.parent
NAME = re.compile(r"headjudge_[a-z_]+")


@pytest.mark.django_db
def test_alerts_and_docs_name_figures_that_there_are() -> None:
    health._kept = None
    Client().get("/")
    answer = Client().get("/metrics", REMOTE_ADDR="127.0.0.1", HTTP_HOST="localhost")
    kinds = {one.name: one.type for one in read(answer.content.decode())}
    known = set(kinds) | {f"{name}_total" for name, kind in kinds.items() if kind == "counter"}
    known.add("headjudge_backup_age_seconds")  # where there is a second path
    known |= {f"{name}_bucket" for name, kind in kinds.items() if kind == "histogram"}
    rules = yaml.safe_load((ROOT / "ops" / "alerts.yml").read_text())["groups"][0]["rules"]
    assert len(rules) > 10
    for rule in rules:
        assert {"alert", "expr", "labels", "annotations"} <= set(rule)
        assert set(NAME.findall(rule["expr"])) <= known, rule["alert"]
    page = (ROOT / "docs" / "observability.md").read_text()
    for name in kinds:
        short = name.removeprefix(f"{metrics.NAMESPACE}_")
        parts = {short, short.split("_", 2)[-1], re.sub(r"^(follower|database_pool)", "", short)}
        assert any(part in page for part in parts), name


def test_the_scrape_is_as_the_server_wants_it() -> None:
    found = yaml.safe_load((ROOT / "ops" / "prometheus.yml").read_text())
    (scrape,) = found["scrape_configs"]
    assert scrape["metrics_path"] == "/metrics"
    assert scrape["authorization"]["type"] == "Bearer"
    assert found["rule_files"] == ["alerts.yml"]
