"""Tournaments of players: rounds, ratings, cross tables."""
