"""Players that are policy tables."""
