"""The configuration of a run: typed, documented by field, and validated before any work starts."""
