"""Imports into the reference tables, the commands, the reads and the API."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command

from cards import selectors, shipped
from cards.domain.banlist import MAX_BYTES as MAX_BANLIST_BYTES
from cards.imports import import_ask
from cards.models import Banlist, BanlistEntry, Card, CatalogueState
from cards.rows import banlist_id
from cards.services import BANLIST_STREAM, CATALOGUE_STREAM, banlist_import, catalogue_import
from eventstore import jobfiles, outbox, store
from eventstore.commands import CommandReused, Context
from eventstore.domain.refusal import Refused
from eventstore.models import OutboxRow
from people.access import NotAllowed
from people.domain.actor import ANONYMOUS, SYSTEM
from people.models import Account
from people.services import role_end
from tests.cards.test_read_cards import GILFORD, table
from tests.helpers import queries

pytestmark = pytest.mark.django_db


def system() -> Context:
    return Context(actor=SYSTEM, source="import")


def run(name: str, *args: str) -> tuple[Any, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command(name, *args, "--json", stdout=out, stderr=err)
    return json.loads(out.getvalue()), err.getvalue()


def test_an_import_says_what_changed_and_is_audited(olga: Any) -> None:
    first = catalogue_import(olga.context(), source="a.csv", content=table(GILFORD))
    assert (first.added, first.changed, first.unchanged, first.total) == (1, 0, 0, 1)
    changed = GILFORD.replace("2800", "2900")
    second = catalogue_import(olga.context(), source="b.csv", content=table(changed))
    assert (second.added, second.changed, second.unchanged) == (0, 1, 0)
    assert Card.objects.get().atk == 2900
    assert first.catalogue_hash != second.catalogue_hash
    events = [one.data for one in store.read_stream(CATALOGUE_STREAM)]
    assert [(one.source, one.catalogue_hash, one.total) for one in events] == [  # type: ignore[attr-defined]
        ("a.csv", first.catalogue_hash, 1),
        ("b.csv", second.catalogue_hash, 1),
    ]
    assert store.read_stream(CATALOGUE_STREAM)[0].meta.actor == olga.person_id


def test_the_same_content_again_changes_nothing(olga: Any) -> None:
    catalogue_import(olga.context(), source="a.csv", content=table(GILFORD))
    again = catalogue_import(olga.context(), source="a.csv", content=table(GILFORD))
    assert (again.added, again.changed, again.unchanged) == (0, 0, 1)
    assert len(store.read_stream(CATALOGUE_STREAM)) == 1


def test_a_dry_run_keeps_nothing(olga: Any) -> None:
    outcome = catalogue_import(olga.context(), source="a.csv", content=table(GILFORD), dry_run=True)
    assert (outcome.added, outcome.dry_run) == (1, True)
    listed = banlist_import(
        olga.context(), source="a.conf", content=b"!2020.01 A\n5 1\n", dry_run=True
    )
    assert listed.lists[0].new
    assert not Card.objects.exists()
    assert not Banlist.objects.exists()
    assert store.read_stream(CATALOGUE_STREAM) == store.read_stream(BANLIST_STREAM) == []


def test_a_command_sent_twice_has_one_effect(olga: Any) -> None:
    context = olga.context()
    first = catalogue_import(context, source="a.csv", content=table(GILFORD))
    assert catalogue_import(context, source="a.csv", content=table(GILFORD)) == first
    with pytest.raises(CommandReused):
        catalogue_import(context, source="a.csv", content=table())


def test_only_the_organiser_of_the_site_imports(alice: Any, charlie: Any, jude: Any) -> None:
    for actor in (alice.actor, charlie.actor, jude.actor, ANONYMOUS):
        context = Context(actor=actor, source="player")
        with pytest.raises(NotAllowed):
            catalogue_import(context, source="a.csv", content=table(GILFORD))
        with pytest.raises(NotAllowed):
            banlist_import(context, source="a.conf", content=b"!A\n5 1\n")
    assert not Card.objects.exists()


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"", "cards.csv_columns_missing"), (b"\x1f\x8bxx", "cards.bad_compression")],
)
def test_a_file_that_is_no_source_is_refused_with_a_code(content: bytes, code: str) -> None:
    with pytest.raises(Refused) as refused:
        catalogue_import(system(), source="x", content=content)
    assert refused.value.refusal.code == code
    assert not CatalogueState.objects.exists()


def test_a_later_list_of_the_same_title_is_compared_and_kept_beside_the_first() -> None:
    first = banlist_import(system(), source="a", content=b"!2020.01 A\n5 1\n6 0\n7 2\n").lists[0]
    second = banlist_import(system(), source="b", content=b"!2020.01 A\n5 2\n6 0\n8 1\n").lists[0]
    assert (second.added, second.changed, second.removed, second.unchanged) == (1, 1, 1, 1)
    assert first.banlist_id != second.banlist_id
    assert Banlist.objects.count() == 2
    again = banlist_import(system(), source="c", content=b"!2020.01 A\n6 0\n5 2\n8 1\n").lists[0]
    assert (again.new, again.banlist_id) == (False, second.banlist_id)
    assert len(store.read_stream(BANLIST_STREAM)) == 2
    for content, code in ((b"5 1\n", "cards.no_list"), (b"!\n5 1\n", "cards.untitled_list")):
        with pytest.raises(Refused) as refused:
            banlist_import(system(), source="d", content=content)
        assert refused.value.refusal.code == code


def test_shipped_data_is_loaded_once() -> None:
    loaded, _ = run("load_shipped")
    assert loaded == {"cards": len(shipped.catalogue()), "banlist": True}
    assert run("load_shipped")[0] == {"cards": 0, "banlist": False}
    held = selectors._catalogue()
    assert held.hash == shipped.catalogue().hash
    value = selectors._banlist(banlist_id(shipped.banlist()))
    assert value is not None
    assert value.content_hash == shipped.banlist().content_hash
    assert value.limits == shipped.banlist().limits


def test_the_files_of_the_field_are_imported(shared: Path) -> None:
    counted, err = run("import_cards", str(shared / "data/cards/cards.csv.gz"))
    assert (counted["read"], counted["added"], counted["total"]) == (14_276, 14_276, 14_276)
    assert "14276 added" in err
    again, _ = run("import_cards", str(shared / "data/cards/cards.csv.gz"))
    assert (again["added"], again["changed"], again["unchanged"]) == (0, 0, 14_276)
    merged, _ = run("import_cards", str(shared / "data/cards/cards-2017.cdb"))
    assert (merged["read"], merged["added"]) == (8_398, 225)
    assert Card.objects.count() == 14_276 + 225
    listed, _ = run("import_banlist", str(shared / "data/lflist/ygopro-2017-01-multi.lflist.conf"))
    assert [one["entries"] for one in listed["lists"]] == [178, 145, 199, 178, 419]
    assert BanlistEntry.objects.count() == sum(one["entries"] for one in listed["lists"])


def test_a_command_ends_with_a_code_and_not_with_a_trace(tmp_path: Path, shared: Path) -> None:
    empty = tmp_path / "empty.csv"
    empty.write_bytes(b"")
    template = shared / "data/lflist/babelcdb-rush-template.lflist.conf"
    for name, path, code in (
        ("import_cards", empty, "cards.csv_columns_missing"),
        ("import_cards", tmp_path / "none.csv", "no_file"),
        ("import_cards", tmp_path, "no_file"),
        ("import_banlist", template, "cards.no_list"),
    ):
        with pytest.raises(CommandError, match=code):
            call_command(name, str(path), stderr=io.StringIO())


def test_reads_take_one_small_query_when_nothing_changed() -> None:
    run("load_shipped")
    selectors.catalogue(ANONYMOUS)
    with queries(exactly=1):
        selectors.card_search(ANONYMOUS, "dragon")
    catalogue_import(system(), source="a.csv", content=table(GILFORD))
    assert "36354007" in selectors.catalogue(ANONYMOUS)


def test_the_api_finds_cards_and_lists(client: Any) -> None:
    run("load_shipped")
    found = client.get("/api/v1/cards", {"q": "blue-eyes", "page_size": "1"}).json()["results"]
    assert [card["name"] for card in found] == ["Blue-Eyes Ultimate Dragon"]
    card = client.get("/api/v1/cards/89631139").json()
    assert (card["name"], card["atk"], card["def"]) == ("Blue-Eyes White Dragon", 3000, 2500)
    art = client.get("/api/v1/cards/89631140").json()
    assert (art["identity"], art["assumed_art"]) == ("89631139", True)
    (row,) = client.get("/api/v1/banlists").json()["results"]
    held = client.get(f"/api/v1/banlists/{row['id']}").json()
    assert held["title"] == "2026.01 starter"
    assert len(held["limits"]) == len(shipped.banlist().limits)
    raigeki = client.get("/api/v1/cards/12580477").json()
    assert raigeki["limits"] == {row["id"]: 0}


@pytest.mark.parametrize("path", ["cards/nothing", "cards/999999999999", "banlists/none"])
def test_what_is_not_there_is_404_in_the_manner_of_the_api(client: Any, path: str) -> None:
    answer = client.get(f"/api/v1/{path}")
    assert answer.status_code == 404
    assert answer.json()["code"] == "not_found"


def test_odd_searches_are_no_errors(client: Any) -> None:
    for text in ("", "%", "'; --", "a" * 200, "9" * 200):
        assert client.get("/api/v1/cards", {"q": text}).status_code == 200
    for text in ("\x00", "a" * 5_000):
        answer = client.get("/api/v1/cards", {"q": text})
        assert (answer.status_code, answer.json()["errors"][0]["parameter"]) == (400, "q")


def test_the_admin_imports_a_file_by_the_command(
    olga: Any, client_of: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    kept = tmp_path / "jobs"
    monkeypatch.setattr(jobfiles, "folder", lambda: kept)
    client = client_of(olga)
    page = client.get("/admin/cards/card/import/")
    assert page.status_code == 200
    assert b"multipart/form-data" in page.content
    sent = client.post(
        "/admin/cards/card/import/", {"file": SimpleUploadedFile("a.csv", table(GILFORD))}
    )
    assert sent.status_code == 302
    assert not Card.objects.exists(), "a worker does it"
    outbox.drain()
    told = client.get(sent["Location"]).content.decode()
    assert "1 cards added, 0 changed, 0 as they were." in told
    assert Card.objects.get().name == "Gilford the Lightning"
    assert store.read_stream(CATALOGUE_STREAM)[0].meta.actor == olga.person_id
    refused = client.post(
        "/admin/cards/card/import/", {"file": SimpleUploadedFile("b.csv", b"\x1f\x8bxx")}
    )
    outbox.drain()
    row = OutboxRow.objects.latest("pk")
    assert (row.state, row.found["code"]) == ("given_up", "cards.bad_compression")
    assert b"Given up" in client.get(refused["Location"]).content
    assert [one.suffix for one in kept.iterdir() if one.suffix] == []
    assert client.post("/admin/cards/card/import/", {}).status_code == 422
    listed = client.post(
        "/admin/cards/banlist/import/",
        {"file": SimpleUploadedFile("a.conf", b"!2020.01 A\n36354007 1 --x\n")},
    )
    assert listed.status_code == 302
    outbox.drain()
    assert b"New: 2020.01 A." in client.get(listed["Location"]).content
    row = Banlist.objects.get()
    for path in (
        "card/",
        "card/?q=gilford",
        "card/36354007/change/",
        "banlist/",
        f"banlist/{row.pk}/change/",
    ):
        assert client.get(f"/admin/cards/{path}").status_code == 200, path
    for path in ("card/add/", "card/36354007/delete/", "banlist/add/"):
        assert client.get(f"/admin/cards/{path}").status_code == 403, path


def test_nobody_else_reaches_the_import_of_the_admin(
    charlie: Any, alice: Any, client_of: Any
) -> None:
    for member in (charlie, alice, None):
        answer = client_of(member).post(
            "/admin/cards/card/import/", {"file": SimpleUploadedFile("a.csv", table(GILFORD))}
        )
        assert answer.status_code in (302, 403, 404)
    assert not Card.objects.exists()
    assert not OutboxRow.objects.exists()


def test_an_import_asks_for_the_rights_of_the_moment_it_runs(olga: Any) -> None:
    asked = {"kind": "catalogue", "source": "a.csv", "content": table(GILFORD), "dry_run": False}
    job = import_ask(olga.context(), **asked)
    large = {**asked, "kind": "banlists", "content": b"x" * (MAX_BANLIST_BYTES + 1)}
    with pytest.raises(Refused, match=r"cards\.too_large"):
        import_ask(olga.context(), **large)
    role_end(system(), person_id=olga.person_id, role="organiser")
    Account.objects.update(is_active=False)
    outbox.drain()
    row = OutboxRow.objects.get(pk=job)
    assert (row.state, row.found["code"]) == ("given_up", "people.rights_lost")
    assert not Card.objects.exists()


def test_an_upload_that_is_gone_is_told(olga: Any) -> None:
    job = import_ask(
        olga.context(), kind="catalogue", source="a.csv", content=table(GILFORD), dry_run=True
    )
    jobfiles.remove(OutboxRow.objects.get(pk=job).payload["file"])
    outbox.drain()
    assert OutboxRow.objects.get(pk=job).found["code"] == "cards.upload_gone"


def test_a_list_with_points_is_kept_whole_and_compared_by_points_too(
    tmp_path: Path, client: Any
) -> None:
    from cards.domain.banlist import read_banlists

    text = "!2026.03 Genesys\n$genesys 100 main extra\n5 $genesys 20 --Five\n6 3 15 --Six\n7 0\n"
    path = tmp_path / "genesys.lflist.conf"
    path.write_text(text)
    (first,) = run("import_banlist", str(path))[0]["lists"]
    assert (first["new"], first["added"]) == (True, 3)
    held = selectors.banlist(ANONYMOUS, first["banlist_id"])
    (read,) = read_banlists(text.encode()).lists
    assert held is not None
    assert (held.points, held.limits) == (read.points, read.limits)
    assert held.content_hash == read.content_hash == first["banlist_hash"]
    path.write_text(text.replace("$genesys 20", "$genesys 30"))
    (second,) = run("import_banlist", str(path))[0]["lists"]
    assert (second["changed"], second["unchanged"], second["added"]) == (1, 2, 0)
    body = client.get(f"/api/v1/banlists/{second['banlist_id']}").json()
    assert body["points"] == {
        "name": "genesys",
        "budget": 100,
        "decks": ["main", "extra"],
        "costs": [
            {"passcode": 5, "points": 30, "remark": "Five"},
            {"passcode": 6, "points": 15, "remark": "Six"},
        ],
    }
    assert (body["region"], body["format"]) == ("", "Genesys")
