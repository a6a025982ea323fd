"""Players that are programs: what they are told, and that whatever they do ends in a fault."""

from __future__ import annotations

import json
import os
import pickle
import select
import shutil
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from processes import ROOT, begin, end

from cluster import Entrants
from tournaments import TournamentError, games, players
from tournaments.arena.arena import play_pairs
from tournaments.arena.match import play_game
from tournaments.errors import PlayerFault
from tournaments.kernels.rng import Stream
from tournaments.named_files import named_by
from tournaments.player import identity
from tournaments.players.bot.player import Bot
from tournaments.players.bot.process import Process
from tournaments.players.bot.sandbox import ProgramLimits, own_namespaces

GAME = games.parse("tic-tac-toe")
FIRST = """while read -r line; do case $line in '{"type":"move"'*)
    legal=${line#*legal\\":[}; echo "{\\"action\\": ${legal%%[],]*}}";; esac; done"""
ASKED = "read -r hello; read -r game; read -r move; "


def bot(folder, script: str, options: str = "") -> Bot:
    """A program of the shell."""
    (folder / "bot.sh").write_text(script)
    made = players.make(f"{folder}/bot.sh:{options}", GAME) if options else None
    made = made or players.make(f"{folder}/bot.sh", GAME)
    assert isinstance(made, Bot)
    return made


def asked(player: Bot) -> int:
    return player.choose(GAME.start(), Stream(1))


WRONG = {
    "ends": ("echo sorry >&2; exit 3", "exited", "status 3.*it wrote: sorry"),
    "is killed": (ASKED + "kill -SEGV $$", "crashed", "SIGSEGV"),
    "greets": ("echo hello; sleep 60", "output", "wrote 'hello', which is no JSON"),
    "answers twice": (
        ASKED + """printf '{"action": 1}\\n{"action": 2}\\n'; sleep 60""",
        "output",
        """wrote '{"action": 2}' after its answer '{"action": 1}'""",
    ),
    "writes without an end": (ASKED + "tr '\\0' x < /dev/zero", "output", "more than 65,536 bytes"),
    "writes lists within lists": (
        ASKED + "printf '%05000d' 0 | tr 0 '['; echo; sleep 60",
        "output",
        "no JSON",
    ),
    "writes no UTF-8": (ASKED + "printf '\\377\\n'; sleep 60", "output", "no UTF-8"),
    "answers no object": (ASKED + "echo '[3]'; sleep 60", "output", "'\\[3\\]'"),
    "answers NaN": (ASKED + "echo '{\"action\": NaN}'; sleep 60", "no action", "nan"),
    "answers null": (ASKED + "echo '{\"action\": null}'; sleep 60", "no action", "None"),
    "answers true": (ASKED + "echo '{\"action\": true}'; sleep 60", "no action", "True"),
    "answers a huge number": (
        ASKED + "printf '{\"action\": %05000d}\\n' 0 | tr 0 9; sleep 60",
        "output",
        "no JSON",
    ),
    "plays what is illegal": (
        ASKED + "echo '{\"action\": 77}'; sleep 60",
        "illegal",
        r"77, which is illegal in tic-tac-toe; legal here: \[0, 1",
    ),
}
LATE = {
    "never reads": "sleep 60",
    "writes half a line": ASKED + "printf '{\"act'; sleep 60",
    "closes its output": ASKED + "exec >&-; sleep 60",
    "closes its input": "exec <&-; sleep 60",
    "writes errors without an end": "tr '\\0' x < /dev/zero >&2",
}


@pytest.mark.parametrize("name", WRONG)
def test_what_a_program_does_wrong_is_a_fault_in_words(name, tmp_path):
    script, cause, words = WRONG[name]
    with pytest.raises(PlayerFault, match=words) as caught:
        asked(bot(tmp_path, script))
    assert caught.value.cause == cause
    assert "\n" not in str(caught.value)


def test_an_answer_that_comes_before_its_question_is_a_fault(tmp_path):
    """The program answers the first question and, once that is taken, the one that is to come."""
    pipe = tmp_path / "taken"
    os.mkfifo(pipe)
    answer = """echo '{"action": 0}'; """
    seat = bot(tmp_path, f"{ASKED}{answer}read -r x < {pipe}; {answer}echo > {pipe}; sleep 60").sit(
        GAME.start(), 0
    )
    assert seat.choose(GAME.start(), Stream(1)) == 0
    pipe.write_text("taken\n")
    pipe.read_text()
    with pytest.raises(PlayerFault, match="before it was asked") as caught:
        seat.choose(GAME.start(), Stream(1))
    assert caught.value.cause == "output"


def test_what_a_program_writes_before_its_first_game_is_told(tmp_path, monkeypatch):
    class SlowlyStarted(Process):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            self._popen.wait(30)

    monkeypatch.setattr("tournaments.players.bot.player.Process", SlowlyStarted)
    with pytest.raises(PlayerFault, match=r"status 3.*it wrote: sorry"):
        asked(bot(tmp_path, "echo sorry >&2; exit 3"))


def test_a_program_that_ended_between_two_games_is_a_fault_at_once(tmp_path):
    kept = bot(tmp_path, f"""{ASKED}echo '{{"action": 0}}'""", "per=tournament,seconds=60")
    assert asked(kept) == 0
    (process,) = kept._idle
    process._popen.wait()
    begun = time.monotonic()
    with pytest.raises(PlayerFault, match="ended with status 0"):
        asked(kept)
    assert time.monotonic() - begun < 30


@pytest.mark.parametrize("name", LATE)
def test_a_program_that_gives_no_answer_is_late_and_ended(name, tmp_path):
    with pytest.raises(PlayerFault, match=r"no answer within 0\.05 seconds") as caught:
        asked(bot(tmp_path, LATE[name], "seconds=0.05,start=0"))
    assert caught.value.cause == "late"


def test_a_late_program_is_told_what_it_wrote(tmp_path):
    """Nothing yet, half a line, or lines before."""
    pipe = tmp_path / "written"
    os.mkfifo(pipe)
    scripts = {
        r"nothing so far: does it flush": f"echo > {pipe}; sleep 60",
        r", but '7' without the end of a line": f"printf 7; echo > {pipe}; sleep 60",
        r"a moment$": f"echo 7; echo > {pipe}; sleep 60",
    }
    for words, script in scripts.items():
        process = Process("bot", bot(tmp_path, script).command, ProgramLimits(), 1)
        pipe.read_text()
        if words == "a moment$":
            assert process.ask(b"?\n", 60, "a minute") == b"7"
        with pytest.raises(PlayerFault, match=words):
            process.ask(b"?\n", 0.001, "a moment")


def test_a_question_longer_than_a_pipe_does_not_hang(tmp_path):
    """The program reads none of it, and the pipe holds a part."""
    player = bot(tmp_path, "sleep 60", "seconds=0.05,start=0")
    seat = player.sit(GAME.start(), 0)
    for _ in range(20_000):
        seat.watch(GAME.start(), 4)
    with pytest.raises(PlayerFault) as caught:
        seat.choose(GAME.start(), Stream(1))
    assert caught.value.cause == "late"


def test_the_time_of_a_game_is_shared_by_its_moves(tmp_path):
    slow = FIRST.replace("echo", "sleep 0.06; echo")
    seat = bot(tmp_path, slow, "seconds=5,game_seconds=0.1,start=9").sit(GAME.start(), 0)
    assert seat.choose(GAME.start(), Stream(1)) == 0
    with pytest.raises(PlayerFault, match="game_seconds") as caught:
        _ = [seat.choose(GAME.start(), Stream(1)) for _ in range(9)]
    assert caught.value.cause == "late"


def test_memory_is_limited(tmp_path):
    script = "exec python3 -S -c 'x = bytearray(400 << 20); print(1)'"
    with pytest.raises(PlayerFault, match=r"200 MiB") as caught:
        asked(bot(tmp_path, script, "memory=200"))
    assert caught.value.cause == "memory"


def test_a_program_starts_in_the_folder_of_its_file(tmp_path, monkeypatch):
    """So it finds its data wherever the command is called, and on every node of a cluster."""
    monkeypatch.chdir("/")
    (tmp_path / "opening").write_text("4")
    answers = """echo "{\\"action\\": $(cat opening)}"; sleep 60"""
    assert asked(bot(tmp_path, ASKED + answers)) == 4


def test_a_program_gets_no_descriptor_and_no_secret_of_ours(tmp_path, monkeypatch):
    monkeypatch.setenv("A_SECRET", "told")
    with open(os.devnull) as file:
        os.set_inheritable(file.fileno(), True)
        script = f'echo "secret ${{A_SECRET-none}}" >&2; [ -e /proc/self/fd/{file.fileno()} ] && '
        with pytest.raises(PlayerFault, match=r"it wrote: secret none$"):
            asked(bot(tmp_path, script + "echo open >&2; exit 1"))


@pytest.mark.skipif(not own_namespaces(), reason="this system gives programs no network of its own")
def test_a_program_has_no_network(tmp_path):
    with pytest.raises(PlayerFault, match=r"it wrote: net:\[") as caught:
        asked(bot(tmp_path, "readlink /proc/self/ns/net >&2; exit 1"))
    assert os.readlink("/proc/self/ns/net") not in str(caught.value)


@pytest.mark.parametrize("way", ["sleep", "setsid sleep"])
def test_what_a_program_started_is_killed_with_it(way, tmp_path):
    """Also what has left its process group, where it has processes of its own."""
    if way != "sleep" and own_namespaces() != "processes and network":
        pytest.skip("this system gives programs no processes of their own")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        script = f"exec 9>{pipe}; echo begun >&9; {way} 600 & {FIRST}"
        player = bot(tmp_path, script)
        seat = player.sit(GAME.start(), 0)
        assert seat.choose(GAME.start(), Stream(1)) == 0
        assert os.read(reader, 99) == b"begun\n"
        del seat
        poll = select.poll()
        poll.register(reader, 0)
        assert [event for _, event in poll.poll(300_000)] == [select.POLLHUP]
    finally:
        os.close(reader)


LEFT = """
import ctypes, os, signal, sys
from tournaments.players.bot.command import command_of
from tournaments.players.bot.process import Process
from tournaments.players.bot.sandbox import ProgramLimits
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # orphans become its children, as those of process 1
for is_last in (False, True):
    process = Process("bot", command_of(sys.argv[1]), ProgramLimits(), 1)
    process.ask(b"?\\n", 60, "a minute")
    if not is_last:
        process.close()
        print("dead" if os.waitpid(-1, os.WNOHANG)[0] else "none dead", flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="orphans are given to init elsewhere")
def test_programs_end_with_the_process_that_started_them(tmp_path):
    """By ``kill -9`` too; and a program that is closed leaves no dead process to the first one."""
    pipe, script = tmp_path / "pipe", tmp_path / "bot.sh"
    os.mkfifo(pipe)
    stays = "read -r asked; echo here; while :; do sleep 600; done"
    script.write_text(f"trap '' HUP INT TERM; exec 9>{pipe}; echo begun >&9; {stays}")
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    process = begin([sys.executable, "-c", LEFT, script], cwd=ROOT, stdout=subprocess.PIPE)
    try:
        assert process.communicate()[0] == "none dead\n"
        assert process.returncode == -signal.SIGKILL
        assert os.read(reader, 99) == b"begun\nbegun\n"
        poll = select.poll()
        poll.register(reader, 0)
        assert [event for _, event in poll.poll(60_000)] == [select.POLLHUP]
    finally:
        end(process)
        os.close(reader)


def logged(log) -> str:
    """A bot that writes each line down before it answers."""
    return FIRST.replace("do case", f"do printf '%s\\n' \"$line\" >> {log}; case")


def test_a_program_is_told_the_protocol(tmp_path):
    log = tmp_path / "log"
    player = bot(tmp_path, logged(log))
    moves = list(play_game(GAME, player, players.make("random", GAME), 5))
    said = [json.loads(line) for line in log.read_text().splitlines()]
    hello, game, *questions = said
    assert [message["type"] for message in said[:2]] == ["hello", "game"]
    assert hello["protocol"] == 1
    assert hello["game"] == GAME.spec
    assert hello["actions"][4] == "2:2"
    assert game["seat"] == 0
    assert 0 <= game["seed"] < 2**53
    state, before = GAME.start(), []
    for (_, seat, action), number in zip(moves, range(99), strict=False):
        if seat == 0:
            assert questions[number // 2] == {
                "type": "move",
                "seat": 0,
                "legal": state.legal_actions(),
                "board": str(state),
                "state": state.array.tolist(),
                "moves": before,
            }
            before = []
        before.append({"seat": seat, "action": action})
        state.play(action)


def test_a_program_sees_what_its_seat_may_see(tmp_path):
    karate = games.parse("karate:rounds=3")
    log = tmp_path / "log"
    (tmp_path / "bot.sh").write_text(logged(log))
    player = players.make(f"{tmp_path}/bot.sh", karate)
    seen = []
    for state, seat, _ in play_game(karate, players.make("random", karate), player, 5):
        if not state.is_over and seat == 0:
            seen.append(state.view(1).array.tolist())
    asked_for = [json.loads(line) for line in log.read_text().splitlines()][2:]
    assert [message["state"] for message in asked_for] == seen
    theirs = [move for message in asked_for for move in message["moves"] if move["seat"] == 0]
    assert {move["action"] for move in theirs} == {None}


COUNTS = """count=0; while read -r line; do case $line in '{"type":"game"'*) count=$((count + 1));;
'{"type":"move"'*) echo "{\\"action\\": $count}";; esac; done"""


def test_a_process_plays_one_game_or_one_after_the_other(tmp_path):
    alone = bot(tmp_path, COUNTS)
    assert [asked(alone), asked(alone)] == [1, 1]
    kept = bot(tmp_path, COUNTS, "per=tournament")
    assert [asked(kept), asked(kept)] == [1, 2]
    seats = [kept.sit(GAME.start(), 0), kept.sit(GAME.start(), 1)]
    assert [seat.choose(GAME.start(), Stream(1)) for seat in seats] == [3, 1]


def test_threads_and_other_processes_play_the_same(tmp_path):
    player = bot(tmp_path, FIRST)
    pairs, seeds = np.array([[-1, -2]] * 2, np.int32), np.array([3, 4], np.uint64)
    results: list[bytes] = []

    def play(who: Bot) -> None:
        entrants = Entrants(GAME, (who, players.make("random", GAME)))
        results.append(play_pairs(entrants, pairs, seeds).tobytes())

    threads = [threading.Thread(target=play, args=(player,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    play(pickle.loads(pickle.dumps(player)))
    for thread in threads:
        thread.join()
    assert len(results) == 3
    assert len(set(results)) == 1


def test_a_program_is_what_its_files_hold(tmp_path):
    player = bot(tmp_path, FIRST)
    (tmp_path / "copy.sh").write_text(FIRST)
    copy = players.make(f"bot:cmd=sh {tmp_path}/copy.sh", GAME)
    other = bot(tmp_path, FIRST + " ")
    assert identity(copy) == identity(player) != identity(other)
    (tmp_path / "bot.py").write_text("")
    assert players.is_of_file(f"{tmp_path}/bot.py", GAME)
    assert not players.sources_of(f"{tmp_path}/bot.py", GAME)
    with pytest.raises(TournamentError, match="the program has changed since it was named"):
        asked(player)


REFUSED = {
    "./no.py": "no such program",
    "bot:cmd=no-such-program-at-all": "no such program",
    "bot:cmd=": "cmd=",
    "bot:cmd=./plain.rb": "chmod",
    "./plain.rb": "chmod",
    "./folder.py": "that is a folder",
    "./windows.py": "lines end as on Windows",
    "./elsewhere.py": "no program '/no/such/python', which its first line names",
    "./unnamed": "begins with no #!",
    "bot:cmd=./a.sh,per=night": "one of game, tournament is expected",
    "./a.sh:seconds=0": "from 0.01 to",
    "./a.sh:memory=nan": "memory=nan given",
    "./a.sh:minutes=3": "known: seconds, game_seconds",
    "bot": "cmd",
    "./a\0b.py": "no such program",
    "bot:cmd='": "No closing quotation",
    "x" * 5000: "unknown player",
}


STARTED = {
    "windows.py": b"#!/bin/sh\r\n",
    "elsewhere.py": b"#!/no/such/python\n",
    "unnamed": b"print(1)\n",
}
"""Executable files that the system does not start, or starts as something else."""


@pytest.mark.parametrize("spec", REFUSED)
def test_what_is_no_program_is_refused_in_a_line(spec, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain.rb").write_text("")
    (tmp_path / "folder.py").mkdir()
    for name, beginning in STARTED.items():
        (tmp_path / name).write_bytes(beginning)
        (tmp_path / name).chmod(0o755)
    (tmp_path / "a.sh").write_text(FIRST)
    with pytest.raises(TournamentError, match=REFUSED[spec]) as caught:
        players.make(spec, GAME)
    assert "\n" not in str(caught.value)


def test_the_folder_of_a_run_names_no_program(tmp_path):
    (tmp_path / "a.sh").write_text(FIRST)
    for spec in (f"{tmp_path}/a.sh", "bot:cmd=ls"):
        with named_by("runs/theirs"), pytest.raises(TournamentError, match="--trust"):
            players.make(spec, GAME)


EXAMPLES = ROOT / "examples/bots"


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.iterdir()))
def test_the_examples_play(name, tmp_path):
    """In both seats, the same moves for the same seed."""
    path = EXAMPLES / name
    assert len(path.read_text().splitlines()) < 40
    needed = {".c": "cc", ".js": "node"}.get(path.suffix, "sh")
    if shutil.which(needed) is None:
        pytest.skip(f"{needed} is not installed")
    if path.suffix == ".c":
        command = ["cc", "-Wall", "-Werror", "-o", tmp_path / "bot", path]
        subprocess.run(command, check=True)
        path = tmp_path / "bot"
    player, other = players.make(f"{path}:per=tournament", GAME), players.make("random", GAME)
    played = [
        [action for _, _, action in play_game(GAME, player, other, 7, number)]
        for number in (0, 1, 0)
    ]
    assert played[0] == played[2]
    assert played[0] != played[1]
