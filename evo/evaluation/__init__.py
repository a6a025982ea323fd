"""Measurement of the strength of individuals: games against opponents, exact play, diagnosis."""
