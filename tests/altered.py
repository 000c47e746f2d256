"""A word that differs from another one, whatever that one was."""


def altered(word: str) -> str:
    """Return the word with another last sign. Ids and codes are drawn by lot: a fixed ending
    would now and then be the one the word has already."""
    return word[:-1] + ("1" if word[-1] != "1" else "2")
