"""Tracking of a hidden agent in a maze: exact filtering over the squares."""
