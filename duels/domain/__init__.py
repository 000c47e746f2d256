"""What every duel log has, whatever the game: opening, statements, rewinds, its end. Pure."""
