"""Serve calls of a function of a program over standard input and output.

Started as ``function_server.py PATH``, where PATH has the folders of packages. Python runs without
its module ``site``, which takes a third of the time to start. The first line of standard input has
the program's text, the name of its function and the arguments of the first call; each further line
has the arguments of a call. A line is a pickle in base64. Each answer is a line of JSON with the
result or the error. What the program prints goes to standard error.
"""

import base64
import json
import os
import pickle
import sys
import types

answers = os.fdopen(os.dup(1), "w", encoding="ascii")
os.dup2(2, 1)
sys.path += filter(None, sys.argv[1].split(os.pathsep))
text, name, first = pickle.loads(base64.b64decode(sys.stdin.readline()))
module = sys.modules["evolved"] = types.ModuleType("evolved")


def plain(value):
    """Convert a number or an array of numpy for JSON."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"returned {type(value).__name__}, which is not JSON")


def calls():
    """Yield the arguments of each call."""
    yield first
    for line in sys.stdin:
        yield pickle.loads(base64.b64decode(line))


for arguments in calls():
    try:
        if arguments is first:
            exec(compile(text, "evolved", "exec"), vars(module))
        value = getattr(module, name)(*arguments)
        answer = json.dumps({"value": value}, default=plain, allow_nan=False)
    except BaseException as error:
        answer = json.dumps({"error": f"raised {type(error).__name__}: {str(error)[:200]}"})
    answers.write(f"{answer}\n")
    answers.flush()
