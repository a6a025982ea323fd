"""``evo analyse``: the games that it plays, what it prints and writes, and what it refuses."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import evo
from cluster import Entrants, LocalEvaluator
from evo.cli.main import main
from evo.config import config as configuration
from evo.evaluation import analyse as analysing
from evo.evaluation.analyse_runs import AnalysisOfRuns
from evo.evaluation.findings import Analysis
from results import ResultsError, open_run, open_runs
from results.folder.evaluations import write_evaluation
from results.folder.files import lock_run
from results.format.schema import BEST_RESPONSE
from tournaments import players
from tournaments.arena.entrants import Genomes
from tournaments.arena.match import play_match
from tournaments.errors import TournamentError
from tournaments.kernels.rng import generator, match_seeds
from tournaments.player import identity
from tournaments.schedules.base import Matches
from tournaments.schedules.combined import Repeated
from tournaments.schedules.pairs import EachOther, EachPair, against_panel

GAMES = 20
HUNT = "cat-and-mouse:rows=3,cols=4,end=move-limit,cat_start=any,mouse_start=any"
OPTIONS = {"population": 10, "seed": 4, "threads": 1, "snapshot_interval": 1}


@pytest.fixture(scope="module")
def templates(tmp_path_factory) -> dict[str, Path]:
    """Runs of which each generation is kept; tests leave them as they are."""
    folder = tmp_path_factory.mktemp("templates")
    boxes = "dots-and-boxes:rows=2,cols=2"
    climber = {"name": "hill-climbing", "candidates": 5, "games": 4, "turn_after": 2}
    climbing = {key: value for key, value in OPTIONS.items() if key != "population"}
    evo.run(folder / "boxes", scheme="round-robin", game=boxes, generations=7, **OPTIONS)
    evo.run(folder / "roles", scheme="round-robin", game=HUNT, generations=7, **OPTIONS)
    evo.run(folder / "climb", {"learner": climber}, game=HUNT, generations=40, **climbing)
    evo.run(folder / "young", scheme="round-robin", game=boxes, generations=0, **OPTIONS)
    return {path.name: path for path in folder.iterdir()}


@pytest.fixture
def run_of(templates, tmp_path):
    """A copy of a run."""
    return lambda name: Path(shutil.copytree(templates[name], tmp_path / name))


@pytest.fixture(autouse=True)
def few_opponents(monkeypatch):
    """One yardstick, so that little is compiled."""
    few = {"dots-and-boxes": ["level-0"], "cat-and-mouse": ["random"]}
    monkeypatch.setattr(analysing, "default_opponents", lambda game: few[game.name])


def analysed(path: Path, **options) -> analysing.Analysis:
    return evo.analyse(path, games=GAMES, **{"threads": 1, **options})


def champion_players(path: Path, generation: int, population: str | None = None):
    """The champion of a generation as a player, by the public reader."""
    run = open_run(path)
    config = configuration.of_run(run)
    names = [plan.name for plan in config.populations]
    genomes = [bytes(run.champion(generation, name)["genome"]) for name in names]
    if len(names) > 1:
        genomes = [
            genome[: plan.genome.num_genes]
            for genome, plan in zip(genomes, config.populations, strict=True)
        ]
    made = config.populations[0].genome.representation
    return made.player(config.game, genomes, str(generation)), config


def points(game, a, b, seeds, games: int) -> float:
    """Points of a, game after game in the readable loop."""
    total = 0.0
    for seed in seeds:
        for number, scores in enumerate(play_match(game, a, b, int(seed), games).tolist()):
            lead = (scores[0] - scores[1]) * (1 if number % 2 == 0 else -1)
            total += 1.0 if lead > 0 else 0.5 if lead == 0 else 0.0
    return total


@pytest.mark.parametrize("name", [pytest.param("boxes", marks=pytest.mark.slow), "roles"])
def test_champions_score_what_the_readable_loop_plays(templates, name):
    """Pair after pair: of networks (g, h) with g < h, of tables each cat against each mouse."""
    found = analysed(templates[name])
    size, matches = len(found.generations), GAMES // 2
    games, pairs = (2, 28) if name == "boxes" else (1, 64)
    assert size == 8
    seeds = match_seeds(4, "analyse/contest", 0, pairs * matches).reshape(pairs, matches)
    rows, columns = np.triu_indices(8, 1) if name == "boxes" else np.divmod(np.arange(64), 8)
    scores = found.scores.set_index(["population", "generation", "opponent_generation"])["score"]
    who, other = ("all", "all") if name == "boxes" else ("cat", "mouse")
    for place in (0, 5, 13, 27):
        g, h = int(rows[place]), int(columns[place])
        (a, config), (b, _) = (champion_players(templates[name], number) for number in (g, h))
        share = points(config.game, a, b, seeds[place], games) / (games * matches)
        assert scores[who, g, h] == share
        assert scores[other, h, g] == pytest.approx(1 - share)


def test_a_fixed_opponent_and_random_genomes_are_met_in_the_right_seat(templates):
    found = analysed(templates["roles"]).opponents.set_index(
        ["population", "opponent", "generation"]
    )
    run = open_run(templates["roles"])
    config = configuration.of_run(run)
    game = config.game
    random = players.make("random", game)
    for seat, plan in enumerate(config.populations):
        champion, _ = champion_players(templates["roles"], 3)
        seeds = match_seeds(4, f"analyse/{plan.name}/{identity(random)}", 0, 8 * GAMES)
        sides = [champion, random]
        mine = seeds[3 * GAMES : 4 * GAMES]
        lead = points(game, *sides[:: 1 - 2 * seat], mine, 1) / GAMES
        expected = lead if seat == 0 else 1 - lead
        assert found.loc[(plan.name, "random", 3), "score"] == pytest.approx(expected)
        other = config.populations[1 - seat].genome
        strangers = other.pack(other.random(20, generator(4, "analyse/newcomers", 0, seat)))
        seeds = match_seeds(4, f"analyse/newcomers/{seat}", 0, 8 * 20)[3 * 20 : 4 * 20]
        total = 0.0
        for stranger, seed in zip(strangers, seeds, strict=True):
            entrant = Entrants(game, (), (Genomes(other.representation, stranger[None]),))
            sides = [champion, entrant.player(0)]
            lead = points(game, *sides[:: 1 - 2 * seat], [seed], 1)
            total += lead if seat == 0 else 1 - lead
        assert found.loc[(plan.name, analysing.RANDOM, 3), "score"] == pytest.approx(total / 20)


def test_the_same_whoever_plays_and_whatever_else_is_asked(templates, monkeypatch):
    both = analysed(templates["boxes"])
    monkeypatch.setattr(analysing, "default_opponents", lambda game: [])
    alone = analysed(templates["boxes"], threads=2)
    pd.testing.assert_frame_equal(alone.scores, both.scores)
    rest = both.opponents[both.opponents["opponent"] != "level-0"].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone.opponents, rest)
    asked = analysed(templates["boxes"], against=["level-0"]).opponents
    pd.testing.assert_frame_equal(asked, both.opponents)
    assert analysed(templates["boxes"], seed=9).scores["wins"].ne(alone.scores["wins"]).any()


def test_frames_matrices_and_kinds_agree(templates):
    found = analysed(templates["boxes"])
    pivot = found.scores.pivot(index="generation", columns="opponent_generation", values="score")
    matrix = pivot.to_numpy()
    assert np.allclose(np.nan_to_num(matrix + matrix.T, nan=1.0), 1)
    kinds = found.opponents.groupby("kind")["opponent"].unique().map(list).to_dict()
    assert kinds == {
        "held-out": [analysing.RANDOM, "level-0"],
        "run": ["all champions"],
        "past": ["earlier champions"],
    }
    past = found.opponents[found.opponents["kind"] == "past"]["score"].to_numpy()
    assert past[5] == pytest.approx(matrix[5, :5].mean())
    assert np.isnan(past[0])
    games = found.opponents.groupby("generation")["games_played"].first()
    assert (
        games.to_dict()
        == open_run(templates["boxes"])
        .generations.set_index("generation")["games_played"]
        .astype(float)
        .to_dict()
    )


def test_scores_by_seat_are_of_the_games_in_it(templates):
    """By the readable loop: a match is two games, the first of which the champion begins."""
    found = analysed(templates["boxes"])
    seeds = match_seeds(4, "analyse/contest", 0, 28 * GAMES // 2)[: GAMES // 2]
    (a, config), (b, _) = (champion_players(templates["boxes"], number) for number in (0, 1))
    share = points(config.game, a, b, seeds, 1) / len(seeds)
    met = found.scores.set_index(["generation", "opponent_generation"])
    assert met.loc[(0, 1), "score_first"] == share
    assert met.loc[(1, 0), "score_second"] == 1 - share
    for frame in (found.scores, found.opponents.dropna()):
        halves = (frame["score_first"] + frame["score_second"]) / 2
        np.testing.assert_allclose(halves, frame["score"])
    told = {one.about: one for one in found.diagnoses}
    assert told["seats"].numbers["share"] == pytest.approx(found.scores["score_first"].mean())
    assert re.search(r"; of late [\d.]+% as first, [\d.]+% as second", told["against level-0"].text)


def test_a_role_has_scores_in_its_own_seat_alone(templates):
    found = analysed(templates["roles"])
    for frame in (found.scores, found.opponents):
        for role, held, other in (("cat", "first", "second"), ("mouse", "second", "first")):
            rows = frame[frame["population"] == role]
            assert rows[f"score_{other}"].isna().all()
            assert rows[f"score_{held}"].equals(rows["score"].rename(f"score_{held}"))
    told = next(one for one in found.diagnoses if one.about == "roles")
    assert told.text.startswith("cat scores ")
    cats = found.scores[found.scores["population"] == "cat"]
    assert told.numbers["share"] == pytest.approx(cats["score"].mean())


def test_perfect_play_is_not_held_out(templates, monkeypatch):
    monkeypatch.setattr(analysing, "PERFECT_PLAY", "level-0")  # which is compiled already
    found = analysed(templates["boxes"]).opponents.set_index("opponent")["kind"]
    assert set(found["level-0"]) == {"perfect"}


def test_an_opponent_that_trains_the_run_is_not_held_out(tmp_path):
    scheme = {"name": "direct", "opponent": "level-0"}
    game = "dots-and-boxes:rows=2,cols=2"
    evo.run(tmp_path / "run", {"scheme": scheme}, game=game, generations=1, **OPTIONS)
    kinds = analysed(tmp_path / "run").opponents.set_index("opponent")["kind"]
    assert set(kinds["level-0"]) == {"training"}


def test_a_table_of_one_role_meets_the_other_alone(templates, tmp_path):
    file = str(tmp_path / "cat.npy")
    assert main(["export", str(templates["roles"]), file, "--population", "cat"]) == 0
    rows = analysed(templates["roles"], against=[file]).opponents
    met = rows[rows["opponent"].str.contains("cat")]
    assert set(met["population"]) == {"mouse"}
    assert set(met["kind"]) == {"held-out"}


@pytest.mark.parametrize("name", ["boxes", "roles", "climb"])
def test_every_kind_of_run_is_told_of_in_words(templates, name):
    found = analysed(templates[name], every=8 if name == "climb" else 1)
    about = [(one.about, one.population) for one in found.diagnoses]
    assert about[:4] == [(what, "") for what in ("progress", "dominance", "cycling", "forgetting")]
    names = [""] if name == "boxes" else ["cat", "mouse"]
    for population in names:
        assert ("generalisation", population) in about
        assert ("disengagement", population) in about
        assert (("diversity", population) in about) == (name != "climb")
    assert all(one.verdict and one.text for one in found.diagnoses)
    text = "\n".join(found.lines)
    assert all(f"{one.verdict}\n" in text for one in found.diagnoses)
    assert not re.search(r"\bnan\b", text)


def test_at_most_sixty_champions_the_newest_among_them(templates, monkeypatch):
    for most, generations in ((8, list(range(8))), (7, [0, 2, 4, 6, 7]), (3, [0, 4, 7])):
        monkeypatch.setattr(analysing, "MOST_CHAMPIONS", most)
        assert analysed(templates["boxes"]).generations == generations
    assert analysed(templates["boxes"], every=5).generations == [0, 5, 7]


def test_one_snapshot_says_nothing_of_progress(run_of):
    found = analysed(run_of("young"))
    verdicts = {one.about: one.verdict for one in found.diagnoses}
    assert verdicts["progress"] == verdicts["generalisation"] == "too few champions"
    assert "newest champion scores" in "\n".join(found.lines)
    names = {path.name for path in found.save()}
    assert "progress.png" in names
    assert "ciao.png" not in names


def test_a_run_that_is_being_written_is_analysed_and_left_as_it_is(run_of, monkeypatch):
    """Its lock is held, and a snapshot goes between listing and reading."""
    path = run_of("boxes")
    lock_run(path)
    before = {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}
    found = analysed(path)
    assert before == {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}
    gone = path / "snapshots" / "generation-000003.parquet"
    monkeypatch.setattr(
        analysing, "_generations", lambda run, every: [gone.unlink(), *range(8)][1:]
    )
    later = analysed(path)
    assert later.generations == [0, 1, 2, 4, 5, 6, 7]
    assert later.games == found.games


def test_a_damaged_snapshot_is_not_passed_over(run_of):
    path = run_of("boxes")
    (path / "snapshots" / "generation-000003.parquet").write_bytes(b"cut")
    with pytest.raises(ResultsError, match="generation-000003"):
        analysed(path)


def test_what_was_proved_is_told(run_of):
    path = run_of("boxes")
    for generation, gain in ((0, 2.5), (5, 0.5), (7, 1.5)):
        champion = open_run(path).champion(generation)
        row = {name: [champion[name]] for name in ("generation", "population", "individual", "id")}
        row |= {name: [0] for name in ("games", "wins", "draws", "losses")}
        row |= {"opponent": [BEST_RESPONSE], "exploitability": [gain], "plies": [np.nan]}
        row |= {"seed": [4], "evaluate_seconds": [0.1]}
        write_evaluation(path, f"proved-{generation}", row)
    told = next(one for one in analysed(path).diagnoses if one.about == "exploitability")
    assert told.verdict == "better"
    assert dict(told.numbers) == {"first": 2.5, "last": 1.5, "best": 0.5}
    assert "in 5" in told.text


# --- the command -------------------------------------------------------------------------------


def call(capsys, *words: str) -> tuple[int, str, str]:
    status = main(["analyse", *words])
    return status, *capsys.readouterr()


@pytest.mark.slow
def test_pictures_and_numbers_are_written_beside_the_run(run_of, capsys):
    path = run_of("roles")
    before = open_run(path).evaluations
    status, out, _ = call(capsys, str(path), "--games", str(GAMES), "--threads", "1")
    assert status == 0
    assert "progress:" in out
    pictures = {"ciao", "master-tournament", "progress", "diversity"}
    assert {file.stem for file in (path / "plots").glob("*.png")} == pictures
    assert {file.stem for file in (path / "plots").glob("*.svg")} == pictures
    scores = pd.read_parquet(path / "analysis" / "contests.parquet")
    pd.testing.assert_frame_equal(scores, analysed(path).scores, check_dtype=False)
    assert len(pd.read_parquet(path / "analysis" / "opponents.parquet"))
    assert json.loads((path / "analysis" / "result.json").read_text())["seed"] == 4
    pd.testing.assert_frame_equal(open_run(path).evaluations, before)


def test_json_has_a_line_a_diagnosis(run_of, tmp_path, capsys):
    path, out = run_of("boxes"), tmp_path / "here"
    words = [str(path), "--games", "20", "--every", "2", "--out", str(out), "--json"]
    status, printed, _ = call(capsys, *words)
    rows = [json.loads(line) for line in printed.splitlines()]
    assert status == 0
    assert {row["about"] for row in rows} >= {"progress", "cycling", "against level-0"}
    assert all({"about", "population", "verdict", "text"} <= set(row) for row in rows)
    written = {"ciao.png", "progress-by-seat.png", "contests.parquet", "result.json"}
    assert {file.name for file in out.iterdir()} >= written
    assert not (path / "analysis").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("nowhere", "nowhere"),
        ("RUN --against nobody", "nobody"),
        ("RUN --against ROLES", "cannot play"),
    ],
)
def test_mistakes_are_told_in_a_line(templates, capsys, words, message):
    named = {"RUN": str(templates["boxes"]), "ROLES": str(templates["roles"])}
    status, out, err = call(capsys, *(named.get(word, word) for word in words.split()))
    assert (status, out) == (2, "")
    assert message in err
    assert err.startswith("evo: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("more", [[], ["--exact"]])
def test_an_opponent_that_does_not_exist_is_refused_before_any_work(
    templates, monkeypatch, capsys, more
):
    for work in ("best_response", "default_opponents"):
        monkeypatch.setattr(f"evo.evaluation.analyse.{work}", lambda *_: pytest.fail("worked"))
    status, _, err = call(capsys, str(templates["boxes"]), "--against", "nobody", *more)
    assert (status, err.count("\n")) == (2, 1)


# --- schedules ---------------------------------------------------------------------------------


@pytest.mark.parametrize("once", [EachPair(5), EachOther(3, 4), against_panel(np.arange(3), 2)])
@pytest.mark.parametrize("times", [1, 3])
def test_repeated_matches_follow_one_another(once, times):
    schedule = Repeated(once, times)
    whole = np.repeat(once.pairs(0, len(once)), times, axis=0)
    assert np.array_equal(schedule.pairs(0, len(schedule)), whole)
    for first in range(len(schedule)):
        for last in (first, first + 1, len(schedule)):
            assert np.array_equal(schedule.pairs(first, last), whole[first:last])
    assert schedule.groups == once.groups
    assert len(set(schedule.numbers(0, len(schedule)).tolist())) == len(schedule)


def test_an_evaluator_that_leaves_out_matches_is_refused(templates):
    class Lazy(LocalEvaluator):
        def play(self, entrants, matches):
            shorter = Repeated(EachPair(2), 1)
            return super().play(entrants, Matches(shorter, matches.seed, matches.purpose))

    with pytest.raises(TournamentError, match="every match once"):
        analysed(templates["boxes"], evaluator=Lazy(1))


def test_many_runs_are_analysed_each_and_counted_by_setting(run_of, tmp_path, capsys, monkeypatch):
    saved = []
    monkeypatch.setattr(Analysis, "save", lambda analysis, folder: saved.append(folder) or [])
    for name in ("a", "b"):
        run_of("boxes").rename(tmp_path / name)
    arguments = ["analyse", str(tmp_path), "--games", "2", "--every", "7", "--threads", "1"]
    assert main([*arguments, "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["run"] for row in rows if row["about"] == "cycling"] == ["a", "b"]
    alike = [{**row, "run": "", "path": ""} for row in rows]
    assert alike[: len(alike) // 2] == alike[len(alike) // 2 :]  # one run twice
    assert main([*arguments, "--out", str(tmp_path / "out")]) == 0
    (verdict,) = {row["verdict"] for row in rows if row["about"] == "cycling"}
    assert f"    cycling: {verdict} 2/2\n" in capsys.readouterr().out
    assert saved == [None, None, tmp_path / "out" / "a", tmp_path / "out" / "b"]


def test_what_is_said_of_many_runs_stands_in_the_order_of_one(templates):
    """Whatever the runs agree on: they were ordered by how many did."""
    first = analysed(templates["boxes"])
    said = [
        replace(each, verdict="other") if each.about != "cycling" else each
        for each in first.diagnoses
    ]
    runs = open_runs([templates["boxes"], templates["young"]])
    many = AnalysisOfRuns(runs, [first, replace(first, diagnoses=said)])
    verdicts = many.verdicts
    assert list(dict.fromkeys(verdicts["about"])) == [each.about for each in first.diagnoses]
    assert set(verdicts.loc[verdicts["about"] == "cycling", "runs"]) == {2}
    assert repr(many) == f"<analysis of {runs!r}>"
    assert repr(first).startswith(f"<analysis of {first.run.path}, up to generation 7: progress: ")


def with_score(analysis: Analysis, score: float) -> Analysis:
    """The analysis of a run whose newest champion scores so much against every opponent."""
    rows = analysis.opponents.copy()
    rows.loc[rows["generation"] == rows["generation"].max(), "score"] = score
    return replace(analysis, opponents=rows)


def test_settings_are_compared_in_pairs(templates, monkeypatch):
    """Five runs of each of three settings, two of which are alike."""
    first = analysed(templates["boxes"])
    scores = {0.01: [50, 52, 54, 56, 58], 0.02: [51, 53, 55, 57, 59], 0.4: [80, 82, 84, 86, 88]}
    analyses = [with_score(first, score / 100) for part in scores.values() for score in part]
    runs = open_runs([templates["boxes"]])
    members = [
        replace(runs.members[0], keys={"run": f"{rate}-{seed}", "rate": rate, "seed": seed})
        for rate in scores
        for seed in range(5)
    ]
    runs.__dict__["members"] = members
    many = AnalysisOfRuns(runs, analyses)
    table = many.comparisons
    held_out = set(table["opponent"])
    assert "all champions" not in held_out
    assert len(table) == 3 * len(held_out)
    of_one = table[table["opponent"] == table["opponent"].iloc[0]].reset_index(drop=True)
    assert of_one["setting"].tolist() == ["rate=0.01", "rate=0.01", "rate=0.02"]
    assert of_one["other"].tolist() == ["rate=0.02", "rate=0.4", "rate=0.4"]
    assert of_one["difference"].tolist() == pytest.approx([-0.01, -0.30, -0.29])
    least = 2 / 252  # of all ways to deal ten values out
    assert of_one["p"].tolist()[1:] == pytest.approx([least, least])
    assert of_one["p_corrected"].tolist()[1:] == pytest.approx([3 * least, 3 * least])
    assert (of_one["low"] <= of_one["difference"]).all()
    assert (of_one["difference"] <= of_one["high"]).all()
    assert set(of_one["runs"]) == set(of_one["other_runs"]) == {5}
    name = of_one["opponent"][0]
    place = many.lines.index(f"newest champions against {name}, pairs of settings:")
    assert re.fullmatch(
        r"    rate=0.01 less rate=0.4: -30.0 points \(95% interval -3\d.0 to -2\d.0\), "
        "Mann-Whitney p=0.0079, corrected 0.024, n=5 and 5",
        many.lines[place + 2],
    )
    monkeypatch.setattr("evo.evaluation.analyse_runs.MOST_PAIRS", 2)
    assert many.lines[place + 1].startswith("    rate=0.01 less rate=0.4")
    assert many.lines[place + 3] == "    no difference shown in 1 of 3"


def test_three_runs_a_setting_are_too_few_for_an_interval(templates):
    first = analysed(templates["boxes"])
    analyses = [with_score(first, score) for score in (0.1, 0.2, 0.3, 0.7, 0.8, 0.9)]
    runs = open_runs([templates["boxes"]])
    keys = [{"run": str(n), "rate": n // 3, "seed": n} for n in range(6)]
    members = [replace(runs.members[0], keys=key) for key in keys]
    runs.__dict__["members"] = members
    line = AnalysisOfRuns(runs, analyses).lines[-1]
    assert line == (
        "    rate=0 less rate=1: -60.0 points (too few runs for a 95% interval), "
        "Mann-Whitney p=0.1, corrected 0.1, n=3 and 3"
    )
