"""A game of somebody else's package is as well served as ours: by every command."""

from __future__ import annotations

import io
import json
import pickle
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import game_of_a_stranger as stranger
import numpy as np
import pytest

import evo
import tournaments
from evo.cli.main import main
from tournaments import games, players, registry
from tournaments.contract import ContractError, check_game, check_player
from tournaments.game import Game
from tournaments.solver.exact import BestResponses, Meetings

OFFERS = [
    EntryPoint("last-stone", "game_of_a_stranger:RULES", "tournaments.games"),
    EntryPoint("passer", "game_of_a_stranger:PASSER", "tournaments.players"),
]


@pytest.fixture(autouse=True)
def installed(monkeypatch) -> None:
    monkeypatch.setattr(
        registry, "entry_points", lambda group: [one for one in OFFERS if one.group == group]
    )


@pytest.fixture
def evolved(tmp_path) -> Path:
    path = tmp_path / "run"
    options = {"scheme": "round-robin", "population": 6, "generations": 3, "seed": 1}
    evo.run(path, options, game="last-stone", threads=1)
    return path


def said(capsys, *words: object) -> str:
    assert main([str(word) for word in words]) == 0
    return capsys.readouterr().out


def rows_said(capsys, *words: object) -> list[dict]:
    return [json.loads(line) for line in said(capsys, *words, "--json").splitlines()]


def test_it_keeps_the_contract_with_all_that_it_offers():
    steps: list[str] = []
    seen = check_game(games.make("last-stone"), games=5, report=steps.append)
    assert steps[1] == "game 1 of 5 at random"
    assert "compiling level-0, and its games" in steps
    assert seen.games == sum(seen.wins) == 5
    assert seen.row["plies_most"] == seen.longest <= 7
    assert seen.moves[0] + seen.moves[1] == sum(seen.plies)
    assert seen.row["branching_most"] == 2 > seen.row["branching_mean"] > 1
    assert f"first wins {seen.wins[0] / 5:.0%} and has" in str(seen)
    check_game(Game(stranger.RULES, {"stones": 4}), games=5)  # before it is registered
    for name in ("taker", "waverer", "passer:taken=2"):
        check_player(players.make(name, games.make("last-stone")), games.make("last-stone"), 3)


def test_it_is_listed_with_its_players(capsys):
    assert "take one or two stones" in said(capsys, "games")
    rows = rows_said(capsys, "players", "last-stone")
    about = {row["player"]: row["about"] for row in rows}
    assert about["taker"] == "takes two where it can"
    assert about["passer"] == "takes the same number each time"
    assert {"level-0", "random", "optimal", "table", "waverer"} <= {*about}
    assert "network" not in about
    assert "passer" not in players.names(games.make("dots-and-boxes"))


def test_its_players_travel():
    game = games.make("last-stone", stones=5)
    for name in ("taker", "optimal", "random"):
        player = players.make(name, game)
        sent = pickle.loads(pickle.dumps(replace(player, name="mine")))
        assert (sent.name, sent.kind, sent.game) == ("mine", player.kind, game)


def test_it_is_measured_by_its_own_yardsticks(evolved, capsys):
    rows = evo.evaluate(evolved, games=20, best=1, generations=[3], threads=1)
    assert rows["opponent"].tolist() == ["random", "taker", "optimal"]
    both = evo.evaluate(evolved, ["taker", "optimal"], best=1, generations=[3], exact=True)
    played = rows[rows["opponent"] != "random"]
    assert both["win_rate"].tolist() == played["win_rate"].tolist()  # these draw nothing
    assert both["regret"].isna().all()


def test_it_is_proved(evolved, capsys):
    frame = evo.best_response(evolved)
    assert frame["opponent"].tolist() == ["best-response", "optimal"]
    lost = frame["exploitability"].iloc[0]
    assert 0 <= lost <= 1
    out = said(capsys, "best-response", evolved)
    assert f"of generation 3: the best opponent gains {lost:.3f} stones" in out
    assert "it takes the last stone in" in out


def test_it_is_watched_as_it_draws_itself(evolved, tmp_path, capsys):
    said(capsys, "watch", evolved, "--opponent", "taker", "--save", tmp_path / "game.svg")
    picture = (tmp_path / "game.svg").read_text()
    assert picture.count("<circle") == 7
    said(capsys, "watch", "last-stone", "waverer", "passer", "--save", tmp_path / "two.svg")


def test_it_is_played_by_a_person_who_may_edit_it(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("edit 9\nedit 2\nhint\ntake 2\n"))
    rows = rows_said(capsys, "play", "last-stone", "waverer")
    assert [row["error"] for row in rows if "error" in row] == [
        "'9' given; 1 to 7 stones are expected"
    ]
    assert [row["hint"] for row in rows if "hint" in row] == ["take 2"]
    assert rows[-1] == {"result": "first (you) wins after 1 plies"}


def test_it_is_played_in_tournaments(evolved, capsys):
    words = ["last-stone", "taker", "waverer", "optimal", "passer:taken=1", evolved]
    rows = rows_said(capsys, "tournament", *words, "--games", 20, "--threads", 1)
    scores = {row["player"]: row["score"] for row in rows if row["table"] == "ratings"}
    assert set(scores) == {str(word) for word in words[1:]}
    assert scores["optimal"] > scores["waverer"]


def optimist(player, other, announce):
    return replace(stranger.meeting(player, other, announce), wins=np.ones(2))


def flatterer(player, announce):
    return stranger.proof(player, announce)._replace(exploitability=-1.0)


@pytest.mark.parametrize(
    ("change", "law"),
    [
        (
            {"players": {"taker": stranger.PlayerOffer("cheats", lambda game: Cheat())}},
            "an illegal action",
        ),
        ({"draw": lambda scenes: stranger.draw(scenes[:1])}, "draw"),
        ({"meetings": lambda *asked: Meetings(stranger.checked, optimist)}, "meetings"),
        ({"best_responses": lambda *asked: BestResponses(flatterer)}, "best responses"),
        ({"yardsticks": ("random", "nobody")}, "yardsticks"),
    ],
)
def test_an_offer_that_is_wrong_breaks_the_contract(change, law):
    with pytest.raises(ContractError, match=law):
        check_game(Game(replace(stranger.RULES, **change), {}), games=2)


class Cheat:
    name = "cheat"

    def choose(self, state, rng):
        return 7


def test_matches_of_its_players_are_the_same_compiled_and_not():
    game = games.make("last-stone")
    taker, waverer = players.make("taker", game), players.make("waverer", game)
    random = players.make("random", game)
    fast, slow = (tournaments.play_matches(game, taker, other, 50) for other in (random, waverer))
    assert np.array_equal(fast.outcomes, slow.outcomes)
