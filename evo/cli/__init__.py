"""The command line ``evo``: one file a command."""
