"""What the framework itself says in a form is said in every language."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django import forms
from django.contrib.auth import password_validation
from django.core import validators
from django.core.exceptions import ValidationError
from django.utils import translation
from django.utils.functional import Promise

OTHERS = dict.fromkeys(
    ("value", "values", "extension", "allowed_extensions", "pk", "choice", "params"), "x"
)
LANGUAGES = ("hu", "hr", "vi", "pl")


def _said() -> Iterator[tuple[str, Any]]:
    """Every message of the fields and validators of forms, with its place."""
    for name in dir(forms):
        field = getattr(forms, name)
        if isinstance(field, type) and issubclass(field, forms.Field):
            for code, text in getattr(field, "default_error_messages", {}).items():
                yield f"{name}.{code}", text
    for name in dir(validators):
        known = getattr(validators, name)
        message = getattr(known, "message", None)
        if isinstance(message, Promise):
            yield name, message


SAID = [(place, text) for place, text in _said() if isinstance(text, Promise)]


def _in(language: str, text: Any) -> str:
    with translation.override(language):
        # a counted text of the framework takes its number from the parameters
        counted = str(text % {"limit_value": 2, "show_value": 2, "max": 2, "length": 2, **OTHERS})
        return counted or str(text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_messages_of_forms_are_translated(language: str) -> None:
    english = [(place, text) for place, text in SAID if _in(language, text) == _in("en", text)]
    assert [place for place, _ in english] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_messages_about_passwords_are_translated(language: str) -> None:
    found: dict[str, list[str]] = {}
    for spoken in ("en", language):
        with translation.override(spoken), pytest.raises(ValidationError) as refused:
            password_validation.validate_password("password")
        found[spoken] = refused.value.messages
    assert len(found[language]) == len(found["en"]) > 0
    assert not set(found[language]) & set(found["en"])
