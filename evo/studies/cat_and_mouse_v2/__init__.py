"""A cat for boards of any size, trained on 5x5 and shown on 15x15."""
