"""Cards of Set: three solvers, how often there is no set, and players that prefer some kinds."""
