"""REST API of replay files: a player hands one in for the own match."""

from __future__ import annotations

import base64
import binascii
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from duels.replays import MOST_UPLOAD, HandedIn
from people.domain.uploads import kind_of
from people.rest import Body, Endpoint, answer, context, given, operation
from tournaments import services
from tournaments.domain.scores import SEATS

LONGEST = (MOST_UPLOAD + 2) // 3 * 4


class Base64Field(serializers.CharField):
    """The bytes of a replay file as base64."""

    def to_internal_value(self, data: str) -> bytes:  # type: ignore[override]
        """Return the bytes; what is no base64 or no replay is invalid."""
        text = super().to_internal_value(data)
        try:
            found = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            raise serializers.ValidationError("no base64") from None
        if kind_of(found) != "replay":
            raise serializers.ValidationError("no replay file")
        return found


class ReplayBody(Body):
    """A .yrpX, and the seat of the match that began in its duel."""

    first = serializers.ChoiceField(choices=list(SEATS))
    file = Base64Field(max_length=LONGEST)


class Replays(Endpoint):
    """The replay files of a match."""

    guard_action = "tournaments.replay_hand_in"

    @operation("matches_replay", body=ReplayBody, answers=HandedIn, status=201)
    def post(self, request: Request, match: UUID) -> Response:
        """Hand a file in; it becomes an imported duel and never the result."""
        asked = given(ReplayBody, request)
        made = services.replay_hand_in(
            context(request), match_id=str(match), first=asked["first"], data=asked["file"]
        )
        return answer(made, 201)
