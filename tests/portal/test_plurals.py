"""Counted texts in each language with 0, 1, 2, 5, 12 and 22: the right form, the number in it.

The forms that a language wants are written down here by hand, from its grammar, and not taken
from the rule in the catalogue that is tested.
"""

from __future__ import annotations

import re

import pytest
from django.utils import translation
from django.utils.translation import ngettext, npgettext

from tools import messages
from tools.messages import Entry

NUMBERS = (0, 1, 2, 5, 12, 22)
# which numbers share a form
FORMS = {
    "en": ((1,), (0, 2, 5, 12, 22)),
    "hu": ((1,), (0, 2, 5, 12, 22)),
    "hr": ((1,), (2, 22), (0, 5, 12)),
    "vi": ((0, 1, 2, 5, 12, 22),),
    "pl": ((1,), (2, 22), (0, 5, 12)),
}
COUNTED = [entry for entry in messages.sources().values() if entry.plural is not None]


def shown(entry: Entry, number: int) -> str:
    """Return the text for a number in the active language, places not yet filled."""
    assert entry.plural is not None
    if entry.context:
        return npgettext(entry.context, entry.singular, entry.plural, number)
    return ngettext(entry.singular, entry.plural, number)


def test_there_are_counted_texts() -> None:
    assert len(COUNTED) > 20


@pytest.mark.parametrize("language", FORMS)
def test_each_number_gets_the_form_of_its_group(language: str) -> None:
    """Within a group one form; between groups another, wherever the language tells them apart."""
    kept = {}
    if language != "en":
        kept = {entry.key: entry.forms for entry in messages.read_po(messages.po_path(language))}
    with translation.override(language):
        for entry in COUNTED:
            forms = kept.get(entry.key) or [entry.singular, entry.plural]
            assert len(forms) == len(FORMS[language]), entry.singular
            for group, form in zip(FORMS[language], forms, strict=True):
                for number in group:
                    assert shown(entry, number) == form, (language, number, entry.singular)


@pytest.mark.parametrize("language", FORMS)
@pytest.mark.parametrize("number", NUMBERS)
def test_the_number_itself_is_never_lost(language: str, number: int) -> None:
    """A form may leave the number out only where its group holds that one number alone."""
    alone = (number,) in FORMS[language]
    with translation.override(language):
        for entry in COUNTED:
            text = shown(entry, number)
            places = set(re.findall(r"%\((\w+)\)", entry.plural or ""))
            left_out = places - set(re.findall(r"%\((\w+)\)", text))
            assert not left_out or alone, (language, number, entry.singular, text)
            filled = text % dict.fromkeys(places, number) if places else text
            assert "%(" not in filled


def test_languages_of_one_form_tell_nothing_apart_and_the_others_do() -> None:
    """The test of the test: Polish has words whose three forms differ."""
    with translation.override("pl"):
        different = [
            entry for entry in COUNTED if len({shown(entry, number) for number in (1, 2, 5)}) == 3
        ]
    assert different
