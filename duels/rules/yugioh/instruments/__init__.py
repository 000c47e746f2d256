"""The judge's instruments: pure functions over the raw log of a duel. They find, list and
count; what follows from it is the judge's to say."""
