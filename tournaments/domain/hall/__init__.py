"""What hangs in the hall and lies on its tables: slips, seats, sheets, the wall, messages."""
