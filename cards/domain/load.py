"""Card facts in whatever format, and one list out of a file of lists."""

from __future__ import annotations

from cards.domain.banlist import Banlist, BanlistsRead
from cards.domain.findings import Unreadable
from cards.domain.read_cdb import read_cdb
from cards.domain.read_csv import CardsRead, read_csv
from cards.domain.sources import SQLITE_MAGIC


def read_cards(data: bytes) -> CardsRead:
    """Read card facts from a `.cdb`, a `cards.csv` or a `cards.csv.gz`, told apart by content.

    Raises Unreadable as the readers do, and `no_cards` when the source holds none.
    """
    read = read_cdb(data) if data.startswith(SQLITE_MAGIC) else read_csv(data)
    if not read.cards:
        raise Unreadable("no_cards", found=0)
    return read


def pick_banlist(read: BanlistsRead, title: str | None) -> Banlist:
    """Return the list of this title (case does not matter), or the only one of the file.

    Raises Unreadable: `no_list`, `banlist_title_needed` (several lists, no title),
    `banlist_title_unknown`; `allowed` names the titles there are.
    """
    titles = [one.title for one in read.lists]
    if not titles:
        raise Unreadable("no_list")
    if title is None:
        if len(titles) > 1:
            raise Unreadable("banlist_title_needed", found=len(titles), allowed=titles)
        return read.lists[0]
    wanted = title.casefold().strip()
    for one in read.lists:
        if one.title.casefold() == wanted:
            return one
    raise Unreadable("banlist_title_unknown", found=title, allowed=titles)
