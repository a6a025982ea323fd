"""``evo league``: ratings of the submissions in a folder, updated every night."""

from __future__ import annotations

from evo.cli.console import print_rows
from evo.cli.options import command_of
from evo.execution import Execution
from evo.requests.tournaments import LeagueRequest

COLUMNS = {
    "rank": "d",
    "submission": "",
    **dict.fromkeys(("rating", "rating_low", "rating_high"), "+z.0f"),
    **dict.fromkeys(("games", "wins", "draws", "losses", "forfeits", "repeated"), ",d"),
    "score": ".1%",
    "state": "",
    "causes": "",
    "why": "",
}


def _play(request: LeagueRequest, execution: Execution) -> int:
    from evo.pages.site import league

    table = league(request, execution)
    rows = table.rows()
    print_rows(rows, COLUMNS, execution.json)
    if not execution.json:
        seed = "" if table.seed is None else f" with seed {table.seed}"
        print(f"\n{table.games:,} games tonight{seed}; the page is {table.folder / 'index.html'}")
        if request.site is not None:
            print(f"pages for a web server: {request.site}")
    return 0


COMMAND = command_of(LeagueRequest, _play, rank=6, group="measure")
