"""Pairing: Swiss rounds with a proof of the optimum, and the bracket of the cut."""
