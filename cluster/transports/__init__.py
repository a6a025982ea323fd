"""Transports, which carry work to workers: processes of this machine, or Ray actors."""
