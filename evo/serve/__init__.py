"""``evo serve``: the pages of runs, tournaments and leagues, live, and games against players."""
