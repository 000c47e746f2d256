"""Running rule cases: a position, acts, and what must be true afterwards. Pure."""
