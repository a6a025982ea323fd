"""Where matches are played, at compiled speed and move by move."""
