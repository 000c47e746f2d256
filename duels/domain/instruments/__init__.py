"""Pure functions over the walked log of any duel (duels.domain.walk)."""
