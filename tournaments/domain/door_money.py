"""Amounts as people write them, and the whole minor units that are kept."""

from __future__ import annotations

import re

from eventstore.domain.refusal import Refusal

NO_MINOR = frozenset(
    [
        "BIF",
        "CLP",
        "DJF",
        "GNF",
        "ISK",
        "JPY",
        "KMF",
        "KRW",
        "PYG",
        "RWF",
        "UGX",
        "UYI",
        "VND",
        "VUV",
        "XAF",
        "XOF",
        "XPF",
    ]
)
"""Currencies of ISO 4217 without a smaller coin."""
THREE_DIGITS = frozenset(["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"])
AMOUNT = re.compile(r"(\d{1,9})(?:[.,](\d{1,3}))?")


def digits_of(currency: str) -> int:
    """Return how many digits the minor unit of a currency has."""
    return 0 if currency in NO_MINOR else 3 if currency in THREE_DIGITS else 2


def amount_read(text: str, currency: str) -> int | Refusal:
    """Read an amount such as 15, 15.5 or 15,00 in whole minor units; refused with
    `tournaments.amount_unreadable`.

    >>> amount_read("15,5", "EUR"), amount_read("1500", "JPY")
    (1550, 1500)
    """
    digits = digits_of(currency)
    found = AMOUNT.fullmatch(text.strip().replace(" ", ""))
    if found is None or len(found[2] or "") > digits:
        allowed = "15" if not digits else "15." + "5".ljust(digits, "0")
        return Refusal(
            "tournaments.amount_unreadable", {"found": text.strip()[:20], "allowed": allowed}
        )
    smaller = (found[2] or "").ljust(digits, "0") or "0"
    return int(found[1]) * int(10**digits) + int(smaller)


def amount_text(amount: int, currency: str) -> str:
    """Write minor units as an amount without the currency, as `amount_read` reads it.

    >>> amount_text(1550, "EUR"), amount_text(-5, "EUR"), amount_text(1500, "JPY")
    ('15.50', '-0.05', '1500')
    """
    digits = digits_of(currency)
    sign, whole = ("-" if amount < 0 else ""), abs(amount)
    if not digits:
        return f"{sign}{whole}"
    return f"{sign}{whole // 10**digits}.{whole % 10**digits:0{digits}}"
