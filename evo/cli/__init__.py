"""The command line ``evo``: one file a command, found by its name."""
