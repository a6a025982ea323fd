"""How one generation makes the next. One learner a file."""
