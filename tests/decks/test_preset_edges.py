"""Presets of organisers over the API, in the admin and on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from decks.models import PresetVersion
from eventstore.ids import new_id
from tests.conftest import Member

DATA = {"id": "pond", "title": "Pond singles", "main": {"least": 40}, "copies": {"most": 1}}
TOML = 'id = "pond"\ntitle = "Pond singles"\n[main]\nleast = 40\n[copies]\nmost = 1\n'


@pytest.mark.django_db
class TestApi:
    def test_made_edited_and_read(
        self, olga: Member, charlie: Member, client_of: Callable[..., Client]
    ) -> None:
        client = client_of(olga)

        def post(who: Client, data: object, **more: object) -> tuple[int, dict[str, object]]:
            answer = who.post(
                "/api/v1/presets",
                json.dumps({"rules": data, **more}),
                content_type="application/json",
                headers={"Idempotency-Key": new_id()},
            )
            return answer.status_code, answer.json()

        assert post(client_of(charlie), DATA)[0] == 403
        status, body = post(client, DATA, base=0)
        assert status == 201, body
        assert (status, body["id"], body["unchanged"]) == (201, "pond@1", False)
        assert post(client, DATA)[1]["unchanged"] is True
        assert post(client, {**DATA, "copies": {"most": 2}}, base=1)[1]["id"] == "pond@2"
        status, body = post(client, DATA, base=1)
        assert (status, body["code"]) == (409, "decks.preset_moved_on")
        status, body = post(client, {"id": "pond", "title": "P", "main": {"least": "x"}})
        assert (status, body["code"]) == (409, "decks.preset_invalid")
        assert "main.least" in json.dumps(body)
        first = client.get("/api/v1/presets/pond@1").json()
        assert (first["rules"]["copies"]["most"], first["newest"]) == (1, False)
        assert client.get("/api/v1/presets/pond@3").status_code == 404
        assert client.get("/api/v1/presets/classic").json()["version"] is None
        listed = client.get("/api/v1/presets?newest=true").json()["results"]
        assert [one["id"] for one in listed] == [
            "classic", "advanced", "goat", "classic-dm", "pond@2",
        ]  # fmt: skip

    def test_a_list_is_checked_under_it(
        self, olga: Member, client_of: Callable[..., Client]
    ) -> None:
        from decks.preset_services import preset_publish

        preset_publish(olga.context(), content=TOML)
        answer = client_of(None).post(
            "/api/v1/decks/check",
            json.dumps({"content": "#main\n89631139\n", "preset": "pond@1"}),
            content_type="application/json",
        )
        assert [one["rule"] for one in answer.json()["errors"]] == ["pond@1/main.least"]


@pytest.mark.django_db
class TestAdmin:
    def test_made_edited_and_every_fault_shown(
        self, olga: Member, client_of: Callable[..., Client]
    ) -> None:
        client = client_of(olga)
        make = "/admin/decks/presetversion/make/"
        assert "my-format" in client.get(make).content.decode()
        wrong = TOML.replace("40", "-4") + "[side]\nmost = 'x'\n"
        answer = client.post(make, {"content": wrong, "base": "0", "nonce": new_id()})
        assert answer.status_code == 422
        body = answer.content.decode()
        assert "2 values to put right" in body
        assert "<code>main.least</code> is out of range: -4" in body
        assert "<code>side.most</code>" in body
        done = client.post(make, {"content": TOML, "base": "0", "nonce": new_id()})
        assert done.status_code == 302
        edit = done["Location"].replace("/change/", "/edit/")
        assert "Pond singles" in client.get(edit).content.decode()
        text = PresetVersion.objects.get().body.replace("most = 1\nextra", "most = 2\nextra")
        done = client.post(edit, {"content": text, "base": "1", "nonce": new_id()})
        assert done.status_code == 302
        assert PresetVersion.objects.get(newest=True).pk == "pond@2"
        assert "most = 2" in client.get(done["Location"]).content.decode()
        late = client.post(edit, {"content": text + "\n", "base": "1", "nonce": new_id()})
        assert late.status_code == 422
        assert "is not the newest" in late.content.decode()

    def test_nobody_else_comes_in(self, charlie: Member, client_of: Callable[..., Client]) -> None:
        assert client_of(charlie).get("/admin/decks/presetversion/make/").status_code == 403


class TestCommand:
    def _check(self, tmp_path: Path, preset: str, *more: str) -> list[dict[str, object]]:
        deck, rules = tmp_path / "a.ydk", tmp_path / "pond.toml"
        deck.write_text("#main\n" + "89631139\n" * 2)
        rules.write_text(preset)
        out = StringIO()
        arguments = ("check_deck", str(deck), "--rules", str(rules), "--json", *more)
        call_command(*arguments, stdout=out, stderr=StringIO())
        found: list[dict[str, object]] = json.loads(out.getvalue())
        return found

    def test_a_file_of_rules(self, tmp_path: Path) -> None:
        text = TOML + "[points]\nbudget = 9\n[points.cards]\n89631139 = 5\n"
        (found,) = self._check(tmp_path, text)
        assert found["points"] == {"found": 10, "allowed": 9}
        assert [one["rule"] for one in found["errors"]] == [  # type: ignore[attr-defined]
            "pond/main.least",
            "pond/copies.most",
            "pond/points.budget",
        ]

    @pytest.mark.parametrize(
        ("text", "code"),
        [("=", "bad_preset"), ("id = 5", "preset_invalid"), ("#" * 300_000, "too_large")],
    )
    def test_a_file_that_is_none_is_said_so(self, tmp_path: Path, text: str, code: str) -> None:
        with pytest.raises(CommandError, match=code):
            self._check(tmp_path, text)

    def test_every_fault_of_the_file_is_told_by_its_path(self, tmp_path: Path) -> None:
        with pytest.raises(CommandError, match=r"title.*main\.least.*side\.sizes\[0\]"):
            self._check(tmp_path, 'id = "pond"\n[side]\nsizes = [-1]\n')

    def test_a_list_beside_limits_of_its_own_is_refused(self, tmp_path: Path) -> None:
        limits = tmp_path / "a.lflist.conf"
        limits.write_text("!A\n89631139 0\n")
        with pytest.raises(CommandError, match="two_lists"):
            self._check(tmp_path, TOML + "[limits.cards]\n5 = 1\n", "--banlist", str(limits))
        (found,) = self._check(tmp_path, TOML, "--banlist", str(limits))
        assert "pond/limits" in json.dumps(found)

    def test_no_such_rules(self, tmp_path: Path) -> None:
        with pytest.raises(CommandError, match="unknown_preset"):
            call_command("check_deck", str(tmp_path), "--rules", "nothing", stderr=StringIO())
