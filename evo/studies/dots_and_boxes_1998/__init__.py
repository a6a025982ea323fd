"""Weaver and Bossomaier (1998): its figures, and its claims judged by rules."""
