"""Words for the lines of a table of creatures, mana and shields."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as translate
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, pgettext_lazy

from duels.wording_parts import DASH, Params, Players, named_card, named_cards, who, word

STEPS: dict[str, Promise] = {
    "start": _("Step 1, untap"),
    "draw": _("Step 2, draw"),
    "charge": _("Step 3, charge mana"),
    "main": _("Step 4, summon and cast"),
    "attack": _("Step 5, attack"),
}
HOMES: dict[str, Promise] = {
    "hand": _("the hand"),
    "deck_top": _("the top of the Deck"),
    "deck_bottom": _("the bottom of the Deck"),
    "graveyard": _("the Graveyard"),
    "mana": _("the mana zone"),
}
CAUSES: dict[str, Promise] = {
    "battle": _("by battle"),
    "effect": _("by an effect"),
    "discard": _("discarded"),
    "used": _("after use"),
}
ENDS: dict[str, Promise] = {
    "carried_through": _("it was carried through"),
    "attacker_gone": _("the attacker is gone"),
    "target_gone": _("its target is gone"),
    "target_untapped": _("its target is untapped"),
}


def _described(params: Params, players: Players) -> str:
    n = params.get("count") or 0
    return ngettext(
        "The facts of %(n)s card are written down.",
        "The facts of %(n)s cards are written down.",
        n,
    ) % {"n": n}


def _shields_laid(params: Params, players: Players) -> str:
    n = params.get("count") or 0
    return ngettext("%(player)s lays %(n)s shield.", "%(player)s lays %(n)s shields.", n) % {
        "player": who(params, players),
        "n": n,
    }


def _untapped(params: Params, players: Players) -> str:
    if not params.get("cards"):
        return translate("%(player)s has nothing to untap.") % {"player": who(params, players)}
    return translate("%(player)s untaps: %(cards)s.") % {
        "player": who(params, players),
        "cards": named_cards(params.get("cards")),
    }


def _step(params: Params, players: Players) -> str:
    return word(STEPS, params.get("step"))


def _charged(params: Params, players: Players) -> str:
    return translate("%(player)s charges mana: %(card)s.") % _acting(params, players)


def _acting(params: Params, players: Players) -> dict[str, Any]:
    return {"player": who(params, players), "card": named_card(params.get("card"))}


def _summoned(params: Params, players: Players) -> str:
    texts = {
        "summoned": translate("%(player)s summons %(card)s."),
        "trigger": translate("%(player)s summons %(card)s by its shield trigger."),
        "effect": translate("%(player)s puts %(card)s into the battle zone by an effect."),
    }
    return texts.get(str(params.get("how")), texts["summoned"]) % _acting(params, players)


def _evolved(params: Params, players: Players) -> str:
    text = translate("%(player)s evolves %(onto)s into %(card)s.")
    return text % {**_acting(params, players), "onto": named_card(params.get("onto"))}


def _cast(params: Params, players: Players) -> str:
    text = (
        translate("%(player)s casts %(card)s by its shield trigger.")
        if params.get("how") == "trigger"
        else translate("%(player)s casts %(card)s.")
    ) % _acting(params, players)
    if params.get("targets"):
        chosen = translate("Chosen: %(cards)s.") % {"cards": named_cards(params["targets"])}
        return f"{text} {chosen}"
    return text


def _tap_ability(params: Params, players: Players) -> str:
    text = translate("%(player)s taps %(card)s to use its ability.")
    return text % _acting(params, players)


def _effect(params: Params, players: Players) -> str:
    return translate("The effect of %(card)s is carried out.") % {
        "card": named_card(params.get("card"))
    }


def _attacks(params: Params, players: Players) -> str:
    values = _acting(params, players)
    if params.get("target"):
        values["target"] = named_card(params["target"])
        return translate("%(player)s attacks %(target)s with %(card)s.") % values
    values["defender"] = who(params, players, "defender")
    return translate("%(player)s attacks %(defender)s with %(card)s.") % values


def _blocked(params: Params, players: Players) -> str:
    return translate("%(player)s blocks with %(card)s.") % _acting(params, players)


def _unblocked(params: Params, players: Players) -> str:
    if params.get("cause") == "cannot_be_blocked":
        return translate("The attack of %(card)s cannot be blocked.") % _acting(params, players)
    return translate("%(player)s does not block.") % _acting(params, players)


def _broken(params: Params, players: Players) -> str:
    cards = params.get("cards") or []
    text = ngettext(
        "%(n)s shield of %(player)s is broken: %(cards)s.",
        "%(n)s shields of %(player)s are broken: %(cards)s.",
        len(cards),
    )
    values = {"player": who(params, players), "n": len(cards), "cards": named_cards(cards)}
    return text % values


def _fought(params: Params, players: Players) -> str:
    return translate("Battle: %(card)s with %(power)s against %(target)s with %(against)s.") % {
        "card": named_card(params.get("card")),
        "target": named_card(params.get("target")),
        "power": params.get("power"),
        "against": params.get("against"),
    }


def _over(params: Params, players: Players) -> str:
    return translate("The attack of %(card)s is over: %(cause)s.") % {
        "card": named_card(params.get("card")),
        "cause": word(ENDS, params.get("cause")),
    }


def _turned(params: Params, players: Players) -> str:
    cards = {"cards": named_cards(params.get("cards"))}
    if params.get("tapped"):
        return translate("Tapped by an effect: %(cards)s.") % cards
    return translate("Untapped by an effect: %(cards)s.") % cards


def _power(params: Params, players: Players) -> str:
    amount = params.get("amount")
    return translate("Power of %(cards)s: %(amount)s.") % {
        "cards": named_cards(params.get("cards")),
        "amount": f"{amount:+}" if isinstance(amount, int) else DASH,
    }


def _sent(params: Params, players: Players) -> str:
    moved = ", ".join(
        translate("%(card)s to %(zone)s")
        % {"card": named_card(one.get("card")), "zone": word(HOMES, one.get("to"))}
        for one in params.get("sendings", [])
    )
    return translate("%(moved)s (%(cause)s).") % {
        "moved": moved or DASH,
        "cause": word(CAUSES, params.get("cause")),
    }


def _defeated(params: Params, players: Players) -> str:
    return translate("%(player)s is defeated.") % {"player": who(params, players)}


LINES: dict[str, Callable[[Params, Players], str]] = {
    "duels.attack_begun": _attacks,
    "duels.attack_blocked": _blocked,
    "duels.attack_ended": _over,
    "duels.attack_unblocked": _unblocked,
    "duels.battle_fought": _fought,
    "duels.cards_described": _described,
    "duels.cards_sent": _sent,
    "duels.cards_turned": _turned,
    "duels.cards_untapped": _untapped,
    "duels.creature_evolved": _evolved,
    "duels.creature_summoned": _summoned,
    "duels.effect_begun": _effect,
    "duels.mana_charged": _charged,
    "duels.player_defeated": _defeated,
    "duels.power_changed": _power,
    "duels.shields_broken": _broken,
    "duels.shields_laid": _shields_laid,
    "duels.spell_cast": _cast,
    "duels.step_begun": _step,
    "duels.tap_ability_used": _tap_ability,
}
"""One sentence per event type; parameters are those of a line of the log."""

ZONES: dict[str, Promise] = {
    "battle": _("the battle zone"),
    "mana": _("the mana zone"),
    "shields": _("the shields"),
    "under": _("below another card"),
}
GROUPS: dict[str, Promise] = {
    "block": pgettext_lazy("act", "Block"),
    "shields": pgettext_lazy("act", "Break shields"),
    "shield_trigger": pgettext_lazy("act", "Shield trigger"),
    "untap": pgettext_lazy("act", "Untap"),
    "charge": pgettext_lazy("act", "Charge mana"),
    "summon": pgettext_lazy("act", "Summon"),
    "cast": pgettext_lazy("act", "Cast a spell"),
    "tap_ability": pgettext_lazy("act", "Tap ability"),
}
QUESTIONS: dict[str, Promise] = {
    "onto": _("On which creature?"),
    "shields": _("Which shields?"),
}
REST: dict[str, Promise] = {"onto": _("on %(cards)s")}
ANSWERS: dict[str, Promise] = {
    "untap": pgettext_lazy("answer", "Untap"),
    "player": pgettext_lazy("answer", "the player"),
    **{f"step_{code}": said for code, said in STEPS.items()},
}
EFFECTS: dict[str, Promise] = {
    "discard": pgettext_lazy("effect", "Discard cards"),
    "put_top_into_mana": pgettext_lazy("effect", "Top cards into the mana zone"),
    "put_into_mana": pgettext_lazy("effect", "Put into the mana zone"),
    "put_into_battle": pgettext_lazy("effect", "Put into the battle zone"),
    "tap": pgettext_lazy("effect", "Tap"),
    "untap": pgettext_lazy("effect", "Untap"),
    "modify_power": pgettext_lazy("effect", "Change power"),
}
