"""Words for what the judge's instruments say: flags, causes, slips, answers, reasons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as translate
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

DRAW_FLAGS: dict[str, Promise] = {
    "DRAW_WITHOUT_CAUSE": _("no effect of this turn lets this player draw"),
    "MORE_THAN_THE_EFFECT": _("more cards than the effect lets draw"),
    "SECOND_NORMAL_DRAW": _("a second normal draw in this turn"),
    "DRAW_AT_A_WRONG_MOMENT": _("a normal draw out of turn or phase"),
    "DRAW_ON_THE_FIRST_TURN": _("no draw is made on the first turn"),
    "WRONG_OPENING_HAND": _("the opening hand is five cards, once"),
    "NOT_FROM_THE_TOP": _("not from the top of the Deck"),
}
DRAW_CAUSES: dict[str, Promise] = {
    "opening": _("opening hand"),
    "normal": _("normal draw"),
    "effect": _("draw by an effect"),
    "search": _("taken from the Deck"),
    "shield": _("a broken shield"),
    "return": _("returned to the hand"),
}
TALLIES: dict[str, Promise] = {"shields": _("Shields"), "mana": _("Mana")}
"""Zones of a game whose every change is audited."""
BEFELL: dict[str, Promise] = {
    "laid": _("laid"),
    "broken": _("broken"),
    "charged": _("charged"),
    "paid": _("tapped to pay"),
    "untapped": _("untapped"),
    "put": _("put there by an effect"),
    "moved": _("moved by an effect"),
}
TALLY_FLAGS: dict[str, Promise] = {
    "WRONG_NUMBER_OF_SHIELDS": _("five shields are laid, once"),
    "NOT_FROM_THE_TOP": DRAW_FLAGS["NOT_FROM_THE_TOP"],
    "SHIELD_BROKEN_WITHOUT_ATTACK": _("no unblocked attack breaks shields here"),
    "TOO_MANY_SHIELDS_BROKEN": _("more shields than the attack breaks"),
    "TOO_FEW_SHIELDS_BROKEN": _("fewer shields than the attack breaks"),
    "SECOND_CHARGE": _("a second card into the mana zone in this turn"),
    "CHARGE_AT_A_WRONG_MOMENT": _("charged out of turn or step"),
    "PAID_TOO_LITTLE": _("less mana than the card costs"),
    "PAID_TOO_MUCH": _("more mana than the card costs"),
    "NO_MANA_OF_THE_CIVILIZATION": _("no mana of the card's civilization"),
    "MANA_TAPPED_TWICE": _("mana that was tapped already"),
}
SLIPS: dict[str, Promise] = {
    "missed_cost": _("a cost was not written down"),
    "doubled_damage": _("the change was written doubled"),
    "sign": _("added instead of subtracted, or the other way round"),
    "transposed_digits": _("two digits changed places"),
    "wrong_player": _("written to the other player"),
    "applied_twice": _("the change before was written twice"),
    "original_atk": _("printed instead of current ATK or DEF was used"),
}
ANSWERS: dict[str, Promise] = {
    "simple": _("Simple: nothing has happened since"),
    "possible": _("Possible: for the head judge"),
    "information_leaked": _("Hidden information was learned since"),
    "not_restorable": _("Not to be restored"),
}
FAIRNESS: dict[str, Promise] = {
    "not_committed": _("This duel has no commitment."),
    "sealed": _("The secret is disclosed when the duel is over."),
    "kept": _("Every shuffle follows from the secret that was committed to."),
    "broken": _("The shuffles do not follow from what was committed to."),
}
FAIRNESS_FAULTS: dict[str, Promise] = {
    "secret_differs": _("the secret is not the one that was committed to"),
    "committed_late": _("committed to after a shuffle"),
    "committed_twice": _("committed to a second time"),
    "seed_differs": _("the seed does not follow from the secret"),
    "order_differs": _("the order does not follow from the seed"),
}
HIDDEN_CARD = _("a hidden card")
KNOWERS: dict[str, Promise] = {"public": _("everybody"), "judge": _("judges")}


def knower(code: str, players: Mapping[str, str]) -> str:
    """Name who knows something: a player by name, the public, the judges."""
    return players.get(code) or str(KNOWERS.get(code, code))


def reason(code: str, params: Mapping[str, Any], players: Mapping[str, str]) -> str:
    """Return the sentence of a reason of `repairable`."""
    n = int(params.get("n", 0))
    listed = ", ".join(str(one) for one in params.get("lines", ()))
    match code:
        case "not_identifiable":
            return ngettext(
                "%(n)s card can no longer be told apart.",
                "%(n)s cards can no longer be told apart.",
                n,
            ) % {"n": n}
        case "deck_shuffled":
            return translate("A Deck was shuffled since (line %(lines)s).") % {"lines": listed}
        case "order_on_record":
            return translate(
                "A Deck was shuffled since (line %(lines)s); its order before is on record."
            ) % {"lines": listed}
        case "learned":
            who = knower(str(params.get("viewer")), players)
            return ngettext(
                "%(who)s learned %(n)s hidden card (line %(lines)s).",
                "%(who)s learned %(n)s hidden cards (lines %(lines)s).",
                n,
            ) % {"who": who, "n": n, "lines": listed}
        case "seed_revealed":
            return translate("The secret of the shuffles is disclosed: the Decks are known.")
        case "decisions":
            who = knower(str(params.get("player")), players)
            return ngettext(
                "%(who)s made %(n)s decision since.", "%(who)s made %(n)s decisions since.", n
            ) % {"who": who, "n": n}
        case "turns":
            return ngettext("%(n)s turn has begun since.", "%(n)s turns have begun since.", n) % {
                "n": n
            }
        case "duel_over":
            return translate("The duel is over.")
        case "nothing_since":
            return translate("Nobody has decided or learned anything since.")
        case _:
            return code
