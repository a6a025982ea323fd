"""Dots and boxes: the strongest evolved networks by scheme and learner, at equal games."""
