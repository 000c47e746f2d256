"""A rehearsal: a whole tournament played through the real commands, from a seed."""
