"""The tracker is Bayes' rule: held against a list of all ways on small mazes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.naive import tracking as naive
from tournaments.errors import TournamentError
from tournaments.games.capture_the_flag.tracking.belief import update, weigh_position
from tournaments.games.capture_the_flag.tracking.graph import MazeGraph, graph_of_text
from tournaments.games.capture_the_flag.tracking.record import NOTHING, Observation, record_of
from tournaments.games.capture_the_flag.tracking.tracker import Tracker
from tournaments.kernels.rng import Stream

MAZES = (
    "....\n.##.\n....",
    "...\n.#.\n...\n#.#",
    ".....\n#.#.#",
    ".#...\n.....",
)
ROOM = graph_of_text("......#....\n.####.#.##.\n...........\n.##.#.####.\n......#....")


@st.composite
def chases(draw):
    """A maze, an agent that goes about in it, and true observations of it."""
    graph = graph_of_text(draw(st.sampled_from(MAZES)))
    cells = st.integers(0, graph.rows.size - 1)
    noise, sight = draw(st.integers(0, 3)), draw(st.integers(0, 1))
    stays = draw(st.booleans())
    start = where = draw(cells)
    observations = []
    for _ in range(draw(st.integers(1, 6))):
        moved, home = draw(st.booleans()), draw(st.integers(0, 5)) == 5
        ways = [int(cell) for cell in graph.neighbours[where] if cell >= 0]
        if home:
            where = start
        elif moved and (ways or stays):
            where = draw(st.sampled_from(ways + [where] * (stays or not ways)))
        watchers = tuple(draw(st.lists(cells, max_size=2)))
        away = [int(graph.distances(watcher)[where]) for watcher in watchers]
        seen = where if any(distance <= sight for distance in away) else -1
        noisy = tuple(distance + draw(st.integers(-noise, noise)) for distance in away)
        if not draw(st.booleans()):
            noisy = ()
        observations.append((where, Observation(watchers, noisy, seen, moved, home)))
    options = {"noise": noise, "sight": sight, "stays": stays}
    return graph, start, observations, options


def listed(graph: MazeGraph, start, observations, beta, options):
    neighbours = [[int(cell) for cell in row if cell >= 0] for row in graph.neighbours]
    places = list(zip(graph.rows.tolist(), graph.columns.tolist(), strict=True))
    return naive.track(neighbours, places, start, observations, beta, **options)


@settings(max_examples=60)
@given(chases(), st.sampled_from((0.0, 0.5, 3.0)))
def test_filter_and_smoother_give_the_marginals_of_all_ways(chase, beta):
    graph, start, steps, options = chase
    observations = [observation for _, observation in steps]
    filtered, smoothed = listed(graph, start, observations, beta, options)
    tracker = Tracker(graph, start, beta=beta, **options)
    np.testing.assert_allclose(tracker.filtered(observations), filtered, atol=1e-12)
    np.testing.assert_allclose(tracker.smoothed(observations), smoothed, atol=1e-12)


@settings(max_examples=60)
@given(chases(), st.sampled_from((0.0, 10.0, 1e4)))
def test_the_true_cell_is_never_ruled_out(chase, beta):
    graph, start, steps, options = chase
    tracker = Tracker(graph, start, beta=beta, **options)
    for where, observation in steps:
        assert tracker.observe(observation) > 0.0
        assert tracker.belief[where] > 0.0
        assert tracker.belief.sum() == pytest.approx(1.0, abs=1e-12)
    smoothed = Tracker(graph, start, beta=beta, **options).smoothed([step for _, step in steps])
    assert all(belief[where] > 0.0 for belief, (where, _) in zip(smoothed, steps, strict=True))


@given(chases())
def test_step_by_step_and_whole_records_agree_to_the_bit(chase):
    graph, start, steps, options = chase
    stepwise, whole = (Tracker(graph, start, **options) for _ in range(2))
    beliefs = whole.filtered([observation for _, observation in steps])
    for belief, (_, observation) in zip(beliefs, steps, strict=True):
        stepwise.observe(observation)
        assert (stepwise.belief == belief).all()


@pytest.mark.slow
def test_compiled_kernels_give_the_same_bytes():
    start, stream, observations = ROOM.cell(4, 0), Stream(3), []
    where, watcher = start, ROOM.cell(0, 10)
    for _ in range(40):
        where = stream.choice([int(cell) for cell in ROOM.neighbours[where] if cell >= 0])
        away = int(ROOM.distances(watcher)[where])
        seen = where if away <= 2 else -1
        observations.append(Observation((watcher,), (away + stream.below(7) - 3,), seen))
    plain, fast = (Tracker(ROOM, start, noise=3, sight=2, at_speed=speed) for speed in (0, 1))
    assert plain.smoothed(observations).tobytes() == fast.smoothed(observations).tobytes()


def test_what_the_model_excludes_is_believed_for_its_own_sake():
    tracker = Tracker(ROOM, 0)
    far = ROOM.cell(4, 10)
    assert tracker.observe(Observation(seen=far)) == 0.0
    assert tracker.belief[far] == 1.0


def test_one_more_visit_makes_a_way_less_likely_by_the_factor_of_beta():
    corridor = graph_of_text(".....")
    tracker = Tracker(corridor, 2, beta=np.log(2.0), stays=False)
    tracker.observe(Observation())  # to either side
    np.testing.assert_allclose(tracker.belief, [0, 0.5, 0, 0.5, 0])
    tracker.observe(Observation())  # visits: 0, 1/2, 1, 1/2, 0
    np.testing.assert_allclose(tracker.belief, [1 / 3, 0, 1 / 3, 0, 1 / 3])


def test_what_is_almost_impossible_stays_possible():
    """An agent that goes back, and back again, is believed to have gone on all the same."""
    tracker = Tracker(graph_of_text("......."), 3, beta=1e4, stays=False)
    for step in range(1, 7):
        tracker.observe(Observation())
        away = np.arange(-3, 4)
        assert ((tracker.belief > 0.0) == ((abs(away) <= step) & ((away + step) % 2 == 0))).all()
    belief = np.array([1.0, 1e-300])
    update(belief, np.array([1.0, 1e-200]))
    assert belief[1] > 0.0


def test_a_noisy_position_weighs_cells_by_how_many_it_could_have_come_from():
    corridor = graph_of_text("....")
    near = np.array([int((corridor.distances(cell) <= 1).sum()) for cell in range(4)])
    evidence = np.ones(4)
    weigh_position(corridor.columns, corridor.rows, near, 1, 0, 1, evidence)
    np.testing.assert_allclose(evidence, [1 / 2, 1 / 3, 1 / 3, 0])


def test_cells_are_numbered_row_by_row_and_know_their_neighbours():
    graph = graph_of_text("#.#\n...")
    assert graph.neighbours.tolist() == [
        [-1, -1, 2, -1],
        [-1, 2, -1, -1],
        [0, 3, -1, 1],
        [-1, -1, -1, 2],
    ]


def test_mistakes_are_refused_in_one_line():
    for mistake in (
        lambda: Tracker(ROOM, 99),
        lambda: Tracker(ROOM, 0, beta=-1.0),
        lambda: Tracker(ROOM, 0).observe(Observation(seen=99)),
        lambda: record_of([Observation((1, 2), (3,))], ROOM),
        lambda: graph_of_text("..\n."),
        lambda: graph_of_text("##"),
        lambda: ROOM.cell(1, 1),
    ):
        with pytest.raises(TournamentError, match=r"given.*(expected|has|put|maze)") as error:
            mistake()
        assert "\n" not in str(error.value)
    assert record_of([Observation((1,))], ROOM).noisy[0, 0] == NOTHING
