"""Words for duels, in the language of the reader: lines of the log, refusals, red marks.

Lines and refusals carry codes and parameters; sentences are made here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as translate
from django.utils.translation import gettext_lazy as _

from duels import wording_creatures, wording_notes, wording_replays
from duels.rules.texts import refusal_sentence
from duels.wording_parts import DASH, Params, Players
from duels.wording_parts import named_card as _card
from duels.wording_parts import named_cards as _cards
from duels.wording_parts import who as _who
from duels.wording_parts import word as _word
from eventstore.domain.refusal import Refusal

SENTENCES: dict[str, Promise] = {
    "duels.act_malformed": _("This act cannot be read: %(found)s."),
    "duels.act_not_for_players": _("Only a judge may note this."),
    "duels.bad_id": _("%(found)s is no id of a duel."),
    "duels.card_already_identified": _("This card is known already."),
    "duels.card_malformed": _("The record of a card is wrong at %(field)s: %(found)s."),
    "duels.card_unknown": _("Nothing is known of this card yet; say first which card it is."),
    "duels.effect_not_played": _(
        "This effect is not carried out by itself. Declare what the card's text does."
    ),
    "duels.exists": _("This duel has been opened already."),
    "duels.game_not_played": _(
        "No engine here plays this game (%(found)s), so its duels have no log. Play on the table"
        " and report the result."
    ),
    "duels.lot_malformed": _(
        "Lots cannot be drawn so (%(found)s): at least one card, and no more than there are."
    ),
    "duels.no_such_card": _("There is no such card on this table: %(found)s."),
    "duels.no_such_line": _("The log has no line %(found)s."),
    "duels.not_open": _("There is no such duel, or it has not been opened."),
    "duels.not_revealed": _(
        "The hidden cards of this duel are closed while it is played. A judge opens them in the"
        " case of a call, with a reason."
    ),
    "duels.nothing_hidden": _("Nothing of this duel is hidden from its judges: there is no need."),
    "duels.space_not_free": _("Zone %(found)s is not free for this card. Free: %(allowed)s."),
    "duels.reason_missing": _("Hidden cards are opened with a reason, in the case of a call."),
    "duels.nothing_to_take_back": _("Nothing has been written down since the duel was opened."),
    "duels.nothing_open": _("No attack and no effect is waiting to go on."),
    "duels.opening_malformed": _("The duel cannot be opened: %(field)s is wrong (%(found)s)."),
    "duels.option_unknown": _("There is no option %(found)s."),
    "duels.option_value": _("The option %(option)s cannot be %(found)s. Allowed: %(allowed)s."),
    "duels.pads_differ": _(
        "The pads do not say the same (%(found)s and %(other)s): nobody agrees alone."
    ),
    "duels.pad_line_repeated": _("Line %(found)s of this pad has been taken in already."),
    "duels.pad_only": _("This duel keeps Life Points only; no cards are moved in it."),
    "duels.perspective_unknown": _("A duel cannot be seen as %(found)s."),
    "duels.pool_unreadable": _("The cards of these recorded duels cannot be read: %(found)s."),
    "duels.recording_malformed": _("This is no recorded duel that can be read: %(found)s."),
    "duels.recording_unreadable": _("The file of this recorded duel cannot be opened: %(found)s."),
    "duels.rewind_out_of_range": _(
        "Play cannot go back to line %(found)s. Lines that can be chosen: %(allowed)s."
    ),
    "duels.statement_malformed": _("This statement cannot be taken in: %(found)s."),
    "duels.watch_delay_invalid": _(
        "Those who watch cannot be %(found)s seconds behind. Allowed: %(allowed)s."
    ),
    "duels.window_open": _(
        "Something can still be answered. Answer it, pass, or go on; then this is open."
    ),
    "duels.text_count": _(
        "The file holds %(found)s events, but its header promises %(allowed)s: lines are missing."
    ),
    "duels.text_event": _("Line %(line)s: %(found)s is no event type that is known here."),
    "duels.text_field": _("Line %(line)s: the values do not fit the event (%(found)s)."),
    "duels.text_header": _(
        "This is no duel log: line %(line)s is “%(found)s” and should be “%(allowed)s”."
    ),
    "duels.text_line": _(
        "Line %(line)s is no event: “%(found)s”. An event is its number, time, source, type and"
        " fields."
    ),
    "duels.text_log": _("Line %(line)s of the log cannot follow the ones before it: %(found)s."),
    "duels.text_masked": _(
        "This text was masked for one viewer; only the whole log of a judge can be replayed."
    ),
    "duels.text_not_utf8": _("Line %(line)s is not UTF-8 text (byte %(found)s)."),
    "duels.text_order": _("Line %(line)s carries number %(found)s; %(allowed)s comes next."),
    "duels.text_tag": _("Line %(line)s is no header tag: “%(found)s”."),
    "duels.text_too_large": _(
        "The file is too large: %(found)s %(what)s; at most %(allowed)s are read."
    ),
    "duels.text_unreadable": _("The file cannot be read: %(found)s."),
}
"""One sentence per refusal of this room; parameters are those of the refusal."""

PHASES: dict[str, Promise] = {
    "draw": _("Draw Phase"),
    "standby": _("Standby Phase"),
    "main1": _("Main Phase 1"),
    "battle": _("Battle Phase"),
    "main2": _("Main Phase 2"),
    "end": _("End Phase"),
}
STEPS: dict[str, Promise] = {
    "start": _("Start Step"),
    "battle": _("Battle Step"),
    "damage": _("Damage Step"),
    "end": _("End Step"),
}
POSITIONS: dict[str, Promise] = {
    "attack": _("Attack Position"),
    "defence": _("Defence Position"),
    "set": _("face-down Defence Position"),
}
ZONES: dict[str, Promise] = {
    "hand": _("the hand"),
    "deck": _("the Deck"),
    "deck_top": _("the top of the Deck"),
    "deck_bottom": _("the bottom of the Deck"),
    "fusion_deck": _("the Fusion Deck"),
    "graveyard": _("the Graveyard"),
    "banished": _("the removed cards"),
    "monsters": _("the Monster Card Zone"),
    "spells_traps": _("the Spell & Trap Card Zone"),
    "field": _("the Field Card Zone"),
}
CAUSES: dict[str, Promise] = {
    "battle": _("battle"),
    "effect": _("effect"),
    "rule": _("rule"),
    "tribute": _("tribute"),
    "material": _("material"),
    "cost": _("cost"),
    "discard": _("discard"),
    "used": _("used"),
}
ENDINGS: dict[str, Promise] = {
    "life_points": _("Life Points at 0"),
    "deck_out": _("no card left to draw"),
    "exodia": _("the five pieces of Exodia"),
    "direct_attack": _("an unblocked attack without shields"),
    "concession": _("concession"),
    "time": _("time"),
    "connection": _("the connection was lost"),
    "card_text": _("the text of a card"),
}
WINDOWS: dict[str, Promise] = {
    "chain": _("the chain"),
    "summon": _("the summon"),
    "attack": _("the attack"),
    "start": _("the Start Step"),
    "damage": _("the Damage Step"),
    "end": _("the End Step"),
}
EVENTS: dict[str, Promise] = {
    "flip": _("turned face-up"),
    "normal_summon": _("Normal Summoned"),
    "flip_summon": _("Flip Summoned"),
    "special_summon": _("Special Summoned"),
    "attack_declared": _("attack declared"),
    "standby": _("Standby Phase"),
    "destroyed": _("destroyed"),
    "sent_to_graveyard": _("sent to the Graveyard"),
    "direct_damage": _("dealt damage directly"),
    "battled": _("battled"),
}
FLAGS: dict[str, Promise] = {
    "ZONE_OVERFLOW": _("More cards in a zone than it has spaces"),
    "HAND_LIMIT_OWED": _("Cards are still to be discarded"),
    "HAND_COUNT_MISMATCH": _("A declared hand differs from the table"),
    "COUNT_MISMATCH": _("A declared count differs from the table"),
    "LP_MISMATCH": _("A pad differs from the table"),
    "PADS_DIFFER": _("The two pads differ"),
    "CARD_MISPLACED": _("A card is in no place or in two"),
}
SENTENCES |= wording_replays.REFUSALS | wording_notes.REFUSALS
FINDINGS = wording_replays.FINDINGS
finding_params = wording_replays.finding_params
NOTE_KINDS = wording_notes.KINDS


def refusal_text(refusal: Refusal) -> str | None:
    """Return the sentence of a refusal of this room or of a rule of the game, None for any
    other code."""
    params = {key: _shown(value) for key, value in refusal.params.items()}
    sentence = SENTENCES.get(refusal.code)
    if sentence is None:
        return refusal_sentence(refusal.code, params, get_language() or "en")
    return str(sentence) % _Dashed(params)


class _Dashed(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return DASH


def _shown(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(_shown(one) for one in value)
    return DASH if value is None else str(value)


def line_text(code: str, params: Params, players: Players) -> str:
    """Return the sentence of a log line (lines.Line). `players`: seat -> name as shown.

    A code that has no sentence is given as it is, so that a log never fails to show.
    """
    writer = LINES.get(code)
    return writer(params, players) if writer is not None else code


def _opened(params: Params, players: Players) -> str:
    if "number" in params and "life_points" not in params:
        return translate("Duel %(number)s begins; %(first)s has the first turn.") % {
            "number": params["number"],
            "first": _who(params, players, "starter"),
        }
    return translate("Duel %(number)s begins with %(lp)s Life Points each; %(first)s begins.") % {
        "number": params.get("number"),
        "lp": params.get("life_points"),
        "first": _who(params, players, "starter"),
    }


def _shuffled(params: Params, players: Players) -> str:
    return translate("%(player)s's Deck is shuffled.") % {"player": _who(params, players)}


def _drawn(params: Params, players: Players) -> str:
    texts = {
        "opening": translate("%(player)s draws the opening hand: %(cards)s."),
        "normal": translate("%(player)s draws: %(cards)s."),
        "effect": translate("%(player)s draws by an effect: %(cards)s."),
    }
    text = texts.get(str(params.get("cause")), texts["effect"])
    return text % {"player": _who(params, players), "cards": _cards(params.get("cards"))}


def _turn(params: Params, players: Players) -> str:
    return translate("Turn %(turn)s: %(player)s.") % {
        "turn": params.get("turn"),
        "player": _who(params, players),
    }


def _phase(params: Params, players: Players) -> str:
    return _word(PHASES, params.get("phase"))


def _step(params: Params, players: Players) -> str:
    return _word(STEPS, params.get("step"))


def _end_announced(params: Params, players: Players) -> str:
    return translate("%(player)s ends the turn.") % {"player": _who(params, players)}


def _summoned(params: Params, players: Players) -> str:
    texts = {
        "normal": translate("%(player)s Normal Summons %(card)s in %(position)s."),
        "tribute": translate("%(player)s Tribute Summons %(card)s in %(position)s."),
        "flip": translate("%(player)s Flip Summons %(card)s."),
        "special": translate("%(player)s Special Summons %(card)s in %(position)s."),
    }
    text = texts.get(str(params.get("how")), texts["special"])
    return text % {
        "player": _who(params, players),
        "card": _card(params.get("card")),
        "position": _word(POSITIONS, params.get("position")),
    }


def _monster_set(params: Params, players: Players) -> str:
    return translate("%(player)s Sets a monster: %(card)s.") % {
        "player": _who(params, players),
        "card": _card(params.get("card")),
    }


def _position(params: Params, players: Players) -> str:
    texts = {
        "choice": translate("%(card)s is changed to %(position)s."),
        "attack": translate("%(card)s is turned up by the attack: %(position)s."),
        "effect": translate("%(card)s is changed to %(position)s by an effect."),
    }
    text = texts.get(str(params.get("cause")), texts["effect"])
    return text % {
        "card": _card(params.get("card")),
        "position": _word(POSITIONS, params.get("position")),
    }


def _spell_trap_set(params: Params, players: Players) -> str:
    return translate("%(player)s Sets a Spell or Trap: %(card)s.") % {
        "player": _who(params, players),
        "card": _card(params.get("card")),
    }


def _placed(params: Params, players: Players) -> str:
    return translate("%(card)s now lies in %(zone)s of %(player)s.") % {
        "player": _who(params, players),
        "card": _card(params.get("card")),
        "zone": _word(ZONES, params.get("zone")),
    }


def _attached(params: Params, players: Players) -> str:
    return translate("%(card)s now lies under %(target)s as its material.") % {
        "card": _card(params.get("card")),
        "target": _card(params.get("target")),
    }


def _activated(params: Params, players: Players) -> str:
    values = {
        "player": _who(params, players),
        "card": _card(params.get("card")),
        "targets": _cards(params.get("targets")),
    }
    if params.get("targets"):
        return translate("%(player)s activates %(card)s on %(targets)s.") % values
    return translate("%(player)s activates %(card)s.") % values


def _passed(params: Params, players: Players) -> str:
    return translate("%(player)s passes.") % {"player": _who(params, players)}


def _window_closed(params: Params, players: Players) -> str:
    return translate("Nobody answers %(window)s any more.") % {
        "window": _word(WINDOWS, params.get("window"))
    }


def _triggered(params: Params, players: Players) -> str:
    texts = " ".join(
        translate("The effect of %(card)s is called: %(event)s.")
        % {"card": _card(one.get("card")), "event": _word(EVENTS, one.get("when"))}
        for one in params.get("effects", [])
    )
    return texts or DASH


def _declined(params: Params, players: Players) -> str:
    return translate("The effect of %(card)s is not used.") % {"card": _card(params.get("card"))}


def _activation_negated(params: Params, players: Players) -> str:
    return translate("The activation of %(card)s is negated by %(by)s.") % {
        "card": _card(params.get("card")),
        "by": _card(params.get("by")),
    }


def _summon_negated(params: Params, players: Players) -> str:
    return translate("The summon of %(card)s is negated by %(by)s.") % {
        "card": _card(params.get("card")),
        "by": _card(params.get("by")),
    }


def _attack_stopped(params: Params, players: Players) -> str:
    texts = {
        "negated": translate("The attack of %(card)s is negated."),
        "attacker_gone": translate("The attack of %(card)s stops: it can attack no more."),
        "target_gone": translate("The attack of %(card)s stops: its target is gone."),
    }
    text = texts.get(str(params.get("cause")), texts["negated"])
    return text % {"card": _card(params.get("card"))}


def _attack_replayed(params: Params, players: Players) -> str:
    return translate("Replay: the attack of %(card)s is taken back and chosen anew.") % {
        "card": _card(params.get("card"))
    }


def _control(params: Params, players: Players) -> str:
    texts = {
        "end_of_turn": translate("%(player)s takes control of %(card)s until the end of the turn."),
        "lasting": translate("%(player)s takes control of %(card)s."),
        "returned": translate("%(card)s goes back to %(player)s."),
    }
    text = texts.get(str(params.get("until")), texts["lasting"])
    return text % {"player": _who(params, players), "card": _card(params.get("card"))}


def _token(params: Params, players: Players) -> str:
    return translate("%(player)s gets a token: %(card)s.") % {
        "player": _who(params, players),
        "card": _card(params.get("card")),
    }


def _direct(params: Params, players: Players) -> str:
    return translate("%(cards)s may attack directly in this turn.") % {
        "cards": _cards(params.get("cards"))
    }


def _decided(params: Params, players: Players) -> str:
    text = (
        translate("%(player)s pays the price of %(card)s.")
        if params.get("pay")
        else translate("%(player)s does not pay the price of %(card)s.")
    )
    return text % {"player": _who(params, players), "card": _card(params.get("card"))}


def _battle_end(params: Params, players: Players) -> str:
    return translate("%(player)s goes to the End Phase.") % {"player": _who(params, players)}


def _owed(params: Params, players: Players) -> str:
    losses = params.get("losses", {})
    return translate("Damage to be subtracted after the attacks: %(losses)s.") % {
        "losses": ", ".join(f"{players.get(one, one)} {n}" for one, n in sorted(losses.items()))
    }


def _resolved(params: Params, players: Players) -> str:
    return translate("%(card)s has been resolved.") % {"card": _card(params.get("card"))}


def _attack(params: Params, players: Players) -> str:
    values = {
        "player": _who(params, players),
        "card": _card(params.get("card")),
        "target": _card(params.get("target")),
    }
    if params.get("target"):
        return translate("%(player)s attacks %(target)s with %(card)s.") % values
    return translate("%(player)s attacks directly with %(card)s.") % values


def _calculated(params: Params, players: Players) -> str:
    values = {key: _shown(params.get(key)) for key in ("value", "target_value", "rule")}
    if params.get("target_value") is None:
        return translate("Damage calculation: %(value)s, directly (%(rule)s).") % values
    return translate("Damage calculation: %(value)s against %(target_value)s (%(rule)s).") % values


def _life_points(params: Params, players: Players) -> str:
    parts = [
        translate("%(player)s: %(delta)s to %(left)s Life Points")
        % {
            "player": _who(one, players),
            "delta": f"{one.get('delta', 0):+}".replace("-", "−"),
            "left": one.get("life_points"),
        }
        for one in params.get("changes", [])
    ]
    cause = _word(CAUSES, params.get("cause"))
    if params.get("by") is not None:
        cause = f"{cause}, {_card(params['by'])}"
    return f"{'; '.join(parts)} ({cause})."


def _moved(params: Params, players: Players) -> str:
    by_zone: dict[str, list[Any]] = {}
    for move in params.get("moves", []):
        by_zone.setdefault(str(move.get("to")), []).append(move.get("card"))
    cause = _word(CAUSES, params.get("cause"))
    return " ".join(
        translate("To %(zone)s: %(cards)s (%(cause)s).")
        % {
            "zone": _word(ZONES, zone),
            "cards": _cards(cards),
            "cause": cause,
        }
        for zone, cards in by_zone.items()
    )


def _modified(params: Params, players: Players) -> str:
    text = (
        translate("While the card lies face-up %(cards)s: ATK %(atk)s, DEF %(defence)s.")
        if params.get("while_up")
        else translate("Until the end of the turn %(cards)s: ATK %(atk)s, DEF %(defence)s.")
    )
    return text % {
        "cards": _cards(params.get("cards")),
        "atk": f"{params.get('atk', 0):+}",
        "defence": f"{params.get('defence', 0):+}",
    }


def _declared(params: Params, players: Players) -> str:
    return translate("%(player)s declares the effect of %(card)s.") % {
        "player": _who(params, players),
        "card": _card(params.get("by")),
    }


def _identified(params: Params, players: Players) -> str:
    card = params.get("card")
    if not (isinstance(card, dict) and (card.get("name") or card.get("key"))):
        return translate("A hidden card is named.")
    return translate("A card is seen to be %(card)s.") % {"card": _card(card)}


def _infraction(params: Params, players: Players) -> str:
    return translate("Infraction noted against %(player)s: %(rule)s.") % {
        "player": _who(params, players),
        "rule": params.get("rule"),
    }


def _conceded(params: Params, players: Players) -> str:
    return translate("%(player)s concedes.") % {"player": _who(params, players)}


def _ended(params: Params, players: Players) -> str:
    how = _word(ENDINGS, params.get("how"))
    if params.get("winner") == "draw":
        return translate("The duel is drawn: %(how)s.") % {"how": how}
    return translate("%(player)s wins the duel: %(how)s.") % {
        "player": _who(params, players, "winner"),
        "how": how,
    }


def _committed(params: Params, players: Players) -> str:
    return translate("The shuffles are committed to: %(commitment)s.") % {
        "commitment": params.get("commitment")
    }


def _revealed(params: Params, players: Players) -> str:
    return translate("The secret of the shuffles is disclosed: %(secret)s.") % {
        "secret": params.get("secret")
    }


def _replay_imported(params: Params, players: Players) -> str:
    return translate("Taken from a replay file (%(format)s, %(client)s): evidence, no result.") % {
        "format": params.get("format"),
        "client": params.get("client"),
    }


def _rewound(params: Params, players: Players) -> str:
    taken = len(params.get("reversed", []))
    return ngettext(
        "Play goes back to line %(to)s; %(n)s line is taken back.",
        "Play goes back to line %(to)s; %(n)s lines are taken back.",
        taken,
    ) % {"to": params.get("to"), "n": taken}


def _pad(params: Params, players: Players) -> str:
    return translate("%(player)s's pad: %(about)s at %(value)s.") % {
        "player": _who(params, players),
        "about": _who(params, players, "about"),
        "value": params.get("value"),
    }


def _agreed(params: Params, players: Players) -> str:
    points = params.get("life_points", {})
    return translate("Both agree: %(points)s.") % {
        "points": ", ".join(f"{players.get(seat, seat)} {points[seat]}" for seat in sorted(points))
    }


def _counted(params: Params, players: Players) -> str:
    return translate("%(player)s counts %(zone)s of %(about)s: %(value)s.") % {
        "player": _who(params, players),
        "zone": _word(ZONES, params.get("zone")),
        "about": _who(params, players, "about"),
        "value": params.get("value"),
    }


def _marked(params: Params, players: Players) -> str:
    return translate("%(player)s's pad: turn %(turn)s, %(active)s.") % {
        "player": _who(params, players),
        "turn": params.get("turn"),
        "active": _who(params, players, "active"),
    }


def _lot(params: Params, players: Players) -> str:
    return translate("Drawn by lot from the hand of %(about)s: place %(drawn)s of %(of)s.") % {
        "about": _who(params, players, "about"),
        "drawn": _shown(params.get("drawn")),
        "of": params.get("of"),
    }


def _watch_delay(params: Params, players: Players) -> str:
    return translate("Who only watches is %(seconds)s seconds behind.") % {
        "seconds": params.get("seconds")
    }


def _hand_shuffled(params: Params, players: Players) -> str:
    return translate("%(player)s shuffles the own hand.") % {"player": _who(params, players)}


def _disputed(params: Params, players: Players) -> str:
    return translate("%(player)s disputes line %(line)s.") % {
        "player": _who(params, players),
        "line": params.get("line"),
    }


LINES: dict[str, Callable[[Params, Players], str]] = {
    **wording_creatures.LINES,
    "duels.activation_negated": _activation_negated,
    "duels.activation_resolved": _resolved,
    "duels.attack_replayed": _attack_replayed,
    "duels.attack_stopped": _attack_stopped,
    "duels.battle_end_announced": _battle_end,
    "duels.control_changed": _control,
    "duels.damage_owed": _owed,
    "duels.direct_attack_allowed": _direct,
    "duels.effect_declined": _declined,
    "duels.effects_triggered": _triggered,
    "duels.passed": _passed,
    "duels.payment_decided": _decided,
    "duels.summon_negated": _summon_negated,
    "duels.token_created": _token,
    "duels.watch_delay_set": _watch_delay,
    "duels.window_closed": _window_closed,
    "duels.attack_declared": _attack,
    "duels.battle_calculated": _calculated,
    "duels.card_activated": _activated,
    "duels.card_placed": _placed,
    "duels.card_identified": _identified,
    "duels.cards_drawn": _drawn,
    "duels.cards_moved": _moved,
    "duels.count_declared": _counted,
    "duels.deck_shuffled": _shuffled,
    "duels.duel_conceded": _conceded,
    "duels.duel_ended": _ended,
    "duels.duel_opened": _opened,
    "duels.effect_declared": _declared,
    "duels.hand_shuffled": _hand_shuffled,
    "duels.infraction_recorded": _infraction,
    "duels.line_disputed": _disputed,
    "duels.lot_drawn": _lot,
    "duels.lp_agreed": _agreed,
    "duels.lp_changed": _life_points,
    "duels.lp_declared": _pad,
    "duels.material_attached": _attached,
    "duels.monster_set": _monster_set,
    "duels.monster_summoned": _summoned,
    "duels.phase_entered": _phase,
    "duels.position_changed": _position,
    "duels.replay_imported": _replay_imported,
    "duels.rewound": _rewound,
    "duels.seed_committed": _committed,
    "duels.seed_revealed": _revealed,
    "duels.spell_trap_set": _spell_trap_set,
    "duels.step_entered": _step,
    "duels.turn_begun": _turn,
    "duels.turn_end_announced": _end_announced,
    "duels.turn_marked": _marked,
    "duels.values_modified": _modified,
}
"""One sentence per event type; parameters are those of lines.Line."""
