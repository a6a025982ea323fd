"""The writers of runs in progress."""
