"""The simulator of programs with a function ``act(x)``: match.py RED BLUE SEED.

Blue scores each time that its answer is greater than red's and at most 1.
"""

import json
import random
import runpy
import sys

red, blue = (runpy.run_path(path)["act"] for path in sys.argv[1:3])
chance = random.Random(int(sys.argv[3]))
points = sum(red(x) < blue(x) <= 1 for x in (chance.random() for _ in range(20)))
print(json.dumps({"scores": [20 - points, points]}))
