"""Runs and sweeps as pandas frames."""
