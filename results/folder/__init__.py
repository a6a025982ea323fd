"""The files of a run, a tournament and a study, each written whole or not at all."""
