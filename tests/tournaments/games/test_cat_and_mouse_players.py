"""Players of cat and mouse: greedy, careful, random, and tables by name and from files."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.cat_and_mouse import CatAndMouse
from positions import assert_uniform, choices, settings_of_games

from evo.evaluation.players import named
from tournaments import TournamentError, games, play_matches, players
from tournaments.arena.match import play_match
from tournaments.contract.player import check_player, registered_players
from tournaments.game import GAMES
from tournaments.games.cat_and_mouse import solver as pursuit
from tournaments.kernels.rng import Stream, generator
from tournaments.player import identity
from tournaments.players.greedy import KIND as GREEDY
from tournaments.players.table import TableEncoding

GAME = games.make("cat-and-mouse")
CELLS = 56


def apart(here, there) -> int:
    return abs(here[0] - there[0]) + abs(here[1] - there[1])


def steps_of(naive: CatAndMouse):
    """Each legal action with the cells from which and to which it leads."""
    for action in naive.legal():
        here = naive.pieces[naive.mover][action // 4]
        yield action, here, naive.grid.moves(here)[action % 4]


def among(name: str, naive: CatAndMouse) -> list[int]:
    """What a player may choose."""
    others = [cell for cell in naive.pieces[1 - naive.mover] if cell is not None]
    steps = list(steps_of(naive))
    if name == "greedy":
        gains = [
            min(apart(here, other) for other in others)
            - min(apart(there, other) for other in others)
            for _, here, there in steps
        ]
        if naive.mover == 1:
            gains = [-gain for gain in gains]
        return [step[0] for step, gain in zip(steps, gains, strict=True) if gain == max(gains)]
    if name == "careful" and naive.mover == 1:
        beside = {cell for cat in others for cell in [cat, *naive.grid.moves(cat).values()]}
        return [step[0] for step in steps if step[2] not in beside] or naive.legal()
    return naive.legal()


@pytest.mark.parametrize("name", ["greedy", "careful", "random", "level-0"])
@settings(max_examples=40)
@given(setting=settings_of_games(), seed=st.integers(0, 2**32))
def test_players_choose_one_of_the_slow_rules_steps_by_one_draw(name, setting, seed):
    options, naive = setting
    state = games.make("cat-and-mouse", **options).start()
    player = players.make(name, state.game)
    stream, again, moves = Stream(seed), Stream(seed), Stream(seed)
    while naive.winner is None:
        assert player.choose(state, stream) == again.choice(among(name, naive))
        action = moves.choice(naive.legal())
        state.play(action)
        naive.play(action)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("greedy", ". . M\n. . .\nC . .\n\ncat to move, turns 0", [0, 2]),
        ("greedy", ". . M\n. . .\n. . C\n\ncat to move, turns 0", [2]),
        ("greedy", ". . .\n. M .\n. C .\n\nmouse to move, turns 0", [0, 1, 2]),
        ("greedy", ". . M\n. . C\n. . .\n\nmouse to move, turns 0", [1]),
        ("greedy", ". . M\n. C .\n. . .\n\nmouse to move, turns 0", [1, 3]),
        ("careful", ". . .\n. M .\n. . C\n\nmouse to move, turns 0", [1, 2]),
        ("careful", ". . M\n. C .\n. . .\n\nmouse to move, turns 0", [1, 3]),
        ("careful", ". . M\n. . C\n. . .\n\nmouse to move, turns 0", [1]),
        ("careful", ". . M\n. . C\n. . .\n\ncat to move, turns 0", [1, 2, 3]),
    ],
)
def test_equal_steps_are_drawn_evenly(name, text, expected):
    game = games.make("cat-and-mouse", rows=3, cols=3, end="move-limit")
    assert_uniform(choices(players.make(name, game), game.parse(text), 2000), expected)


@pytest.mark.parametrize("options", [{}, {"cats": 2, "mice": 2, "rows": 4, "cols": 4}])
def test_players_keep_the_contract(options):
    game = games.make("cat-and-mouse", **options)
    made = {player.name: player for player in registered_players(game)}
    assert {"level-0", "random", "greedy", "careful", "position-table"} <= {*made}
    assert ("window-table" in made) == (not options)
    for player in made.values():
        check_player(player, game, games=4)


def test_a_table_of_one_seat_keeps_the_contract():
    player = table_of(1)
    assert player.seats == (1,)
    check_player(player, GAME, games=3)
    check_player(replace(player, name="another name"), GAME, games=1)


def table_of(*seats: int, seed: int = 1, form: str = "position-table", game=GAME):
    encoding = TableEncoding(game, form, seats)
    genome = encoding.random(1, generator(seed, "tables of a test"))[0]
    return encoding.player(GAME, [genome.tobytes()], "table")


def test_a_careful_mouse_is_for_cat_and_mouse():
    with pytest.raises(TournamentError, match="careful does not play dots-and-boxes"):
        players.make("careful", games.make("dots-and-boxes"))


def test_the_greedy_player_is_the_games_own():
    played = [game for game in map(games.make, games.names()) if "greedy" in players.names(game)]
    kinds = {game.name: players.make("greedy", game).kind for game in played}
    own = {name for name in kinds if "greedy" in GAMES.load(name).players}
    assert own == {"cat-and-mouse", "cat-trap"}
    assert len({id(kinds[name]) for name in own}) == 2
    assert {id(kinds[name]) for name in kinds.keys() - own} == {id(GREEDY)}


def test_the_greedy_cat_beats_the_random_cat():
    game = games.make("cat-and-mouse", end="move-limit")
    greedy, mouse = (players.make(name, game) for name in ("greedy", "random"))
    assert play_matches(game, greedy, mouse, matches=200, seed=1).wins > 250


# --- tables by name ------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path):
    """The optimal cat and a random mouse, alone and as a pair, with what is not read left odd."""
    cat = pursuit.best_actions(GAME, pursuit.plies_to_capture(GAME), 0)[0]
    encoding = TableEncoding(GAME, "position-table", (1,))
    (mouse,) = encoding.random(1, generator(1, "tables of a test")).reshape(-1, CELLS, CELLS)
    cat[np.eye(CELLS, dtype=bool)] = 9
    np.save(tmp_path / "cat.npy", cat)
    np.save(tmp_path / "mouse.npy", mouse.reshape(-1).astype(np.int64))
    np.save(tmp_path / "pair.npy", np.stack([cat, mouse]))
    (tmp_path / "pair.json").write_text(json.dumps([cat.tolist(), mouse.tolist()]))
    return tmp_path


@pytest.mark.parametrize(
    ("spec", "seats"),
    [
        ("{}/cat.npy", (0,)),
        ("table:file={}/cat.npy", (0,)),
        ("table:file={}/cat.npy,seat=cat", (0,)),
        ("{}/mouse.npy", (1,)),
        ("table:file={}/mouse.npy,seat=mouse", (1,)),
        ("{}/pair.npy", (0, 1)),
        ("{}/pair.json", (0, 1)),
    ],
)
def test_a_file_holds_the_table_of_a_seat_or_a_pair(spec, seats, files):
    made = players.make(spec.format(files), GAME)
    assert made.seats == seats
    assert made.kind.name == "position-table"
    assert made.name == spec.format(files).removeprefix("table:file=").partition(",")[0]
    check_player(made, GAME, games=1)
    label, _ = named(spec.format(files), GAME)
    assert label.startswith(f"{made.name}@")
    assert identity(made) == identity(pickle.loads(pickle.dumps(made)))
    if seats == (0,):
        mouse = players.make("careful", GAME)
        for seed in range(5):  # a perfect cat wins
            assert play_match(GAME, made, mouse, seed, games=1).tolist() == [[1, 0]]


def test_a_table_asked_for_the_other_seat_says_what_it_plays(files):
    cat = players.make(f"{files}/cat.npy", GAME)
    with pytest.raises(TournamentError, match=r"cat\.npy' plays the cat only"):
        play_match(GAME, players.make("random", GAME), cat, seed=1, games=1)


@pytest.mark.parametrize(
    ("numbers", "options", "complaint"),
    [
        (
            np.zeros((25, 25), dtype=int),
            {},
            "holds 625 actions; .*fit a position-table of 5x5 cells",
        ),
        (np.zeros((2, 25, 25), dtype=int), {}, "a pair, each a position-table of 5x5 cells"),
        (np.zeros((2, 56, 56), dtype=int), {"seat": "cat"}, "a pair, each a position-table of"),
        (np.zeros((56, 56), dtype=int), {"seat": "cat"}, "cat on 6:0 and the mouse on 0:0 it must"),
        (np.zeros((56, 56), dtype=int), {"seat": "dog"}, "unknown seat of cat-and-mouse 'dog'"),
        (np.zeros((56, 56), dtype=int), {"fer": "x"}, "unknown option of window-table 'fer'"),
        (np.zeros((56, 56)), {}, "holds float64; a table has whole numbers"),
        (np.zeros((56, 56), dtype=bool), {}, "holds bool"),
    ],
)
def test_a_file_that_holds_no_table_for_the_game_is_refused(numbers, options, complaint, tmp_path):
    np.save(tmp_path / "table.npy", numbers)
    with pytest.raises(TournamentError, match=complaint):
        players.make("table", GAME, file=tmp_path / "table.npy", **options)


def test_a_table_that_either_seat_could_play_must_say_whose_it_is(tmp_path):
    """Only a window-table can be one: right, or left where the window touches the right edge."""
    table = np.zeros((3,) * 6, dtype=int)
    table[..., 2, :] = 1
    np.save(tmp_path / "table.npy", table)
    with pytest.raises(TournamentError, match="either seat could play; say whose they are"):
        players.make(f"{tmp_path}/table.npy", GAME)
    mouse = players.make(f"table:file={tmp_path}/table.npy,seat=mouse", GAME)
    assert mouse.seats == (1,)


@pytest.mark.parametrize("content", ["[1, 2.5]", '["a"]', "{", "", "[[1], [1, 2]]"])
def test_an_unreadable_file_of_a_table_is_one_clear_error(content, tmp_path):
    (tmp_path / "table.json").write_text(content)
    with pytest.raises(TournamentError, match=r"table\.json: (cannot be read|holds)"):
        players.make(f"{tmp_path}/table.json", GAME)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({}, "missing a required (keyword-only )?argument: 'file'"),
        ({"file": "no/such/file.npy"}, "cannot be read as a table"),
        ({"file": "table.txt"}, "ends in .npy or .json"),
    ],
)
def test_a_table_that_cannot_be_made_is_refused(options, complaint):
    with pytest.raises(TournamentError, match=complaint):
        players.make("table", GAME, **options)


def test_a_genome_of_another_board_is_refused():
    with pytest.raises(TournamentError, match="625 genes given"):
        table_of(0, game=games.make("cat-and-mouse", rows=5, cols=5))


def test_a_window_table_of_one_board_plays_on_another():
    small = games.make("cat-and-mouse", rows=5, cols=5)
    player = table_of(0, 1, form="window-table", game=small)
    check_player(player, GAME, games=2)


def test_a_window_table_is_read_from_a_file_with_its_far_rule(tmp_path):
    encoding = TableEncoding(GAME, "window-table", (0,), {"far": "table"})
    table = encoding.random(1, generator(1, "tables of a test"))[0]
    np.save(tmp_path / "near.npy", table[:729].reshape((3,) * 6))
    np.save(tmp_path / "whole.npy", table)
    made = {
        far: players.make(f"table:file={tmp_path}/{name}.npy{chosen}", GAME)
        for far, name, chosen in [(0, "near", ""), (1, "near", ",far=euclidean"), (2, "whole", "")]
    }
    for far, player in made.items():
        assert player.kind.name == "window-table"
        assert player.parameters.layout.tolist() == [0, -1, far]
