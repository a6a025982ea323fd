"""Serve calls of a function of a program over standard input and output.

Started as ``function_server.py PATH APART``. PATH has the folders of packages. APART is "apart" if
the server has a namespace of processes of its own; otherwise it plays one game. Python runs without
its module ``site``, which takes a third of the time to start. Standard input has messages, each of
which is its length, in eight hexadecimal digits, and as many bytes of a pickle. The first one has
the program's text and the name of its function; each further one has the arguments of a call.
An empty message ends a game. Each answer is a line of JSON with the result or the error. What the
program prints goes to standard error.

Each game is played by a fork of this process, so that a program keeps nothing from game to game,
and Python starts once for many games. The modules that the program imports at its top are imported
before the fork.
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
GAME_IS_OVER = 113
"""Exit status of a fork after its game. Any other one means that the program has ended it."""
SIGNAL_STATUS = 128


def read(size):
    """Return the next bytes of standard input, and no more, since forks read from it as well."""
    content = b""
    while len(content) < size:
        part = os.read(0, size - len(content))
        if not part:  # the tournament has ended
            os._exit(0)
        content += part
    return content


def message():
    """Return the next message, which is empty at the end of a game."""
    return read(int(read(DIGITS), 16))


def plain(value):
    """Convert a number or an array of numpy for JSON."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"returned {type(value).__name__}, which is not JSON")


def play(asked):
    """Answer the calls of one game, from its first one on, and end this process."""
    if "numpy" in sys.modules:  # as random does: games without a seed are not to be alike
        sys.modules["numpy"].random.seed()
    module = sys.modules["evolved"] = types.ModuleType("evolved")
    is_loaded = False
    while asked:
        arguments = pickle.loads(asked)
        try:
            if not is_loaded:
                is_loaded = True
                exec(compile(text, "evolved", "exec"), vars(module))
            value = getattr(module, name)(*arguments)
            answer = json.dumps({"value": value}, default=plain, allow_nan=False)
        except BaseException as error:
            answer = json.dumps({"error": f"raised {type(error).__name__}: {str(error)[:200]}"})
        answers.write(f"{answer}\n")
        answers.flush()
        asked = message()
    os._exit(GAME_IS_OVER)


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


answers = os.fdopen(os.dup(1), "w", encoding="ascii")
os.dup2(2, 1)
is_apart = sys.argv[2] == "apart"
sys.path += filter(None, sys.argv[1].split(os.pathsep))
text, name = pickle.loads(message())
import_modules()
while True:
    asked = message()
    with warnings.catch_warnings(action="ignore"):  # a module may have started threads
        game = os.fork()
    if game == 0:
        play(asked)
    code = os.waitstatus_to_exitcode(os.waitpid(game, 0)[1])
    if is_apart and os.getppid() == 1:  # kills what the game has left
        with contextlib.suppress(OSError):
            os.kill(-1, signal.SIGKILL)
    if code != GAME_IS_OVER:
        os._exit(code if code >= 0 else SIGNAL_STATUS - code)
    if not is_apart:
        os._exit(0)
