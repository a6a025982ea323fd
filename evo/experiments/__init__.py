"""The published studies, each one file, runnable by name: ``evo reproduce NAME``."""
