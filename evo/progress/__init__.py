"""How far work is, for Python and notebooks; the command line has :mod:`evo.cli.progress`."""
