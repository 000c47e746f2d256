"""Background work of the tournaments, and what has to be known once the house is up."""

from tournaments import door_jobs, door_projections, rechecks

__all__ = ["door_jobs", "door_projections", "rechecks"]
