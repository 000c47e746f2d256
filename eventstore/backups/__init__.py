"""Verified copies of the database on a second path, and the way back from one.

`keeper` makes them in the background (each minute when something changed, and at each
publication), `making` makes one, `place` is the second path, `sqlite` and `postgres` take the
copy, `reading` and `restoring` bring one back, `chest` moves the keys, which are in none.
docs/backups.md tells the organiser's side.
"""
