"""What carries work to workers: processes of this machine, or Ray actors."""
