"""Pages: the data of blocks, and one HTML file that runs nothing and needs nothing else."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import math
import os
import re
import shutil
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from html_pages import Parts, data_of, rows_in, sections_in
from hypothesis import given
from hypothesis import strategies as st
from processes import ROOT

import evo
from evo.cli.commands.new import take_away
from evo.cli.main import main
from evo.pages import blocks
from evo.pages.document import one_file, shared
from evo.pages.games import game_block, places_of
from evo.pages.islands import by_role, island_lines
from evo.pages.replays import of_tournament
from evo.pages.runs import sections_of
from evo.play import watched
from results import DataFrame, open_run, open_runs, open_tournament
from results.plots.compare import compared_tables, over_runs
from results.read.curves import champion_curve
from tournaments import games
from tournaments.kernels.rng import Stream
from tournaments.player import player_of

MARKUP = "<script>alert(1)<"
"""In the name of a folder, where a slash cannot stand."""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A small run with measured champions, whose folder has markup in its name."""
    folder = tmp_path_factory.mktemp("pages") / MARKUP
    options = {"population": 12, "generations": 6, "snapshot_interval": 2, "lineage": True}
    run = evo.run(folder, game="dots-and-boxes:rows=2,cols=2", **options)
    evo.evaluate(run, ["random", "level-1"], games=20, best=1, every=1)
    return run


@given(
    st.lists(st.floats(-1e6, 1e6) | st.just(math.nan), min_size=1, max_size=300), st.integers(4, 60)
)
def test_thinned_lines_keep_their_ends_and_their_extremes(values, most):
    values = np.array(values)
    rows = blocks.thinned(values, most)
    assert len(rows) <= max(most, 2)
    assert (np.diff(rows) > 0).all()
    assert rows[0] == 0
    assert rows[-1] == len(values) - 1
    known = np.where(np.isnan(values), 0, values)
    assert known[rows].min() == known.min()
    assert known[rows].max() == known.max()


def test_numbers_that_scripts_cannot_hold_are_texts_or_missing():
    given = [math.inf, math.nan, None, 2**60, 3, 0.5, np.float32(2), np.int8(4)]
    assert blocks.plain(given) == [None, None, None, str(2**60), 3, 0.5, 2, 4]


def test_a_run_of_100_000_generations_is_thinned_to_what_a_page_shows():
    y = np.zeros(100_000)
    y[77_777] = 1
    line = blocks.line("one peak", np.arange(len(y)), y)
    assert len(line["y"]) <= blocks.MOST_POINTS
    assert max(line["y"]) == 1


def test_the_page_of_a_run_has_all_of_it(run, tmp_path):
    report = evo.report(run, html=str(tmp_path / "a.html"))
    page = data_of(report.path.read_text(encoding="utf-8"))
    kinds = {
        each["title"]: [block["kind"] for block in each["blocks"]] for each in page["sections"]
    }
    assert kinds == {
        "What it is": ["facts"],
        "Strength": ["curves"],
        "Verdicts": ["table"],
        "Champions against champions": ["heat"],
        "Games of the champion": ["game"] * 4 + ["command"] * 2,
        "Evolution": ["curves", "curves"],
        "Population": ["genomes", "table"],
        "Descent of the champion": ["text", "table"],
        "Configuration": ["table", "table"],
    }
    assert report.problems == []
    (strength,) = page["sections"][1]["blocks"]
    rows = run.evaluations[run.evaluations["opponent"] == "level-1"]
    (line,) = (each for each in strength["lines"] if each["name"] == "level-1")
    assert line["y"] == pytest.approx(rows["win_rate"].tolist())
    assert page["sections"][6]["blocks"][1]["rows"] == [
        blocks.plain(list(row))
        for row in run.population().drop(columns=["genome", "generation"]).to_numpy(object)
    ]


def test_the_file_is_one_file_whose_policy_allows_its_own_parts_alone(run, tmp_path):
    text = evo.report(run, html=str(tmp_path / "a.html"), quick=True).path.read_text("utf-8")
    parts = Parts(text)
    assert {"src", "href"} & {
        name for _, attributes in parts.elements for name in attributes
    } == set()
    (policy,) = (a["content"] for _, a in parts.elements if "http-equiv" in a)
    allowed = {
        re.match(r"'(sha256-.*)'", word)[1]
        for word in policy.split()
        if "sha256" in word.strip(";")
    }
    found = {
        "sha256-" + base64.b64encode(hashlib.sha256(data.encode()).digest()).decode()
        for _, attributes, data in parts.texts
        if "type" not in attributes
    }
    assert found == allowed
    assert policy.startswith("default-src 'none'")


def test_names_with_markup_are_data_and_absolute_folders_are_left_out(run, tmp_path):
    text = evo.report(run, html=str(tmp_path / "a.html"), quick=True).path.read_text("utf-8")
    assert MARKUP not in text
    assert data_of(text)["title"] == MARKUP
    assert str(run.path.parent) not in text
    assert shared({"a": ["/srv/bots/x.py@1f, 3/4 of s3://bucket/runs/a", 1]}) == {
        "a": ["x.py@1f, 3/4 of s3://bucket/runs/a", 1]
    }


def test_the_scripts_are_joined_in_order_and_no_name_is_declared_twice():
    script = max(
        (
            text
            for tag, _, text in Parts(one_file(blocks.page("", "", []))).texts
            if tag == "script"
        ),
        key=len,
    )
    own = script.split('"use strict";\n', 1)[1]
    assert not re.search(r"^(import|export) ", own, re.MULTILINE)
    names = re.findall(r"^(?:async )?(?:function|const|let|class) (\w+)", own, re.MULTILINE)
    assert len(names) == len({*names}) > 20


@pytest.mark.parametrize("name", ["tic-tac-toe", "fox-and-hounds", "set", "karate"])
def test_games_are_drawn_as_evo_watch_draws_them(name):
    shown = watched.of_players(name, _two(name), 1)
    block = game_block(shown, "a game", "game")
    scenes = list(shown.scenes())
    drawing = games.make(name).rules.draw(scenes)
    assert len(block["frames"]) == len(block["moves"]) == len(scenes)
    assert [len(frame) for frame in block["frames"]] == [len(frame) for frame in drawing.frames]
    assert json.dumps(block, allow_nan=False)


def _two(name):
    return ["random", "random"]


def test_moves_say_what_they_give_away_where_the_game_is_solved():
    perfect = game_block(watched.of_players("tic-tac-toe", ["optimal", "optimal"], 1), "", "")
    assert {move["loss"] for move in perfect["moves"][1:]} == {0}
    played = game_block(watched.of_players("tic-tac-toe", ["random", "optimal"], 5), "", "")
    assert sum(move["loss"] for move in played["moves"][1:]) == 1, "a draw was given away once"


def seen(block, by):
    """Return pairs (move that shows it, layer) of what a player or perfect play saw in a game."""
    return [
        (move, layer)
        for move in block["moves"]
        for layer in move.get("seen", [])
        if layer["by"].startswith(by)
    ]


@pytest.mark.parametrize(
    ("name", "players", "by", "what"),
    [
        pytest.param(*("cat-trap", ["planner", "greedy"], "cat", "worth"), marks=pytest.mark.slow),
        ("karate", ["markov:beta=best", "random"], "first", "chance"),
        ("dots-and-boxes:rows=2,cols=2", ["level-1", "random"], "first", "chance"),
        ("nim", ["random", "random"], "perfect play", "net wins"),
        ("capture-the-flag:maze=small,moves=60", ["team", "hungry"], "red", ""),
    ],
)
def test_games_show_what_players_saw_and_are_played_as_without(name, players, by, what):
    shown = watched.of_players(name, players, 1)
    block = game_block(shown, "a game", "game")
    scenes = list(shown.scenes())
    assert [move["words"] for move in block["moves"]] == [" · ".join(s.caption) for s in scenes]
    layers = seen(block, by)
    assert layers
    assert {layer["what"] for _, layer in layers} == {what}
    for move, layer in layers:
        values = [value for _, value, *_ in layer["actions"]]
        assert values == sorted(values, reverse=True)
        if by != "perfect play" and values:
            best = [name for name, value, *_ in layer["actions"] if value == values[0]]
            assert move["played"] in best or what == "chance"
        if shown.game.hides:
            assert {len(action) for action in layer["actions"]} <= {2}, "no places"
        if what == "chance":
            assert sum(values) == pytest.approx(1, abs=0.01)
    assert json.dumps(block, allow_nan=False)


def test_the_outputs_of_a_network_are_shown_where_its_actions_stand(run):
    block = game_block(watched.of_run(str(run.path), opponent="random"), "", "")
    layers = seen(block, "first")
    assert len(layers) >= 5
    board = games.make("dots-and-boxes", rows=2, cols=2)
    for move, layer in layers:
        assert layer["what"] == "output"
        assert len(layer["actions"]) == 12 - block["moves"].index(move), "the edges that are left"
        best = [name for name, value, *_ in layer["actions"] if value == layer["actions"][0][1]]
        assert move["played"] in best
        assert all(0 <= value <= 1 for _, value, *_ in layer["actions"])
    places = {name: (x, y) for name, _, x, y in layers[0][1]["actions"]}
    assert places["h(0,0)"] == (1, 0.5)
    assert len({*places.values()}) == board.num_actions


def test_the_outputs_of_a_network_are_those_of_its_weights(run):
    network = watched.of_run(str(run.path)).players[0]
    game, representation = network.game, network.options["representation"]
    state, edges = game.start(1), 12
    (weights,) = representation.decode(np.frombuffer(network.options["genome"], np.uint8)[None])
    nodes = (len(weights) - edges) // (2 * edges + 1)
    first, later = np.split(weights, [nodes * (edges + 1)])
    hidden = 1 / (1 + np.exp(first.reshape(nodes, edges + 1)[:, edges]))  # no edge is drawn yet
    sums = later.reshape(edges, nodes + 1) @ [*hidden, -1]
    for numbers, expected in ((weights, 1 / (1 + np.exp(-sums))), (0 * weights, np.full(12, 0.5))):
        player = player_of(game, representation=representation, numbers=numbers[None])
        seat = player.sit(state, 0)
        insight = seat.insight(state, seat.choose(state, Stream(1)))
        assert [insight.values[edge] for edge in range(edges)] == pytest.approx(expected)


def test_a_step_is_shown_from_where_a_piece_stands_to_where_it_goes():
    block = game_block(watched.of_players("cat-and-mouse", ["optimal", "random"], 1), "", "")
    (*_, (_, layer)) = seen(block, "perfect play")
    places = {name: place for name, _, *place in layer["actions"]}
    for name, (dx, dy) in {"left": (-1, 0), "right": (1, 0), "up": (0, -1)}.items():
        x, y, from_x, from_y = places[name]
        assert (x - from_x, y - from_y) == pytest.approx((dx, dy)), name


def test_a_game_that_hides_information_shows_beliefs_and_no_places():
    name = "capture-the-flag:maze=small,moves=60"
    block = game_block(watched.of_players(name, ["team", "team"], 1), "", "")
    start = games.parse(name).start(1)
    assert not any(places_of(start, [action]) for action in start.legal_actions())
    for by in ("red", "blue"):
        for _, layer in seen(block, by):
            assert layer["actions"] == []
            assert 0 < sum(share for _, _, share in layer["belief"]) < 2.01, "two enemies at most"


def test_islands_have_a_line_each_their_routes_and_their_migrations(tmp_path):
    islands = {"count": 9, "every": 2, "topology": "ring", "migrants": 2}
    options = {"population": 6, "generations": 6, "islands": islands}
    run = evo.run(tmp_path / "run", game="nim", **options)
    evo.evaluate(run, ["random"], games=20, best=1, every=3)
    report = evo.report(run, html=str(tmp_path / "a.html"), quick=True)
    page = data_of(report.path.read_text(encoding="utf-8"))
    sections = {each["title"]: each["blocks"] for each in page["sections"]}
    fitness, diversity, words, routes = sections["Islands"]
    rows = run.generations
    for block, column in ((fitness, "best"), (diversity, "diversity")):
        assert len(block["lines"]) == 9
        for number, line in enumerate(block["lines"]):
            mine = rows[rows["population"] == f"island-{number}"]
            assert line["name"].startswith(f"island {number}")
            assert line["dashed"] == (number >= 7)
            assert line["y"] == pytest.approx(mine[column].tolist(), rel=1e-5)
    assert "topology ring" in words["paragraphs"][0]
    assert "2 migrations so far, after generations 2, 4" in words["paragraphs"][1]
    assert [row[:2] for row in routes["rows"]] == [[(to - 1) % 9, to] for to in range(9)]
    assert {row[2] for row in routes["rows"]} == {4}
    assert [len(block["lines"]) for block in sections["Strength"]] == [9]
    best = sections["Evolution"][0]["lines"][0]
    assert best["y"] == pytest.approx(rows.groupby("generation")["best"].max().tolist())


def test_many_islands_are_a_mean_with_a_band():
    x = [10.0, 20.0]
    names = [f"cat-island-{number}" for number in range(20)]
    parts = [
        {"population": name, "games_played": at, "best": 1.0 * n + at}
        for n, name in enumerate(names)
        for at in x
    ]
    ((role, rows),) = by_role(DataFrame(parts))
    (line,) = island_lines(rows, "best")
    assert role == "cat"
    assert (line["low"], line["high"]) == ([10, 20], [29, 39])
    assert line["y"] == [19.5, 29.5]


def test_policy_tables_show_where_they_move_in_positions_of_a_game(tmp_path):
    options = {"population": 6, "generations": 2, "learner": {"name": "genetic"}}
    run = evo.run(tmp_path / "run", game="cat-and-mouse:rows=4,cols=4", **options)
    report = evo.report(run, html=str(tmp_path / "a.html"), quick=True)
    page = data_of(report.path.read_text(encoding="utf-8"))
    (population,) = (each for each in page["sections"] if each["title"] == "Population")
    played = list(watched.of_run(str(run.path)).scenes())
    (champion, *_), *_ = (each["blocks"] for each in page["sections"] if "Games" in each["title"])
    for move, layer in [*seen(champion, "cat"), *seen(champion, "mouse")]:
        assert [action[:2] for action in layer["actions"]] == [[move["played"], 1]]
    assert len(seen(champion, "cat")) == (len(champion["moves"])) // 2
    for seat, block in enumerate(population["blocks"][:2]):
        choices = block["choices"]
        titles = choices["titles"]
        assert 0 < len(choices["frames"]) == len(titles) == len(choices["places"]) <= 8
        assert {len(row) for row in choices["chosen"]} == {len(titles)}
        assert len(choices["chosen"]) == len(block["individuals"]) == 6
        moves = {scene.caption[0]: after.action for scene, after in pairwise(played)}
        best = [moves[title] for title in titles]
        assert choices["chosen"][0] == best, "the fittest is the champion, which played the game"
        for row in choices["chosen"]:
            for action, places in zip(row, choices["places"], strict=True):
                x, y, from_x, from_y = places[str(action)]
                assert abs(x - from_x) + abs(y - from_y) == pytest.approx(1), (seat, action)


def test_what_is_missing_of_a_damaged_run_is_said_and_the_rest_is_shown(run, tmp_path, capsys):
    path = tmp_path / "damaged"
    shutil.copytree(run.path, path)
    (path / "snapshots/generation-000006.parquet").write_bytes(b"nothing")
    assert main(["report", str(path), "--html", str(tmp_path / "a.html"), "--quick"]) == 1
    said = capsys.readouterr().err
    assert "generation-000006" in said
    page = data_of((tmp_path / "a.html").read_text(encoding="utf-8"))
    titles = [each["title"] for each in page["sections"]]
    assert titles[:3] == ["What it is", "Problems", "Strength"]
    assert "Configuration" in titles
    (path / "run.json").write_text("{", encoding="utf-8")
    assert main(["report", str(path), "--html", str(tmp_path / "b.html")]) == 1
    page = data_of((tmp_path / "b.html").read_text(encoding="utf-8"))
    assert [each["title"] for each in page["sections"]] == ["Problems"]


def held_name(page, place):
    """The name of a player by its place in the ratings of a tournament's page."""
    return page["sections"][1]["blocks"][0]["rows"][place][0]


def test_the_page_of_a_tournament_has_its_ratings_and_its_cross_table(tmp_path):
    options = {"games": 20, "out": str(tmp_path / "cup")}
    evo.tournament("dots-and-boxes:rows=2,cols=2", ["random", "level-1", "optimal"], **options)
    report = evo.report(tmp_path / "cup")
    assert report.path == tmp_path / "cup/plots/report.html"
    page = data_of(report.path.read_text(encoding="utf-8"))
    what, ratings, each = page["sections"]
    assert each["blocks"][0]["cells"].keys() == {
        f"{row},{column}" for row in range(3) for column in range(3) if row != column
    }
    opens = each["blocks"][0]["opens"]
    for (row, column), shown in zip([(0, 1), (0, 2), (1, 2)], opens, strict=True):
        both = {held_name(page, row), held_name(page, column)}
        for game in shown:
            assert {player.partition(": ")[2] for player in game["players"]} == both
            assert len(game["frames"]) == 13
    assert ["games played", "60"] in what["blocks"][0]["rows"]
    held = open_tournament(tmp_path / "cup")
    names = [row[0] for row in ratings["blocks"][0]["rows"]]
    assert names == held.ratings["player"].tolist()
    cross = held.cross_table.loc[names, names].to_numpy(float)
    assert each["blocks"][0]["values"] == [blocks.plain(row) for row in cross.round(4)]
    assert [block["title"].rpartition(" as ")[2][:6] for block in each["blocks"][1:]] == [
        "first ",
        "second",
    ]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two settings with two seeds each; the champions of one run are not measured."""
    folder = tmp_path_factory.mktemp("runs")
    for scheme, seed in itertools.product(("round-robin", "antibody-antigen"), (1, 2)):
        options = {"scheme": scheme, "seed": seed, "population": 8, "generations": 5}
        run = evo.run(folder / f"{scheme}-{seed}", game="nim", **options)
        if (scheme, seed) != ("round-robin", 2):
            evo.evaluate(run, ["random", "optimal"], games=20, best=1, every=1)
    return folder


def test_several_runs_are_laid_over_one_another_as_they_are_drawn_by_plot(runs, tmp_path):
    runs = shutil.copytree(runs, tmp_path / "runs")
    for name in ("round-robin-1", "antibody-antigen-1"):
        evo.best_response(runs / name)
    report = evo.report(list(open_runs(runs)), html=str(tmp_path / "a.html"))
    page = data_of(report.path.read_text(encoding="utf-8"))
    assert report.problems == []
    assert page["subtitle"] == "Comparison of 4 runs that differ in scheme"
    table, *_ = page["sections"][0]["blocks"]
    titles = [title for title, _ in table["columns"]]
    at = {row[0]: dict(zip(titles, row, strict=True)) for row in table["rows"]}
    curve = champion_curve(open_run(runs / "antibody-antigen-1"))
    newest = curve[(curve["opponent"] == "optimal") & (curve["generation"] == 5)]
    assert at["antibody-antigen-1"]["against optimal"] == newest["win_rate"].item()
    assert at["round-robin-2"]["against optimal"] is None
    charts = {each["name"]: each for each in page["sections"][1]["blocks"]}
    tables = {name: (rows, what) for name, rows, what in compared_tables(open_runs(runs))}
    losses = ["exploitability", "regret-optimal"]
    assert [*charts] == [*tables]
    assert [*charts] == ["win-rate-optimal", "win-rate-random", *losses, "fitness", "diversity"]
    for name, (rows, what) in tables.items():
        for line, (label, mine) in zip(
            charts[name]["lines"], rows.groupby("_label", sort=False), strict=True
        ):
            assert line["name"].startswith(label)
            assert line["y"] == pytest.approx(
                over_runs(mine, what.column)["median"].tolist(), rel=1e-5
            )
    comparisons, _, verdicts = page["sections"][2]["blocks"]
    assert {row[0] for row in comparisons["rows"]} >= {"optimal"}
    assert verdicts["name"] == "verdicts"


def test_a_sweep_has_the_page_of_its_runs(tmp_path):
    (tmp_path / "pilot.toml").write_text(
        'name = "pilot"\nseeds = 2\n[base]\ngame = "nim"\npopulation = 8\ngenerations = 2\n'
        '[populations.a]\nscheme = "round-robin"\n[populations.b]\nscheme = "antibody-antigen"\n'
    )
    evo.sweep(str(tmp_path / "pilot.toml"), out=str(tmp_path / "sweep"))
    report = evo.report(tmp_path / "sweep", quick=True, html=str(tmp_path / "a.html"))
    page = data_of(report.path.read_text(encoding="utf-8"))
    assert report.problems == []
    assert page["subtitle"].startswith("A sweep of 4 runs")
    table, charts = page["sections"][0]["blocks"][0], page["sections"][1]["blocks"]
    assert [row["run"] for row in rows_in(table)] == [f"{c}/seed-{s}" for c in "ab" for s in (1, 2)]
    assert [chart["name"] for chart in charts] == ["fitness", "diversity"]
    made = dict(sections_of(open_runs(tmp_path / "sweep"), None, lambda path: f"at {path.name}"))
    (linked, *_) = made["The runs"]()
    assert linked["rows"][0][0] == blocks.link("a/seed-1", "at seed-1")


def test_a_damaged_run_among_several_is_named_and_the_others_are_shown(runs, tmp_path):
    shutil.copytree(runs, tmp_path / "runs")
    (tmp_path / "runs/round-robin-1/run.json").write_text("{", encoding="utf-8")
    report = evo.report(tmp_path / "runs", quick=True, html=str(tmp_path / "a.html"))
    page = data_of(report.path.read_text(encoding="utf-8"))
    sections = {each["title"]: each["blocks"] for each in page["sections"]}
    (damaged,) = sections["Problems"]
    assert damaged["paragraphs"][0].startswith("round-robin-1: ")
    assert [shared(problem) for problem in report.problems] == damaged["paragraphs"]
    words, *charts = sections["Laid over one another"]
    assert words["paragraphs"] == ["Without a generation that can be read: round-robin-1."]
    states = [row["state"] for row in rows_in(sections["The runs"][0])]
    assert sorted(states) == ["damaged", "done", "done", "done"]
    assert len(charts) == 4
    command = ["report", str(tmp_path / "runs"), "--html", str(tmp_path / "b.html"), "--quick"]
    assert main(command) == 1
    for each in (tmp_path / "runs").iterdir():
        (each / "run.json").write_text("{", encoding="utf-8")
    assert main(command[:-1]) == 1


def test_a_report_runs_no_file_that_a_run_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(take_away.__file__, "g.py")
    evo.run("runs/e", game="./g.py:RULES", generations=1, population=6)
    with open("g.py", "a") as file:
        file.write('\nprint("CODE IS RUN")\n')
    for flags in ([], ["--quick"]):
        command = [sys.executable, "-m", "evo", "report", "runs/e", "--html", "e.html", *flags]
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0
        assert "CODE IS RUN" not in done.stdout + done.stderr
        page = data_of((tmp_path / "e.html").read_text(encoding="utf-8"))
        (population,) = (each for each in page["sections"] if each["title"] == "Population")
        assert [block["kind"] for block in population["blocks"]] == ["text", "table"]


def test_a_folder_that_is_no_run_is_refused_before_anything_is_written(tmp_path, capsys):
    assert main(["report", str(tmp_path)]) == 2
    assert (
        "the folder of a run or a tournament, or of several runs, is expected"
        in capsys.readouterr().err
    )
    assert [*tmp_path.iterdir()] == []
    assert main(["report", str(tmp_path), "--html", str(tmp_path / "no/a.html")]) == 2
    assert "make the folder first" in capsys.readouterr().err


def test_a_cell_of_a_tournament_shows_the_games_that_were_played(tmp_path):
    """The results of all replayed games are those that the tournament counted."""
    names = ["random", "level-0", "mcts:playouts=5"]
    evo.tournament("nim:heaps=1-2", names, games=20, out=str(tmp_path))
    held = open_tournament(tmp_path)
    replays = of_tournament(held)
    for row in held.pairs.to_dict("records"):
        (met,) = replays._stretches(row["player"], row["opponent"])
        results = [met.results_of(row["player"], number) for number in range(met.count)]
        assert (np.array(results) > 0).sum() == row["wins"]
        assert (np.array(results)[:, 0] > 0).sum() == row["wins_first"]
        for number, turn in ((0, 0), (0, 1), (3, 1)):
            watched = met.watched(number, turn)
            *_, last = watched.scenes()
            seat = watched.names.index(row["player"])
            assert last.state.returns()[seat] == results[number][turn]
        if row["losses"]:
            lost = replays.lost_game(row["player"], row["opponent"])
            *_, last = lost.scenes()
            assert last.state.returns()[lost.names.index(row["player"])] == -1


def test_files_of_a_tournament_are_not_run_for_its_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = "def first(state, rng):\n    return state.legal_actions()[0]\n"
    (tmp_path / "bot.py").write_text(code)
    evo.tournament("nim", ["random", "./bot.py:first"], games=4, out="cup")
    (tmp_path / "bot.py").write_text(f"print('CODE IS RUN')\n{code}")
    command = [sys.executable, "-m", "evo", "report", "cup", "--html", "a.html"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert "CODE IS RUN" not in done.stdout + done.stderr
    heat, *_ = sections_in(tmp_path / "a.html")["Each against each"]
    assert heat["opens"] == []
    assert "if you trust it, add --trust" in heat["note"]
