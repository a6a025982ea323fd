"""Games as pictures."""
