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
    "appealed": _("appealed to the head judge"),
    "withdrawn": _("taken back"),
}
OUTCOMES: Mapping[str, Promise] = {
    "stands": _("The line stands"),
    "no_effect": _("The line is wrong; the result stays"),
    "result": _("The line is wrong, and the result has to change"),
}
PACKETS: Mapping[str, Promise] = {
    "open": _("open"),
    "due_soon": _("due soon"),
    "overdue": _("overdue"),
    "signed": _("signed, to be sent"),
    "sent": _("sent and closed"),
    "undone": _("disqualification taken back"),
}
PACKET_ROLES: Mapping[str, Promise] = {
    "player": _("Player"),
    "judge": _("Judge"),
    "head_judge": _("Head judge"),
    "witness": _("Witness"),
    "other": _("Somebody else"),
}
PACKET_HOWS: Mapping[str, Promise] = {
    "written": _("written by the person"),
    "dictated": _("taken down word by word"),
    "paper": _("on paper, kept with the packet"),
    "refused": _("refused to say anything"),
}
PACKET_KINDS: Mapping[str, Promise] = {
    "log_line": _("Line of a log"),
    "photo": _("Photo"),
    "paper": _("Paper"),
    "other": _("Something else"),
    "none": _("There is no evidence"),
}
PACKET_WHOSE: Mapping[str, Promise] = {
    "all_involved": _("Statements of everybody involved are asked for."),
    "both_players": _("Statements of both players are asked for."),
    "none": _("The policy asks for no statements."),
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
    "judging.appeal_window": _("It is %(found)s; this ruling could be appealed until %(allowed)s."),
    "judging.dispute_minutes": _("A window has 0 to %(allowed)s minutes."),
    "judging.packet_sent": _("The packet is sent and closed."),
    "judging.packet_undone": _("The disqualification was taken back: no packet is owed."),
    "judging.packet_signed": _("The packet is signed already."),
    "judging.packet_unsigned": _("The head judge signs the packet first."),
    "judging.packet_incomplete": _(
        "%(found)s parts are missing: a statement of everybody asked, the head judge's report, and "
        "evidence or the word that there is none."
    ),
    "judging.packet_person": _("This person does not stand in the packet."),
    "judging.packet_word": _("%(found)s is none of these: %(allowed)s."),
    "judging.undo_rewound": _("The game went back by this ruling: undo the rewind in the planner."),
}
