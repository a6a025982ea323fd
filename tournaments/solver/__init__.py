"""Exact values of positions: by a table that a game fills, or of all positions that can come up."""
