"""Lists on paper: received, photographed, typed in with every error, checked, repaired."""

from __future__ import annotations

import io
import struct
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from PIL import Image

from cards import shipped
from decks import photos, selectors, services
from decks.domain.decklist import DeckList
from decks.domain.registration import Change, ListState, difference
from decks.models import DeckInForce, Photo
from decks.pictures import EDGE, Picture, cleaned
from eventstore import store
from eventstore.commands import Context
from eventstore.domain.refusal import Refusal, Refused
from eventstore.ids import new_id
from people.access import NotAllowed
from people.domain.actor import SYSTEM
from people.erasure import person_erase, person_export
from tests.conftest import Member
from tests.helpers import rebuilds_equal

EVENT, ENTRANT, DECK = new_id(), new_id(), new_id()
EMBER = shipped.decks()["starter-ember"]


def photo(size: tuple[int, int] = (60, 40), kind: str = "PNG", **extra: Any) -> bytes:
    made = io.BytesIO()
    Image.new("RGB", size, "teal").save(made, kind, **extra)
    return made.getvalue()


def test_a_photo_is_made_anew_without_anything_of_the_sender() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # lies on its side
    exif[0x010E] = "taken by somebody"
    sent = photo((80, 20), "JPEG", exif=exif, comment=b"at home")
    made = cleaned(sent)
    assert isinstance(made, Picture)
    assert (made.width, made.height) == (20, 80), "turned as it was held"
    assert b"somebody" in sent
    assert b"somebody" not in made.data
    assert b"at home" not in made.data
    with Image.open(io.BytesIO(made.data)) as kept:
        assert (kept.format, dict(kept.getexif())) == ("JPEG", {})
    # what a camera wrote beside it may be nonsense: a description that is a number, of a type
    tags = struct.pack("<HHHII", 2, 0x0112, 3, 1, 6) + struct.pack("<HHIf", 0x010E, 11, 1, 0.5)
    block = b"Exif\0\0II*\0\x08\0\0\0" + tags + bytes(4)
    plain = photo((80, 20), "JPEG")
    odd = plain[:2] + b"\xff\xe1" + struct.pack(">H", len(block) + 2) + block + plain[2:]
    made = cleaned(odd)
    assert isinstance(made, Picture)
    assert (made.width, made.height) == (20, 80)
    large = cleaned(photo((EDGE * 2, 100), "JPEG"))
    assert isinstance(large, Picture)
    assert large.width == EDGE
    clear = io.BytesIO()
    Image.new("RGBA", (4, 4), (0, 0, 0, 0)).save(clear, "WEBP")
    shown = cleaned(clear.getvalue())
    assert isinstance(shown, Picture)


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (b"", "photo_missing"),
        (b"#main\n1\n", "photo_unreadable"),
        (b"\x89PNG\r\n\x1a\n" + b"\x00" * 40, "photo_unreadable"),
        (photo()[:-30], "photo_unreadable"),
        (photo(kind="GIF"), "photo_unreadable"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "photo_unreadable"),
        (b"\xff\xd8\xff" + b"\x00" * (10 << 20), "photo_too_large"),
        (photo((5000, 5000)), "photo_too_large"),
    ],
)
def test_what_is_no_photo_is_refused(sent: bytes, code: str) -> None:
    made = cleaned(sent)
    assert isinstance(made, Refusal)
    assert made.code == f"decks.{code}"


def test_versions_differ_copy_by_copy() -> None:
    before = DeckList(("1", "1", "2"), (), ("3",))
    assert difference(before, DeckList(("1", "2", "2"), (), ())) == (
        Change("main", "1", -1),
        Change("main", "2", 1),
        Change("side", "3", -1),
    )
    assert difference(before, before) == ()


@pytest.fixture(autouse=True)
def _own_data_dir(settings: Any, tmp_path: Path) -> None:
    """Who is erased here stands on a list of its own."""
    settings.DATA_DIR = tmp_path


@pytest.fixture
def desk(olga: Member, alice: Member) -> Context:
    """The shipped cards, and Olga at the desk of the event."""
    call_command("load_shipped", verbosity=0)
    olga.grant("scorekeeper", EVENT)
    return olga.context()


def receive(member: Member, alice: Member, **other: str) -> Any:
    values = {
        "deck_id": DECK,
        "event_id": EVENT,
        "entrant_id": ENTRANT,
        "person_id": alice.person_id,
    }
    return services.paper_receive(member.context(), **{**values, **other})


def enter(member: Member, content: str = EMBER) -> Any:
    return services.paper_enter(member.context(), deck_id=DECK, content=content, preset="classic")


def add_photo(member: Member, sent: bytes | None = None) -> str:
    picture = cleaned(sent or photo())
    assert isinstance(picture, Picture)
    photo_id = new_id()
    services.photo_add(member.context(), deck_id=DECK, photo_id=photo_id, picture=picture)
    return photo_id


def row() -> DeckInForce:
    return DeckInForce.objects.get(pk=DECK)


@pytest.mark.django_db
def test_paper_goes_through_its_states(desk: Context, olga: Member, alice: Member) -> None:
    assert receive(olga, alice).state == ListState.PAPER
    received = row()
    assert (received.number, received.received_by) == (0, olga.person_id)
    receive(olga, alice)  # a second tap
    assert len(store.read_stream(f"deck-{DECK}")) == 1
    add_photo(olga)
    assert row().state == ListState.PHOTOGRAPHED
    assert enter(olga).state == ListState.ENTERED
    assert services.list_confirm(olga.context(), deck_id=DECK, number=1).state == "checked"
    assert row().state == ListState.CHECKED
    assert row().handed_in_at == received.handed_in_at, "not when it was typed in"
    assert row().submitted_at > received.handed_in_at
    assert rebuilds_equal("decks.in_force") == 1
    with pytest.raises(Refused, match=r"decks\.list_confirmed"):
        enter(olga, shipped.decks()["starter-tide"])


@pytest.mark.django_db
def test_what_was_handed_in_on_paper_is_not_replaced_by_its_player(
    desk: Context, olga: Member, alice: Member
) -> None:
    receive(olga, alice)
    for content in (EMBER, shipped.decks()["starter-tide"]):
        with pytest.raises(Refused, match=r"decks\.paper_there"):
            services.list_submit(
                alice.context(),
                deck_id=DECK,
                event_id=EVENT,
                entrant_id=ENTRANT,
                person_id=alice.person_id,
                content=content,
                preset="classic",
            )
    services.paper_return(olga.context(), deck_id=DECK)
    assert not DeckInForce.objects.exists()
    with pytest.raises(NotAllowed):
        services.paper_return(olga.context(), deck_id=DECK)
    receive(olga, alice)
    enter(olga)
    with pytest.raises(Refused, match=r"decks\.paper_used"):
        services.paper_return(olga.context(), deck_id=DECK)
    with pytest.raises(Refused, match=r"decks\.not_this_entrant"):
        receive(olga, alice, entrant_id=new_id())
    services.list_lock(Context(SYSTEM, "system"), deck_id=DECK)
    assert enter(olga, shipped.decks()["starter-tide"]).number == 2, "a slip of the pen"


@pytest.mark.django_db
def test_an_illegal_paper_is_kept_with_its_errors_until_a_judge_repairs_it(
    desk: Context, olga: Member, alice: Member, jude: Member
) -> None:
    jude.grant("judge", EVENT)
    receive(olga, alice)
    lines = EMBER.strip().splitlines()
    first = next(one for one in lines if one.strip().isdigit())
    typed = "\n".join([*lines, first, first, first, "No Such Card Of Anybody"])
    kept = enter(olga, typed)
    assert (kept.state, kept.number) == ("entered", 1)
    assert "too_many_copies" in kept.errors
    assert row().errors == len(kept.errors)
    found = selectors.typed_and_report(jude.actor, DECK)
    assert found is not None
    text, report = found
    assert text == typed
    assert [one.code for one in report.errors] == list(kept.errors)
    with pytest.raises(NotAllowed):
        selectors.typed_and_report(alice.actor, DECK)
    with pytest.raises(Refused, match=r"decks\.repair_first"):
        services.list_confirm(olga.context(), deck_id=DECK, number=1)

    def repair(member: Member, content: str = EMBER, reason: str = "three copies too many") -> Any:
        return services.list_repair(
            member.context("judge"),
            deck_id=DECK,
            content=content,
            reason=reason,
            infraction="DE-MAJOR",
            infraction_kind="list_illegal",
        )

    for member in (alice, olga):
        with pytest.raises(NotAllowed):
            repair(member)
    with pytest.raises(Refused, match=r"decks\.illegal_list"):
        repair(jude, typed)
    with pytest.raises(Refused, match=r"decks\.reason_missing"):
        repair(jude, reason=" ")
    assert repair(jude).number == 2
    with pytest.raises(Refused, match=r"decks\.nothing_repaired"):
        repair(jude)
    with pytest.raises(Refused, match=r"decks\.list_repaired"):
        enter(olga)
    history = selectors.deck_versions(alice.actor, DECK)
    one, two = history.versions
    assert history.repaired == two
    assert (one.source, two.source, two.reason) == ("paper", "judge", "three copies too many")
    assert {(part.key, part.copies) for part in two.changes} == {(first, -3)}
    assert row().errors == 0
    assert rebuilds_equal("decks.in_force") == 1


@pytest.mark.django_db
def test_photos_are_for_staff_and_can_be_erased(
    desk: Context, olga: Member, alice: Member, charlie: Member, hedda: Member
) -> None:
    hedda.grant("head_judge", EVENT)
    with pytest.raises(NotAllowed):
        add_photo(olga)  # nothing was received yet
    receive(olga, alice)
    first, second = add_photo(olga), add_photo(olga, photo((30, 30)))
    same = cleaned(photo())
    assert isinstance(same, Picture)
    services.photo_add(olga.context(), deck_id=DECK, photo_id=new_id(), picture=same)
    assert set(photos.photos_about(olga.actor, EVENT, DECK)) == {first, second}
    data = photos.photo_data(olga.actor, first)
    assert data == same.data
    assert same.data not in bytes(Photo.objects.get(pk=first).sealed)
    for member in (alice, charlie):
        with pytest.raises(NotAllowed) as hidden:
            photos.photo_data(member.actor, first)
        assert hidden.value.hidden
        with pytest.raises(NotAllowed):
            services.photo_erase(member.context(), deck_id=DECK, photo_id=first)
    services.photo_erase(hedda.context("judge"), deck_id=DECK, photo_id=first)
    with pytest.raises(Refused, match=r"decks\.photo_gone"):
        services.photo_erase(hedda.context("judge"), deck_id=DECK, photo_id=first)
    with pytest.raises(NotAllowed):
        photos.photo_data(olga.actor, first)
    assert row().photos == 1
    told: Any = next(
        one.data
        for one in store.read_stream(f"deck-{DECK}")
        if one.type == "decks.paper_photographed"
    )
    assert told.sha256 == same.sha256
    assert len(person_export(SYSTEM, alice.person_id)["photos"]) == 1
    assert person_erase(Context(SYSTEM, "system"), person_id=alice.person_id)["photos"] == 1
    with pytest.raises(NotAllowed):
        photos.photo_data(olga.actor, second)
    assert rebuilds_equal("decks.in_force") == 1
