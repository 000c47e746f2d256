"""Words for rewinds, disputes and disqualification packets, and the sentences of their refusals."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

QUESTIONS: Mapping[str, Promise] = {
    "told_apart": _("Can every card that moved since be told apart?"),
    "no_chance": _("Was nothing shuffled, tossed or rolled since?"),
    "nothing_learned": _("Has nobody seen a card since that going back would hide?"),
    "nothing_decided": _("Has nobody decided anything since?"),
}
REASONS: Mapping[str, Promise] = {
    "told_apart": _("A card can no longer be told apart."),
    "no_chance": _("Something was left to chance since."),
    "nothing_learned": _("Somebody has seen a card that going back would hide."),
    "nothing_decided": _("Decisions were made since."),
}
ANSWERS: Mapping[str, Promise] = {
    "simple": _("Simple: nothing has happened since"),
    "possible": _("Possible: for the head judge"),
    "information_leaked": _("Hidden information was learned since"),
    "not_restorable": _("Not to be restored"),
    "unjudged": _("Not judged: this game has no instruments"),
}
INFO_GAIN: Mapping[str, Promise] = {
    "ignore": _("The policy takes no account of what was learned."),
    "advise_against": _("The policy advises against going back when something was learned."),
    "forbid": _("The policy forbids to go back when something was learned."),
}
DISPUTES: Mapping[str, Promise] = {
    "raised": _("waits for a judge"),
    "taken": _("a judge looks at it"),
    "ruled": _("ruled"),
    "waits": _("the result has to change"),
    "corrected": _("result corrected"),
    "left": _("result left as it is"),
    "withdrawn": _("taken back"),
}
OUTCOMES: Mapping[str, Promise] = {
    "stands": _("The line stands"),
    "no_effect": _("The line is wrong; the result stays"),
    "result": _("The line is wrong, and the result has to change"),
}
REFUSALS: Mapping[str, Promise] = {
    "judging.checklist_incomplete": _(
        "Answer all four questions with yes or no; missing or unknown: %(found)s."
    ),
    "judging.checklist_with_line": _(
        "The four questions are for tables without a full log; here line %(found)s was named too."
    ),
    "judging.rewind_forbidden": _(
        "The policy %(pack)s forbids this rewind: hidden information would be kept, or nobody can "
        "say any more what lay where. Let play go on, or do now what was missed."
    ),
    "judging.no_rewind": _("There is no such rewind at this table."),
    "judging.rewind_undone": _("This rewind was undone already."),
    "judging.rewind_not_newest": _(
        "Another rewind came after this one, or play was taken back past it: undo the newest first."
    ),
    "judging.dispute_id": _("The dispute has no valid number. Reload the page."),
    "judging.dispute_exists": _("This dispute is recorded already."),
    "judging.dispute_open": _("A dispute of yours about this match is open: one at a time."),
    "judging.dispute_too_early": _("The duel goes on: call a judge to your table instead."),
    "judging.dispute_window": _(
        "It is %(found)s; lines of this duel could be disputed until %(allowed)s."
    ),
    "judging.dispute_state": _("The dispute is not there any more. Reload the page."),
    "judging.dispute_not_yours": _("The dispute is not yours."),
    "judging.dispute_own_ruling": _("You ruled at this match: another judge reviews it."),
    "judging.dispute_taken": _("%(name)s has this review."),
    "judging.dispute_outcome": _("A review ends in one of these: %(allowed)s."),
    "judging.dispute_proposal": _(
        "Give the result that has to stand when the result changes, and none otherwise."
    ),
    "judging.dispute_minutes": _("A window has 0 to %(allowed)s minutes."),
    "judging.undo_rewound": _("The game went back by this ruling: undo the rewind in the planner."),
}
