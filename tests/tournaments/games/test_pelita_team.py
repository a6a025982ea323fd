"""The team for pelita: it believes what plain Python does, and plays by pelita's own runner."""

from __future__ import annotations

import random
import subprocess
import sys
import types

import numpy as np
import pytest

from evo.cli.main import main
from tests.naive.pelita import Follower, Game
from tournaments import games
from tournaments.errors import TournamentError
from tournaments.games.capture_the_flag.agents.choice import choose
from tournaments.games.capture_the_flag.agents.memory import BETA, NAMES
from tournaments.games.capture_the_flag.agents.players import player
from tournaments.games.capture_the_flag.maze import maze_of
from tournaments.games.capture_the_flag.pelita import side as side_by_kernels
from tournaments.games.capture_the_flag.pelita.program import program
from tournaments.kernels.linker import build
from tournaments.players.vector import VectorEncoding

MAZE = """
####################
#   .   #     #  . #
# # ### # # # #  # #
# # . #   # .   .# #
# #   # . #   # .# #
# #  # # # # ### # #
# .  #     #   .   #
####################
"""
STARTS = (1, 5), (18, 2), (1, 6), (18, 1)
GAME = games.make("capture-the-flag", maze="small")
NUMBERS = player("team", GAME).parameters.first[0, : len(NAMES)].copy()


def module_of(text):
    """The module that a program is."""
    module = types.ModuleType("team")
    exec(compile(text, "team.py", "exec"), module.__dict__)
    return module


def bold(game, agent, rng):
    """A step towards an enemy, or at random; so there are meetings."""
    ways = [*game.ways(game.bots[agent]), game.bots[agent]]
    nearest = game.step_towards(game.bots[agent], game.bots[1 - agent % 2 :: 2])
    return nearest if rng.random() < 0.6 else rng.choice(ways)


@pytest.mark.parametrize("seed", range(2))
def test_beliefs_are_those_of_plain_python_and_never_exclude_the_truth(seed):
    game, rng, seat = Game(MAZE, STARTS, seed), random.Random(seed), seed % 2
    numbers = NUMBERS.copy()
    numbers[BETA] = (0.7, 5.0)[seed]
    followers = [Follower(game, 1 - seat + 2 * slot, numbers[BETA]) for slot in range(2)]
    team = module_of(program(GAME, numbers))
    side, score, food = None, 0, set(game.food[seat])
    for turn in range(160):
        if turn % 4 % 2 != seat:
            game.move(bold(game, turn % 4, rng))
            continue
        bot = game.shown(rng)
        side = side or team.PelitaSide(bot, numbers)
        assert [side.cells[cell] for cell in side.starts] == list(STARTS)
        gained, gone = game.score[1 - seat] - score, food - game.food[seat]
        score, food = game.score[1 - seat], set(game.food[seat])
        eaten = gone.pop() if gained % 5 == 1 and len(gone) == 1 else None
        to = side.step(bot)
        for slot, follower in enumerate(followers):
            moved = turn > 0 and (turn - 1) % 4 == follower.enemy
            follower.turn(bot, moved, eaten)
            belief = side.memory.belief[slot]
            expected = [follower.belief[square] for square in side.cells]
            np.testing.assert_allclose(belief, expected, atol=1e-9)
            assert belief[side.number[game.bots[follower.enemy]]] > 0.0
        game.move(to if rng.random() < 0.5 else bold(game, turn % 4, rng))
    assert sum(game.deaths[1 - seat :: 2]) > 0


def test_an_exported_file_makes_the_moves_of_the_kernels_that_it_was_made_from(monkeypatch):
    monkeypatch.setattr(side_by_kernels, "choose", build(choose, GAME.hooks, compiled=False))
    genome = NUMBERS.astype("<f4").tobytes()
    genomes = VectorEncoding(GAME, "team", (0, 1), 64.0)
    team = module_of(genomes.program(GAME, [genome], "pelita"))
    np.testing.assert_allclose(team.NUMBERS, NUMBERS)
    game, rng, state, side = Game(MAZE, STARTS, 7), random.Random(7), {}, None
    for turn in range(80):
        if turn % 2:
            game.move(rng.choice(game.ways(game.bots[turn % 4])))
            continue
        bot = game.shown(random.Random(1))
        side = side or side_by_kernels.PelitaSide(bot, team.NUMBERS)
        bot.random = random.Random(1)
        to = team.move(bot, state)
        assert side.step(bot) == to
        game.move(to)


def test_what_becomes_no_program_says_so():
    genomes = VectorEncoding(GAME, "team", (0, 1), 64.0)
    with pytest.raises(TournamentError, match="can be exported as pelita; name that") as error:
        genomes.program(GAME, [NUMBERS.astype("<f4").tobytes()], "robocode")
    assert "\n" not in str(error.value)


def test_mazes_of_pelita_are_mazes_of_ours():
    lines = "########\n#a . y #\n#b   . #\n#  # x #\n########"
    maze = maze_of(lines, "test")
    squares = [(int(maze.columns[cell]), int(maze.rows[cell])) for cell in maze.starts]
    assert squares == [(1, 1), (5, 3), (1, 2), (5, 1)]


@pytest.mark.slow
def test_a_run_becomes_a_team(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    small = ["--population", "4", "--generations", "1", "--threads", "1"]
    vectors = [
        "--game",
        "capture-the-flag:maze=small,moves=40",
        "--set",
        "genome.encoding=real-vector",
    ]
    main(["run", *vectors, *small, "--out", "teams"])
    assert main(["export", "teams", "team.py", "--program", "pelita"]) == 0
    assert main(["export", "teams", "numbers.npy"]) == 0
    team = module_of((tmp_path / "team.py").read_text())
    assert np.load(tmp_path / "numbers.npy").ravel().tolist() == team.NUMBERS
    main(["run", "--game", "tic-tac-toe", *small, "--out", "marks"])
    assert main(["export", "marks", "other.py", "--program", "pelita"]) == 2
    assert "genomes of this run cannot become programs" in capsys.readouterr().err
    assert not (tmp_path / "other.py").exists()


@pytest.mark.slow
def test_the_team_beats_the_demo_players_of_pelita_without_an_error():
    utils, demo = (pytest.importorskip(f"pelita.{name}") for name in ("utils", "player"))
    move = module_of(program(GAME, NUMBERS)).move
    lead = []
    for opponent in (
        demo.random_explorer_player,
        demo.food_eating_player,
        demo.smart_eating_player,
        demo.smart_random_player,
    ):
        for seed in (1, 2):
            blue = {"blue_move": move, "red_move": opponent}
            red = {"blue_move": opponent, "red_move": move}
            for teams, sign in ((blue, 1), (red, -1)):
                # Raises what a bot raises, and illegal moves.
                made = utils.run_background_game(**teams, seed=seed, max_rounds=100)
                lead.append(sign * (made["blue_score"] - made["red_score"]))
    assert sum(points > 0 for points in lead) >= 14, lead


@pytest.mark.slow
def test_the_file_is_a_team_for_the_command_of_pelita(tmp_path):
    demo = pytest.importorskip("pelita.player.FoodEatingPlayer")
    (tmp_path / "team.py").write_text(program(GAME, NUMBERS))
    command = [sys.executable, "-m", "pelita.scripts.pelita_main", "--null", "--seed", "1"]
    done = subprocess.run(
        [*command, "--rounds", "80", "team.py", demo.__file__],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    said = done.stdout + done.stderr
    assert "'evo tournaments' won" in said, said
    assert "rror" not in said, said
