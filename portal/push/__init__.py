"""Web push: a phone is told that a round is up or a judge is called while no page is open.

RFC 8030 (the request), 8291 (its encryption) and 8292 (who sends it); see docs/push.md."""
