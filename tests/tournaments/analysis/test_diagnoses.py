"""What is said of made-up runs whose course is known."""

from __future__ import annotations

import numpy as np
import pytest

from tournaments.analysis import diagnoses, populations
from tournaments.analysis.diagnoses import MasterTournament, Series
from tournaments.kernels.rng import generator

SIZE, GAMES = 30, 200
GENERATIONS = np.arange(SIZE) * 10


def played(chances: np.ndarray, index: int = 0) -> MasterTournament:
    """A tournament in which ``chances[g, h]`` is how likely g beats h."""
    won = generator(5, "test", 0, index).binomial(GAMES, chances) / GAMES
    scores = np.where(np.tri(len(chances), k=-1, dtype=bool), won, 1 - won.T)
    np.fill_diagonal(scores, np.nan)
    return MasterTournament(GENERATIONS[: len(chances)], scores, GAMES)


def by_strength(strengths: np.ndarray) -> MasterTournament:
    """Transitive: the stronger wins, the more likely the further they are apart."""
    return played(1 / (1 + np.exp(strengths[None] - strengths[:, None])))


def circle() -> MasterTournament:
    """Rock, paper and scissors in turn, as the best answer to the one before is found."""
    kinds = np.arange(SIZE) % 3
    step = (kinds[:, None] - kinds[None]) % 3
    return played(np.choose(step, [0.5, 0.9, 0.1]))


LADDER = np.arange(SIZE) / 5
TOURNAMENTS = {
    "ladder": by_strength(LADDER),
    "plateau": by_strength(np.minimum(LADDER, LADDER[SIZE // 2])),
    "mountain": by_strength(np.minimum(LADDER, LADDER[::-1])),
    "equals": played(np.full((SIZE, SIZE), 0.5)),
    "circle": circle(),
}
VERDICTS = {
    "ladder": ("progressing", "not cycling", "not forgetting"),
    "plateau": ("stagnating", "not cycling", "not forgetting"),
    "mountain": ("regressing", "not cycling", "forgetting"),
    "equals": ("no progress", "not cycling", "not forgetting"),
    "circle": ("no progress", "cycling", "forgetting"),
}


@pytest.mark.parametrize("name", TOURNAMENTS)
def test_the_course_of_a_run_is_named(name):
    tournament = TOURNAMENTS[name]
    found = (
        diagnoses.progressing(tournament),
        diagnoses.cycling(tournament),
        diagnoses.forgetting(tournament, []),
    )
    assert tuple(one.verdict for one in found) == VERDICTS[name], [one.text for one in found]
    assert [one.about for one in found] == ["progress", "cycling", "forgetting"]


def test_a_ladder_has_many_levels_and_equals_have_one():
    ladder = diagnoses.dominance(TOURNAMENTS["ladder"])
    assert ladder.numbers["levels"] == len(ladder.numbers["dominant"]) >= 5
    assert ladder.numbers["dominant"][0] == 0
    assert ladder.numbers["ancestors_beaten"] > 0.8
    assert diagnoses.dominance(TOURNAMENTS["equals"]).verdict == "1 level"
    assert diagnoses.dominance(TOURNAMENTS["circle"]).numbers["dominant"] == [0, 10]


def test_a_circle_is_nearly_all_of_its_decided_triples():
    """A rock, a paper and scissors each; beside them a few of equals, decided by chance."""
    found = diagnoses.cycling(TOURNAMENTS["circle"]).numbers
    assert found["cyclic_triples"] == 10**3
    assert 10**3 <= found["decided_triples"] <= 1.1 * 10**3
    assert found["cyclic_share"] == 10**3 / found["decided_triples"]
    assert 0 < found["returning_triples"] < 10**3


@pytest.mark.parametrize(
    ("chance", "verdict"), [(0.5, "even"), (0.6, "cross ahead"), (0.4, "nought ahead")]
)
def test_a_seat_is_ahead_beyond_chance_alone(chance, verdict):
    points = generator(8, "test/seats").binomial(50, chance, (SIZE, SIZE)) / 50
    np.fill_diagonal(points, np.nan)
    found = diagnoses.seats(points, 50, ("cross", "nought"), np.arange(SIZE), "seats")
    assert found.verdict == verdict
    assert found.numbers["share"] == pytest.approx(np.nanmean(points))
    assert found.numbers["share_low"] < chance < found.numbers["share_high"]


def test_one_champion_without_roles_says_nothing_of_seats():
    alone = diagnoses.seats(np.full((1, 1), np.nan), 20, ("first", "second"), np.zeros(1), "seats")
    assert alone.verdict == "too few champions"


def series(values: np.ndarray, kind: str = "held-out", opponent: str = "stranger") -> Series:
    """Scores of games by these chances."""
    won = generator(6, f"test/{kind}/{opponent}").binomial(GAMES, values) / GAMES
    return Series(kind, opponent, won, GAMES)


RISES = np.linspace(0.2, 0.8, SIZE)
FALLS, FLAT = RISES[::-1], np.full(SIZE, 0.4)
UP_AND_DOWN = np.minimum(RISES, FALLS)


def test_a_score_that_falls_from_its_peak_is_forgetting_though_the_run_progresses():
    ladder = TOURNAMENTS["ladder"]
    kept = diagnoses.forgetting(ladder, [series(RISES), series(FLAT)])
    lost = diagnoses.forgetting(ladder, [series(RISES), series(UP_AND_DOWN, opponent="lost")])
    assert (kept.verdict, kept.numbers["scores_fallen"]) == ("not forgetting", 0)
    assert (lost.verdict, lost.numbers["scores_fallen"]) == ("forgetting", 1)
    assert "against lost" in lost.text


@pytest.mark.parametrize(
    ("own", "held_out", "verdict"),
    [
        (RISES, [RISES, FLAT], "global progress"),
        (RISES, [FLAT, FLAT], "historical progress only"),
        (RISES, [FALLS], "specialising"),
        (RISES, [UP_AND_DOWN], "specialising"),
        (FLAT, [RISES], "unseen progress"),
        (FLAT, [FLAT], "no progress"),
        (FLAT, [FALLS], "regress"),
    ],
)
def test_progress_against_the_past_and_the_unseen_is_told_apart(own, held_out, verdict):
    strangers = [series(values, opponent=str(n)) for n, values in enumerate(held_out)]
    found = diagnoses.generalising(series(own, "run"), strangers)
    assert found.verdict == verdict, found.text


@pytest.mark.parametrize(
    ("values", "verdict"), [(RISES, "better"), (FALLS, "worse"), (FLAT, "no change")]
)
def test_a_yardstick_tells_first_best_and_last(values, verdict):
    found = diagnoses.yardstick(series(values, opponent="level-1"))
    assert (found.about, found.verdict) == ("against level-1", verdict)
    numbers = found.numbers
    assert numbers["best"] >= max(numbers["first"], numbers["last"])
    assert numbers["change"] == pytest.approx(numbers["last"] - numbers["first"])


@pytest.mark.parametrize(
    ("share", "flat", "verdict"),
    [
        (0.5, 0, "engaged"),
        (0.96, 0, "disengaged"),
        (0.04, 0, "disengaged"),
        (0.94, 2, "engaged"),
        (0.5, 5, "blind"),
        (0.5, 4, "engaged"),
    ],
)
def test_one_sided_games_and_equal_fitness_are_named(share, flat, verdict):
    """Of the last 10 of 100 generations so many have no spread; before, it was otherwise."""
    shares = np.repeat([0.5, share], [9, 1])
    spread = np.repeat([1.0, 1.0, 0.0], [90, 10 - flat, flat])
    assert populations.disengagement(shares, spread).verdict == verdict
    assert populations.disengagement(shares, 0 * spread[:0]).verdict == verdict.replace(
        "blind", "engaged"
    )


def test_a_population_that_played_no_games_is_not_called_engaged():
    assert populations.disengagement(np.full(9, np.nan), np.ones(9)).verdict == "no games"
    assert populations.disengagement(np.full(9, np.nan), np.zeros(9)).verdict == "blind"


@pytest.mark.parametrize(
    ("last", "verdict"), [(0.04, "converged"), (0.06, "diverse"), (0.0, "converged")]
)
def test_a_population_that_has_become_alike_is_named(last, verdict):
    values = np.concatenate([np.linspace(0.5, 0.1, 90), np.full(10, last)])
    assert populations.diversity(values).verdict == verdict
    assert populations.diversity(0 * values).verdict == "alike from the start"


def test_what_was_computed_is_compared_as_it_is():
    generations = np.array([0, 10, 20])
    better = diagnoses.computed("regret", "points", generations, np.array([3.0, 1.0, 2.0]))
    assert (better.verdict, better.numbers["best"]) == ("better", 1.0)
    assert "1, in 10" in better.text
    assert diagnoses.computed("regret", "", generations[:1], np.ones(1)).verdict == "computed"
    assert diagnoses.computed("regret", "", generations, np.arange(3.0)).verdict == "worse"


@pytest.mark.parametrize("champions", [1, 2, 5])
def test_few_champions_say_nothing_of_progress(champions):
    tournament = MasterTournament(
        GENERATIONS[:champions], TOURNAMENTS["ladder"].scores[:champions, :champions], GAMES
    )
    few = series(RISES[:champions])
    found = [
        diagnoses.progressing(tournament),
        diagnoses.forgetting(tournament, [few]),
        diagnoses.generalising(series(RISES[:champions], "run"), [few]),
        diagnoses.yardstick(few),
    ]
    assert {one.verdict for one in found} == {diagnoses.TOO_FEW}
    assert diagnoses.dominance(tournament).numbers["levels"] >= 1
