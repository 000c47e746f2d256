"""Pure functions over the walked log of this game."""
