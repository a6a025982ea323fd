"""Cats that no mouse escapes, and mice that no cat catches, by games alone."""
