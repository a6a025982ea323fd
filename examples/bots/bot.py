"""A bot in Python: any legal action, each as likely as the others. See docs/bots.md."""

import json
import random
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "game":  # a new game: forget the one before
        chance = random.Random(message["seed"])
    elif message["type"] == "move":
        print(json.dumps({"action": chance.choice(message["legal"])}), flush=True)
