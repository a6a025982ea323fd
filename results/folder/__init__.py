"""The files of a run, a tournament and a study. Each file is written atomically."""
