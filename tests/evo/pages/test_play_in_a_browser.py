"""Games in a browser: played by clicks on the board, by keys and by touch."""

from __future__ import annotations

import json
from urllib.parse import urlencode

import pytest
from processes import ROOT
from served import TOKEN, serving

from evo.play.record import read_record

expect = pytest.importorskip("playwright.sync_api", reason="needs the extra browser").expect
pytestmark = pytest.mark.slow

STRANGER = str(ROOT / "tests/game_of_a_stranger.py")
ON_BOARDS = [
    "cat-and-mouse:rows=3,cols=3,end=move-limit,limit=10",
    "cat-trap:size=5",
    "connect-four:rows=4,cols=4",
    "dots-and-boxes:rows=2,cols=2",
    "fox-and-hounds",
    "nim:heaps=1-2-3",
    "tic-tac-toe",
    "game_of_a_stranger.py",
]
MOST_MOVES = 60
# Where a place of the board is on the screen.
SPOT = """spot => {
  const matrix = document.querySelector("svg.board").getScreenCTM();
  const at = new DOMPoint(...spot).matrixTransform(matrix);
  return [at.x, at.y];
}"""


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("nothing"), games=[STRANGER]) as reader:
        yield reader


def entrance(reader):
    """Return the address of the choice of a game, with the token."""
    return f"{reader.address}play?{urlencode({'token': TOKEN})}"


class Board:
    """A game in a browser, and what its server says about it."""

    def __init__(self, page, reader, game, opponent="random", **more):
        status, answer = reader.post("play/new", {"game": game, "opponent": opponent, **more})
        assert status == 200, answer
        self.page, self.reader, self.at = page, reader, answer["to"]
        page.goto(f"{reader.address}{self.at}")
        self.settle()

    def settle(self):
        """Wait until the page shows what the server has, and return it."""
        while True:
            state = json.loads(self.reader.ask(f"{self.at}/state")[2])
            if not state["thinking"]:
                break
            self.page.wait_for_timeout(20)
        expect(self.page.locator(".play .moves li")).to_have_count(len(state["plies"]))
        if state["over"]:
            expect(self.page.locator(".status")).to_contain_text(state["result"])
        return state

    def press(self, spot, tap=False):
        self.page.locator("svg.board").scroll_into_view_if_needed()
        x, y = self.page.evaluate(SPOT, spot)
        self.page.touchscreen.tap(x, y) if tap else self.page.mouse.click(x, y)

    def choose(self, move, tap=False):
        """Press the places of a move; the last one sends it."""
        *before, last = move["spots"]
        for spot in before:
            self.press(spot, tap)
        with self.page.expect_response("**/move"):
            self.press(last, tap)

    def play_on(self, tap=False):
        """Play the first move that has a place until the game is over; the number of moves."""
        for number in range(MOST_MOVES):
            state = self.settle()
            if state["over"]:
                return number
            move = next(each for each in state["moves"] if each["spots"])
            self.choose(move, tap)
            after = self.settle()
            own = f"{state['seats'][state['seat']]} {move['name']}"
            assert after["plies"][len(state["plies"])] == own
        raise AssertionError("the game does not end")


@pytest.fixture
def table(opened, reader):
    page = opened(entrance(reader))
    page.wait_for_load_state("networkidle")
    return lambda *game, **more: Board(page, reader, *game, **more)


@pytest.mark.parametrize("game", ON_BOARDS)
def test_a_game_is_played_to_its_end_by_clicks_on_the_board(table, game):
    board = table(game)
    assert board.play_on() > 0
    assert board.settle()["result"] in board.page.locator(".status").inner_text()


BY_BUTTONS = [
    "capture-the-flag:moves=24",
    "iterated-prisoners-dilemma:rounds=4",
    "karate:rounds=4",
    "set:dimensions=2,cards=9",
]


@pytest.mark.parametrize("game", BY_BUTTONS)
def test_a_game_is_played_to_its_end_by_buttons(table, game):
    board = table(game)
    for _ in range(MOST_MOVES):
        state = board.settle()
        if state["over"]:
            break
        if board.page.get_by_role("button", name="show moves").is_visible():
            board.page.get_by_role("button", name="show moves").click()
        with board.page.expect_response("**/move"):
            board.page.locator(".choices button").first.click()
    assert board.settle()["over"]
    assert board.settle()["result"] in board.page.locator(".status").inner_text()


def test_sets_are_found_by_clicks_on_cards(table):
    board = table("set")
    for _ in range(3):
        state = board.settle()
        assert board.page.locator(".choices button").count() == 0, "sets are to be found"
        assert board.page.locator("svg.board .spot").count() == 0
        move = next(each for each in state["moves"] if len(each["spots"]) == 3)
        board.choose(move)
        assert board.settle()["plies"][len(state["plies"])].endswith(move["name"])


def test_a_game_is_played_by_touch_on_a_phone(browser, reader):
    context = browser.new_context(viewport={"width": 360, "height": 740}, has_touch=True)
    page = context.new_page()
    page.goto(entrance(reader))
    board = Board(page, reader, "cat-trap:size=5", seat="blocker")
    assert board.play_on(tap=True) > 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    heights = page.locator(".play button:visible").evaluate_all(
        "buttons => buttons.map(each => each.getBoundingClientRect().height)"
    )
    assert min(heights) >= 24
    context.close()


def test_a_game_is_played_by_the_keyboard_alone(table):
    board = table("tic-tac-toe", seat="cross")
    page = board.page
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('.choices') !== null"):
            break
    page.keyboard.press("ArrowRight")
    assert page.locator("svg.board .ghost").count() == 1, "a focused move is previewed"
    wanted = board.settle()["moves"][1]["name"]
    with page.expect_response("**/move"):
        page.keyboard.press("Enter")
    assert board.settle()["plies"][0] == f"cross {wanted}"
    while not board.settle()["over"]:
        expect(page.locator(".choices button").first).to_be_focused()
        count = len(board.settle()["plies"])
        page.keyboard.press("Enter")
        expect(page.locator(".play .moves li").nth(count)).to_be_attached()


def test_a_move_is_previewed_under_the_pointer_and_goes_with_it(table):
    board = table("tic-tac-toe", seat="cross")
    x, y = board.page.evaluate(SPOT, board.settle()["moves"][4]["spots"][0])
    board.page.mouse.move(x, y)
    assert board.page.locator("svg.board .ghost").count() == 1
    board.page.mouse.move(0, 0)
    assert board.page.locator("svg.board .ghost").count() == 0


def test_a_cat_trap_is_edited_on_the_board_and_played(table):
    board = table("cat-trap:size=5", seat="blocker")
    state = board.settle()
    board.page.get_by_role("button", name="edit on the board").click()
    board.press(state["edits"][0]["spot"])
    expect(board.page.locator(".play .moves li")).to_have_count(1)
    after = board.settle()
    assert after["plies"] == [f"edit {state['edits'][0]['words']}"]
    assert after["text"] != state["text"]
    board.page.get_by_role("button", name="edit on the board").click()
    assert board.play_on() > 0


def test_karate_shows_the_model_of_the_mind_reader_and_offers_buttons(table):
    board = table("karate:rounds=3", "markov")
    for number in range(3):
        assert board.page.locator("svg.board .spot").count() == 0
        board.page.locator(".choices").get_by_role("button", name="kick", exact=True).click()
        rounds = board.page.locator(".rounds")
        expect(rounds).to_contain_text(f"round {number + 1}: you kick")
        expect(rounds).to_contain_text("expected of you:")
    assert board.settle()["over"]


def test_hidden_moves_have_places_and_no_previews(table):
    board = table("capture-the-flag:width=14,height=7")
    state = board.settle()
    assert any(each["spots"] for each in state["moves"])
    assert all(each["new"] == each["gone"] == [] for each in state["moves"])
    move = next(each for each in state["moves"] if each["spots"])
    board.choose(move)
    assert board.settle()["plies"][0].endswith(move["name"])


def test_a_game_survives_a_reload_and_its_record_is_saved(table, tmp_path):
    board = table("nim:heaps=1-2-3")
    state = board.settle()
    board.choose(state["moves"][0])
    state = board.settle()
    board.page.reload()
    assert board.settle() == state
    board.page.get_by_role("button", name="hint").click()
    board.page.locator(".said").get_by_text("perfect play").wait_for()
    assert board.page.locator("svg.board .hinted").count() > 0
    with board.page.expect_download() as saved:
        board.page.get_by_role("button", name="save record").click()
    saved.value.save_as(tmp_path / "game.json")
    *_, last = read_record(str(tmp_path / "game.json")).scenes()
    assert str(last.state) == state["text"]


def test_a_game_is_chosen_on_a_page(opened, reader):
    page = opened(entrance(reader))
    page.wait_for_load_state("networkidle")
    page.goto(f"{reader.address}play?game=nim:heaps=1-2-3&opponent=random")
    page.get_by_label("your seat").select_option("second")
    page.get_by_role("button", name="begin").click()
    page.locator(".status").get_by_text("your move as second").wait_for()
