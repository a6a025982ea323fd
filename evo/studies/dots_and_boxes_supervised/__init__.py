"""Dots and boxes: networks trained by back-propagation to play as level 1 does."""
