"""Pages about runs, tournaments and games, as single HTML files or served live.

A page is plain data that can be stored as JSON: a title, and sections of blocks
(:mod:`evo.pages.blocks`). The scripts in ``static`` draw each kind of block, in a file and on a
server's page alike.
"""
