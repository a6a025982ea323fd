"""The commands of ``evo``: one module per command, found by its name."""
