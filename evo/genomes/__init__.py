"""How individuals are written down, bred and played. One encoding a file."""
