"""Dots and boxes: rules, symmetries, players, exact play, drawing."""
