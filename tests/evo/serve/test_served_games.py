"""Games against players by requests: every game, and nothing that the person must not know."""

from __future__ import annotations

import json
import time

import numpy as np
import pytest
from processes import ROOT
from served import serving

import evo
from evo.play.person import PersonGame
from evo.play.places import Picture
from evo.play.record import read_record
from evo.play.rounds import round_record
from evo.serve.play import CHAMPION, Session, drawn
from tournaments import games, players
from tournaments.game import GAMES, State
from tournaments.kernels.chance import seed_chance

SMALL = {
    "dots-and-boxes": "dots-and-boxes:rows=2,cols=2",
    "cat-trap": "cat-trap:size=5",
    "karate": "karate:rounds=5",
    "iterated-prisoners-dilemma": "iterated-prisoners-dilemma:rounds=5",
    "nim": "nim:heaps=1-2-3",
    "capture-the-flag": "capture-the-flag:width=14,height=7",
}
STRANGER = str(ROOT / "tests/othello_of_a_stranger.py")
GAMES_PLAYED = [SMALL.get(name, name) for name in GAMES.own()]
MOST_MOVES = 40
LONG_TO_COMPILE = ("set", "capture-the-flag", "connect-four", "fox-and-hounds", "othello")


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    folder = tmp_path_factory.mktemp("play") / "runs"
    evo.run(folder / "a", game="nim:heaps=1-2-3", population=8, generations=2)
    programs = {"learner": "program-search", "scheme": "round-robin", "population": 2}
    evo.run(folder / "programs", programs, game="nim:heaps=1-2-3", generations=1)
    with serving(folder, games=[STRANGER]) as reader:
        yield reader


def begun(reader, game, opponent="random", **more):
    """Begin a game, and return its address and its state."""
    status, answer = reader.post("play/new", {"game": game, "opponent": opponent, **more})
    assert status == 200, answer
    return answer["to"], reader.state(answer["to"])


def act(reader, at, state, name, **more):
    status, answer = reader.post(f"{at}/{name}", {"ply": state["ply"], **more})
    assert status == 200, answer
    return reader.state(at)


@pytest.mark.parametrize(
    "game",
    [
        pytest.param(game, marks=[pytest.mark.slow] * game.startswith(LONG_TO_COMPILE))
        for game in [*GAMES_PLAYED, "othello_of_a_stranger.py"]
    ],
)
def test_every_game_is_played_and_its_record_is_that_of_the_same_game_elsewhere(
    reader, game, tmp_path
):
    at, state = begun(reader, game, seed=5)
    spec = STRANGER if game.endswith(".py") else game
    alone = PersonGame(games.parse(spec), 0, players.make("random", games.parse(spec)), 5)
    alone.seat = state["seat"]
    rng = np.random.default_rng(1)
    for _ in range(MOST_MOVES):
        if state["over"]:
            break
        while alone.state.seat_to_move != alone.seat:
            alone.reply()
        assert [each["action"] for each in state["moves"]] == alone.state.legal_actions()
        action = int(rng.choice([each["action"] for each in state["moves"]]))
        alone.play(action)
        state = act(reader, at, state, "move", action=action)
    while not alone.state.is_over and alone.state.seat_to_move != alone.seat:
        alone.reply()
    assert state["text"] == str(alone.seen)
    assert state["over"] == alone.state.is_over
    if not state["over"]:
        act(reader, at, state, "resign")
    path = tmp_path / "game.json"
    path.write_text(reader.ask(f"{at}/record")[2])
    if not game.endswith(".py"):  # whose path is left out
        *_, last = read_record(str(path)).scenes()
        assert last.state == alone.state


def test_places_of_moves_are_where_the_picture_changes(reader):
    _, state = begun(reader, "tic-tac-toe")
    spots = [each["spots"] for each in state["moves"]]
    assert all(len(spot) == 1 for spot in spots)
    assert len({tuple(spot[0]) for spot in spots}) == 9
    for each, (spot,) in zip(state["moves"], spots, strict=True):
        row, column = map(int, each["name"].split(":"))
        assert spot == [spots[0][0][0] + column - 1, spots[0][0][1] + row - 1]
    _, state = begun(reader, "dots-and-boxes:rows=2,cols=2")
    assert len({json.dumps(each["spots"]) for each in state["moves"]}) == 12


def test_undo_hint_swap_resign_and_edit(reader):
    at, state = begun(reader, "tic-tac-toe", "optimal")
    start = state
    state = act(reader, at, state, "hint")
    assert state["hint"] in {each["action"] for each in state["moves"]}
    assert "a draw" in state["note"]
    state = act(reader, at, state, "move", action=state["hint"])
    assert state["ply"] == 2
    state = act(reader, at, state, "undo")
    assert {**state, "undo": False} == {**start, "undo": False}
    state = act(reader, at, state, "move", action=4)
    state = act(reader, at, state, "swap")
    assert (state["seat"], state["names"][1]) == (1, "you")
    assert state["ply"] == 3, "the opponent goes on from the other seat"
    state = act(reader, at, state, "resign")
    assert (state["over"], state["result"]) == (True, "you resign")
    assert json.loads(reader.ask(f"{at}/record")[2])["note"] == "nought resigns"
    state = act(reader, at, state, "undo")
    assert not state["over"]
    at, state = begun(reader, "cat-trap:size=5", seat="blocker")
    free = next(each["name"] for each in state["moves"])
    edited = act(reader, at, state, "edit", words=free)
    assert edited["text"] != state["text"]
    assert edited["plies"][-1] == f"edit {free}"


def test_the_model_of_the_mind_reader_is_shown_after_each_round(reader):
    at, state = begun(reader, "karate:rounds=5", "markov")
    state = act(reader, at, state, "move", action=0)
    assert "markov expected of you: " in state["rounds"]
    assert "and so meant to play: " in state["rounds"]
    status, answer = reader.post(f"{at}/undo", {"ply": state["ply"]})
    assert (status, answer["error"]) == (409, "this round is over, and the other move was shown")


def test_a_champion_of_a_run_is_an_opponent(reader):
    offers = json.loads(reader.ask("play/offers?game=nim:heaps=1-2-3")[2])
    champions = [name for name in offers["opponents"] if name.startswith(CHAMPION)]
    assert champions == [f"{CHAMPION}runs/a"], "programs are not started"
    links = [len(reader.page(f"item/runs/{name}")["links"]) for name in ("a", "programs")]
    assert links == [2, 1]
    at, state = begun(reader, "nim:heaps=1-2-3", f"{CHAMPION}runs/a")
    state = act(reader, at, state, "move", action=state["moves"][0]["action"])
    assert state["names"][1].endswith("@2")


@pytest.mark.parametrize(
    ("path", "content", "status", "message"),
    [
        ("move", {"ply": 0, "action": 99}, 409, "action 99 given; it is not legal here"),
        ("move", {"ply": 0, "action": "0"}, 409, "it is not legal here"),
        ("move", {"ply": 0}, 409, "it is not legal here"),
        ("move", {"ply": 7, "action": 0}, 409, "the game has gone on since"),
        ("move", {"action": 0}, 409, "the game has gone on since"),
        ("edit", {"ply": 0, "words": "1:1"}, 409, "offers no edit"),
        ("undo", {"ply": 0}, 409, "nothing to take back"),
        ("no", {"ply": 0}, 404, "no such action"),
        ("move", [0], 400, "an object of JSON is expected"),
    ],
)
def test_what_is_not_possible_changes_nothing(reader, path, content, status, message):
    at, before = begun(reader, "tic-tac-toe")
    got, answer = reader.post(f"{at}/{path}", content)
    assert got == status
    assert message in (answer if isinstance(answer, str) else answer["error"])
    assert {**reader.state(at), "note": ""} == before


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"game": "no-such"}, "unknown game"),
        ({"game": "./g.py:RULES"}, "--game FILE adds one of a file"),
        ({"game": "nim:no=1"}, "unknown option of nim"),
        ({"game": "nim", "opponent": "./bot.py:Bot"}, "unknown opponent"),
        ({"game": "nim", "opponent": "network:weights=/etc/passwd"}, "unknown opponent"),
        ({"game": "nim", "opponent": "bot:cmd=true"}, "unknown opponent"),
        ({"game": "capture-the-flag:maze=/etc/passwd"}, "a request names the file"),
        ({"game": "karate", "opponent": "markov:counts=/etc/passwd"}, "a request names the file"),
        ({"game": "nim", "opponent": "random", "seed": -1}, "the seed is a whole number"),
        ({"game": "nim", "opponent": f"{CHAMPION}runs/no"}, "unknown opponent"),
    ],
)
def test_a_game_that_cannot_be_begun_is_refused(reader, content, message):
    status, answer = reader.post("play/new", content)
    assert status == 400
    assert message in answer


def test_an_opponent_that_fails_ends_the_game_and_is_named():
    def fails(state, rng):
        raise ValueError("no")

    game = games.make("nim")
    session = Session(PersonGame(game, 0, players.as_player(fails, game), 1))
    session.act("move", {"ply": 0, "action": 0})
    while session.is_thinking:
        time.sleep(0.01)
    state = session.state()
    assert state["over"]
    assert "fails fails: player 'fails' raised ValueError: no" in state["result"]
    session.act("undo", {"ply": 1})
    state = session.state()
    assert (state["ply"], state["thinking"], state["over"]) == (0, False, False)


def test_games_that_are_not_kept_say_so(reader):
    assert reader.ask("play/unknown")[0] == 404
    assert reader.post("play/unknown/move", {"ply": 0, "action": 0})[0] == 404


@pytest.mark.parametrize("name", ["karate:rounds=3", "iterated-prisoners-dilemma:rounds=3"])
def test_the_picture_shows_nothing_of_the_move_that_the_other_has_made(name):
    """As the second seat, the person sees the same after any hidden move of the first."""
    game = games.parse(name)
    shown = []
    for action in game.start(1).legal_actions():
        played = PersonGame(game, 1, players.make("random", game), 1)
        played._played(0, "random", action)
        shown.append(drawn(played, played.legal))
    assert all(each == shown[0] for each in shown[1:])


def test_what_chance_will_bring_is_not_shown():
    """The preview of a move in Set does not depend on the cards of the deck."""
    game = games.make("set")
    played = PersonGame(game, 0, players.make("random", game), 3)
    before = drawn(played, played.legal)
    array = played.state.array.copy()
    from tournaments.kernels.chance import STREAM, STREAM_SIZE

    array[STREAM : STREAM + STREAM_SIZE] += 1
    played.start = State(game, array)
    assert drawn(played, played.legal) == before


def test_what_hidden_pieces_do_changes_nothing_on_the_page():
    """Positions that look the same to the person give the same page."""
    from tournaments.games.capture_the_flag.rules import FACING

    game = games.parse("capture-the-flag:width=14,height=7")
    shown = {}
    for facing in range(1, 5):
        played = PersonGame(game, 1, players.make("random", game), 1)
        played._played(0, "random", played.state.legal_actions()[0])
        played.state.array[FACING + 2] = facing  # of the second agent of red, out of sight
        shown.setdefault(played.seen.array.tobytes(), []).append(drawn(played, played.legal))
    assert max(map(len, shown.values())) > 1
    for first, *others in shown.values():
        assert all(each == first for each in others)


def test_a_move_says_where_its_piece_comes_from(reader):
    _, state = begun(reader, "fox-and-hounds", seat="hounds")
    assert all(len(each["spots"]) == 2 for each in state["moves"])
    pieces = {tuple(each["spots"][0]) for each in state["moves"]}
    assert len(pieces) == len({each["name"].split()[1] for each in state["moves"]})


def test_hidden_games_keep_their_secrets_when_seats_are_swapped_and_games_are_saved(reader):
    at, state = begun(reader, "karate:rounds=5", seat="first")
    state = act(reader, at, state, "move", action=0)
    assert reader.ask(f"{at}/record")[0] == 409
    state = act(reader, at, state, "swap")
    assert (state["seat"], state["ply"]) == (1, 1), "a new game, whose first move is made"
    act(reader, at, state, "resign")
    assert reader.ask(f"{at}/record")[0] == 200


def test_what_chance_brings_is_no_part_of_a_preview():
    """In Set, the shapes that a move shows are there whatever cards it deals."""
    game = games.make("set")
    played = PersonGame(game, 0, players.make("random", game), 3)
    picture = Picture(played)
    action = next(iter(played.legal))
    new, gone = picture._change(action)
    assert gone
    for seed in range(50, 53):
        after = played.seen
        with np.errstate(over="ignore"):
            seed_chance(after.array, seed)
        after.play(action)
        assert set(new) <= set(picture._drawn(after))


def test_a_finished_round_is_shown_without_the_move_that_the_opponent_has_made_since():
    game = games.parse("karate:rounds=5")
    played = PersonGame(game, 1, players.make("markov", game), 1)
    played.reply()
    for action in (0, 1, 2):
        played.play(action)
        record = round_record(played)
        played.reply()
        assert round_record(played) == record
    assert record["round"] == 3
