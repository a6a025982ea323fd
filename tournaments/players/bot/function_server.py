"""Serve calls of a function of a program over standard input and output.

Started as ``function_server.py PATH APART``. PATH has the folders of packages. APART is "apart" if
the server has a namespace of processes of its own; otherwise it plays a single game. Python runs
without its module ``site``, which takes a third of the time to start. Standard input has messages,
each of which is its length, in eight hexadecimal digits, and as many bytes of a pickle. The first
message has the program's text and the name of its function. Each further message has the arguments
of a call. An empty message ends a game. Each answer is a line of JSON with the result or the error.
What the program prints goes to standard error.

Each game is played by a fork of the server, which the server kills at the end of the game. So a
program keeps nothing from game to game, and Python starts once for many games. The modules that the
program imports at its top are imported before the fork.
"""

import ast
import contextlib
import json
import os
import pickle
import signal
import sys
import types
import warnings

DIGITS = 8
SIGNAL_STATUS = 128
"""Offset of a shell's exit status: a process killed by signal S has this number plus S."""


def read(source, size):
    """Return the next bytes of a pipe, and no more."""
    content = b""
    while len(content) < size:
        part = os.read(source, size - len(content))
        if not part:  # the tournament, or the server, has ended
            os._exit(0)
        content += part
    return content


def message(source):
    """Return the next message, which is empty at the end of a game."""
    return read(source, int(read(source, DIGITS), 16))


def plain(value):
    """Convert a number or an array of numpy for JSON."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"returned {type(value).__name__}, which is not JSON")


def play(source):
    """Answer the calls of a game, whose messages come from a pipe, until this process is killed."""
    if "numpy" in sys.modules:  # as random does: games without a seed are not to be alike
        sys.modules["numpy"].random.seed()
    module = sys.modules["evolved"] = types.ModuleType("evolved")
    is_loaded = False
    while asked := message(source):
        try:
            arguments = pickle.loads(asked)
            if not is_loaded:
                is_loaded = True
                exec(compile(text, "evolved", "exec"), vars(module))
            value = getattr(module, name)(*arguments)
            answer = json.dumps({"value": value}, default=plain, allow_nan=False)
        except BaseException as error:
            answer = json.dumps({"error": f"raised {type(error).__name__}: {str(error)[:200]}"})
        answers.write(f"{answer}\n")
        answers.flush()


def import_modules():
    """Import the modules that the program imports at its top. It raises their errors later."""
    with contextlib.suppress(BaseException):
        for statement in ast.parse(text).body:
            names = []
            if isinstance(statement, ast.Import):
                names = [each.name for each in statement.names]
            elif isinstance(statement, ast.ImportFrom) and statement.module:
                names = [statement.module]
            for each in names:
                with contextlib.suppress(BaseException):
                    __import__(each)


def serve_game(asked):
    """Have a fork play a game, pass the messages on to it, and kill it at the end of the game.

    The server ends with the status of a fork that ends its process.
    """
    source, sink = os.pipe()
    with warnings.catch_warnings(action="ignore"):  # a module may have started threads
        game = os.fork()
    if game == 0:
        os.close(sink)
        play(source)
        os._exit(0)
    os.close(source)
    pipe = os.fdopen(sink, "wb")

    def end(*_):
        found, status = os.waitpid(game, os.WNOHANG)
        if found:
            code = os.waitstatus_to_exitcode(status)
            os._exit(code if code >= 0 else SIGNAL_STATUS - code)

    signal.signal(signal.SIGCHLD, end)
    end()  # if it has ended before
    while asked:
        with contextlib.suppress(BrokenPipeError):  # closed by the program, which gets no more
            pipe.write(b"%08x" % len(asked) + asked)
            pipe.flush()
        asked = message(0)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    with contextlib.suppress(OSError):
        os.kill(-1, signal.SIGKILL)  # the fork, and what it has left
    os.waitpid(game, 0)
    with contextlib.suppress(BrokenPipeError):
        pipe.close()


answers = os.fdopen(os.dup(1), "w", encoding="ascii")
os.dup2(2, 1)
sys.path += filter(None, sys.argv[1].split(os.pathsep))
text, name = pickle.loads(message(0))
import_modules()
if sys.argv[2] != "apart" or os.getppid() != 1:
    play(0)
    os._exit(0)
while True:
    serve_game(message(0))
