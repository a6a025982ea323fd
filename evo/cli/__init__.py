"""The command line ``evo``, and the code that its commands share."""
