"""Bodies of the API: JSON whose depth is bounded, and whose texts are texts.

What checks, hashes or stores a body walks it by recursion, so depth without end is refused
before anything of that begins. Half a sign (a lone surrogate, which JSON can escape) has no form
in UTF-8: whoever tells a caller what it sent could not write it.
"""

from __future__ import annotations

from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

from eventstore.domain.canonical import NotCanonical

DEEPEST = 32
"""Lists and objects in one another: no request needs nearly as many."""


def _whole(text: object) -> bool:
    """Say whether a value is no text, or one without a lone surrogate."""
    if not isinstance(text, str) or text.isascii():
        return True
    return not any(0xD800 <= ord(sign) <= 0xDFFF for sign in text)


class Parser(JSONParser):
    """JSON, at most DEEPEST deep."""

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        """Return the body. Raises ParseError when it is no JSON, or nested too deep;
        NotCanonical for half a sign in a text or a name."""
        try:
            found = super().parse(stream, media_type, parser_context)
        except RecursionError:
            raise ParseError from None
        level, depth = [found], 0
        while level:
            depth += 1
            if depth > DEEPEST:
                raise ParseError
            names = (key for value in level if isinstance(value, dict) for key in value)
            if not all(map(_whole, (*level, *names))):
                raise NotCanonical("$", "text holds a lone surrogate")
            level = [
                one
                for value in level
                if isinstance(value, dict | list)
                for one in (value.values() if isinstance(value, dict) else value)
            ]
        return found
