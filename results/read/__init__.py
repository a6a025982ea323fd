"""Runs and sweeps as frames."""
