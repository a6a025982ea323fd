"""Pictures of runs and sweeps."""
