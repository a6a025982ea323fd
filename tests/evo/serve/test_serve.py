"""The pages of a server: what they show, how they follow a run, and whom they refuse."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import pytest
from html_pages import rows_in
from processes import ROOT
from served import TOKEN, serving

import evo
from evo.cli.main import main
from evo.pages.document import page_files
from evo.serve.folders import Item, Shelf, signature_of
from results.folder.files import lock_run
from tournaments.errors import ConfigError

MARKUP = "<script>alert(1)<"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A finished run with markup in its name, a damaged run, a tournament, and a run elsewhere."""
    path = tmp_path_factory.mktemp("served") / "runs"
    run = evo.run(path / f"deep/{MARKUP}", game="nim", population=8, generations=3)
    evo.evaluate(run, ["random"], games=10, best=1, every=1)
    shutil.copytree(run.path, path / "damaged")
    (path / "damaged/run.json").write_text("{")
    evo.tournament("nim", ["random", "optimal"], games=4, out=str(path / "cup"))
    elsewhere = path.parent / "elsewhere"
    shutil.copytree(run.path, elsewhere)
    (path / "link").symlink_to(elsewhere)
    return path


@pytest.fixture(scope="module")
def reader(folder):
    with serving(folder) as reader:
        yield reader


def test_the_list_has_everything_below_the_folders_with_its_state(reader):
    page = reader.page()
    (table,) = page["sections"][0]["blocks"]
    rows = {row["name"]: row for row in rows_in(table)}
    assert rows.keys() == {f"runs/deep/{MARKUP}", "runs/damaged", "runs/cup"}
    done = rows[f"runs/deep/{MARKUP}"]
    assert (done["kind"], done["state"], done["generation"]) == ("run", "done", 3)
    assert rows["runs/damaged"]["state"] == "damaged"
    assert rows["runs/cup"]["kind"] == "tournament"
    assert table["ticks"]["names"].count(None) == 1


def test_pages_of_items_are_those_of_reports_and_slow_sections_are_made_on_demand(reader, folder):
    sections = reader.item(f"runs/deep/{MARKUP}")
    assert list(sections)[:3] == ["What it is", "Strength", "Games of the champion"]
    (later,) = sections["Games of the champion"]
    assert later["kind"] == "later"
    depth = f"runs/deep/{MARKUP}".count("/") + 1
    assert later["address"].startswith("../" * depth + "part/")
    status, _, text = reader.ask(later["address"].lstrip("./"))
    assert status == 200
    assert text.count('"kind":"game"') >= 2
    commands = [block["command"] for block in sections["Commands"]]
    assert any(command.startswith("evo resume ") for command in commands)
    assert not any(str(folder.parent) in command for command in commands)
    assert "Problems" in reader.item("runs/damaged")
    assert reader.item("runs/cup")["Ratings"]


def test_runs_are_compared(reader, folder, tmp_path):
    shutil.copytree(folder / f"deep/{MARKUP}", tmp_path / "a")
    shutil.copytree(folder / f"deep/{MARKUP}", tmp_path / "b")
    with serving(tmp_path) as other:
        name = tmp_path.name
        page = other.page(f"compare?name={name}/a&name={name}/b")
        table = page["sections"][0]["blocks"][0]
        assert [row[0]["to"] for row in table["rows"]] == [f"item/{name}/a", f"item/{name}/b"]
    assert reader.ask("compare?name=runs/cup")[0] == 400
    assert reader.ask("compare")[0] == 400


# --- whom it refuses ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    ["", "item/runs/cup", "static/page.js", "events?list=1", "play", "no/such", "part/0/runs/cup"],
)
@pytest.mark.parametrize("token", [None, "wrong", TOKEN[:-1], f"{TOKEN} "])
def test_without_the_token_there_is_no_byte_of_data(reader, path, token):
    status, headers, text = reader.ask(path, token=token)
    assert status == 403
    assert text == "the address with ?token= that evo serve prints is needed"
    assert "set-cookie" not in {name.lower() for name in headers}


def test_the_token_of_the_address_becomes_a_cookie_that_only_this_site_gets(reader):
    status, headers, text = reader.ask(f"?token={TOKEN.replace(' ', '+')}", token=None)
    assert (status, text) == (303, "")
    headers = {name.lower(): value for name, value in headers.items()}
    assert TOKEN not in headers["location"]
    for word in ("HttpOnly", "SameSite=strict", f"evo-{reader.port}="):
        assert word.lower() in headers["set-cookie"].lower()
    assert reader.ask("?token=wrong", token=None)[0] == 403


FOREIGN = ("evil.example", "evil.example:80", "127.0.0.1.evil.example", "10.0.0.1:80", "")


@pytest.mark.parametrize("host", FOREIGN)
def test_a_foreign_name_of_the_server_is_refused(reader, host):
    assert reader.ask("", headers={"Host": host})[0] == 400


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1"]
)
def test_requests_from_other_pages_are_refused(reader, method, origin):
    path = "play/new" if method == "POST" else "events?list=1"
    content = {"game": "nim", "opponent": "random"} if method == "POST" else None
    given = {"method": method, "content": content, "headers": {"Origin": origin}}
    assert reader.ask(path, **given)[0] == 403
    assert reader.ask("", headers={"Sec-Fetch-Site": "cross-site"})[0] == 403


def test_a_change_without_an_origin_is_refused(reader):
    given = {"method": "POST", "content": {"game": "nim", "opponent": "random"}}
    assert reader.ask("play/new", **given, headers={"Origin": ""})[0] == 403


@pytest.mark.parametrize(
    "path",
    [
        "item/../elsewhere",
        "item/runs/../../elsewhere",
        "item/%2e%2e/elsewhere",
        "item/runs/%2e%2e/%2e%2e/elsewhere",
        "item/runs/..%2f..%2felsewhere",
        "item//etc/passwd",
        "item/%2fetc%2fpasswd",
        "item/runs/link",
        "item/runs/deep",
        "item/runs\\cup",
        "part/0/runs/../../elsewhere",
        "part/x/runs/cup",
        "part/99/runs/cup",
        "static/../app.py",
        "static/%2e%2e/app.py",
        "events?name=../elsewhere",
        "compare?name=../elsewhere",
    ],
)
def test_no_path_leaves_the_folders(reader, path):
    status, _, text = reader.ask(path)
    assert status == 404
    assert len(text) < 100


def test_every_answer_has_the_headers_of_safety(reader):
    for path in ("", "static/page.js", "item/runs/cup", "no"):
        _, headers, _ = reader.ask(path)
        headers = {name.lower(): value for name, value in headers.items()}
        assert headers["content-security-policy"].startswith("default-src 'self';")
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "access-control-allow-origin" not in headers
    assert sum(map(len, page_files(live=True).values())) < 250_000


def test_names_with_markup_are_data_and_no_absolute_path_is_on_a_page(reader, folder):
    for path in ("", "item/runs/damaged", "item/runs/cup"):
        _, _, text = reader.ask(path)
        assert MARKUP not in text
        assert str(folder.parent) not in text


def test_a_server_behind_a_proxy_answers_with_and_without_its_prefix(folder):
    with serving(folder, prefix="/user/me/proxy/8000") as reader:
        assert reader.page("item/runs/cup")["title"] == "runs/cup"
        reader.prefix = ""
        assert reader.page("item/runs/cup")["title"] == "runs/cup"
        _, _, text = reader.ask("item/runs/cup")
        assert 'src="../../static/page.js"' in text


def test_nothing_that_a_folder_names_is_run(tmp_path, monkeypatch):
    from evo.cli.commands.new import take_away

    monkeypatch.chdir(tmp_path)
    shutil.copy(take_away.__file__, "g.py")
    evo.run("runs/e", game="./g.py:RULES", generations=1, population=6)
    with open("g.py", "a") as file:
        file.write('\nopen("RUN", "w").close()\n')
    code = "import sys; sys.path.insert(0, 'tests')\nfrom pathlib import Path\n"
    code += "from served import serving\n"
    code += f"with serving(Path({str(tmp_path / 'runs')!r})) as reader:\n"
    code += "    names = reader.item('runs/e')\n"
    code += "    print([reader.ask(f'part/{number}/runs/e')[0] for number in range(len(names))])\n"
    code += "    print(reader.ask('play/offers?game=./g.py:RULES')[0])\n"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "200" in done.stdout
    assert done.stdout.endswith("400\n")
    assert not (tmp_path / "RUN").exists()


# --- live ----------------------------------------------------------------------------------------


def test_a_new_generation_is_sent_within_a_second_of_its_snapshot(tmp_path):
    run = evo.run(tmp_path / "runs/a", game="nim", population=8, generations=2)
    with serving(tmp_path / "runs") as reader:
        found = []

        def listen():
            for event in reader.events("events?name=runs/a", 1):
                found.append((time.monotonic(), event))

        thread = threading.Thread(target=listen)
        thread.start()
        time.sleep(1.0)
        evo.resume(run.path, generations=4)
        ended = time.monotonic()
        thread.join(10)
        (when, event), *_ = found
        assert when - ended < 1.0
        assert event.keys() >= {"What it is", "Strength", "Evolution"}
        facts = dict(reader.item("runs/a")["What it is"][0]["rows"])
        assert facts["generation"] == "4 of 4"


def test_the_list_is_live_too(tmp_path):
    evo.run(tmp_path / "runs/a", game="nim", population=8, generations=1)
    with serving(tmp_path / "runs") as reader:
        found = []
        thread = threading.Thread(target=lambda: found.extend(reader.events("events?list=1", 1)))
        thread.start()
        time.sleep(0.7)
        evo.run(tmp_path / "runs/b", game="nim", population=8, generations=1)
        thread.join(15)
        (table,) = found[0]["0"]
        assert {row["name"] for row in rows_in(table)} >= {"runs/a", "runs/b"}


def test_the_end_of_a_process_is_seen_though_it_changes_no_file(tmp_path):
    run = evo.run(tmp_path / "runs/a", game="nim", population=8, generations=1)
    shelf = Shelf([tmp_path / "runs"])
    states = [shelf.rows()[0]["state"]]
    lock = lock_run(run.path)
    lock.take()
    states.append(shelf.rows()[0]["state"])
    lock.release()
    states.append(shelf.rows()[0]["state"])
    assert states == ["done", "running", "done"]


def test_a_sweep_changes_with_its_runs(tmp_path):
    run = evo.run(tmp_path / "sweep/base/seed-1", game="nim", population=8, generations=1)
    sweep = Item("sweep", "sweep", tmp_path / "sweep")
    before = signature_of(sweep)
    assert signature_of(sweep) == before
    evo.evaluate(run, ["random"], games=4, best=1)
    assert signature_of(sweep) != before


@pytest.mark.slow
def test_500_runs_are_listed_from_the_names_of_files(tmp_path):
    run = evo.run(tmp_path / "one", game="nim", population=6, generations=1)
    for number in range(500):
        shutil.copytree(run.path, tmp_path / f"runs/{number:03d}")
    shelf = Shelf([tmp_path / "runs"])
    rows = shelf.rows()
    assert len(rows) == 500
    assert {row["state"] for row in rows} == {"done"}


# --- the command ---------------------------------------------------------------------------------


def test_the_command_prints_the_address_and_ends_at_a_signal_with_open_streams(folder):
    command = [sys.executable, "-m", "evo", "serve", str(folder)]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "EVO_TOKEN": TOKEN.replace(" ", "-")}
    process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)
    try:
        address = process.stdout.readline()
        assert address.startswith("http://127.0.0.1:")
        port = int(address.split(":")[2].split("/")[0])
        assert address.endswith(f"/?token={env['EVO_TOKEN']}\n")
        import http.client

        connection = http.client.HTTPConnection("127.0.0.1", port)
        cookie = {"Cookie": f"evo-{port}={env['EVO_TOKEN']}"}
        connection.request("GET", "/events?list=1", headers=cookie)
        assert connection.getresponse().status == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(10) in (0, 130, -2)
    finally:
        process.kill()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no/such"], "a folder of runs, sweeps, tournaments or leagues is expected"),
        ([".", "--token", "short"], "at least 16 characters are expected"),
        ([".", "--path-prefix", "x"], "a path that begins with / is expected"),
        ([".", "--game", "no-such-game"], "unknown game"),
        ([".", "--host", "256.1.1.1"], "give another"),
    ],
)
def test_what_cannot_be_served_is_one_line(arguments, message, capsys):
    assert main(["serve", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_without_the_extra_a_line_says_what_to_install(monkeypatch, tmp_path):
    from evo.cli.commands import serve
    from evo.execution import Execution
    from evo.requests.serve import ServeRequest

    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(ConfigError, match=r"pip install 'evo-tournaments\[serve\]'"):
        serve._serve(ServeRequest((str(tmp_path),)), Execution())
