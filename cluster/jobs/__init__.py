"""Whole jobs in workers: processes of this machine, or Ray actors."""
