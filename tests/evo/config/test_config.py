"""A configuration: the published numbers by default, merged, written down, refused in one line."""

from __future__ import annotations

import dataclasses
import string
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evo.config import toml
from evo.config.config import from_dict, merge
from evo.config.run_options import RunOptions
from evo.config.toml import as_toml
from evo.evolution.start import learner_of
from evo.genomes import ENCODINGS
from evo.genomes.bit_network import BitNetworkOptions
from evo.learners import LEARNERS
from evo.learners.genetic.learner import GeneticOptions
from tournaments import options as fields
from tournaments import schemes
from tournaments.errors import ConfigError, TournamentError

REGISTRIES = (ENCODINGS, LEARNERS, schemes.REGISTRY)
OFFERED = [registry.load(name) for registry in REGISTRIES for name in registry.names()]
RECORDS = [RunOptions, *OFFERED]


@pytest.mark.parametrize(
    ("kind", "option"),
    [
        ("genome.encoding=real-vector", "genome.length=2"),
        ("game=nim", "game.row1=4"),
        ("learner.name=q-learning", "learner.rate=0.5"),
    ],
)
def test_assignments_of_the_command_line_do_not_depend_on_their_order(kind, option):
    table = {"game": "dots-and-boxes:rows=2", "learner": {"elites": 2}}
    both = [toml.with_fields(table, each) for each in ([kind, option], [option, kind])]
    field, _, value = option.partition("=")
    name, _, key = field.partition(".")
    assert both[0] == both[1]
    assert both[1][name][key] == float(value)


# --- defaults ----------------------------------------------------------------------------------


def test_the_defaults_are_the_published_numbers():
    config = from_dict({})
    assert config.to_dict() == {
        "generations": 1200,  # about 2,000,000 games of 1,650 a generation
        "population": 100,
        "seed": 1,
        "snapshot_interval": 10,
        "game": {"name": "dots-and-boxes", "rows": 3, "cols": 3},
        "scheme": {
            "name": "antibody-antigen",
            "antigens": 0.25,
            "antibodies": 0.33,
            "points": 33.0,
            "two_wins": 4.0,
            "one_win": 1.0,
            "bonus": 0.01,
            "best_share": 0.0,
        },
        "genome": {
            "encoding": "bit-network",
            "hidden": [],
            "bits": 10,
            "low": -64.0,
            "high": 64.0,
        },
        "learner": {
            "name": "genetic",
            "selection": "proportional",
            "selection_options": {},
            "crossover": "single-point",
            "crossover_options": {},
            "crossover_probability": 0.6,
            "mutation": "bit-flip",
            "mutation_options": {},
            "mutation_probability": 0.00072,
            "elites": 1,
        },
    }


def test_the_other_schemes_default_to_their_published_numbers():
    direct = from_dict({"scheme": "direct"}).to_dict()["scheme"]
    assert direct == {
        "name": "direct",
        "opponent": "level-0",
        "opponents": [],
        "matches": 10,
        "two_wins": 1.0,
        "one_win": 0.5,
        "no_wins": 0.0,
        "score": 0.0,
        "bonus": 0.01,
        "best_share": 0.1,
    }
    robin = from_dict({"scheme": "round-robin"}).to_dict()["scheme"]
    assert robin == {
        "name": "round-robin",
        "matches": 1,
        "win": 1.0,
        "draw": 0.5,
        "loss": 0.0,
        "bonus": 0.01,
        "best_share": 0.0,
    }


def test_the_genome_of_the_default_game_is_that_of_the_published_network():
    assert from_dict({}).genome_spec() == {
        "encoding": "bit-network",
        "layers": [24, 9, 24],
        "bits": 10,
        "low": -64.0,
        "high": 64.0,
        "bytes": 582,
    }


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.__name__)
def test_every_field_says_what_it_means(record: type[Any]):
    meanings = fields.sentences_of(record)
    for item in dataclasses.fields(record):
        assert len(meanings[item.name].split()) >= 2, item.name


def test_a_field_may_be_described_beside_its_default_or_nowhere():
    @dataclasses.dataclass(frozen=True)
    class Base:
        """A record.

        Attributes:
            first: said of the base
            second: said of the base, too

        Raises:
            ConfigError: never.
        """

        first: int = fields.option(1)

    @dataclasses.dataclass(frozen=True)
    class Own(Base):
        """A record with fields of its own."""

        second: int = fields.option(2, "said beside the default")
        third: int = fields.option(3)

    told = {"first": "said of the base", "second": "said beside the default"}
    assert fields.sentences_of(Own) == told


# --- put together from files, flags and keywords -----------------------------------------------


def test_a_file_is_read_and_flags_and_keywords_are_laid_over_it(tmp_path: Path):
    path = tmp_path / "run.toml"
    path.write_text("generations = 7\nseed = 3\n[game]\nrows = 2\n[learner]\nelites = 2\n")
    table = toml.load(path)
    flags = merge({"seed": 9}, toml.assignment("learner.mutation_probability=0.005"))
    config = from_dict(merge(merge(table, flags), {"population": 40}))
    assert (config.run.generations, config.seed, config.run.population) == (7, 9, 40)
    assert config.game.options == {"rows": 2, "cols": 3}
    assert (config.learner.elites, config.learner.mutation_probability) == (2, 0.005)


def test_merging_changes_neither_of_the_tables():
    base: dict[str, Any] = {"seed": 1, "scheme": {"name": "direct", "matches": 3}}
    changes: dict[str, Any] = {"scheme": {"bonus": 0.5}, "learner": {"elites": 0}}
    merged = merge(base, changes)
    merged["scheme"]["matches"] = 99
    assert base == {"seed": 1, "scheme": {"name": "direct", "matches": 3}}
    assert changes == {"scheme": {"bonus": 0.5}, "learner": {"elites": 0}}


@pytest.mark.parametrize(
    ("base", "change", "expected"),
    [
        ({"name": "direct", "matches": 3}, {"name": "round-robin"}, {"name": "round-robin"}),
        ({"name": "direct", "matches": 3}, "round-robin", {"name": "round-robin"}),
        ("direct:matches=3", {"name": "round-robin"}, {"name": "round-robin"}),
        # A table without a name is the default scheme's, so another name replaces it, too.
        ({"points": 40.0}, {"name": "direct"}, {"name": "direct"}),
        ({"points": 40.0}, "antibody-antigen", {"points": 40.0, "name": "antibody-antigen"}),
        # The same name, or none, keeps what was chosen.
        ({"name": "direct", "matches": 3}, {"name": "direct"}, {"name": "direct", "matches": 3}),
        ({"name": "direct", "matches": 3}, "direct", {"name": "direct", "matches": 3}),
        ({"name": "direct", "matches": 3}, {"matches": 4}, {"name": "direct", "matches": 4}),
        ("direct:matches=3", {"bonus": 1.0}, {"name": "direct", "matches": 3, "bonus": 1.0}),
        ("direct:matches=3", "direct:matches=4", {"name": "direct", "matches": 4}),
    ],
)
def test_a_scheme_of_another_name_replaces_its_table(base: Any, change: Any, expected: Any):
    assert merge({"scheme": base}, {"scheme": change}) == {"scheme": expected}


def test_other_tables_are_merged_field_by_field_and_texts_replace_texts():
    base = {"learner": {"name": "genetic", "elites": 2, "selection_options": {"tournsize": 2}}}
    change = {"learner": {"selection_options": {"tournsize": 5}}}
    assert merge(base, change)["learner"] == {
        "name": "genetic",
        "elites": 2,
        "selection_options": {"tournsize": 5},
    }


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("seed=3", {"seed": 3}),
        ("learner.elites=2", {"learner": {"elites": 2}}),
        (" learner . elites = 2", {"learner": {"elites": 2}}),
        ("scheme.opponent=level-1", {"scheme": {"opponent": "level-1"}}),
        ("scheme.opponent='level-1'", {"scheme": {"opponent": "level-1"}}),
        ("scheme.a.b=3", {"scheme": {"a": {"b": 3}}}),
        ("scheme.a={b=3}", {"scheme": {"a": {"b": 3}}}),
        ("genome.low=-1e1", {"genome": {"low": -10.0}}),
    ],
)
def test_an_assignment_stands_for_a_table(text: str, table: dict[str, Any]):
    assert toml.assignment(text) == table


@pytest.mark.parametrize("text", ["seed", "=3", "learner.=3", ".elites=2", ""])
def test_an_assignment_without_a_field_or_a_value_is_refused(text: str):
    with pytest.raises(ConfigError, match=r"FIELD=VALUE is expected"):
        toml.assignment(text)


def test_games_and_schemes_may_be_texts():
    config = from_dict({"game": "dots-and-boxes:rows=2,cols=4", "scheme": "direct:matches=3"})
    assert config.game.options == {"rows": 2, "cols": 4}
    assert config.scheme == schemes.make("direct", matches=3)


def test_the_panel_holds_the_named_opponent():
    config = from_dict({"scheme": {"name": "direct", "opponent": "level-2"}})
    assert [player.name for player in config.panel] == ["level-2"]
    assert from_dict({}).panel == ()


# --- written down and read again ---------------------------------------------------------------


def _probability() -> st.SearchStrategy[float]:
    return st.floats(0.0, 1.0)


@st.composite
def tables(draw: st.DrawFn) -> dict[str, Any]:
    """Configurations with values away from the defaults, all of them right."""
    low = draw(st.floats(-1e6, 1e6))
    scheme = draw(
        st.one_of(
            st.fixed_dictionaries(
                {
                    "name": st.just("direct"),
                    "matches": st.integers(1, 50),
                    "no_wins": _probability(),
                }
            ),
            st.fixed_dictionaries({"name": st.just("round-robin"), "draw": st.floats(0, 1e9)}),
            st.fixed_dictionaries(
                {"name": st.just("antibody-antigen"), "antigens": st.floats(0.3, 1.0)}
            ),
        )
    )
    return {
        "generations": draw(st.integers(0, 10**9)),
        "population": draw(st.integers(5, 1000)),
        "seed": draw(st.integers(0, 2**63 - 1)),
        "snapshot_interval": draw(st.integers(1, 1000)),
        **draw(st.sampled_from(({}, {"games": 7}))),
        "game": {"name": "dots-and-boxes", "rows": draw(st.integers(1, 4)), "cols": 2},
        "scheme": scheme | {"bonus": draw(st.floats(0, 1e6)), "best_share": draw(_probability())},
        "genome": {
            "hidden": draw(st.lists(st.integers(1, 4), max_size=2)),
            "bits": draw(st.integers(1, 16)),
            "low": low,
            "high": low + 1.0,
        },
        "learner": {
            "selection": "deap.tools.selTournament",
            "selection_options": {"tournsize": draw(st.integers(1, 9)), "fit_attr": "fitness"},
            "crossover_probability": draw(_probability()),
            "mutation": "deap.tools.mutFlipBit",
            "mutation_probability": draw(_probability()),
            "elites": draw(st.integers(0, 5)),
        },
    }


@settings(max_examples=40)
@given(tables())
def test_a_configuration_comes_back_from_its_table_and_from_its_text(table: dict[str, Any]):
    config = from_dict(table)
    whole = config.to_dict()
    assert from_dict(whole).to_dict() == whole
    written = tomllib.loads(as_toml(config))
    assert written == merge(written, whole)  # the text has the defaults of sparse fields, too
    assert from_dict(written).to_dict() == whole
    for key in ("generations", "population", "seed", "snapshot_interval"):
        assert whole[key] == table[key]
    for key in ("game", "scheme", "genome", "learner"):
        assert whole[key] == whole[key] | table[key]


@pytest.mark.parametrize("learner", LEARNERS.names())
def test_every_learner_comes_back_from_its_table_and_from_its_text(learner: str):
    by_reward = LEARNERS.load(learner).by_reward
    game = "fox-and-hounds" if by_reward else "dots-and-boxes"
    whole = from_dict({"learner": learner, "game": game}).to_dict()
    written = tomllib.loads(as_toml(from_dict(whole)))
    assert from_dict(whole).to_dict() == whole
    assert written == merge(written, whole)
    assert from_dict(written).to_dict() == whole
    if by_reward:
        assert whole["genome"] == {"encoding": "value-table", "initial": 0.0}
        return
    real = learner in ("evolution-strategy", "openai-es")
    if learner == "program-search":
        assert whole["genome"]["encoding"] == "program"
        return
    assert whole["genome"]["encoding"] == ("real-network" if real else "bit-network")
    real_one = {"encoding": "real-network", "initial": 0.5, "limit": 3.0, "symmetry": True}
    real_one |= {"hidden": [], "own": 0.25}
    assert from_dict({"learner": learner, "genome": real_one}).to_dict()["genome"] == real_one


def test_the_text_has_every_fields_meaning_in_a_comment():
    for scheme in schemes.names():
        config = from_dict({"scheme": scheme})
        text = as_toml(config)
        comments = " ".join(
            line.removeprefix("# ") for line in text.splitlines() if line.startswith("#")
        )
        for record in (RunOptions, type(config.scheme), BitNetworkOptions, GeneticOptions):
            for item in dataclasses.fields(record):
                name = item.name
                assert fields.sentences_of(record)[name] in comments, name
                assert f"\n{name} = " in "\n" + text
        assert max(map(len, text.splitlines())) <= 100


@pytest.mark.parametrize("opponent", ['say "hi"', "käse \U0001f9c0", "tab\tand\nline", "\x7f\\"])
def test_any_text_survives_in_toml(opponent: str):
    scheme = {"name": "direct", "opponent": "level-0"}
    config = from_dict({"scheme": scheme})
    odd = dataclasses.replace(config, scheme=schemes.make("direct", opponent=opponent))
    assert tomllib.loads(as_toml(odd))["scheme"]["opponent"] == opponent


def test_argument_names_that_are_no_bare_toml_keys_are_quoted():
    learner = GeneticOptions(selection_options={"größe": 3, "plain": [1, True, {"a b": "c"}]})
    config = dataclasses.replace(from_dict({}), learner=learner)
    assert tomllib.loads(as_toml(config))["learner"]["selection_options"] == {
        "größe": 3,
        "plain": [1, True, {"a b": "c"}],
    }


# --- mistakes ----------------------------------------------------------------------------------


def learner(**options: Any) -> dict[str, Any]:
    return {"learner": options}


def direct(**options: Any) -> dict[str, Any]:
    return {"scheme": {"name": "direct", **options}}


TOURNAMENT = "deap.tools.selTournament"

# What is given, and the pieces that the message must have: the value given, then what is expected
# or the nearest right name.
MISTAKES: dict[str, tuple[Any, list[str]]] = {
    "a field at the top": ({"populaton": 3}, ["'populaton'", "did you mean 'population'"]),
    "a table": ({"lerner": {}}, ["'lerner'", "did you mean 'learner'"]),
    "a field of the learner": (
        learner(mutation_probabilty=0.1),
        ["'learner.mutation_probabilty'", "did you mean 'mutation_probability'"],
    ),
    "a field of the genome": ({"genome": {"bit": 3}}, ["'genome.bit'", "did you mean 'bits'"]),
    "a field of the scheme": (direct(match=3), ["'scheme.match'", "did you mean 'matches'"]),
    "a field of another scheme": (
        direct(antigens=0.2),
        ["scheme.antigens=0.2", "antibody-antigen has", "known here: opponent"],
    ),
    "an option of the game": ({"game": {"row": 3}}, ["'row'", "did you mean 'rows'"]),
    "a value of the game": ({"game": {"rows": 0}}, ["rows=0", "1 or more"]),
    "a game": ({"game": "dots-and-boxs"}, ["'dots-and-boxs'", "did you mean 'dots-and-boxes'"]),
    "a game that is no name": ({"game": {"name": 3}}, ["game.name=3", "a name is expected"]),
    "a game that is no table": ({"game": 3}, ["game=3", "a table is expected", "[game]"]),
    "an option of a text": ({"game": "dots-and-boxes:rows"}, ["'rows'", "key=value"]),
    "a scheme": ({"scheme": "round-robbin"}, ["'round-robbin'", "did you mean 'round-robin'"]),
    "a scheme that is a list": ({"scheme": ["direct"]}, ["['direct']", "a table is expected"]),
    "an opponent": (direct(opponent="levl-1"), ["'levl-1'", "did you mean 'level-1'"]),
    "an opponent without weights": (direct(opponent="network"), ["weights"]),
    "an opponent's file": (direct(opponent="missing.npy"), ["missing.npy", "cannot be read"]),
    "an opponent that cannot be solved": (
        {"game": "dots-and-boxes:rows=5,cols=5", "scheme": "direct:opponent=optimal"},
        ["5x5", "up to 24 edges", "smaller board"],
    ),
    "a learner": (learner(name="genetics"), ["'genetics'", "did you mean 'genetic'"]),
    "an encoding": (
        {"genome": {"encoding": "bits"}},
        ["'bits'", "'bit-network' or 'real-network' is expected"],
    ),
    "low above high": ({"genome": {"low": 2.0, "high": 1.0}}, ["low=2.0", "high=1.0", "below"]),
    "too many bits": ({"genome": {"bits": 17}}, ["genome.bits=17", "from 1 to 16"]),
    "a probability above 1": (
        learner(crossover_probability=1.5),
        ["learner.crossover_probability=1.5", "from 0 to 1"],
    ),
    "a probability below 0": (learner(mutation_probability=-0.1), ["=-0.1", "from 0 to 1"]),
    "a probability that is not a number": (
        learner(mutation_probability=float("nan")),
        ["learner.mutation_probability=nan", "from 0 to 1"],
    ),
    "a probability that is true": (learner(crossover_probability=True), ["True", "a number"]),
    "infinite points": (
        {"scheme": {"points": float("inf")}},
        ["scheme.points=inf", "0 to 1000000000"],
    ),
    "no matches": (direct(matches=0), ["scheme.matches=0", "from 1 to 1000000000"]),
    "no population": ({"population": 0}, ["population=0", "from 1"]),
    "generations that are a fraction": ({"generations": 1.5}, ["1.5", "a whole number"]),
    "a seed that is too large": ({"seed": 2**63}, [f"seed={2**63}", "from 0 to"]),
    "one player of a round robin": (
        {"population": 1, "scheme": "round-robin"},
        ["population=1", "round-robin needs at least 2"],
    ),
    "no antigens": ({"population": 2}, ["population=2", "0 antigens", "enlarge the population"]),
    "too many antibodies": (
        {"population": 10, "scheme": {"antibodies": 1.0}},
        ["antibodies=1.0", "at most 9", "lower the share"],
    ),
    "too many elites": (
        {"population": 10, "learner": {"elites": 11}},
        ["learner.elites=11", "population of 10"],
    ),
    "a selection": (
        learner(selection="proportionate"),
        ["learner.selection='proportionate'", "did you mean 'proportional'"],
    ),
    "a crossover": (
        learner(crossover="singlepoint"),
        ["learner.crossover='singlepoint'", "did you mean 'single-point'", "dotted name"],
    ),
    "a mutation": (learner(mutation="bitflip"), ["'bitflip'", "did you mean 'bit-flip'"]),
    "a dotted operator": (
        learner(crossover="deap.tools.cxTwoPont"),
        ["'deap.tools.cxTwoPont'", "has no function", "did you mean 'cxTwoPoint'"],
    ),
    "a dotted operator's module": (
        learner(crossover="deep.tools.cxTwoPoint"),
        ["deep.tools cannot be imported", "installed module"],
    ),
    "a module that fails": (
        learner(mutation="a_broken_module.flip"),
        ["a_broken_module cannot be imported", "SyntaxError"],
    ),
    "a name that begins with a dot": (
        learner(crossover=".cxTwoPoint"),
        ["name of a function", "such as"],
    ),
    "a name that ends with a dot": (learner(crossover="deap.tools."), ["name of a function"]),
    "a missing argument": (
        learner(selection=TOURNAMENT),
        ["needs tournsize", "learner.selection_options = { tournsize = ... }"],
    ),
    "a wrong argument": (
        learner(selection=TOURNAMENT, selection_options={"tournsiz": 3}),
        ["no argument 'tournsiz'", "did you mean 'tournsize'"],
    ),
    "an argument that we give": (
        learner(selection=TOURNAMENT, selection_options={"tournsize": 3, "k": 3}),
        ["no argument 'k'"],
    ),
    "an argument of ours that we give": (
        learner(crossover_options={"first": 3}),
        ["learner.crossover_options", "no argument 'first'"],
    ),
    "a stream as an argument": (learner(crossover_options={"rng": 3}), ["no argument 'rng'"]),
    "a function of too few": (
        learner(crossover="math.sqrt"),
        ["learner.crossover='math.sqrt'", "takes 1 argument", "2 is expected"],
    ),
    "options that are no table": (learner(mutation_options=0.5), ["=0.5", "a table is expected"]),
    "a probability among the options": (
        learner(mutation_options={"probability": 1.5}),
        ["learner.mutation_options.probability=1.5", "from 0 to 1"],
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_refused_in_one_line_that_says_what_is_expected(
    mistake: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "a_broken_module.py").write_text("def flip(:\n")
    monkeypatch.syspath_prepend(tmp_path)
    given_table, pieces = MISTAKES[mistake]
    with pytest.raises((ConfigError, TournamentError)) as refused:
        learner_of(from_dict(given_table))
    message = str(refused.value)
    assert "\n" not in message
    for piece in pieces:
        assert piece in message


@given(
    st.sampled_from(
        [
            (where, name)
            for where, record in (("", RunOptions), ("learner", GeneticOptions))
            for name in (item.name for item in dataclasses.fields(record))
        ]
    ),
    st.integers(0, 3),
    st.sampled_from(string.ascii_lowercase),
)
def test_a_slip_of_one_letter_is_answered_with_the_right_field(
    field: tuple[str, str], place: int, letter: str
):
    where, name = field
    known = {item.name for item in dataclasses.fields(GeneticOptions if where else RunOptions)}
    slip = name[:place] + letter + name[place:]
    if slip in known:
        return
    table = {where: {slip: 1}} if where else {slip: 1}
    with pytest.raises(ConfigError, match=f"{slip}'; did you mean '{name}'"):
        from_dict(table)


def test_a_configuration_file_that_is_missing_or_not_toml_is_refused(tmp_path: Path):
    with pytest.raises(ConfigError, match=r"none\.toml: cannot be read"):
        toml.load(tmp_path / "none.toml")
    for content in (b"seed = ", b"\xff\xfe"):
        (tmp_path / "bad.toml").write_bytes(content)
        with pytest.raises(ConfigError, match=r"bad\.toml: is not TOML") as refused:
            toml.load(tmp_path / "bad.toml")
        assert "\n" not in str(refused.value)
