"""Adapter for the games of OpenSpiel, such as ``openspiel:connect_four``.

The text after the colon is an argument of OpenSpiel's ``load_game``, such as
``openspiel:connect_four(rows=5,columns=5)``. Positions are those of
:mod:`tournaments.adapters.history`. See Lanctot et al., "OpenSpiel: A Framework for Reinforcement
Learning in Games" (arXiv:1908.09453).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from tournaments.adapters import not_installed
from tournaments.adapters.history import Foreign, Histories, board_of
from tournaments.errors import TournamentError, shown, unknown
from tournaments.rules import MOST, Rules


def make_board(game: str = "") -> np.ndarray:
    """Return the characters of the game's name, int16.

    Raises:
        TournamentError: OpenSpiel is not installed, or the game does not exist or is unsuitable.
    """
    name = str(game).strip()
    spiel = _pyspiel()
    if not name.isascii() or not name:
        raise TournamentError(
            f"openspiel:{name} given; the name of a game is expected: openspiel:connect_four"
        )
    short = name.partition("(")[0]
    if short not in spiel.registered_names():
        raise unknown("game of OpenSpiel", short, spiel.registered_names())
    if misfit := _misfit(name):
        raise TournamentError(
            f"openspiel:{name} given, {misfit}; games of two players who move in turn are expected"
        )
    return board_of(name)


def _pyspiel() -> Any:
    try:
        import pyspiel
    except ImportError as error:
        raise not_installed("OpenSpiel", error) from None
    return pyspiel


@lru_cache
def _loaded(name: str) -> Any:
    spiel = _pyspiel()
    try:
        return spiel.load_game(name)
    except (spiel.SpielError, RuntimeError, TypeError) as error:
        line = " ".join(str(error).split())
        raise TournamentError(
            f"openspiel:{name} given; OpenSpiel cannot load it: {shown(line)}; give its parameters "
            "as in openspiel:connect_four(rows=5,columns=5)"
        ) from None


def _misfit(name: str) -> str:
    """Return why a game cannot be played here, or an empty text."""
    game = _loaded(name)
    what, kinds = game.get_type(), _pyspiel().GameType
    if game.num_players() != 2:
        return f"a game of {game.num_players()} players"
    if what.dynamics != kinds.Dynamics.SEQUENTIAL:
        return "whose players do not move in turn"
    if what.chance_mode == kinds.ChanceMode.SAMPLED_STOCHASTIC:
        return "which does not tell what it draws from"
    if what.utility == kinds.Utility.IDENTICAL:
        return "whose players win together"
    if _hides(game) and not what.provides_information_state_string:
        return "which hides, and does not tell what a player knows"
    counts = game.num_distinct_actions(), game.max_chance_outcomes(), _foreign(name).state_size
    return f"which needs {max(counts):,} numbers (at most {MOST:,})" if max(counts) > MOST else ""


def _hides(game: Any) -> bool:
    information = _pyspiel().GameType.Information
    return game.get_type().information != information.PERFECT_INFORMATION


@lru_cache
def _foreign(name: str) -> Foreign:
    """Return a game of OpenSpiel as :class:`Histories` take it."""
    game = _loaded(name)
    what, deterministic = game.get_type(), _pyspiel().GameType.ChanceMode.DETERMINISTIC
    return Foreign(
        first=game.new_initial_state,
        num_actions=game.num_distinct_actions(),
        most_played=game.max_history_length(),
        most_plies=game.max_game_length(),
        draws=what.chance_mode != deterministic,
        hides=_hides(game),
        tensor=_tensor(game),
    )


def _tensor(game: Any) -> Any:
    """Return the method of a state that gives a seat's tensor, or None.

    In games with hidden information, the information state comes first: it holds all that the seat
    has seen so far. An observation may lack earlier actions.
    """
    what, state = game.get_type(), _pyspiel().State
    offered = [
        state.information_state_tensor if what.provides_information_state_tensor else None,
        state.observation_tensor if what.provides_observation_tensor else None,
    ]
    return next(filter(None, offered if _hides(game) else reversed(offered)), None)


_HISTORIES = Histories(_foreign)
HOOKS = start, legal, play, view, encode = _HISTORIES.hooks(__name__, "open_spiel")


@lru_cache
def rules_of(game: str) -> Rules:
    """Return the rules of a game of OpenSpiel.

    Raises:
        TournamentError: OpenSpiel is not installed, or the game does not exist or is unsuitable.
    """
    make_board(game)  # it refuses what does not fit
    return _HISTORIES.rules(
        game,
        HOOKS,
        name="openspiel",
        summary="a game of OpenSpiel: openspiel:connect_four(rows=5,columns=5)",
        options={"game": game},
        board=make_board,
    )


ADAPTER = rules_of
