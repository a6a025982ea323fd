"""Errors for a user's mistake in a configuration or in an operator."""

from __future__ import annotations


class ConfigError(ValueError):
    """A run cannot be set up as asked; the message says what was given and how to mend it."""
