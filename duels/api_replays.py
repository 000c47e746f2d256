"""REST API of replay files: what judges see of the file behind an imported duel."""

from __future__ import annotations

from dataclasses import asdict
from uuid import UUID

from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from duels import replays
from people.rest import Endpoint, operation
from people.web import actor_of


class DuelReplay(Endpoint):
    """The replay file behind a duel."""

    guard_action = "duels.duel_read_as_judge"

    @operation("duel_replay", answers=replays.ReplayShown)
    def get(self, request: Request, duel: UUID) -> Response:
        """Answer the file's hash, client, end, damage, unknown messages and audit."""
        found = replays.replay_behind(actor_of(request), str(duel))
        if found is None:
            raise NotFound
        return Response(asdict(found))
