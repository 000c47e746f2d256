"""Recordings `engine-duel/1` of the field's own engine: read, folded, compared, imported."""
