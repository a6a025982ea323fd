"""The command line ``evo``, and what its commands share."""
