"""What registers itself when the event store starts, beside `events` and `projections`."""

from judging import projections_after

__all__ = ["projections_after"]
