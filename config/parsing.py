"""Bodies of the API: JSON whose depth is bounded.

What checks, hashes or stores a body walks it by recursion, so depth without end is refused
before anything of that begins.
"""

from __future__ import annotations

from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

DEEPEST = 32
"""Lists and objects in one another: no request needs nearly as many."""


class Parser(JSONParser):
    """JSON, at most DEEPEST deep."""

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        """Return the body. Raises ParseError when it is no JSON, or nested too deep."""
        try:
            found = super().parse(stream, media_type, parser_context)
        except RecursionError:
            raise ParseError from None
        level, depth = [found], 0
        while level:
            depth += 1
            if depth > DEEPEST:
                raise ParseError
            level = [
                one
                for value in level
                if isinstance(value, dict | list)
                for one in (value.values() if isinstance(value, dict) else value)
            ]
        return found
