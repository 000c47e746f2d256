"""Policy packs are data that is checked: the shipped one passes, a spoiled one says where."""

from __future__ import annotations

import copy
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.domain.pack_file import parse
from judging.domain.policy import Pack
from judging.domain.words import Penalty
from judging.packs import DATA, UnknownPack, newest, pack, packs
from tests.judging.material import house


def values() -> dict[str, Any]:
    return tomllib.loads((DATA / "house-rules-1.toml").read_text(encoding="utf-8"))


def test_every_shipped_pack_is_valid_and_found_by_id_and_version() -> None:
    for name, versions in packs().items():
        for version, one in versions.items():
            assert pack(name, version) is one
    assert newest("house-rules").ref == "house-rules@1"
    with pytest.raises(UnknownPack):
        pack("house-rules", "0")
    with pytest.raises(UnknownPack):
        newest("no-such-pack")


def test_game_losses_wait_except_for_lateness_and_lists() -> None:
    one = house()
    for code, infraction in one.infractions.items():
        high = infraction.base in (
            Penalty.GAME_LOSS,
            Penalty.MATCH_LOSS,
            Penalty.DISQUALIFICATION,
        )
        exempt = code in {"T-MAJOR", "T-STRICT", "DE-MAJOR"}
        assert one.needs_approval(infraction.base, code) == (high and not exempt), code


def test_the_numbers_to_confirm_are_named() -> None:
    assert "time.deck_check_bonus_s" in house().confirm
    assert house().confirmed_by is None


@pytest.mark.parametrize(
    ("path", "value", "fault"),
    [
        ("time.grace_s", -1, "time.grace_s"),
        ("time.grace_s", True, "time.grace_s"),
        ("time.grace_s", 1.5, "time.grace_s"),
        ("time.extension_from", "raised", "time.extension_from"),
        ("time.grase_s", 60, "time.grase_s"),
        ("ladder", ["game_loss", "warning"], "ladder"),
        ("ladder", "warning", "ladder"),
        ("photos", "yes", "photos"),
        ("photos.allowed", "yes", "photos.allowed"),
        ("disputes.window_hours", 9000, "disputes.window_hours"),
        ("statements.required_for", ["UC-NONE"], "statements.required_for"),
        ("slip.kind", "told_apart", "slip.kind"),
        ("targets.match_loss", {"in_game": "this_game"}, "targets.match_loss.in_game"),
        ("upgrade.steps", {"warning": ["game_loss"]}, "upgrade.steps.warning"),
        ("upgrade.steps", {"slap": ["warning"]}, "upgrade.steps.slap"),
        ("effective", "soon", "effective"),
        ("infractions", {}, "infractions"),
        ("approval.except", ["NO-SUCH"], "approval.except"),
        ("infractions.DC-MINOR.base", "slap", "infractions.DC-MINOR.base"),
        ("infractions.DC-MINOR.label", {"hu": "x"}, "infractions.DC-MINOR.label"),
        ("infractions.lower", {}, "infractions.lower"),
        ("confirm", ["time.no_such"], "confirm"),
        ("targets.in_game", "event", "targets.in_game"),
        ("upgrade", 7, "upgrade"),
    ],
)
def test_a_fault_is_named_by_its_path(path: str, value: Any, fault: str) -> None:
    spoiled = values()
    here = spoiled
    *way, last = path.split(".")
    for key in way:
        here = here[key]
    here[last] = value
    found = parse(spoiled)
    assert isinstance(found, list)
    assert fault in {one.path for one in found}


@given(st.data())
def test_a_pack_with_a_part_missing_or_strange_never_crashes_the_reader(
    data: st.DataObject,
) -> None:
    spoiled = copy.deepcopy(values())
    key = data.draw(st.sampled_from(sorted(spoiled)))
    junk = st.one_of(
        st.none(), st.integers(), st.text(max_size=5), st.lists(st.text(max_size=3), max_size=2),
        st.dictionaries(st.text(max_size=5), st.integers(), max_size=2),
    )  # fmt: skip
    spoiled[key] = data.draw(junk)
    found = parse(spoiled)
    assert isinstance(found, Pack) or found


@pytest.mark.parametrize("language", ["en", "hu", "hr", "vi", "pl"])
def test_every_label_of_a_shipped_pack_speaks_every_language(language: str) -> None:
    """A ruling is read by both players, each in the own language."""
    for versions in packs().values():
        for one in versions.values():
            labels = {code: known.label.get(language) for code, known in one.infractions.items()}
            assert all(labels.values()), labels
            assert len(set(labels.values())) == len(labels), "two infractions of one name"
            assert one.title.get(language)
