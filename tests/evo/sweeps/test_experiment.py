"""Experiment files: what they make, and how a mistake in one is told."""

from __future__ import annotations

import pytest

from evo.sweeps.experiment import from_dict, load_experiment
from tournaments.errors import ConfigError

POPULATIONS = {"rr": {"scheme": "round-robin"}, "d0": {"scheme": "direct:opponent=level-0"}}
GIVEN = {"name": "pilot", "seeds": 2, "base": {"population": 8}, "populations": POPULATIONS}


def test_each_population_is_crossed_with_each_value_of_each_factor():
    factors = {"learner.mutation_probability": [0.1, 0.2], "population": [8, 9, 10]}
    made = from_dict({**GIVEN, "factors": factors})
    assert len(made.cells) == 2 * 2 * 3
    assert made.cells[1].name == "rr,mutation_probability=0.1,population=9"
    assert made.seeds == (1, 2)
    for cell in made.cells:
        config = cell.config(7)
        assert config.seed == 7
        assert config.run.population == cell.factors["population"]
        assert config.learner.mutation_probability == cell.factors["learner.mutation_probability"]
        assert config.scheme is not None
        assert config.scheme.name == {"rr": "round-robin", "d0": "direct"}[cell.variant]


def test_factors_alone_are_crossed_with_the_base():
    made = from_dict({"name": "f", "base": {"population": 8}, "factors": {"scheme": ["direct"]}})
    (cell,) = made.cells
    assert (cell.name, cell.variant) == ("base,scheme=direct", "base")
    assert (cell.config(1).run.population, cell.config(1).scheme.name) == (8, "direct")


def test_a_population_lays_its_configuration_over_the_base():
    base = {"scheme": {"name": "direct", "matches": 3}, "learner": {"elites": 2}}
    mine = {"scheme": {"opponent": "level-1"}, "learner": {"elites": 0}}
    config = from_dict({"name": "a", "base": base, "populations": {"x": mine}}).cells[0].config(1)
    assert (config.scheme.matches, config.scheme.opponent) == (3, "level-1")
    assert config.learner.elites == 0


def test_factors_may_be_nested_and_are_replaced_as_one(tmp_path):
    file = tmp_path / "e.toml"
    file.write_text(
        'name = "e"\n[populations.rr]\nscheme = "round-robin"\n[factors]\n'
        '"learner.elites" = [1, 2]\n[quick]\nseeds = [5]\n'
    )
    assert [cell.factors for cell in load_experiment(file).cells] == [
        {"learner.elites": 1},
        {"learner.elites": 2},
    ]
    changed = load_experiment(file, {"factors": {"learner": {"elites": [0]}}}, quick=True)
    assert [cell.factors for cell in changed.cells] == [{"learner.elites": 0}]
    assert changed.seeds == (5,)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": ""}, r"name='' given; letters, digits"),
        ({"name": "../up"}, r"name='../up' given"),
        ({"sedes": 3}, r"unknown field 'sedes'; did you mean 'seeds'\? \(known: name"),
        ({"game": "nim"}, r"game='nim' given; it stands below \[base\] \(known here: name"),
        ({"seeds": 0}, r"seeds=0 given; a number of seeds"),
        ({"seeds": True}, r"seeds=True given"),
        ({"seeds": []}, r"seeds=\[\] given"),
        ({"seeds": [1, 1]}, r"seeds=\[1, 1\] given, one of them twice"),
        ({"seeds": [1, -2]}, r"seeds=\[1, -2\] given"),
        ({"populations": {}, "factors": {}}, r"no populations given, and no factors"),
        ({"populations": {"a/b": {}}}, r"populations\.a/b="),
        ({"populations": {"a": 3}}, r"populations\.a=3 given; a table"),
        ({"populations": {"a": {"scheme": "swim"}}}, r"a: unknown scheme 'swim'"),
        ({"base": {"seed": 3}}, r"base\.seed given; set seeds at the top"),
        ({"base": {"generations": -1}}, r"rr: generations=-1 given"),
        ({"factors": {"learner.elites": 3}}, r"factors\.learner\.elites=3 given; a list"),
        ({"factors": {"learner.elites": []}}, r"factors\.learner\.elites=\[\] given; a list"),
        ({"factors": {"learner.elite": [1]}}, r"rr,elite=1: unknown field 'learner\.elite'"),
        ({"factors": {"learner.elites": [1, 99]}}, r"rr,elites=99: learner\.elites=99 given"),
        ({"factors": {"learner.elites": [1, 1]}}, r"cell rr,elites=1 comes twice"),
        ({"evaluation": {"opponent": []}}, r"unknown field 'evaluation\.opponent'"),
        ({"evaluation": {"opponents": ["level-9"]}}, r"rr: unknown player 'level-9'"),
        (
            {"evaluation": {"opponents": ["level-0"], "games": 3}},
            r"evaluation\.games=3 given; an even",
        ),
        (
            {"evaluation": {"opponents": ["level-0"], "games": 4, "again": 4}},
            r"best_by=4 given with games=4; selection and measurement must use different games",
        ),
    ],
)
def test_a_mistake_is_told_in_one_line_with_the_field(changes, message):
    with pytest.raises(ConfigError, match=message) as caught:
        from_dict({**GIVEN, **changes})
    assert "\n" not in str(caught.value)


def test_files_that_are_not_there_and_names_that_are_near(tmp_path):
    with pytest.raises(ConfigError, match="did you mean 'dots-and-boxes-1998'"):
        load_experiment("dots-and-boxes-1988")
    file = tmp_path / "e.toml"
    file.write_text('name = "e"\n[populations.rr]\nscheme = "round-robin"\n')
    with pytest.raises(ConfigError, match=r"no table \[quick\]"):
        load_experiment(file, quick=True)


@pytest.mark.slow
def test_the_study_of_1998_is_what_its_figures_show():
    """Four populations, both mutation rates, ten seeds, two million games; --quick is smaller."""
    study = load_experiment("dots-and-boxes-1998")
    assert (len(study.cells), len(study.seeds)) == (8, 10)
    for cell in study.cells:
        run = cell.config(1).run
        assert (run.population, run.games) == (100, 2_000_000)
    assert {cell.factors["learner.mutation_probability"] for cell in study.cells} == {
        0.00072,
        0.005,
    }
    assert (study.evaluation.opponents, study.evaluation.games) == (("level-0", "level-1"), 300)
    quick = load_experiment("dots-and-boxes-1998", quick=True)
    assert (len(quick.cells), len(quick.seeds)) == (4, 3)
    longer = load_experiment("dots-and-boxes-1998", {"base": {"games": 10_000_000}})
    assert {cell.config(1).run.games for cell in longer.cells} == {10_000_000}


def test_each_experiment_that_the_refusal_lists_is_one():
    """Other TOML files of studies, such as their claims, are none."""
    with pytest.raises(ConfigError) as refusal:
        load_experiment("nosuch")
    names = str(refusal.value).partition("one of ")[2].removesuffix(" is expected").split(", ")
    assert "leaderboard" in names
    for name in names:
        assert load_experiment(name).cells
