"""Words for the codes that stand in read tables: states, reasons, roles, kinds; and their tint.

A code is never shown itself. `subject` names the list a code belongs to. The tint is one of
ok, run, wait, bad, off.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from judging import wording as judging

WORDS: Mapping[str, Mapping[str, Promise]] = {
    "role": {
        "organiser": _("Organiser"),
        "site_organiser": _("Organiser of the site"),
        "scorekeeper": _("Scorekeeper"),
        "head_judge": _("Head judge"),
        "judge": _("Judge"),
        "deck_checker": _("Deck checker"),
        "player": _("Player"),
        "system": _("System"),
    },
    "scope": {
        "read": _("Read what I may know as a player"),
        "play": _("Act for me as a player"),
        "staff_read": _("Read what I may know as staff"),
        "desk": _("Act at the desk"),
        "judge": _("Act as a judge"),
        "site": _("Act as organiser of the site"),
        "webhooks": _("Manage webhooks"),
    },
    "token": {
        "live": pgettext_lazy("state of a token", "In force"),
        "ended": pgettext_lazy("state of a token", "Ended"),
        "expired": pgettext_lazy("state of a token", "Expired"),
    },
    "event": {
        "draft": _("Not published"),
        "open": _("Registration open"),
        "closed": _("Registration closed"),
        "running": _("Running"),
        "cut": _("Top cut"),
        "finished": _("Finished"),
        "cancelled": _("Cancelled"),
    },
    "entrant": {
        "enrolled": _("Enrolled"),
        "checked_in": _("Checked in"),
        "dropped": _("Dropped"),
        "disqualified": _("Disqualified"),
    },
    "checkpoint": {
        "demand": _("On demand"),
        "round_published": _("Round published"),
        "event_finished": _("Event finished"),
        "bundle": _("Bundle made"),
    },
    "stage": {
        "swiss": _("Swiss round"),
        "cut": _("Top cut"),
    },
    "match": {
        "draft": _("Draft"),
        "waiting": _("Not started"),
        "playing": _("Playing"),
        "between": _("Between duels"),
        "claimed": _("One report in"),
        "disputed": _("Two results"),
        "decided": _("Result in"),
    },
    "reason": {
        "played": pgettext_lazy("reason of a result", "Played"),
        "time": pgettext_lazy("reason of a result", "Time"),
        "game_loss": pgettext_lazy("reason of a result", "Game loss"),
        "match_loss": pgettext_lazy("reason of a result", "Match loss"),
        "no_show": pgettext_lazy("reason of a result", "No-show"),
        "concession": pgettext_lazy("reason of a result", "Concession"),
        "double_loss": pgettext_lazy("reason of a result", "Double loss"),
        "disqualification": pgettext_lazy("reason of a result", "Disqualification"),
    },
    "decided_by": {
        "players": _("both players"),
        "admitted": _("the loser"),
        "staff": _("staff"),
        "log": _("the log of the duel"),
        "penalty": _("a penalty"),
    },
    "deck_section": {
        "main": _("Main deck"),
        "extra": _("Fusion deck"),
        "side": _("Side deck"),
    },
    "call": judging.STATES,
    "call_kind": judging.KINDS,
    "call_category": judging.CATEGORIES,
    "remedy": judging.REMEDIES,
    "penalty": judging.PENALTIES,
    "target": judging.TARGETS,
    "approval": judging.APPROVALS,
    "outcome": judging.OUTCOMES,
    "extension": judging.EXTENSIONS,
    "outcome_short": {
        "upheld": pgettext_lazy("appeal", "Upheld"),
        "modified": pgettext_lazy("appeal", "Modified"),
        "overturned": pgettext_lazy("appeal", "Overturned"),
    },
    "call_step": {
        "call_raised": _("Called"),
        "call_merged": _("Joined to an open call"),
        "call_joined": _("Called once more"),
        "call_claimed": _("Taken"),
        "judge_arrived": _("Judge at the table"),
        "call_given_back": _("Given back"),
        "call_escalated": _("Handed to the head judge"),
        "call_withdrawn": _("Taken back"),
        "ruling_made": _("Ruled"),
        "penalty_approved": _("Penalty approved"),
        "penalty_declined": _("Penalty declined"),
        "penalty_enforced": _("Penalty in force"),
        "ruling_accepted": _("Ruling accepted"),
        "call_appealed": _("Appealed"),
        "appeal_ruled": _("Appeal decided"),
        "call_closed": _("Closed"),
    },
    "infraction_kind": {
        "missed_effect": _("an effect was missed"),
        "illegal_play": _("an illegal play"),
        "card_moved": _("a card was moved"),
        "graveyard_order": _("order of the Graveyard"),
        "lp_not_written": _("Life Points not written down"),
        "unclear_play": _("an unclear play"),
        "phase_rushed": _("a phase was rushed"),
        "act_taken_back": _("an act was taken back"),
        "hand_shuffled_into_deck": _("hand shuffled into the deck"),
        "upkeep_forgotten": _("a duty of the turn was forgotten"),
        "hand_limit_forgotten": _("hand limit forgotten"),
        "late_slip": _("result slip handed in late"),
        "deck_lost": _("deck lost"),
        "match_abandoned": _("match abandoned"),
        "late": _("late"),
        "wrong_table": _("wrong table"),
        "absent": _("absent"),
        "told_before_round_1": _("told before round 1"),
        "unreadable": _("unreadable"),
        "side_not_removed": _("cards of the last match not put back"),
        "list_illegal": _("list illegal"),
        "deck_illegal": _("deck illegal"),
        "deck_and_list_differ": _("deck and list differ"),
        "drawn_not_added": _("drawn, not yet in the hand"),
        "told_apart": _("extra card, can be told apart"),
        "knocked_over": _("deck knocked over"),
        "opening_hand": _("wrong opening hand"),
        "not_told_apart": _("extra card, cannot be told apart"),
        "search_not_shown": _("searched card not shown"),
        "few_no_pattern": _("few marked cards, no pattern"),
        "many_no_pattern": _("many marked cards, no pattern"),
        "pattern": _("marked cards with a pattern"),
        "repeated_looks": _("the same looked up again and again"),
        "long_decisions": _("long decisions"),
        "long_side_decking": _("long side-decking"),
        "rule_sharking": _("pressing for penalties"),
        "language": _("language"),
        "instructions_ignored": _("instructions ignored"),
        "slip_torn": _("result slip torn"),
        "aggression": _("aggression"),
        "false_call": _("false call"),
        "assault": _("assault"),
        "theft": _("theft"),
        "harassment": _("harassment"),
        "public_facts_misstated": _("public facts misstated"),
        "bribery": _("bribery"),
        "lying_to_staff": _("lying to staff"),
        "stalling": _("stalling"),
        "result_agreed": _("result agreed on"),
    },
    "preset": {
        "classic": _("Classic (2002 to 2006)"),
        "advanced": _("Advanced"),
        "goat": _("Goat (2005)"),
    },
    "match_rules": {
        "ygo-classic": _("Three duels at most"),
        "ygo-modern": _("First to two wins"),
    },
    "devices": {
        "allowed": _("Players may use them at any time"),
        "not_in_match": _("Put away while a match runs"),
    },
    "setting": {
        "devices": _("Phones"),
        "name": _("Name of the event"),
        "zone": _("Time zone"),
        "game": _("Game"),
        "preset": _("Deck rules"),
        "match_rules": _("A match"),
        "standings": _("Standings by"),
        "pack": _("Policy pack"),
        "deck_deadline": _("Deck lists until"),
        "rounds": _("Swiss rounds"),
        "cut": _("Top cut"),
        "banlist_id": _("Forbidden and Limited list"),
    },
    "perspective": {
        "public": pgettext_lazy("who looks at a duel", "Public"),
        "p1": _("Player A"),
        "p2": _("Player B"),
        "judge": pgettext_lazy("who looks at a duel", "Judge"),
    },
    "phase": {
        "draw": pgettext_lazy("phase", "Draw"),
        "standby": pgettext_lazy("phase", "Standby"),
        "main1": pgettext_lazy("phase", "Main 1"),
        "battle": pgettext_lazy("phase", "Battle"),
        "main2": pgettext_lazy("phase", "Main 2"),
        "end": pgettext_lazy("phase", "End"),
    },
}

TINTS: dict[str, dict[str, str]] = {
    "token": {"live": "ok", "ended": "off", "expired": "off"},
    "event": {
        "draft": "off",
        "open": "ok",
        "closed": "wait",
        "running": "run",
        "cut": "run",
        "finished": "off",
        "cancelled": "bad",
    },
    "entrant": {
        "enrolled": "wait",
        "checked_in": "ok",
        "dropped": "off",
        "disqualified": "bad",
    },
    "match": {
        "draft": "off",
        "waiting": "off",
        "playing": "run",
        "between": "run",
        "claimed": "wait",
        "disputed": "bad",
        "decided": "ok",
    },
    "call": {
        "raised": "wait",
        "claimed": "run",
        "at_table": "run",
        "ruled": "ok",
        "appealed": "wait",
        "escalated": "bad",
        "hj_claimed": "run",
        "hj_ruled": "ok",
        "closed": "off",
        "withdrawn": "off",
        "merged": "off",
    },
    "approval": {
        "not_needed": "ok",
        "pending": "wait",
        "approved": "ok",
        "declined": "bad",
        "superseded": "off",
    },
}


def word(subject: str, code: str) -> str:
    """Return the word for a code in the active language; a code without one as plain text."""
    known = WORDS.get(subject, {}).get(code)
    return capfirst(str(known)) if known is not None else code.replace("_", " ")


def tint(subject: str, code: str) -> str:
    """Return the tint of a state code: ok, run, wait, bad or off."""
    return TINTS.get(subject, {}).get(code, "off")
