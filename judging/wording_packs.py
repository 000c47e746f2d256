"""Words for the values of a policy pack, in the active language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as translate
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from judging.domain.pack_file import SECTIONS, value_at
from judging.domain.policy import Pack
from judging.wording import PENALTIES, TARGETS, in_language, infraction_label, word

SECTION_WORDS: Mapping[str, Promise] = {
    "upgrade": _("Repeats"),
    "downgrade": _("Milder penalties"),
    "approval": _("Approval"),
    "time": _("Time"),
    "tardiness": _("Lateness"),
    "slip": _("Result slips"),
    "appeal": _("Appeals"),
    "rewind": _("Rewinds"),
    "devices": _("Devices at the table"),
    "photos": _("Photos"),
    "reveal": _("Hidden cards"),
    "disputes": _("Disputes after a duel"),
    "packet": _("Packet of a disqualification"),
    "knowledge": _("What a player must tell"),
    "staff": _("Staff"),
    "start": _("Start of a game"),
    "statements": _("Statements"),
    "recorded": _("Records"),
    "targets": _("What a loss falls on"),
    "ladder": _("Ladder of penalties"),
    "infractions": _("Infractions"),
}
FIELD_WORDS: Mapping[str, Promise] = {
    "upgrade.by": _("Upgrades are made by"),
    "upgrade.scope": _("Repeats count within"),
    "upgrade.key": _("A repeat is the same"),
    "upgrade.with_others": _("The head judge hears other judges first"),
    "upgrade.never": _("Never made heavier by a repeat"),
    "upgrade.prize_never": _("Nobody keeps a prize after"),
    "upgrade.steps": _("Steps of a repeat"),
    "downgrade.by": _("Made by"),
    "downgrade.reasons": _("Reasons that count"),
    "approval.by": _("Given by"),
    "approval.penalties": _("Penalties that wait for it"),
    "approval.except": _("Infractions that do not wait"),
    "time.grace_s": _("A call up to this long gives nothing"),
    "time.extension_from": _("The call counts from"),
    "time.slow_play_min_s": _("Least extension for slow play"),
    "time.deck_check_bonus_s": _("Bonus of a deck check"),
    "time.round_up_s": _("Extensions are rounded up to"),
    "time.in_eom": _("Extension after time was called"),
    "time.with_game_loss": _("Extension with a lost game"),
    "time.forgotten_after_s": _("A call open longer asks for its length"),
    "time.side_decking_s": _("Time for the side deck"),
    "tardiness.game_loss_after_s": _("Game loss after"),
    "tardiness.match_loss_after_s": _("Match loss after"),
    "tardiness.drops_out": _("Who is absent is out of the event"),
    "slip.late_after_s": _("Late after"),
    "slip.infraction": _("Infraction of a late slip"),
    "slip.kind": _("Kind of a late slip"),
    "slip.target": _("Its penalty falls on"),
    "appeal.after": _("Possible once the call is"),
    "appeal.until": _("Possible until the ruling is"),
    "appeal.final_by": _("Final by"),
    "rewind.by": _("Ordered by"),
    "rewind.info_gain": _("Knowledge gained by it"),
    "rewind.partial_fixes": _("Partial repairs allowed"),
    "devices.in_match": _("During a match"),
    "devices.lp_pad": _("Life Point pad of this system for players"),
    "devices.lp_record": _("Life Points are written down"),
    "devices.recording": _("Investigations may be recorded"),
    "photos.allowed": _("Staff may take photos at tables"),
    "reveal.shown_to_players": _("Players see later what a judge looked at"),
    "disputes.window_hours": _("A line of the log is disputed within"),
    "packet.deadline_days": _("Due within"),
    "packet.statements": _("Statements of"),
    "packet.collected_by": _("Collected by"),
    "packet.sent_by": _("Sent by"),
    "knowledge.must_answer": _("Facts"),
    "staff.may_play": _("Staff may play in the event"),
    "start.after_penalty": _("Who chooses after a game lost by penalty"),
    "statements.required_for": _("Both players write one for"),
    "recorded.staff_only": _("Not shown to players"),
    "targets.before_match": _("Game loss before the match"),
    "targets.in_game": _("Game loss during a game"),
    "targets.between_games": _("Game loss between games"),
    "targets.after_match": _("Game loss after the match"),
    "targets.match_loss.before_match": _("Match loss before the match"),
    "targets.match_loss.in_game": _("Match loss during a game"),
    "targets.match_loss.between_games": _("Match loss between games"),
    "targets.match_loss.after_match": _("Match loss after the match"),
    "ladder": _("Ladder of penalties"),
    "infractions": _("All infractions and their base penalties"),
}
CHOICE_WORDS: Mapping[str, Promise] = {
    "head_judge": _("head judge"),
    "assistant_head_judge": _("assistant head judge"),
    "organiser": _("organiser"),
    "event": _("this event"),
    "kind": _("kind of the infraction"),
    "infraction": _("infraction, whatever its kind"),
    "beyond_control": _("beyond the player's control"),
    "no_effect_left": _("no effect is left"),
    "self_reported": _("reported by the player"),
    "claimed": _("the claim"),
    "at_table": _("the arrival at the table"),
    "ruled": _("ruled"),
    "accepted": _("accepted"),
    "ignore": _("does not matter"),
    "advise_against": _("speaks against it"),
    "forbid": _("forbids it"),
    "allowed": _("allowed"),
    "calculator": _("a calculator only"),
    "forbidden": _("forbidden"),
    "free": _("as the players like"),
    "paper_both": _("on paper, by both"),
    "each_change_both": _("each change, by both"),
    "none": _("not at all"),
    "all_involved": _("everybody involved"),
    "both_players": _("both players"),
    "as_usual": _("as without a penalty"),
    "penalised": _("who was penalised"),
    "opponent": _("the opponent"),
    "random": _("chance"),
    "missed_draw": _("a missed draw"),
    "missed_lp_change": _("a missed change of Life Points"),
    "wrong_zone": _("a card in a wrong zone"),
    "wrong_position": _("a card in a wrong position"),
    "order_of_zone": _("the order of a zone"),
    "missed_mandatory_effect": _("a missed mandatory effect"),
    "lp": _("Life Points"),
    "shields": _("shields"),
    "hand_count": _("cards in hand"),
    "deck_count": _("cards in the deck"),
    "extra_deck_count": _("cards in the Extra Deck"),
    "mana": _("mana"),
    "graveyard": _("Graveyard"),
    "banished_face_up": _("face-up banished cards"),
    "notes": _("notes"),
    "acts_this_turn": _("what was done this turn"),
    "next_rung": _("one rung up each time"),
}


def path_label(pack: Pack, path: str) -> str:
    """Return the words for the path of a value: its section and itself."""
    section, _dot, rest = path.partition(".")
    if section == "infractions" and rest:
        code = rest.partition(".")[0]
        return f"{infraction_label(pack, code)} ({code})"
    known = FIELD_WORDS.get(path)
    if known is None:
        return path
    head = SECTION_WORDS.get(section)
    return f"{head}: {known}" if head and rest else str(known)


def seconds_text(seconds: int) -> str:
    """Return a length of time: whole minutes as such, else minutes and seconds."""
    minutes, rest = divmod(seconds, 60)
    if rest or not minutes:
        return ngettext("%(number)d second", "%(number)d seconds", seconds) % {"number": seconds}
    return ngettext("%(number)d minute", "%(number)d minutes", minutes) % {"number": minutes}


def value_text(pack: Pack, path: str, value: Any) -> str:
    """Return a value of a pack in words."""
    if path == "infractions":
        return ""
    if path.startswith("infractions.") and isinstance(value, dict):
        return word(PENALTIES, str(value.get("base", "")))
    if path == "upgrade.steps" and isinstance(value, dict):
        rows = [" → ".join(word(PENALTIES, rung) for rung in row) for row in value.values()]
        return "; ".join(rows)
    if isinstance(value, bool):
        return translate("yes") if value else translate("no")
    if isinstance(value, int):
        if path.endswith("_hours"):
            text = ngettext("%(number)d hour", "%(number)d hours", value)
        elif path.endswith("_days"):
            text = ngettext("%(number)d day", "%(number)d days", value)
        else:
            return seconds_text(value)
        return text % {"number": value}
    if isinstance(value, list):
        return ", ".join(_one(pack, path, str(one)) for one in value) or "–"
    return _one(pack, path, str(value)) if value not in (None, "") else "–"


def _one(pack: Pack, path: str, code: str) -> str:
    if code in pack.infractions:
        return code
    if path.startswith("targets.") or path == "slip.target":
        return word(TARGETS, code)
    if path in ("ladder", "approval.penalties", "recorded.staff_only"):
        return word(PENALTIES, code)
    if path == "slip.kind":
        return code.replace("_", " ")
    return word(CHOICE_WORDS, code)


_MORE = {
    "upgrade": ("upgrade.steps",),
    "slip": ("slip.infraction", "slip.target"),
    "targets": tuple(path for path in FIELD_WORDS if path.startswith("targets.")),
}


def told_sections(pack: Pack, values: Mapping[str, Any], unsure: frozenset[str]) -> list[Any]:
    """Return (section, its words, its lines); a line is (label, value in words, whether the value
    is to be confirmed still)."""
    found = []
    for section in [*SECTIONS, "targets"]:
        lines = [
            (
                str(FIELD_WORDS[path]),
                value_text(pack, path, value_at(values, path)),
                path in unsure,
            )
            for path in [*SECTIONS.get(section, ()), *_MORE.get(section, ())]
            if value_at(values, path) is not None
        ]
        found.append((section, str(SECTION_WORDS[section]), lines))
    return found


def pack_title(pack: Pack) -> str:
    """Return the title of a pack with its version."""
    return f"{in_language(pack.title)} {pack.version}"
