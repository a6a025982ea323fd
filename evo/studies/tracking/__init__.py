"""Tracking a hidden agent through a maze: the gain of each piece, and of tracking teams."""
