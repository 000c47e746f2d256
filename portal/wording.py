"""Words for codes: refusals and rule ids, in the language of the reader.

A refusal carries a code and parameters; here it becomes a sentence. Rule ids of the games and
codes of duels take theirs from duels.wording; those of all other rooms stand in the table below.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as translate
from django.utils.translation import gettext_lazy as _

from duels import wording as duels
from duels.rules import texts
from eventstore.domain.refusal import Refusal
from judging import wording_remedies
from portal import words
from portal.door_wording import DOOR

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


def _number(params: Params) -> int:
    """Return the number found, for the choice of the plural form; 0 for none."""
    found = params.get("found")
    return found if isinstance(found, int) else 0


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


def _remedy_not_in_pack(params: Params) -> str:
    """Name the remedy chosen and those that the infraction has, as the form calls them."""
    found = words.word("remedy", str(params.get("found", "")))
    allowed = [words.word("remedy", str(one)) for one in _listed(params.get("allowed"))]
    return _filled(
        translate(
            "%(infraction)s does not go with \u201c%(found)s\u201d. Choose: \u201c%(allowed)s\u201d"
        ),
        infraction=str(params.get("infraction", "–")),
        found=found,
        allowed="\u201d, \u201c".join(allowed) or "–",
    )


def _state_of(subject: str) -> Callable[[Params], str]:
    """Make the sentence of an act that does not fit a state, with the state in words."""

    def sentence(params: Params) -> str:
        fit = _listed(params.get("allowed"))
        text = translate("That does not fit the state \u201c%(found)s\u201d. It fits: %(allowed)s.")
        return _filled(
            text,
            found=words.word(subject, str(params.get("found", ""))),
            allowed=", ".join(words.word(subject, str(one)) for one in fit) or "–",
        )

    return sentence


def _scores(text: Promise) -> Callable[[Params], str]:
    """Make a sentence about scores, written 2-1, drawn duels last where there are any."""

    def one(score: Any) -> str:
        parts = list(score) if isinstance(score, list | tuple) else [score]
        return "-".join(str(part) for part in (parts[:2] if parts[2:] == [0] else parts))

    def sentence(params: Params) -> str:
        allowed = params.get("allowed")
        fit = ", ".join(one(score) for score in allowed) if isinstance(allowed, list) else "–"
        return _filled(str(text), found=one(params.get("found")), allowed=fit)

    return sentence


def _filled(text: str, **values: str) -> str:
    """Fill in what is worded here; what remains is filled in by refusal_text."""
    return text % {key: value.replace("%", "%%") for key, value in values.items()}


def _slow_down(params: Params) -> str:
    return ngettext(
        "Too many wrong attempts. The next one is looked at in %(found)s second; nothing is "
        "locked.",
        "Too many wrong attempts. The next one is looked at in %(found)s seconds; nothing is "
        "locked.",
        _number(params),
    )


WEAK: dict[str, Promise] = {
    "password_too_short": _("it has fewer than ten signs"),
    "password_too_long": _("it has more than 200 signs"),
    "password_too_common": _("it is one of the most common passwords"),
    "password_entirely_numeric": _("it has digits only"),
    "password_too_similar": _("it is too much like the user name"),
}
"""What can be wrong with a password, by the codes of the validators."""


def _weak(params: Params) -> str:
    faults = ", ".join(str(WEAK.get(code, code)) for code in _listed(params.get("found")))
    return _filled(translate("Choose another password: %(found)s."), found=faults)


def _name_long(params: Params) -> str:
    return ngettext(
        "The name has %(found)s sign, at most %(allowed)s fit.",
        "The name has %(found)s signs, at most %(allowed)s fit.",
        _number(params),
    )


def _left_open(params: Params) -> str:
    """A call that was left open, by its minutes."""
    return _filled(
        translate(
            "This call has been open for %(minutes)s minutes. Say first how long it really took:"
            " the extension of the table follows from it."
        ),
        minutes=str(int(params.get("open_s", 0)) // 60),
    )


def _conflict_tables(params: Params) -> str:
    """Results that differ, by their tables."""
    return ngettext(
        "Two results stand side by side at table %(tables)s. Choose one of them first.",
        "Two results stand side by side at tables %(tables)s. Choose one each first.",
        len(_listed(params.get("tables"))),
    )


def _open_tables(params: Params) -> str:
    return ngettext(
        "This table has no result yet: %(tables)s.",
        "These tables have no result yet: %(tables)s.",
        len(_listed(params.get("tables"))),
    )


def _too_few(params: Params) -> str:
    return ngettext(
        "%(found)s player is checked in; at least %(allowed)s are needed.",
        "%(found)s players are checked in; at least %(allowed)s are needed.",
        _number(params),
    )


def _illegal(params: Params) -> str:
    number = len(_listed(params.get("errors")))
    return ngettext(
        "The list is not legal: %(number)s thing to put right. Nothing was stored.",
        "The list is not legal: %(number)s things to put right. Nothing was stored.",
        number,
    ) % {"number": number}


def _preset_faults(params: Params) -> str:
    """Name every fault of a preset by the path of its value."""
    told = []
    for one in _listed(params.get("faults")):
        word = words.word("preset_fault", str(one.get("code", "")))
        found, allowed = shown(one.get("found")), shown(one.get("allowed"))
        text = f"{one.get('path') or '–'}: {word} ({found})"
        if one.get("allowed") is not None:
            text += " " + translate("Allowed: %(allowed)s.") % {"allowed": allowed}
        told.append(text)
    return " · ".join(told) or translate("The data of the preset has faults.")


def _setting(params: Params) -> str:
    name = words.word("setting", str(params.get("field", "")))
    return translate(
        "The setting \u201c%(setting)s\u201d does not fit: %%(found)s. Allowed: %%(allowed)s."
    ) % {"setting": name.replace("%", "%%")}


SENTENCES: dict[str, Sentence] = {
    # the shell
    "portal.sign_in_empty": _("Give the user name and the password."),
    "portal.sign_in_failed": _(
        "User name and password do not go together. Mind capital letters; the organiser can give "
        "a new password."
    ),
    "portal.slow_down": _slow_down,
    "portal.backup_no_place": _(
        "No second path is set for backups. Start with BACKUP_DIR=/path/to/the/stick."
    ),
    # the shell: webhooks
    "portal.job_not_given_up": _("Only work that was given up is started again. Look at it anew."),
    "portal.log_withheld": _(
        "The whole log holds hidden cards of duels that go on. Judges get it when they are over."
    ),
    "portal.log_damaged": _(
        "The kept proofs are damaged. Run manage.py verify_log: it names the place."
    ),
    "people.rights_lost": _("Whoever asked for this may not do it any more. Ask again."),
    "cards.upload_gone": _("The uploaded file is no longer kept. Send it again."),
    "portal.webhook_exists": _("This webhook exists already. Reload the page."),
    "portal.webhook_limit": _("An event has at most %(allowed)s webhooks. Remove one first."),
    "portal.webhook_kinds": _("Choose what the address is told of. There is: %(allowed)s."),
    "portal.webhook_over": _("This webhook has ended. Make another."),
    "portal.webhook_waiting": _("This message is on its way already."),
    "portal.webhook_url_too_long": _("The address is too long."),
    "portal.webhook_url_malformed": _(
        "This is no address to send to. It looks like https://example.org/hook."
    ),
    "portal.webhook_url_scheme": _("The address must begin with https://."),
    "portal.webhook_url_userinfo": _("The address must not hold a user name or password."),
    "portal.webhook_url_port": _(
        "Messages are not sent to this port. Take 443, or one above 1023."
    ),
    "portal.webhook_url_private": _(
        "The address lies in a private network. The keeper of the server can allow that "
        "(WEBHOOKS_PRIVATE)."
    ),
    # the shell: messages
    "portal.push_unusable": _(
        "The browser gave no address that messages can be sent to. Reload the page and try again."
    ),
    "portal.push_exists": _("This device is told already. Reload the page."),
    "portal.push_none": _("This device is not told any more. Switch it on again."),
    "portal.mail_off": _("This server sends no mail."),
    "portal.mail_address": _("This is no mail address. It looks like alice@example.org."),
    "portal.mail_asked": _(
        "%(allowed)s mails went out today to ask whether an address is right. Try again tomorrow."
    ),
    "portal.mail_gone": _("This address is not kept any more. Give it again."),
    "portal.notice_kinds": _("There is no such message. There are: %(allowed)s."),
    # people
    "people.no_account": _("This person has no log-in."),
    "people.password_wrong": _("The password is not right."),
    "people.password_differs": _("The two new passwords are not the same. Type them once more."),
    "people.password_weak": _weak,
    "people.code_wrong": _(
        "The code is not right, or was used already. Wait for the next one; the clock of the "
        "phone must be right."
    ),
    "people.factor_stale": _("The key on this page is an old one. Reload the page and scan again."),
    "people.no_factor": _("This log-in has no second factor."),
    "people.until_invalid": _("The end of a role must be a time to come, such as %(allowed)s."),
    "people.form_reused": _(
        "This form was already sent with other content. Reload the page and send it once more."
    ),
    "people.moved_on": _(
        "Somebody else was quicker. Look at what stands here now, then send it once more."
    ),
    "people.text_unreadable": _("A text holds a sign that cannot be stored. Write it anew."),
    "people.not_done": _("Nothing was done. It is safe to send this once more."),
    "people.no_room": _(
        "The disk of the server is full: nothing was done. Tell the staff; once there is room "
        "again it is safe to send this once more."
    ),
    "people.outcome_unknown": _(
        "It is not known whether this was done. Send this form once more as it is: it then tells, "
        "and nothing happens twice."
    ),
    "people.token_needs_account": _("A token needs a log-in of your own. Sign in first."),
    "people.token_scopes": _("Choose what the token may do. There is: %(allowed)s."),
    "people.token_days": _("A token lasts between these numbers of days: %(allowed)s."),
    "people.token_label": _("Say in at most %(allowed)s signs what the token is for."),
    "people.token_limit": _("You have %(allowed)s tokens in force. End one first."),
    "people.token_exists": _(
        "This token was made already and is shown once only. End it and make another."
    ),
    "people.token_unknown": _("There is no such token of yours."),
    "people.name_missing": _("The name is missing."),
    "people.name_too_long": _name_long,
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
    "people.person_erased": _("The free text of this person is erased and stays so."),
    "people.key_unreadable": _("The key of this person cannot be read here."),
    "people.legal_hold": _("A legal hold forbids to erase this person now."),
    "people.hold_incomplete": _("A hold needs what it is for, and a reason."),
    "people.hold_unknown": _("There is no such hold."),
    # cards
    "cards.too_large": _("The file has %(found)s bytes, at most %(allowed)s are read."),
    "cards.no_list": _("The file holds no list of limits."),
    "cards.no_cards": _("The source holds no card."),
    "cards.banlist_title_needed": _("The file holds several lists. Name one: %(allowed)s."),
    "cards.banlist_title_unknown": _("The file has no list %(found)s. It has: %(allowed)s."),
    "cards.untitled_list": _("A list of the file has no title. Put a line that begins with !."),
    "cards.bad_csv": _("The table of cards cannot be read: %(found)s."),
    "cards.csv_columns_missing": _("Columns are missing. Found: %(found)s, needed: %(allowed)s."),
    "cards.bad_json": _("This is not the JSON of a card source, or it is damaged: %(found)s."),
    "cards.bad_cdb": _("The card database cannot be read: %(found)s."),
    "cards.cdb_tables_missing": _("Tables are missing. Found: %(found)s, needed: %(allowed)s."),
    "cards.bad_compression": _("The compressed file is damaged: %(found)s."),
    "cards.too_many_rows": _("The file has more than %(allowed)s rows."),
    "cards.too_many_lines": _("The file has more than %(allowed)s lines."),
    "cards.too_many_lists": _("The file has more than %(allowed)s lists."),
    # decks
    "decks.illegal_list": _illegal,
    "decks.bad_id": _("There is no such list."),
    "decks.no_list": _("No list is handed in."),
    "decks.list_locked": _("The list is locked. The organiser or the head judge can open it."),
    "decks.list_not_locked": _("The list is not locked."),
    "decks.not_this_entrant": _("This list belongs to another player."),
    "decks.reason_missing": _("Say why the list is opened or changed."),
    "decks.reason_too_long": _("The reason has %(found)s signs, at most %(allowed)s are kept."),
    "decks.unknown_preset": _("There are no such deck rules. There are: %(allowed)s."),
    "decks.preset_invalid": _preset_faults,
    "decks.bad_preset": _("This is neither TOML nor JSON: %(found)s."),
    "decks.too_large": _("The text has %(found)s bytes, at most %(allowed)s are read."),
    "decks.preset_moved_on": _(
        "Version %(found)s of %(preset)s is not the newest: that is %(allowed)s. Reload the page"
        " and edit that one."
    ),
    "decks.too_many_versions": _("A preset has at most %(allowed)s versions. Make a new one."),
    "decks.two_lists": _(
        "%(allowed)s has limits of its own. Choose no list beside it (found: %(found)s)."
    ),
    "decks.no_side_deck": _("These rules have no side deck: nothing can be exchanged."),
    "decks.unknown_banlist": _("There is no such Forbidden and Limited list."),
    "decks.paper_there": _(
        "This list was handed in on paper and stays as it is. Staff type it in from the paper."
    ),
    "decks.list_there": _(
        "Version %(number)s of a list is in already: no paper is needed from this player."
    ),
    "decks.no_paper": _("No list on paper was received from this player."),
    "decks.paper_used": _(
        "The paper was photographed or typed in: the mark cannot be taken back any more."
    ),
    "decks.list_confirmed": _(
        "Version %(number)s is checked. What is wrong with it now, a judge repairs."
    ),
    "decks.list_repaired": _("A judge has repaired this list: what the judge made stays in force."),
    "decks.other_version": _(
        "Version %(allowed)s is in force now, not version %(found)s. Look at it first."
    ),
    "decks.repair_first": _("This list is illegal. A judge repairs it, then it can be checked."),
    "decks.nothing_repaired": _("The repair is the list that is in force: change it first."),
    "decks.typed_too_long": _("The list has %(found)s signs, at most %(allowed)s are kept."),
    "decks.photo_missing": _("No photo was chosen."),
    "decks.photo_too_large": _("The photo is too large: %(allowed)s %(unit)s at most."),
    "decks.photo_unreadable": _(
        "This is no photo that can be read. Send a %(allowed)s picture as the camera made it."
    ),
    "decks.photos_many": _("There are %(found)s photos already, at most %(allowed)s are kept."),
    "decks.photo_gone": _("This photo is erased."),
    "decks.card_not_there": _("These cards are not in the deck they are taken from: %(found)s."),
    "decks.unresolved": _("These lines name no card: %(found)s."),
    "decks.too_many_for_omega": _(
        "An Omega code holds at most %(allowed)s cards in a part, this list has %(found)s."
    ),
    "decks.no_passcode": _("These cards have no number that the format could hold: %(found)s."),
    # tournaments: the event
    "tournaments.event_exists": _("This event exists already."),
    "tournaments.event_unknown": _("There is no such event."),
    "tournaments.setting_invalid": _setting,
    "tournaments.banlist_unknown": _("There is no such Forbidden and Limited list."),
    "tournaments.nothing_changed": _("Nothing is different from what stands."),
    "tournaments.decks_handed_in": _(
        "Deck lists are handed in already (%(found)s): deck rules and list of limits stay."
    ),
    "tournaments.wrong_state": _state_of("event"),
    "tournaments.too_long": _("The text has %(found)s signs, at most %(allowed)s are kept."),
    "tournaments.seed_invalid": _("The seed must lie between these numbers: %(allowed)s."),
    "tournaments.devices_put_away": _(
        "Phones are put away in this event while a match runs. Raise your hand for a judge; the"
        " result goes on the slip."
    ),
    "tournaments.bad_id": _("This number is no valid id."),
    # tournaments: entrants
    "tournaments.registration_closed": _(
        "The registration is not open. The desk can still enrol you."
    ),
    "tournaments.already_enrolled": _("This player is in the event already."),
    "tournaments.person_missing": _("Give a name, or the Card Game ID of somebody known."),
    "tournaments.persons_invalid": _("An entrant is one to three different persons."),
    "tournaments.entrant_unknown": _("There is no such player in this event."),
    "tournaments.entrant_out": _("This player is out of the event."),
    "tournaments.entrant_in": _("This player is in the event."),
    "tournaments.entrant_disqualified": _("This player is disqualified."),
    "tournaments.staff_plays": _(
        "By the policy pack of this event nobody of its staff plays in it. End the role first, or"
        " choose a pack that lets staff play."
    ),
    "tournaments.not_disqualified": _("This player is not disqualified."),
    "tournaments.cut_without": _(
        "The cut was made without this player (number %(found)s). Take the cut back first, while no"
        " round of it is out; after that the disqualification stands."
    ),
    "tournaments.cut_went_on": _(
        "Round %(found)s of the cut is published, and the player went out after round %(allowed)s."
        " Take the newer round back first, or the disqualification stands."
    ),
    "tournaments.already_checked_in": _("This player is checked in already."),
    "tournaments.deck_missing": _("No deck list is handed in: hand one in first."),
    "tournaments.deck_deadline_passed": _("The deadline for deck lists has passed."),
    "tournaments.decks_locked": _("The event has started: deck lists are locked."),
    "tournaments.too_late": _("It is too late: round 2 is published, or the cut has begun."),
    # tournaments: rounds
    "tournaments.too_few_players": _too_few,
    "tournaments.too_few_active": _("Fewer than two players are left."),
    "tournaments.cut_too_large": _(
        "The top cut of %(found)s is larger than the number of players (%(allowed)s)."
    ),
    "tournaments.results_open": _open_tables,
    "tournaments.rounds_played": _("All Swiss rounds are played."),
    "tournaments.rounds_left": _("%(found)s of %(allowed)s rounds are played."),
    "tournaments.swiss_not_over": _("%(found)s of %(allowed)s Swiss rounds are played."),
    "tournaments.no_draft": _("There is no draft of this round. Pair it first."),
    "tournaments.draft_stale": _(
        "Since the draft players have come, gone or changed points. Pair the round anew."
    ),
    "tournaments.round_published": _("The round is published already."),
    "tournaments.cut_size": _("A cut of %(found)s does not fit; it takes %(allowed)s players."),
    "tournaments.cut_not_made": _("The top cut is not made yet."),
    "tournaments.cut_not_over": _("The top cut is not played to its end."),
    "tournaments.cut_over": _("The top cut is over."),
    "tournaments.cut_moved_on": _(
        "Round %(found)s of the cut is published and stands on this. Take it back first, or begin"
        " the cut again; a score that changes no winner can be corrected at any time."
    ),
    "tournaments.round_older": _(
        "Round %(newest)s was paired from the results of round %(found)s, so round %(found)s stays."
        " Correct its results instead, or take round %(newest)s back first."
    ),
    "tournaments.round_none": _("There is no round %(found)s; the newest one is %(allowed)s."),
    "tournaments.tables_started": _(
        "Play has begun at these tables: %(tables)s. A round is paired anew only while no table"
        " has started; it can still be deleted, with a view of what that changes."
    ),
    "tournaments.policy_unknown": _("There is no such policy. There are: %(allowed)s."),
    "tournaments.seat_declined": _("This player has declined the place in the cut already."),
    "tournaments.seat_not_declined": _("This player has not declined a place in the cut."),
    "tournaments.player_missed": _("This player is marked as missing already."),
    "tournaments.player_not_missed": _(
        "This player is not marked as missing. Mark the empty seat first."
    ),
    "tournaments.tardy_early": _(
        "%(found)s minutes have passed; the policy allows this loss from minute %(allowed)s on."
    ),
    "tournaments.tardy_confirmed": _("This loss is confirmed already."),
    "tournaments.pod_names": _(
        "%(found)s names are given; a bracket takes from %(allowed)s players. One name a line."
    ),
    "tournaments.pod_name_twice": _(
        "%(found)s is named twice. Add something that tells the two apart."
    ),
    # tournaments: pairing by hand or from a file, tables
    "tournaments.pair_input_invalid": _("%(field)s: found %(found)s, allowed is %(allowed)s."),
    "tournaments.player_twice": _("Player %(player)s is named twice."),
    "tournaments.player_unknown": _("%(field)s names %(player)s, who is not in the field."),
    "tournaments.lock_invalid": _(
        "These two cannot be locked together: a lock needs two players of the round, each once."
    ),
    "tournaments.seating_invalid": _("%(field)s: found %(found)s, allowed is %(allowed)s."),
    "tournaments.tables_short": _(
        "The round needs %(found)s tables, the ranges of the event hold %(allowed)s."
    ),
    "tournaments.draft_incomplete": _(
        "Everybody who plays needs exactly one place in the round: a table or the bye."
    ),
    "tournaments.byes_many": _("%(found)s players would have a bye; at most %(allowed)s can."),
    "tournaments.not_in_draft": _("This player is not in the draft of the round."),
    "tournaments.reason_missing": _("Say why: it stays in the log with its reason."),
    "tournaments.message_empty": _("Write what is to be said."),
    "tournaments.message_long": _(
        "The message has %(found)s signs; a screen is read at a glance: at most %(allowed)s."
    ),
    "tournaments.message_audience": _("%(found)s is no part of the hall. There are: %(allowed)s."),
    "tournaments.message_minutes": _("A message stands for 1 to 720 minutes; %(found)s was given."),
    "tournaments.message_tables": _(
        "Nobody sits there: %(found)s. The tables of the round that is on: %(allowed)s."
    ),
    "tournaments.message_unknown": _("There is no such message in this event."),
    "tournaments.message_withdrawn": _("The message is taken back already."),
    "tournaments.paper_invalid": _(
        "%(field)s cannot be \u201c%(found)s\u201d. It can be: %(allowed)s."
    ),
    "tournaments.draft_tables": _(
        "Each pair needs a table of its own, from 1 to 99999. Given: %(found)s."
    ),
    "tournaments.slip_unknown": _(
        "\u201c%(found)s\u201d is neither a table of this round nor the code of one of its slips. "
        "It may be a slip of another round or event."
    ),
    "tournaments.paper_nobody": _(
        "Nobody who plays has the number or the name \u201c%(found)s\u201d."
    ),
    "tournaments.paper_several": _(
        "\u201c%(found)s\u201d fits several: %(allowed)s. Write the number."
    ),
    "tournaments.paper_half": _(
        "Table %(table)s lacks a player. A table that was not used stays empty."
    ),
    "tournaments.paper_twice": _("%(found)s stands twice: tables %(tables)s."),
    "tournaments.paper_missing": _(
        "These play and stand at no table: %(found)s. Whoever left is dropped first; one can have "
        "the bye."
    ),
    "tournaments.paper_differs": _(
        "Another result stands at table %(table)s. Both are kept; choose one under Results."
    ),
    "tournaments.paper_empty": _("Nothing is filled in yet."),
    "tournaments.companion_mode": _(
        "This event runs in another program: import its file, nothing is paired here."
    ),
    "tournaments.not_newest": _("Only the newest round (%(allowed)s) can be taken back."),
    "tournaments.results_there": _(
        "%(found)s matches of the round have a result: it cannot be taken back."
    ),
    "tournaments.not_in_cut": _("This player is not in the top cut."),
    "tournaments.plan_invalid": _("%(field)s: found %(found)s, allowed is %(allowed)s."),
    "tournaments.plan_fixed": _("The event has started: %(fields)s can no longer change."),
    # tournaments: standings, event files
    "tournaments.switch_invalid": _(
        "%(field)s: found %(found)s, the system of standings allows %(allowed)s."
    ),
    "tournaments.system_unknown": _(
        "There is no system of standings %(found)s. There are: %(allowed)s."
    ),
    "tournaments.round_unknown": _("The event has no round %(found)s. It has: %(allowed)s."),
    "tournaments.file_missing": _("The file %(found)s cannot be opened: %(why)s."),
    "tournaments.file_empty": _("The file is empty. These are read: %(allowed)s."),
    "tournaments.file_too_large": _("The file has %(found)s bytes, at most %(allowed)s are read."),
    "tournaments.file_too_many": _(
        "The file holds more than can be read (%(place)s: %(found)s, at most %(allowed)s)."
    ),
    "tournaments.file_unsafe": _(
        "The file holds what no event file needs (%(found)s) and is not read."
    ),
    "tournaments.file_damaged": _("The file is damaged at line %(line)s: %(found)s."),
    "tournaments.file_other": _(
        "This is no file of that kind: found %(found)s, needed %(allowed)s."
    ),
    "tournaments.file_version": _(
        "The archive has version %(found)s. This program reads version %(allowed)s."
    ),
    "tournaments.file_field": _(
        "The file is wrong at %(place)s: found %(found)s, allowed is %(allowed)s."
    ),
    "tournaments.companion_off": _(
        "This event does not run in the program of that file. Choose it in the settings first."
    ),
    "tournaments.team_file": _("Files of teams can be looked at, not run here."),
    "tournaments.companion_id": _("Player %(player)s has no number that can be kept."),
    "tournaments.companion_differs": _(
        "Round %(round)s has other pairs in the file than here, and results are in. Nothing was"
        " changed."
    ),
    "tournaments.archive_wrong": _("The archive does not hang together: %(found)s."),
    "tournaments.export_id_missing": _(
        "%(found)s players have no Card Game ID, which this format needs. Give it in People first."
    ),
    # tournaments: matches
    "tournaments.match_unknown": _("There is no such match."),
    "tournaments.match_decided": _("The match has a result. Staff can correct it."),
    "tournaments.not_your_match": _("You do not play in this match."),
    "tournaments.not_in_match": _("This player does not play in that match."),
    "tournaments.clock_no_round": _("No round is on. Publish one, then start its clock."),
    "tournaments.clock_started": _(
        "The clock of round %(round)s was started already. Give time or take it away instead."
    ),
    "tournaments.clock_not_started": _("The clock of round %(round)s is not started yet."),
    "tournaments.clock_running": _("The clock of round %(round)s runs already."),
    "tournaments.clock_paused": _("The clock of round %(round)s is paused already."),
    "tournaments.clock_length": _(
        "A round lasts whole minutes within these bounds: %(allowed)s. You gave %(found)s."
    ),
    "tournaments.clock_change": _(
        "The clock can be changed by 1 to %(allowed)s minutes at once, not by %(found)s."
    ),
    "tournaments.outage_unknown": _("There is no such outage in this event."),
    "tournaments.outage_past": _(
        "That was in round %(found)s, and round %(allowed)s is on. Give this round time by its"
        " clock instead."
    ),
    "tournaments.outage_settled": _(
        "This outage is decided already: %(minutes)s minutes. Take that back first."
    ),
    "tournaments.outage_waits": _("Nothing was given for this outage yet."),
    "tournaments.outage_length": _(
        "The clock of the server cannot say how long it was away. Say how many minutes it was; the"
        " longest is %(allowed)s hours."
    ),
    "tournaments.outage_time": _(
        "From 0 to %(allowed)s minutes can be given for an outage, not %(found)s."
    ),
    "tournaments.outage_tables": _(
        "Name open tables of the round that is on. %(found)s is none of them."
    ),
    "tournaments.no_packet": _(
        "This player has no open disqualification packet: it was closed, or never opened."
    ),
    "tournaments.no_open_match": _("This player has no open match."),
    "tournaments.seat_unknown": _("There is no such seat. There are: %(allowed)s."),
    "tournaments.coin_tossed": _("The coin is tossed already."),
    "tournaments.starter_chosen": _("It is settled already who starts."),
    "tournaments.starter_open": _("It is not settled yet who starts."),
    "tournaments.duel_running": _("Duel %(number)s is still being played."),
    "tournaments.duel_unknown": _("This is not the duel being played."),
    "tournaments.duel_not_over": _("The log of the duel does not hold its end yet."),
    "tournaments.score_malformed": _("Give the score as duels won, such as 2-1 or 1-1-1."),
    "tournaments.score_impossible": _scores(
        _("A match cannot end %(found)s. It can end: %(allowed)s.")
    ),
    "tournaments.cut_needs_winner": _scores(
        _("A match of the cut cannot be drawn (%(found)s). It can end: %(allowed)s.")
    ),
    "tournaments.winner_differs": _("The winner does not go with the score."),
    "tournaments.winner_missing": _("Name the winner: without a score it cannot be told."),
    "tournaments.reason_unknown": _("A result cannot be reported in this way."),
    "tournaments.result_missing": _("There is no result to correct yet."),
    "tournaments.penalty_unknown": _("There is no such penalty. There are: %(allowed)s."),
    "tournaments.line_unreadable": _(
        "\u201c%(found)s\u201d cannot be read. Write a table of this round and the score: 12 2-1."
    ),
    "tournaments.table_unknown": _("There is no table %(found)s in round %(round)s."),
    "tournaments.time_not_over": _scores(
        _(
            "A match ends %(found)s only when time was called, and this table has time left. It"
            " can end: %(allowed)s. Add t when time was called."
        )
    ),
    "tournaments.results_conflict": _conflict_tables,
    "tournaments.conflict_none": _("Nothing is said against the result of table %(table)s."),
    "tournaments.conflict_open": _(
        "Two results of table %(table)s differ. Choose one of them first."
    ),
    "tournaments.choice_unknown": _("There is no such statement. Open the table again."),
    "tournaments.take_back_late": _(
        "Round %(round)s is over. A result of it is corrected, not taken back."
    ),
    "tournaments.take_back_staff_only": _(
        "Only a result that staff entered is taken back. Correct this one instead."
    ),
    "tournaments.slip_not_due": _(
        "Table %(table)s may still bring its slip. It is missing in %(seconds)s seconds."
    ),
    "tournaments.table_held": _(
        "A judge's call is open at table %(table)s. Close it first; its real length decides when"
        " the time of the table is over."
    ),
    "tournaments.table_time_left": _(
        "The time of table %(table)s is not over: %(seconds)s seconds are left."
    ),
    "tournaments.extension_range": _("An extension lies between 0 and %(allowed)s seconds."),
    "tournaments.loss_given": _("This loss is given already."),
    "tournaments.loss_unknown": _("There is no such loss that waits."),
    "tournaments.loss_over": _(
        "The loss fell in round %(found)s. Correct the result of that match instead."
    ),
    "tournaments.own_match": _("You play at table %(table)s. That is for another judge."),
    "tournaments.ruleset_unknown": _(
        "There is no such ruleset for the end of a match. There are: %(allowed)s."
    ),
    "tournaments.end_started": _("The end of the match at table %(table)s has begun already."),
    "tournaments.end_not_started": _("Time was not called at table %(table)s yet."),
    "tournaments.end_not_over": _("The questions are not all answered yet."),
    "tournaments.end_over": _("All questions are answered. Confirm the result, or go back."),
    "tournaments.question_moved": _("This question was answered meanwhile. Look at the next one."),
    "tournaments.answer_unknown": _("\u201c%(found)s\u201d is no answer. There are: %(allowed)s."),
    "tournaments.answer_none": _("There is no answer to take back."),
    # judging
    **wording_remedies.REFUSALS,
    "judging.own_list": _("This is your own list: another judge repairs it."),
    "judging.ruling_not_of_list": _(
        "That ruling is not about the list of this player, or it does not stand any more."
    ),
    "judging.not_a_list_infraction": _(
        "A repair belongs to an infraction about deck lists. There are: %(allowed)s."
    ),
    "judging.nothing_to_pick": _("There is no table left to pick in this round."),
    "judging.table_not_open": _(
        "Table %(found)s cannot be picked: it is not open, or somebody of the staff plays there."
    ),
    "judging.table_conflict": _(
        "Table %(found)s is not yours to check: a club mate of yours, or somebody whom you may not"
        " meet, plays there."
    ),
    "judging.no_cut": _("The top cut is not being played."),
    "judging.decks_out": _("A deck of this table is with staff already."),
    "judging.deck_not_out": _("This deck is not with staff."),
    "judging.unknown_confirmer": _("A return is confirmed by one of these: %(allowed)s."),
    "judging.photos_not_allowed": _("The policy %(found)s does not allow photos at tables."),
    "judging.sleeve_place": _(
        "There is no place %(found)s in this deck: it has %(allowed)s cards."
    ),
    "judging.sleeve_card": _("Card %(found)s is not in the main deck of this list."),
    "judging.unknown_answer": _("The answer is one of these: %(allowed)s."),
    "judging.call_open_there": _("A call is open at this table: close it first."),
    "judging.not_a_deck_check": _("This is no open deck check."),
    "judging.no_list_there": _("There is no such list to count."),
    "judging.count_range": _("%(found)s is no number of cards. Allowed: 0 to %(allowed)s."),
    "judging.unknown_mark": _("There is no such mark. There are: %(allowed)s."),
    "judging.nothing_changed": _("The ruling is marked so already."),
    "judging.no_such_table": _("There is no table %(found)s in this round."),
    "judging.minutes_range": _("A start is set back by %(allowed)s minutes."),
    "judging.not_started": _("No call is open at this table: tap START first."),
    "judging.note_empty": _("Write something first."),
    "judging.lp_range": _("Totals lie between 0 and %(allowed)s, at most %(lines)s of them."),
    "judging.entry_exists": _("This is kept already."),
    "judging.undo_unknown": _("There is nothing of yours to take back here."),
    "judging.undo_late": _(
        "That was %(found)s seconds ago; at most %(allowed)s can be taken back."
    ),
    "judging.undo_moved_on": _(
        "Something has happened since: it is put right on the page of the call."
    ),
    "judging.undo_in_force": _("The penalty has changed the result: correct it at the desk."),
    "judging.undo_replaced": _("It took the place of another ruling: rule anew instead."),
    "judging.call_id": _("The call has no valid number. Reload the page."),
    "judging.call_exists": _("This call exists already."),
    "judging.call_over": _("The call is over."),
    "judging.wrong_state": _state_of("call"),
    "judging.unknown_call_kind": _("There is no such kind of call. There are: %(allowed)s."),
    "judging.unknown_category": _("A call cannot be about that. It can be: %(allowed)s."),
    "judging.unknown_pack": _("There is no such policy pack: %(found)s."),
    "judging.match_gone": _("The match of this call is gone."),
    "judging.already_claimed": _("%(name)s has taken this call already."),
    "judging.rewind_not_by": _(
        "By the policy %(pack)s the head judge orders no rewind. Let play go on, or do now what was"
        " missed."
    ),
    "judging.downgrade_none": _("By the policy %(pack)s no penalty is lowered: give the base one."),
    "judging.downgrade_reason": _(
        "By the policy %(pack)s it lowers nothing that a player tells of the own error; what"
        " counts: %(allowed)s. Where one of these holds, write it down and leave that mark off."
    ),
    "judging.own_match": _("You play in this match: another judge must take it."),
    "judging.own_ruling": _("The ruling is your own: somebody else must decide about it."),
    "judging.pad_on_paper": _(
        "The policy of this event (%(found)s) wants Life Points on paper: no pad on a phone."
    ),
    "judging.pads_differ": _(
        "The pads do not say the same (%(found)s and %(other)s): compare them, or call a judge."
    ),
    "judging.statements_not_required": _(
        "This matter needs no statements by the policy pack (needed for: %(allowed)s). The head"
        " judge can demand them; otherwise a short note does."
    ),
    "judging.statements_open": _(
        "The statements are open already: what follows can only be added to them."
    ),
    "judging.statement_person": _(
        "%(found)s cannot be asked: not a player or one of the staff here, or asked already."
    ),
    "judging.statement_not_asked": _("No statement was asked of this person in this call."),
    "judging.statement_stands": _(
        "A sealed statement of this person is in. Its author can take it back and write another."
    ),
    "judging.statement_not_given": _("There is no statement in yet."),
    "judging.head_judge_only": _("Only the head judge can do this."),
    "judging.not_your_call": _("Another judge has this call."),
    "judging.not_your_seat": _("You can answer for your own seat only."),
    "judging.not_at_table": _("Say first that you are at the table."),
    "judging.call_shared": _("Both players called: the call cannot be taken back."),
    "judging.already_ruled": _("The ruling is made: the call cannot be taken back."),
    "judging.already_accepted": _("This ruling is accepted already."),
    "judging.unknown_seat": _("There is no such seat."),
    "judging.time_left_range": _("The time left lies between 0 and %(allowed)s seconds."),
    "judging.real_length_missing": _left_open,
    "judging.real_length_range": _(
        "The call was open for %(allowed)s seconds; it cannot have taken %(found)s."
    ),
    "judging.table_over": _("Table %(table)s has its result; nobody has to look after it."),
    "judging.table_taken": _("%(name)s looks after table %(table)s already."),
    "judging.table_not_yours": _(
        "A judge takes a table or gives it back. Desk and head judge assign the others."
    ),
    "judging.not_a_judge": _("Only a judge of this event looks after a table."),
    "judging.extension_range": _("An extension lies between 0 and %(allowed)s seconds."),
    "judging.reason_missing": _("Say why."),
    "judging.text_too_long": _("The text has %(found)s signs, at most %(allowed)s are kept."),
    "judging.text_signs": _("The text holds signs that cannot be stored."),
    "judging.duel_not_of_match": _("This duel does not belong to the match."),
    "judging.duel_scored": _("The duel is scored already: correct its result first."),
    "judging.unknown_cite": _("There is no ruling with this number to be cited."),
    "judging.ruling_exists": _("This ruling exists already."),
    "judging.ruling_final": _("The ruling is final."),
    "judging.no_ruling": _("There is no ruling yet."),
    "judging.appeal_open": _("An appeal is open: the head judge decides."),
    "judging.no_appeal": _("No appeal is open."),
    "judging.appeal_ruling_missing": _("Give the ruling that takes the place of the first."),
    "judging.appeal_upheld": _("An upheld ruling stands as it is: leave the ruling empty."),
    "judging.unknown_outcome": _("There is no such decision. There are: %(allowed)s."),
    "judging.nothing_pending": _("No penalty waits here."),
    "judging.under_appeal": _("The ruling is under appeal: decide that first."),
    "judging.unknown_rule": _("There is no rule %(found)s."),
    "judging.infraction_missing": _("A penalty needs an infraction."),
    "judging.unknown_infraction": _("There is no infraction %(found)s in the policy pack."),
    "judging.unknown_infraction_kind": _("This kind does not belong to the infraction."),
    "judging.unknown_entrant": _("Say which of the two players it was."),
    "judging.unknown_penalty": _("There is no such penalty in the policy pack."),
    "judging.unknown_target": _("The penalty cannot fall on that. It can fall on: %(allowed)s."),
    "judging.target_out_of_reach": _("The penalty cannot fall on that now. Left: %(allowed)s."),
    "judging.not_base_penalty": _(
        "Only the head judge departs from the penalty of the infraction."
    ),
    "judging.pack_frozen": _(
        "The event is being judged by %(found)s since its first call and keeps it to its end."
    ),
    "judging.pack_faulty": _("The pack is not kept: %(number)s values are not right, see below."),
    "judging.pack_unreadable": _("This is no TOML file that can be read. %(found)s"),
    "judging.pack_too_large": _("A pack has at most %(allowed)s bytes; this one has %(found)s."),
    "judging.too_many_versions": _("An event keeps at most %(allowed)s own versions of its pack."),
    "judging.not_marked": _(
        "%(found)s is no value to confirm in this pack. Those are: %(allowed)s."
    ),
    "judging.keeps_no_prize": _(
        "Nobody keeps a prize after %(infraction)s: give it without the prize, or a milder penalty."
    ),
    "judging.never_upgraded": _("This infraction is never penalised more strongly."),
    "judging.unknown_remedy": _("There is no such remedy. There are: %(allowed)s."),
    "judging.remedy_not_in_pack": _remedy_not_in_pack,
    "judging.remedy_needs_penalty": _("A loss as remedy needs a penalty that costs a game."),
    "judging.rewind_incomplete": _("Say which duel goes back, and to which line."),
    **DOOR,
}
"""One sentence per product code; the parameters are those of the refusal."""


def _params(refusal: Refusal) -> _Shown:
    return _Shown({key: shown(value) for key, value in refusal.params.items()})


def _language() -> str:
    return get_language() or "en"


def rule_title(code: str) -> str:
    """Return the short title of a rule in the active language, empty for any other code."""
    text = texts.rule_text(code, _language()) if is_rule_id(code) else None
    return text.title if text is not None else ""


def refusal_text(refusal: Refusal) -> str:
    """Return the sentence of a refusal in the active language; never raises."""
    if is_rule_id(refusal.code) or refusal.code.startswith("duels."):
        return duels.refusal_text(refusal) or refusal.code
    sentence = SENTENCES.get(refusal.code)
    if sentence is None:
        return refusal.code
    text = sentence(refusal.params) if callable(sentence) else str(sentence)
    return text % _params(refusal)
