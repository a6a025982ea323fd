"""Others who play the same games: loops in C, OpenSpiel, JAX."""
