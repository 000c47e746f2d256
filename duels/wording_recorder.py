"""Words of the recorder: groups of acts, questions, answers and effects that are declared. The
codes come from the `recorder` module of each game; a test finds one without a word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext as translate
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from duels import wording_creatures as creatures
from duels.domain.offers import Answer, Pick
from duels.wording import DASH, PHASES, POSITIONS, ZONES

GROUPS: dict[str, Promise] = {
    "pass": pgettext_lazy("act", "Pass or go on"),
    "answer": pgettext_lazy("act", "Answer"),
    "draw": pgettext_lazy("act", "Draw"),
    "normal_summon": pgettext_lazy("act", "Normal Summon"),
    "set": pgettext_lazy("act", "Set"),
    "flip_summon": pgettext_lazy("act", "Flip Summon"),
    "activate": pgettext_lazy("act", "Activate"),
    "special_summon": pgettext_lazy("act", "Fusion or Ritual Summon"),
    "position": pgettext_lazy("act", "Change position"),
    "attack": pgettext_lazy("act", "Attack"),
    "discard": pgettext_lazy("act", "Discard"),
    "phase": pgettext_lazy("act", "Phase and turn"),
    "concede": pgettext_lazy("act", "Give the duel up"),
    **creatures.GROUPS,
}
QUESTIONS: dict[str, Promise] = {
    "what": _("What happens?"),
    "as": _("As what is it Set?"),
    "which": _("Which of these?"),
    "card": _("Which card?"),
    "cards": _("Which cards are discarded?"),
    "tributes": _("What is the tribute?"),
    "cost": _("What is paid?"),
    "targets": _("What is chosen?"),
    "target": _("What is attacked?"),
    "materials": _("Which Fusion Materials?"),
    "spell": _("By which Spell Card?"),
    "position": _("In which position?"),
    "to": _("To which position?"),
    "zone": _("In which zone?"),
    "space": _("In which zone of the row, from the left?"),
    "pay": _("Is the price paid?"),
    "phase": _("Which phase?"),
    **creatures.QUESTIONS,
}
REST: dict[str, Promise] = {
    "tributes": _("tribute: %(cards)s"),
    "cost": _("price: %(cards)s"),
    "targets": _("on %(cards)s"),
    "target": _("against %(cards)s"),
    "materials": _("with %(cards)s"),
    "card": _("for %(cards)s"),
    **creatures.REST,
}
"""How what an act takes besides is said after its button; others stand by themselves."""
ANSWERS: dict[str, Promise] = {
    "pass": pgettext_lazy("answer", "Pass"),
    "resume": pgettext_lazy("answer", "Nobody answers: go on"),
    "opening_hand": pgettext_lazy("answer", "Draw the opening hand"),
    "draw_card": pgettext_lazy("answer", "Draw a card"),
    "direct": pgettext_lazy("answer", "the player directly"),
    "pay": pgettext_lazy("answer", "Yes, it is paid"),
    "refuse": pgettext_lazy("answer", "No"),
    "battle_end": pgettext_lazy("answer", "End the Battle Phase"),
    "turn_end": pgettext_lazy("answer", "End the turn"),
    "monster": pgettext_lazy("answer", "as a monster"),
    "spell_trap": pgettext_lazy("answer", "as a Spell or Trap"),
    "enough": pgettext_lazy("answer", "No more"),
    **{f"space_{at}": format_lazy(_("Zone {number}"), number=at) for at in range(1, 6)},
    "this": pgettext_lazy("answer", "This one"),
    "spells_traps": ZONES["spells_traps"],
    "field": ZONES["field"],
    **PHASES,
    **POSITIONS,
    **creatures.ANSWERS,
}
EFFECTS: dict[str, Promise] = {
    "damage": pgettext_lazy("effect", "Damage"),
    "gain_lp": pgettext_lazy("effect", "Gain Life Points"),
    "pay_lp": pgettext_lazy("effect", "Pay Life Points"),
    "draw": pgettext_lazy("effect", "Draw cards"),
    "destroy": pgettext_lazy("effect", "Destroy"),
    "send_to_graveyard": pgettext_lazy("effect", "Send to the Graveyard"),
    "banish": pgettext_lazy("effect", "Remove from play"),
    "return_to_hand": pgettext_lazy("effect", "Return to the hand"),
    "return_to_deck": pgettext_lazy("effect", "Return to the top of the Deck"),
    "special_summon": pgettext_lazy("effect", "Special Summon"),
    "change_position": pgettext_lazy("effect", "Change the position"),
    "flip_face_down": pgettext_lazy("effect", "Turn face-down"),
    "take_control": pgettext_lazy("effect", "Take control"),
    "modify_atk": pgettext_lazy("effect", "Change ATK"),
    "modify_def": pgettext_lazy("effect", "Change DEF"),
    **creatures.EFFECTS,
}


def word(table: Mapping[str, Promise], code: str) -> str:
    """Return the word of a code, the code itself where there is none."""
    return str(table.get(code, code))


def place_text(place: str) -> str:
    """Return a place such as `P1.monsters.2` in words; the seat stands beside it as a sign."""
    _seat, _dot, rest = place.partition(".")
    zone, _dot, rank = rest.partition(".")
    name = word({**ZONES, **creatures.ZONES}, zone) if zone else DASH
    return f"{name}, {rank}" if rank and zone not in ("hand", "deck", "graveyard") else name


def answer_text(answer: Answer) -> str:
    """Return an answer in words: a card by its name, an unknown one by what it is and where."""
    if answer.word:
        return word(ANSWERS, answer.word)
    if answer.name is not None:
        return answer.name
    if not answer.place:
        return answer.token
    if ".hand." in answer.place:
        return translate("a card of the hand")
    return translate("a card nobody has named (%(place)s)") % {"place": place_text(answer.place)}


def act_text(picks: Sequence[Pick]) -> str:
    """Return the choices of an act in words, the first one by itself; empty without any."""
    if not picks:
        return ""
    first = ", ".join(answer_text(one) for one in picks[0].answers)
    rest = rest_text(picks[1:])
    return f"{first} · {rest}" if rest else first


def rest_text(picks: Sequence[Pick]) -> str:
    """Return what an act takes besides, in words; empty when nothing is left to say."""
    said = []
    for pick in picks:
        cards = ", ".join(answer_text(one) for one in pick.answers)
        said.append(str(REST[pick.ask]) % {"cards": cards} if pick.ask in REST else cards)
    return ", ".join(said)
