"""Duels that other programs recorded, read into moves and logs of this house (pure)."""
