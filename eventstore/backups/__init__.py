"""Verified copies of the database on a second path, and the way back from one.

`keeper` makes them in the background (each minute when something changed, and at each
publication), `making` makes one, `place` is the second path, `sqlite` and `postgres` take the
copy, `carried` is what rooms add to it; `reading`, `loading` and `restoring` bring one back. The
keys are in none (eventstore.domain.chest moves them). docs/backups.md tells the organiser's side.
"""
