"""The process of a program whose function is called: ``called.py PATH FILE FUNCTION``.

PATH has the folders of packages. Python runs without its module ``site``, which takes a third of
the time to start.

Each line of standard input is a pickle of the arguments, in base64. Each answer is a line of JSON
with the result or the error. What the program prints goes to standard error.
"""

import base64
import json
import os
import pickle
import sys

answers = os.fdopen(os.dup(1), "w", encoding="ascii")
os.dup2(2, 1)
path, file, name = sys.argv[1:]
sys.path += filter(None, path.split(os.pathsep))


def plain(value):
    """Convert a number or an array of numpy for JSON."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"returned {type(value).__name__}, which is not JSON")


names: dict = {"__name__": "evolved", "__file__": file}
for line in sys.stdin:
    try:
        if name not in names:
            with open(file, encoding="utf-8") as stream:
                exec(compile(stream.read(), file, "exec"), names)
            if name not in names:
                raise NameError(f"the program has no function {name}")
        value = names[name](*pickle.loads(base64.b64decode(line)))
        answer = json.dumps({"value": value}, default=plain)
    except BaseException as error:
        answer = json.dumps({"error": f"raised {type(error).__name__}: {str(error)[:200]}"})
    answers.write(f"{answer}\n")
    answers.flush()
