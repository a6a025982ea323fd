"""Who meets whom, match by number."""
