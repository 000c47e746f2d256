"""Limits that hold before a deck list is read, whatever its format."""

from __future__ import annotations

MAX_BYTES = 256 << 10
MAX_LINES = 5_000
MAX_LINE = 2_000
"""Signs of a line that are looked at."""
MAX_CARDS = 1_000
"""Copies over all sections. The largest honest file of the field has about 250."""
MAX_COUNT = 99
"""Copies that one line may ask for."""
MAX_FINDINGS = 100
