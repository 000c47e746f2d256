"""Words for codes: refusals and rule ids, in the language of the reader.

A refusal carries a code and parameters; here it becomes a sentence. Rule ids of the games take
theirs from the rule texts of the game; codes of the product stand in the one table below.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as translate
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from eventstore.domain.refusal import Refusal

Params = dict[str, Any]
Sentence = Promise | Callable[[Params], str]

_RULE_ID = re.compile(r"^[A-Z]{2,5}-\d+(\.\d+)*$")


class _Shown(dict[str, str]):
    """Parameters as they are shown; one that is missing leaves a dash, never a crash."""

    def __missing__(self, key: str) -> str:
        return "–"


def shown(value: Any) -> str:
    """Write a parameter for people: lists with commas, yes and no in words."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return translate("yes") if value else translate("no")
    if isinstance(value, dict):
        return ", ".join(f"{key} {shown(one)}" for key, one in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(shown(one) for one in value)
    return str(value)


def is_rule_id(code: str) -> bool:
    """Say whether a code is a rule id of a game, such as YGO-3.1."""
    return bool(_RULE_ID.match(code))


def _people(params: Params) -> str:
    return ngettext(
        "The name has %(found)s sign, at most %(allowed)s fit.",
        "The name has %(found)s signs, at most %(allowed)s fit.",
        params.get("found") or 0,
    )


def _open_tables(params: Params) -> str:
    tables = params.get("tables") or []
    return ngettext(
        "%(number)s table has no result yet: %(tables)s.",
        "%(number)s tables have no result yet: %(tables)s.",
        len(tables),
    ) % {"number": len(tables), "tables": "%(tables)s"}


SENTENCES: dict[str, Sentence] = {
    # the shell
    "portal.sign_in_empty": _("Give the user name and the password."),
    "portal.sign_in_failed": _(
        "User name and password do not go together. Mind capital letters; the organiser can give "
        "a new password."
    ),
    # people
    "people.form_reused": _(
        "This form was already sent with other content. Reload the page and send it once more."
    ),
    "people.moved_on": _(
        "Somebody else was quicker. Look at what stands here now, then send it once more."
    ),
    "people.text_unreadable": _("A text holds a sign that cannot be stored. Write it anew."),
    "people.name_missing": _("The name is missing."),
    "people.name_too_long": _people,
    "people.name_signs": _("The name holds signs that cannot be seen or printed."),
    "people.card_game_id": _(
        "%(found)s is no Card Game ID: it has digits only, at most %(allowed)s."
    ),
    "people.card_game_id_taken": _("The Card Game ID %(found)s belongs to somebody else already."),
    "people.person_exists": _("This person is registered already."),
    "people.unknown_person": _("There is no such person."),
    "people.unknown_role": _("There is no such role. There are: %(allowed)s."),
    "people.role_not_held": _("This person does not hold the role."),
    "people.username_taken": _("The user name %(found)s is taken. Choose another."),
}
"""One sentence per product code; the parameters are those of the refusal."""


def _params(refusal: Refusal) -> _Shown:
    return _Shown({key: shown(value) for key, value in refusal.params.items()})


def rule_title(code: str) -> str:
    """Return the short title of a rule in the active language, empty for any other code."""
    return ""


def refusal_text(refusal: Refusal) -> str:
    """Return the sentence of a refusal in the active language."""
    sentence = SENTENCES.get(refusal.code)
    if sentence is None:
        return refusal.code
    text = sentence(refusal.params) if callable(sentence) else str(sentence)
    return text % _params(refusal)
