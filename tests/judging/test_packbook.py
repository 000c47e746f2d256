"""The policy pack of an event: chosen, copied, edited by form and file, confirmed, frozen."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from eventstore.domain.refusal import Refused
from eventstore.ids import new_id
from judging import packbook, selectors
from judging.domain.pack_file import parse
from judging.domain.pack_toml import fingerprint, read_toml, written
from judging.domain.words import Moment
from judging.matches import pack_of
from judging.models import CallRow, EventPackRow, PackRow
from judging.packs import packs, values_of
from people.access import NotAllowed
from tests.conftest import Member
from tests.helpers import rebuilds_equal
from tests.judging.hall import Hall, at, open_hall, raise_call
from tournaments import services as tournaments
from tournaments.selectors import tardy_tables
from tournaments.services import penalty_apply

ClientOf = Callable[[Member | None], Client]
REFS = [one.ref for versions in packs().values() for one in versions.values()]


@pytest.mark.parametrize("ref", REFS)
def test_a_pack_that_is_written_and_read_again_is_the_same(ref: str) -> None:
    values = values_of(ref)
    again = tomllib.loads(written(values))
    assert again == values
    assert fingerprint(again) == fingerprint(values)
    assert not isinstance(parse(again), list)


@given(st.text(max_size=300))
def test_a_file_of_anything_is_refused_and_never_breaks_the_reader(content: str) -> None:
    read = read_toml(content)
    if isinstance(read, dict):
        assert isinstance(parse(read), list)


def test_a_file_that_is_too_deep_or_too_large_is_refused() -> None:
    assert getattr(read_toml("a = " + "[" * 5000), "code", "") == "judging.pack_unreadable"
    assert getattr(read_toml("#" * 70_000), "code", "") == "judging.pack_too_large"
    # read in full, this one key takes half a minute
    dotted = read_toml("pack = 1\n" + "a." * 31_000 + "a = 1")
    assert getattr(dotted, "code", "") == "judging.pack_unreadable"
    assert getattr(dotted, "params", {}) == {"found": "line 2"}


def changed(ref: str, **paths: Any) -> str:
    """The file of a pack with other values."""
    values = tomllib.loads(written(values_of(ref)))
    for path, value in paths.items():
        section, _, key = path.partition("__")
        values[section][key] = value
    return written(values)


@pytest.mark.django_db
def test_an_organiser_copies_edits_confirms_and_the_first_call_freezes(
    hall: Hall, alice: Member, jude: Member, olga: Member
) -> None:
    event = hall.event_id
    assert pack_of(event).ref == "house-rules@1"
    packbook.pack_choose(olga.context(), event_id=event, ref="konami-tcg@2.2")
    assert pack_of(event).ref == "konami-tcg@2.2"

    kept = packbook.pack_keep(
        olga.context(),
        event_id=event,
        content=changed("konami-tcg@2.2", tardiness__game_loss_after_s=300),
        based_on="konami-tcg@2.2",
        use=True,
    )
    own = pack_of(event)
    assert (own.ref, own.tardiness.game_loss_after_s) == (kept.ref, 300)
    with pytest.raises(Refused, match="nothing_changed"):
        packbook.pack_keep(
            olga.context(),
            event_id=event,
            content=changed("konami-tcg@2.2", tardiness__game_loss_after_s=300),
        )
    marks = len(own.confirm)
    left = packbook.pack_confirm(
        olga.context(), event_id=event, paths=["tardiness.game_loss_after_s", "photos.allowed"]
    )
    assert left == marks - 2
    view = packbook.policy_view(jude.actor, event)
    mark = next(one for one in view.marks if one.path == "tardiness.game_loss_after_s")
    assert (mark.open, mark.by_name, view.open_marks) == (False, "Olga", marks - 2)

    # the next version has another value there: what was confirmed of the other one stays
    packbook.pack_keep(
        olga.context(),
        event_id=event,
        content=changed("konami-tcg@2.2", tardiness__game_loss_after_s=240),
        use=True,
    )
    unsure = packbook.open_paths(event, pack_of(event))
    assert "tardiness.game_loss_after_s" in unsure
    assert "photos.allowed" not in unsure

    call_id = raise_call(alice, hall.match_id)
    row = CallRow.objects.get(pk=call_id)
    assert f"{row.pack}@{row.pack_version}" == pack_of(event).ref == kept.ref[:-1] + "2"
    with pytest.raises(Refused, match="pack_frozen"):
        packbook.pack_choose(olga.context(), event_id=event, ref="konami-tcg@2.2")
    third = changed("konami-tcg@2.2", tardiness__game_loss_after_s=60)
    with pytest.raises(Refused, match="pack_frozen"):
        packbook.pack_keep(olga.context(), event_id=event, content=third, use=True)
    packbook.pack_keep(olga.context(), event_id=event, content=third)
    assert pack_of(event).tardiness.game_loss_after_s == 240, "the running event goes on by its own"
    assert PackRow.objects.count() == 3
    assert selectors.policy(jude.actor, event).ref == pack_of(event).ref
    rebuilds_equal("judging.policies", "judging.calls")


@pytest.mark.django_db
def test_only_the_organiser_changes_the_pack_and_only_to_what_is_there(
    hall: Hall, jude: Member, hedda: Member, alice: Member, olga: Member
) -> None:
    event = hall.event_id
    for member in (jude, hedda, alice):
        with pytest.raises(NotAllowed):
            packbook.pack_choose(member.context(), event_id=event, ref="konami-tcg@2.2")
        with pytest.raises(NotAllowed):
            packbook.pack_confirm(member.context(), event_id=event, paths=["infractions.T-MAJOR"])
    with pytest.raises(NotAllowed):
        packbook.policy_view(alice.actor, event)
    with pytest.raises(NotAllowed):
        packbook.policy_view(olga.actor, new_id())
    for ref in ("konami-tcg@9", "own-000000000000@1", "", "x" * 300, "house-rules"):
        with pytest.raises(Refused, match="unknown_pack"):
            packbook.pack_choose(olga.context(), event_id=event, ref=ref)
    with pytest.raises(Refused, match="not_marked"):
        packbook.pack_confirm(olga.context(), event_id=event, paths=["time.grace_s"])
    with pytest.raises(Refused, match="nothing_changed"):
        packbook.pack_confirm(olga.context(), event_id=event, paths=[])
    assert not EventPackRow.objects.exists()


@pytest.mark.django_db
def test_the_pages_name_every_fault_and_take_a_form_and_a_file(
    hall: Hall, client_of: ClientOf, olga: Member, jude: Member
) -> None:
    page = f"/staff/events/{hall.event_id}/pack/"
    client = client_of(olga)
    shown = client.get(page).content.decode()
    assert "To be confirmed" in shown
    assert "Lateness" in shown
    judge = client_of(jude).get(page).content.decode()
    assert "Keep this version" not in judge
    assert client_of(jude).get(f"{page}edit/").status_code == 403

    file = client.get(f"{page}file/?pack=konami-tcg@2.2")
    assert file["Content-Disposition"].endswith('"konami-tcg-2.2.toml"')
    content = file.content.decode()
    bad = content.replace("grace_s = 60", "grace_s = -1").replace("round_up_s", "roundup")
    sent = SimpleUploadedFile("pack.toml", bad.encode())
    refused = client.post(page, {"act": "file", "nonce": new_id(), "file": sent, "use": "1"})
    assert refused.status_code == 409
    told = refused.content.decode()
    assert all(path in told for path in ("time.grace_s", "time.roundup", "time.round_up_s"))
    sent = SimpleUploadedFile("pack.toml", content.replace("grace_s = 60", "grace_s = 90").encode())
    kept = client.post(page, {"act": "file", "nonce": new_id(), "file": sent, "use": "1"})
    assert kept.status_code == 302
    assert pack_of(hall.event_id).time.grace_s == 90

    form = client.get(f"{page}edit/").context
    sent_form = _as_sent(form["sections"]) | {
        f"base.{one['code']}": one["base"] for one in form["bases"]
    }
    sent_form |= {"title": "Spring rules", "act": "edit", "nonce": new_id(), "use": "1"}
    spoiled = client.post(
        f"{page}edit/",
        sent_form | {"nonce": new_id(), "time.grace_s": "soon", "presets": "NO-SUCH/kind"},
    )
    assert spoiled.status_code == 409
    assert all(
        f"<code>{path}</code>" in spoiled.content.decode() for path in ("time.grace_s", "presets")
    )
    kept = client.post(
        f"{page}edit/",
        sent_form
        | {"photos.allowed": "1", "base.SP-MINOR": "game_loss", "time.grace_s": "30"}
        | {"targets.match_loss.between_games": "next_match"}
        | {"presets": "SP-MINOR/long_decisions\n PE-MINOR/card_moved"},
    )
    assert kept.status_code == 302
    used = pack_of(hall.event_id)
    assert (used.title["en"], used.photos_allowed, used.time.grace_s) == ("Spring rules", True, 30)
    assert used.infractions["SP-MINOR"].base == "game_loss"
    assert used.match_targets[Moment.BETWEEN_GAMES] == "next_match"
    assert used.presets == ("SP-MINOR/long_decisions", "PE-MINOR/card_moved")
    assert used.upgrade.never == {"T-MAJOR", "T-STRICT"}, "what was not touched is as before"
    assert PackRow.objects.get(number=2).based_on == PackRow.objects.get(number=1).ref

    shown = client.get(page).content.decode()
    assert "another lateness" not in shown
    copied = client.get(f"{page}edit/?pack=konami-ocg-idn@1").content.decode()
    assert "konami-ocg-idn@1" in copied
    assert client.get(f"{page}edit/?pack=no@1").status_code == 404
    late = changed("konami-tcg@2.2", tardiness__game_loss_after_s=300)
    packbook.pack_keep(olga.context(), event_id=hall.event_id, content=late, use=True)
    shown = client.get(page).content.decode()
    assert "another lateness" not in shown, "the pack that was chosen decides of lateness too"
    packbook.pack_choose(olga.context(), event_id=hall.event_id, ref=used.ref)

    answer = client.post(
        page,
        {"act": "confirm", "nonce": new_id(), "path": ["photos.allowed", "infractions.T-MAJOR"]},
    )
    assert answer.status_code == 302
    assert "photos.allowed" not in packbook.open_paths(hall.event_id, used)


@pytest.mark.django_db
def test_a_pack_that_is_not_there_is_said_and_another_one_chosen(
    olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member, client_of: ClientOf
) -> None:
    hall = open_hall(olga, alice, bob, jude, hedda, pack="no-such-pack@7")
    client, staff = client_of(jude), f"/staff/events/{hall.event_id}"
    sheet = client.get(f"{staff}/tables/{hall.match_id}/", follow=True)
    assert "no-such-pack@7, which is not there" in sheet.content.decode()
    told = client.get(f"/api/v1/events/{hall.event_id}/policy")
    assert (told.status_code, told.json()["code"]) == (409, "judging.unknown_pack")
    penalty_apply(
        olga.context(), event_id=hall.event_id, entrant_id=hall.eb, kind="disqualification"
    )
    for page in ("calls", "tables", "pack", "rulings", "floor", "disputes"):
        assert client.get(f"{staff}/{page}/").status_code == 200, page
    assert client_of(alice).get(f"/my/{hall.event_id}/disputes/").status_code == 200
    kept = client_of(hedda).get(f"{staff}/packets/", follow=True)
    assert kept.status_code == 200
    assert hall.eb in kept.content.decode()
    packbook.pack_choose(olga.context(), event_id=hall.event_id, ref="house-rules@1")
    assert client.get(f"{staff}/tables/{hall.match_id}/").status_code == 200


def _as_sent(sections: list[dict[str, Any]]) -> dict[str, Any]:
    """What a browser sends of the form as it stands."""
    sent: dict[str, Any] = {}
    for section in sections:
        for one in section["fields"]:
            if one["kind"] == "flag":
                sent |= {one["path"]: "1"} if one["value"] else {}
            elif one["kind"] in ("choice", "choices"):
                on = [option["value"] for option in one["options"] if option["on"]]
                sent[one["path"]] = on
            else:
                sent[one["path"]] = one["value"]
    return sent


@pytest.mark.django_db
def test_the_command_shows_checks_keeps_and_chooses(
    hall: Hall, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("policy_pack", "list")
    assert "konami-ocg-idn@1: Konami OCG, Indonesia" in capsys.readouterr().out
    call_command("policy_pack", "show", "duel-masters@1")
    file = tmp_path / "pack.toml"
    file.write_text(capsys.readouterr().out)
    call_command("policy_pack", "check", str(file))
    assert "right: 15 infractions" in capsys.readouterr().out
    call_command("policy_pack", "keep", hall.event_id, str(file), "--use")
    assert pack_of(hall.event_id).infractions["PE-RESTORED"].base == "none"
    call_command("policy_pack", "choose", hall.event_id, "konami-ocg@1")
    assert pack_of(hall.event_id).ref == "konami-ocg@1"
    file.write_text(file.read_text().replace('"none"', '"slap"').replace("grace_s = 60", ""))
    with pytest.raises(CommandError, match="pack_faulty"):
        call_command("policy_pack", "check", str(file))
    told = capsys.readouterr().err
    assert "infractions.PE-RESTORED.base" in told
    assert "time.grace_s" in told
    for wrong in (["show", "no@1"], ["check", str(tmp_path / "none")], ["choose", new_id(), "x"]):
        with pytest.raises((CommandError, NotAllowed)):
            call_command("policy_pack", *wrong)


@pytest.mark.django_db
def test_two_packs_differ_in_who_may_play_and_when_lateness_costs(
    hall: Hall, jude: Member, olga: Member, client_of: ClientOf
) -> None:
    """House rules let the judge play and cost a game after three minutes; an own version of the
    TCG's does neither."""
    event, row = hall.event_id, hall.match
    late: dict[str, Any] = {"match_id": row.pk, "seat": "P1"}

    def enrol() -> str:
        return tournaments.entrant_enrol(
            olga.context(), event_id=event, person_id=jude.person_id
        ).entrant_id

    with at(0):
        tournaments.clock_start(olga.context(), event_id=event, minutes=40)
        tournaments.player_miss(olga.context(), **late)
        tournaments.entrant_drop(olga.context(), event_id=event, entrant_id=enrol())
    own = changed("konami-tcg@2.2", tardiness__game_loss_after_s=290)
    packbook.pack_keep(
        olga.context(), event_id=event, content=own, based_on="konami-tcg@2.2", use=True
    )
    with at(4):
        with pytest.raises(Refused, match=r"tournaments\.staff_plays"):
            enrol()
        with pytest.raises(Refused, match="tardy_early") as early:
            tournaments.tardiness_confirm(olga.context(), **late, kind="game_loss")
        assert early.value.refusal.params == {"found": 4, "allowed": 5}
        view = tardy_tables(olga.actor, event)
        assert view is not None
        assert view.rules.policy.game_loss_min == 5
        page = client_of(olga).get(f"/staff/events/{event}/pack/").content.decode()
        assert "go by another lateness" not in page
    packbook.pack_choose(olga.context(), event_id=event, ref="house-rules@1")
    with at(4):
        enrol()
        tournaments.tardiness_confirm(olga.context(), **late, kind="game_loss")
    assert hall.wins(row.p2) == 1
