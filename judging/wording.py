"""Words for the codes of calls and rulings, in the active language. Nothing stored has words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from django.utils.functional import Promise
from django.utils.translation import get_language
from django.utils.translation import gettext as translate
from django.utils.translation import gettext_lazy as _

from duels.rules.texts import rule_text
from judging.domain.policy import Pack

if TYPE_CHECKING:
    from judging.selectors import RulingView

STATES: Mapping[str, Promise] = {
    "raised": _("waiting for a judge"),
    "claimed": _("a judge is on the way"),
    "at_table": _("the judge is at the table"),
    "ruled": _("ruled"),
    "appealed": _("appealed to the head judge"),
    "escalated": _("handed to the head judge"),
    "hj_claimed": _("with the head judge"),
    "hj_ruled": _("ruled by the head judge"),
    "closed": _("closed"),
    "withdrawn": _("withdrawn"),
    "merged": _("joined the open call"),
}
PADS: Mapping[str, Promise] = {
    "paper": _("Life Points are written on paper at this event."),
    "game": _("Duels of this game have no log here."),
    "no_match": _("You have no match now."),
    "over": _("The match is over."),
    "unlogged": _("This duel is played without a log."),
    "starter": _("It opens when it is settled who starts a duel."),
}
"""Why there is no pad for Life Points (judging.domain.pads)."""
KINDS: Mapping[str, Promise] = {
    "ruling": _("Ruling"),
    "deck_check": _("Deck check"),
    "slow_play": _("Slow play"),
    "conduct": _("Conduct"),
    "missing_opponent": _("Opponent missing"),
    "assistance": _("Help"),
    "replay_dispute": _("Disputed line of a duel"),
}
CATEGORIES: Mapping[str, Promise] = {
    "rules": _("Rules question"),
    "lp": _("Life Points"),
    "hand_count": _("Number of cards in hand"),
    "conduct": _("Conduct of a player"),
    "missing_opponent": _("Opponent not here"),
    "deck": _("Deck or card"),
    "medical": _("Medical help"),
    "attack_replay": _("Attack replay"),
    "skipped_answer": _("Chance to answer was skipped"),
    "replay": _("Disputed line of a duel"),
    "other": _("Something else"),
}
REMEDIES: Mapping[str, Promise] = {
    "play_on": _("Play on."),
    "resolve_now": _("Do now what was missed."),
    "rewind": _("The game goes back."),
    "loss": _("The loss decides."),
}
PENALTIES: Mapping[str, Promise] = {
    "none": _("No penalty"),
    "caution": _("Caution"),
    "warning": _("Warning"),
    "game_loss": _("Game loss"),
    "match_loss": _("Match loss"),
    "dq_with_prize": _("Disqualification, what was won is kept"),
    "disqualification": _("Disqualification"),
}
TARGETS: Mapping[str, Promise] = {
    "person_note": _("on record"),
    "this_game": _("this game"),
    "next_game": _("the next game"),
    "next_match_first_game": _("the first game of the next match"),
    "this_match": _("this match"),
    "next_match": _("the next match"),
    "event": _("the event"),
}
APPROVALS: Mapping[str, Promise] = {
    "not_needed": _("no approval needed"),
    "pending": _("not in force until the head judge approves"),
    "approved": _("approved by the head judge"),
    "declined": _("declined by the head judge"),
    "superseded": _("replaced by a later ruling"),
    "withdrawn": _("taken back by the judge"),
}
OUTCOMES: Mapping[str, Promise] = {
    "upheld": _("The head judge upheld the ruling."),
    "modified": _("The head judge changed the ruling."),
    "overturned": _("The head judge overturned the ruling."),
}
EXTENSIONS: Mapping[str, Promise] = {
    "whole_length": _("the whole length of the call"),
    "up_to_table_end": _("no more than what remained"),
    "within_grace": _("none: the call was short"),
    "end_of_match": _("none: time was over"),
    "game_loss": _("none: a game was lost by the ruling"),
    "slow_play_minimum": _("the least that slow play gives"),
    "deck_check": _("time taken and the bonus of a deck check"),
    "not_started": _("none: no judge took the call"),
    "after_match": _("none: the duel was over"),
    "override": _("set by the judge"),
}


def word(table: Mapping[str, Promise], code: str) -> str:
    """Return the word of a code; a code without a word stands as it is."""
    return str(table.get(code, code))


def in_language(words: Mapping[str, str]) -> str:
    """Return words of a data file in the active language, English where there are none."""
    return words.get(get_language() or "en") or words["en"]


def infraction_label(pack: Pack, code: str) -> str:
    """Return the label of an infraction of a pack in the active language."""
    known = pack.infractions.get(code)
    return in_language(known.label) if known else code


def ruling_text(ruling: RulingView, pack: Pack) -> str:
    """Return a ruling as sentences: rule, infraction, penalty, remedy, approval, appeal."""
    parts: list[str] = []
    if ruling.rule_id and ruling.rule_id != ruling.infraction:
        cited = rule_text(ruling.rule_id, get_language() or "en")
        parts.append(
            translate("Rule %(rule)s: %(title)s.")
            % {
                "rule": ruling.rule_id,
                "title": cited.title if cited else infraction_label(pack, ruling.rule_id),
            }
        )
    if ruling.infraction:
        parts.append(
            translate("%(player)s: %(infraction)s (%(code)s).")
            % {
                "player": ruling.target_name or "–",
                "infraction": infraction_label(pack, ruling.infraction),
                "code": ruling.infraction,
            }
        )
    elif not ruling.penalty:
        parts.append(translate("No infraction."))
    if ruling.penalty:
        parts.append(
            translate("Penalty: %(penalty)s (%(target)s).")
            % {
                "penalty": word(PENALTIES, ruling.penalty),
                "target": word(TARGETS, ruling.target),
            }
        )
    parts.append(word(REMEDIES, ruling.remedy))
    if ruling.rewind_to is not None:
        parts.append(translate("Play goes on from event %(event)s.") % {"event": ruling.rewind_to})
    if ruling.approval == "pending":
        parts.append(translate("Not in force until the head judge approves."))
    elif ruling.approval == "declined":
        parts.append(translate("The head judge declined the penalty."))
    elif ruling.approval == "superseded":
        parts.append(translate("A later ruling took its place."))
    elif ruling.approval == "withdrawn":
        parts.append(translate("The judge took this ruling back."))
    if ruling.outcome:
        parts.append(word(OUTCOMES, ruling.outcome))
    return " ".join(parts)


def slip_line(ruling: RulingView, pack: Pack) -> str:
    """Return the line for the match slip: person, infraction, penalty, judge."""
    if not ruling.penalty:
        return ""
    return translate("%(player)s, %(code)s %(infraction)s, %(penalty)s, judge %(judge)s") % {
        "player": ruling.target_name or "–",
        "code": ruling.infraction,
        "infraction": infraction_label(pack, ruling.infraction),
        "penalty": word(PENALTIES, ruling.penalty),
        "judge": ruling.by_name or "–",
    }
