"""Words for notes on lines of a duel: what kind one is, and why one was refused."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

REFUSALS: dict[str, Promise] = {
    "duels.comment_while_played": _(
        "This duel is not over. A comment that everybody reads would be advice to a player: write"
        " it after the end, or as a note for judges now."
    ),
    "duels.flag_again": _("You have flagged line %(found)s already."),
    "duels.note_empty": _("Write what the note says."),
    "duels.note_exists": _("This note has been made already."),
    "duels.note_id": _("This is no id of a note."),
    "duels.note_kind": _("A line takes a note, a comment or a flag, not “%(found)s”."),
    "duels.note_too_long": _("The text has %(found)s signs; at most %(allowed)s are kept."),
    "duels.note_withdrawn": _("This note has been withdrawn already."),
    "duels.notes_many": _(
        "You have %(found)s notes on this duel; at most %(allowed)s can stand. Withdraw one first."
    ),
}
KINDS: dict[str, Promise] = {
    "note": _("Note for judges"),
    "comment": _("Comment for everybody"),
    "flag": _("Flagged by a player"),
}
