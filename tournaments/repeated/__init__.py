"""Repeated games: both seats move at once, are paid by a table, and go on for some rounds.

:func:`tournaments.repeated.game.repeated_game` makes the rules of such a game of its payoffs; what
plays one, plays all: the kind ``markov``, finite-state machines, the equilibrium of the stage.
"""
