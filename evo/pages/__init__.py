"""Pages about runs, tournaments and games: as one HTML file, or live by a server.

A page is data: a title, and sections of blocks (:mod:`evo.pages.blocks`) that JSON can hold. The
scripts in ``static`` draw each kind of block, in the same way for a file and for a server.
"""
