"""Card facts in whatever format, and one list out of a file of lists."""

from __future__ import annotations

import zlib

from cards.domain.banlist import Banlist, BanlistsRead
from cards.domain.findings import Unreadable
from cards.domain.read_cdb import read_cdb
from cards.domain.read_csv import CardsRead, read_csv
from cards.domain.read_duel_masters import looks_like_duel_masters, read_duel_masters
from cards.domain.read_yaml_yugi import looks_like_yaml_yugi, read_yaml_yugi
from cards.domain.read_ygoprodeck import looks_like_ygoprodeck, read_ygoprodeck
from cards.domain.sources import GZIP_MAGIC, SQLITE_MAGIC

HEAD = 4096
"""Bytes that tell the format."""
MAX_BYTES = 256 << 20
"""The largest source of cards that any reader takes."""


def read_cards(data: bytes) -> CardsRead:
    """Read card facts from a `.cdb`, a `cards.csv`, the JSON of YGOPRODeck, of
    yaml-yugi or of Duel Masters, told apart by content; the second to fourth also gzipped.

    Raises Unreadable as the readers do, and `no_cards` when the source holds none.
    """
    head = _head(data)
    if data.startswith(SQLITE_MAGIC):
        read = read_cdb(data)
    elif looks_like_ygoprodeck(head):
        read = read_ygoprodeck(data)
    elif looks_like_duel_masters(head):
        read = read_duel_masters(data)
    elif looks_like_yaml_yugi(head):
        read = read_yaml_yugi(data)
    else:
        read = read_csv(data)
    if not read.cards:
        raise Unreadable("no_cards", found=0)
    return read


def _head(data: bytes) -> bytes:
    """Return the first bytes of a source, inflated where it is gzipped."""
    if not data.startswith(GZIP_MAGIC):
        return data[:HEAD]
    try:
        return zlib.decompressobj(31).decompress(data[:HEAD], HEAD)
    except zlib.error:
        return b""


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
