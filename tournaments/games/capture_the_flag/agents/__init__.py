"""Agents of capture the flag: teams that track the enemy and go by weights on the maze's graph.

They are those of "Tracking down the enemy (2)": a belief over the maze for each enemy
(:mod:`.beliefs`), costs of squares that it raises and lowers (:mod:`.costs`), shortest ways by
these (:mod:`.paths`), an attacker that goes to the closest dot and a defender that heads pac-men
off (:mod:`.choice`). :mod:`.players` has them by name and as genomes.
"""
