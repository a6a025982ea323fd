"""Cat trap: four pseudo-rewards of a planner, the time of a move, and evolved cats and blockers."""
