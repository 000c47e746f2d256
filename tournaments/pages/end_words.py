"""The words of the end of a match: questions, answers, the steps that decided it, rulesets."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.domain.end_of_match import BETWEEN, DONE, IN_DUEL, NO, YES, Question
from tournaments.domain.scores import DRAW, P1

QUESTIONS: Mapping[str, Promise] = {
    "score": gettext_lazy("Duels won before the one that is on"),
    "untimed": gettext_lazy("Matches of the cut have no time: play goes on. Who won the match?"),
    "moment": gettext_lazy("Where was the match when time was called?"),
    "stop_turn": gettext_lazy("Let them finish the turn that is on."),
    "stop_phase": gettext_lazy("Let them finish the phase that is on, then stop."),
    "turn": gettext_lazy("Extra turn %(number)s of %(of)s"),
    "points": gettext_lazy("Life Points of both"),
    "more": gettext_lazy("Life Points are equal: one more turn."),
    "chooser": gettext_lazy("Extra duel. Draw at random: who chooses who starts?"),
    "sided": gettext_lazy(
        "Nobody exchanges cards, unless somebody has looked at a Side Deck already. Has anybody?"
    ),
    "extra_won": gettext_lazy("The extra duel is played to its end. Who won it?"),
    "extra_turn": gettext_lazy("Extra duel, turn %(number)s of %(of)s"),
}
WHY: Mapping[str, Promise] = {
    "duel_won": gettext_lazy("the duel was won during the procedure"),
    "duel_drawn": gettext_lazy("the duel counts as drawn"),
    "points_higher": gettext_lazy("more Life Points win the duel"),
    "points_equal": gettext_lazy("equal Life Points: the duel is drawn"),
    "more_wins": gettext_lazy("more duels won"),
    "equal_wins": gettext_lazy("equal duels won"),
    "match_drawn": gettext_lazy("the match is drawn"),
    "nobody_two_wins": gettext_lazy("nobody has won two duels"),
    "both_lose": gettext_lazy("both lose the match"),
    "extra_duel": gettext_lazy("an extra duel decides"),
    "untimed": gettext_lazy("a match of the cut has no time"),
}
RULESETS: Mapping[str, Promise] = {
    "eom.turns_2010": gettext_lazy("Finish the turn, five more, then Life Points"),
    "eom.turns_2010_ocg": gettext_lazy("Finish the turn, three more, then Life Points"),
    "eom.phase_2018": gettext_lazy("Finish the phase, then Life Points"),
    "eom.double_loss_2025": gettext_lazy("Stop at once; without two wins both lose"),
    "eom.dm_both_lose": gettext_lazy("Finish the turn, then both lose"),
    "eom.dm_draw": gettext_lazy("Finish the turn, then drawn"),
}


def question_text(question: Question) -> str:
    """The sentence of a question."""
    return str(QUESTIONS[question.topic]) % {"number": question.number, "of": question.of}


def answer_text(question: Question, answer: str, names: tuple[str, str]) -> str:
    """The words of an answer to a question; `names` are those of P1 and P2."""
    if question.topic in ("score", "points"):
        parts = answer.split("-")
        return "-".join(parts[:2] if parts[2:] == ["0"] else parts)
    fixed = {
        IN_DUEL: _("In a duel"),
        BETWEEN: _("Between duels, or before the first"),
        YES: _("Yes"),
        NO: _("No"),
        DRAW: _("The duel is drawn"),
        DONE: _("Stopped, nobody has won")
        if question.topic.startswith("stop_")
        else _("The turn is over, nobody has won"),
    }
    if answer in fixed:
        return fixed[answer]
    name = names[0] if answer == P1 else names[1]
    if question.topic == "chooser":
        return name
    if question.topic == "untimed":
        return _("%(name)s has won the match") % {"name": name}
    return _("%(name)s has won the duel") % {"name": name}


def ruleset_text(ref: str) -> str:
    """The short title of a ruleset, `id` or `id@version`."""
    known = ref.partition("@")[0]
    return str(RULESETS.get(known, known))
