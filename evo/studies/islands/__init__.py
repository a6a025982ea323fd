"""Islands: do they help at equal games? One population, islands apart, in a ring, complete."""
