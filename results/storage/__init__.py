"""Where files stand: on a disk of this machine, or elsewhere; each offers the same calls."""
