"""What ``evo reproduce leaderboard`` prints, keeps and draws, and the page that it writes."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from evo.config.config import Config
from evo.studies.leaderboard.page import STUDY, command_of, page
from evo.studies.leaderboard.study import (
    BY,
    OPPONENTS,
    Entry,
    Network,
    Settings,
    Yardsticks,
    champion_of,
    on_the_grid,
    run,
    validated,
)
from evo.studies.page import Announce, text_table
from evo.studies.reproduction import Reproduction
from results.folder.files import atomic_write, make_folder
from tournaments.options import as_options

__all__ = ["Settings", "reproduce"]

NETWORKS = "networks"
SHOWN = 8
"""Entries in the picture: so many of the strongest; the best of the study's is shown anyway."""
ENTRY_COLUMNS = {
    "entry": "",
    "games": ",d",
    "seeds": "d",
    **{f"{name}_median": ".1%" for name in OPPONENTS},
    "level-1_least": ".1%",
    "level-1_greatest": ".1%",
    "bars": "d",
}
EXACT_COLUMNS = {
    "network": "",
    "which": "",
    **dict.fromkeys(OPPONENTS, ".2%"),
    "regret": ".4f",
    "optimal_share": ".1%",
    "exploitability": ".3f",
    "bars": "",
}


def reproduce(settings: Settings, announce: Announce) -> Reproduction:
    """Run what is not run yet, measure all of it, and write the page if it was asked for.

    Raises:
        ConfigError: see :func:`evo.studies.leaderboard.study.run`.
    """
    settings = validated(settings)
    begun = time.perf_counter()
    entries = run(settings, announce)
    kept = dict(_kept(entries))
    exact = list(_exactly(entries, kept, settings, announce))
    record = {
        "entries": [_entry_record(entry) for entry in entries],
        "exact": exact,
        "seconds": time.perf_counter() - begun,
        "settings": as_options(settings),
    }
    curves = _curves(entries)
    if settings.page:
        _write_page(Path(settings.page), record, curves, kept)
    arrays = {name: network.weights for name, network in kept.items()}
    return Reproduction(record, tuple(_lines(record)), arrays=arrays, tables={"curves": curves})


def _kept(entries: list[Entry]) -> Iterator[tuple[str, Network]]:
    """The best networks: of the entries of two million games, and of the longer ones."""
    for is_long in (True, False):
        some = [entry for entry in entries if entry.is_long == is_long]
        if some:
            entry = max(some, key=lambda entry: bool(entry.meets_bars.any()))  # the first of equals
            network = champion_of(entry, entry.seed_at(1.0))
            for form in (network, on_the_grid(network)):
                yield form.name, form


def _exactly(
    entries: list[Entry],
    kept: Mapping[str, Network],
    settings: Settings,
    announce: Announce,
) -> Iterator[dict[str, Any]]:
    """Rows of exact figures: the best seed of an entry, the median one, the best on the grid."""
    if not settings.exact:
        return
    yardsticks = Yardsticks(entries[0].config, settings.workers)
    for entry in entries[: settings.exact]:
        best, median = entry.seed_at(1.0), entry.seed_at(0.5)
        networks = {"best": champion_of(entry, best)}
        if median != best:
            networks["median"] = champion_of(entry, median)
        grid = kept.get(on_the_grid(networks["best"]).name)
        if grid is not None:
            networks["best, on the grid"] = grid
        for which, network in networks.items():
            columns = yardsticks.of(network, announce)
            yield {**columns, "which": which, "kept": network.name in kept}


def _entry_record(entry: Entry) -> dict[str, Any]:
    spread = {
        name: {
            "median": float(entry.median[place]),
            "least": float(entry.final[:, place].min()),
            "greatest": float(entry.final[:, place].max()),
            "seeds": entry.final[:, place].tolist(),
        }
        for place, name in enumerate(OPPONENTS)
    }
    seed = next(iter(entry.paths))
    return {
        "entry": entry.cell.name,
        "scheme": scheme_of(entry.config),
        "learner": entry.config.learner.in_words + _origin(entry),
        "genome": genome_of(entry.config),
        "games": int(entry.played[-1]),
        "seeds": len(entry.paths),
        "missing": list(entry.missing),
        **spread,
        "bars": int(entry.meets_bars.sum()),
        "is_long": entry.is_long,
        "command": command_of(_by_itself(entry), seed, f"runs/{entry.cell.name}"),
    }


def _origin(entry: Entry) -> str:
    """What an entry goes on from, if anything."""
    start = entry.cell.table.get("start")
    return f", from `{Path(start).parent.name}`" if start else ""


def _by_itself(entry: Entry) -> dict[str, Any]:
    """The configuration of an entry; where it goes on from another run, from that run's command."""
    table = dict(entry.cell.table)
    if "start" in table:
        table["start"] = f"runs/{Path(table['start']).parent.name}"
    return table


def scheme_of(config: Config) -> str:
    """The scheme in words: whom an individual meets, and what counts."""
    scheme = config.scheme
    assert scheme is not None  # the entries' learners arrange no matches
    if not scheme.panel:
        return scheme.name
    counted = "boxes" if getattr(scheme, "score", 0) else "games won"
    return f"{scheme.name}, {' + '.join(scheme.panel)}, by {counted}"


def genome_of(config: Config) -> str:
    """The genome in words."""
    genome = config.genome
    if genome.encoding == "bit-network":
        return f"{genome.bits} bits a weight"
    return f"real, symmetric, own {genome.own:g}" if genome.symmetry else "real"


def _curves(entries: list[Entry]) -> dict[str, Any]:
    """Columns: entry, games spent, and against each opponent the median of the seeds."""
    rows = [
        (entry.cell.name, int(games), *np.median(entry.rates[:, place], axis=0).tolist())
        for entry in entries
        for place, games in enumerate(entry.played)
    ]
    return dict(
        zip(("entry", "games", *OPPONENTS), map(list, zip(*rows, strict=True)), strict=True)
    )


def _write_page(
    file: Path, record: Mapping[str, Any], curves: Mapping[str, Any], kept: Mapping[str, Network]
) -> None:
    from evo.studies.leaderboard.plot import plot_leaders

    make_folder(file.parent / NETWORKS)
    for name, network in kept.items():
        stream = io.BytesIO()
        np.save(stream, network.weights, allow_pickle=False)
        atomic_write(file.parent / NETWORKS / f"{name}.npy", stream.getvalue())
    shown = [entry["entry"] for entry in record["entries"][:SHOWN]]
    shown += [entry["entry"] for entry in record["entries"][SHOWN:] if entry["entry"] in STUDY][:1]
    picture = plot_leaders(curves, shown, OPPONENTS[: BY + 2], file.with_suffix(".png"))
    atomic_write(file, page(record, picture.name, NETWORKS).encode())


def _lines(record: Mapping[str, Any]) -> Iterator[str]:
    settings = record["settings"]
    yield (
        f"Shares of {settings['games']:,} games won by the champions, the median over seeds; bars: "
        "seeds that meet all of them."
    )
    yield from text_table([_flat(entry) for entry in record["entries"]], ENTRY_COLUMNS)
    if record["exact"]:
        yield ""
        yield "Exactly, of all games:"
        yield from text_table(record["exact"], EXACT_COLUMNS)
    yield ""
    yield f"{record['seconds']:.0f} s"


def _flat(entry: Mapping[str, Any]) -> dict[str, Any]:
    spread = {
        f"{name}_{key}": entry[name][key]
        for name in OPPONENTS
        for key in ("median", "least", "greatest")
    }
    return {**entry, **spread}
