"""Positions solved, and what is computed of players in place of playing them."""
