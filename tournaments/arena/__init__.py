"""Play of matches, at compiled speed and move by move."""
