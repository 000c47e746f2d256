"""Message catalogues without gettext's programs: read, write, compile, extract, check."""

from __future__ import annotations

import gettext
import io
from pathlib import Path

import polib
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools import messages
from tools.messages import Entry

PAGE = """{% load i18n %}<h1>{% translate "Round (of %)" %}</h1> {{ _("Table") }}
{% blocktranslate count n=n trimmed %}
  {{ n }} duel
{% plural %}
  {{ n }} duels
{% endblocktranslate %} {% translate "May" context "month" %}
"""
CODE = """
from django.utils.translation import gettext as _, ngettext, pgettext_lazy
A = _("Judge {name} was called")
B = ngettext("%(n)s point", "%(n)s points", 3)
C = pgettext_lazy("verb", "Lead")
D = other("not a text")
E = _(variable)
"""


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small house with one page and one module, and no catalogues."""
    pages = tmp_path / "portal" / "templates" / "portal"
    pages.mkdir(parents=True)
    (pages / "home.html").write_text(PAGE)
    (tmp_path / "portal" / "words.py").write_text(CODE)
    monkeypatch.setattr(messages, "ROOT", tmp_path)
    return tmp_path


def test_texts_of_pages_and_code_are_found(house: Path) -> None:
    found = {key: entry.plural for key, entry in messages.sources().items()}
    assert found == {
        (None, "Round (of %%)"): None,
        (None, "Table"): None,
        (None, "%(n)s duel"): "%(n)s duels",
        ("month", "May"): None,
        (None, "Judge {name} was called"): None,
        (None, "%(n)s point"): "%(n)s points",
        ("verb", "Lead"): None,
    }


def translated(language: str) -> list[Entry]:
    """Give every text of the small house a translation that keeps its placeholders."""
    entries = []
    for entry in messages.sources().values():
        forms = messages.plural_count(language) if entry.plural else 1
        entries.append(
            Entry(
                entry.context,
                entry.singular,
                entry.plural,
                [f"{language}{index} {entry.singular}" for index in range(forms)],
            )
        )
    return entries


def test_a_whole_catalogue_passes_the_check(house: Path) -> None:
    for language in messages.LANGUAGES:
        messages.write_po(messages.po_path(language), language, translated(language))
    assert messages.check() == []


def spoil(language: str, change: str) -> None:
    entries = translated(language)
    first = next(entry for entry in entries if entry.singular.startswith("Judge"))
    if change == "missing":
        entries.remove(first)
    elif change == "empty":
        first.forms = [""]
    elif change == "placeholder":
        first.forms = ["Judge {nom}"]
    elif change == "leftover":
        entries.append(Entry(None, "Gone", None, ["Weg"]))
    elif change == "plural":
        next(entry for entry in entries if entry.plural).forms.pop()
    messages.write_po(messages.po_path(language), language, entries)
    if change == "fuzzy":
        path = messages.po_path(language)
        path.write_text(path.read_text().replace('msgid "Judge', '#, fuzzy\nmsgid "Judge'))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ("missing", "not in the catalogue"),
        ("empty", "not translated"),
        ("fuzzy", "not translated"),
        ("plural", "not translated"),
        ("placeholder", "placeholders differ"),
        ("leftover", "no longer in the sources"),
    ],
)
def test_each_fault_of_a_catalogue_is_named_with_its_language(
    house: Path, change: str, complaint: str
) -> None:
    for language in messages.LANGUAGES:
        messages.write_po(messages.po_path(language), language, translated(language))
    spoil("pl", change)
    (fault,) = messages.check()
    assert fault.startswith(f"pl: {complaint}")


def test_extract_keeps_what_is_translated_and_drops_what_is_gone(house: Path) -> None:
    messages.write_po(
        messages.po_path("hu"),
        "hu",
        [Entry(None, "Table", None, ["Asztal"]), Entry(None, "Gone", None, ["Elment"])],
    )
    report = messages.extract()
    assert report[0] == "hu: 7 texts, 6 to translate"
    texts = {entry.singular: entry.forms for entry in messages.read_po(messages.po_path("hu"))}
    assert texts["Table"] == ["Asztal"]
    assert "Gone" not in texts


text = st.text(st.characters(codec="utf-8", exclude_characters="\x00\x04\r\x85\u2028\u2029"))


@given(singular=text.filter(bool), form=text.filter(bool), context=st.none() | text.filter(bool))
def test_another_reader_reads_what_is_written(
    singular: str, form: str, context: str | None
) -> None:
    header = Entry(None, "", None, ["Content-Type: text/plain; charset=UTF-8\n"])
    entries = [header, Entry(context, singular, None, [form])]
    compiled = gettext.GNUTranslations(io.BytesIO(messages.mo_bytes(entries)))
    asked = compiled.pgettext(context, singular) if context else compiled.gettext(singular)
    assert asked == form


@given(singular=text.filter(bool), form=text)
def test_a_catalogue_comes_back_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, singular: str, form: str
) -> None:
    path = tmp_path_factory.mktemp("po") / "django.po"
    messages.write_po(path, "hr", [Entry(None, singular, None, [form])])
    read = [entry for entry in messages.read_po(path) if entry.singular]
    assert [(entry.singular, entry.forms) for entry in read] == [(singular, [form])]
    if (singular + form).isprintable():  # polib splits lines at signs that end none for us
        assert [(one.msgid, one.msgstr) for one in polib.pofile(str(path))] == [(singular, form)]


def test_plurals_are_chosen_by_the_rule_of_the_language(house: Path) -> None:
    duel = Entry(None, "%(n)s duel", "%(n)s duels", ["pojedynek", "pojedynki", "pojedynków"])
    path = messages.po_path("pl")
    messages.write_po(path, "pl", [duel])
    compiled = gettext.GNUTranslations(io.BytesIO(messages.mo_bytes(messages.read_po(path))))
    asked = [compiled.ngettext("%(n)s duel", "%(n)s duels", n) for n in (1, 2, 5, 22, 112)]
    assert asked == ["pojedynek", "pojedynki", "pojedynków", "pojedynki", "pojedynków"]


def test_compiling_happens_once_and_again_after_a_change(house: Path) -> None:
    path = messages.po_path("vi")
    messages.write_po(path, "vi", [Entry(None, "Table", None, ["Bàn"])])
    assert messages.compile_all() == 1
    assert messages.compile_all() == 0
    stamp = path.with_suffix(".mo").stat().st_mtime
    import os

    os.utime(path, (stamp + 5, stamp + 5))
    assert messages.compile_all() == 1


@pytest.mark.parametrize(
    "damaged", ['msgid "a', "msgid a", 'msgfoo "a"', '"a"', 'msgid "a"\nmsgstr [0] "b"']
)
def test_a_damaged_catalogue_is_named_with_its_line(tmp_path: Path, damaged: str) -> None:
    path = tmp_path / "django.po"
    path.write_text(damaged + "\n")
    with pytest.raises(messages.BadCatalogue, match=r"django\.po:\d"):
        messages.read_po(path)


def test_the_header_stands_once_however_often_a_catalogue_is_written(tmp_path: Path) -> None:
    path = tmp_path / "django.po"
    messages.write_po(path, "hu", [messages.Entry(None, "Table", None, ["Asztal"])])
    first = path.read_text(encoding="utf-8")
    messages.write_po(path, "hu", messages.read_po(path))
    assert path.read_text(encoding="utf-8") == first
    assert first.count('msgid ""') == 1
