"""What ``evo reproduce dots-and-boxes-supervised`` prints and keeps."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from evo.studies.dots_and_boxes_supervised.result import Result
from evo.studies.dots_and_boxes_supervised.study import Settings, measure, validated
from evo.studies.page import Announce, columns_of, text_table
from evo.studies.reproduction import Reproduction
from evo.studies.training.curve import OPPONENTS, widths_of
from tournaments.options import as_options

__all__ = ["Settings", "reproduce"]

SUMMARY_COLUMNS = {
    "width": "g",
    "opponent": "",
    "mean_before": ".1%",
    "best_before": ".1%",
    "mean": ".1%",
    "deviation": ".1%",
    "best": ".1%",
    "again": ".2%",
    "again_low": ".2%",
    "again_high": ".2%",
}
WIDTH_COLUMNS = {
    "width": "g",
    "first_slope": ".4f",
    "error": ".3f",
    "best_moves": ".1%",
    "third_sides": ".1%",
    "level_0": ".1%",
    "grid_level_0": ".1%",
    "level_1": ".2%",
    "grid_level_1": ".2%",
    "training_seconds": ".1f",
}
VARIANT_COLUMNS = {
    "variant": "",
    "width": "g",
    "positions": ",d",
    "epochs": ",d",
    "error": ".3f",
    "best_moves": ".1%",
    "level_0": ".1%",
    "level_0_best": ".1%",
    "level_1": ".2%",
    "level_1_best": ".2%",
}


def reproduce(settings: Settings, announce: Announce) -> Reproduction:
    """Train, measure and explain; tables, the best networks as weights files, and figure 5.

    Raises:
        ConfigError: a setting that cannot be.
    """
    settings = validated(settings)
    begun = time.perf_counter()
    result = measure(settings, announce)
    seconds = time.perf_counter() - begun
    record = _record(settings, result, seconds)
    tables = {"curve": result.curve, "networks": result.networks, "variants": result.variants}
    return Reproduction(
        record=record,
        lines=tuple(_lines(record)),
        arrays=_arrays(settings, result),
        tables={name: columns_of(rows) for name, rows in tables.items() if rows},
        draw=lambda folder: _draw(result, folder),
    )


def _record(settings: Settings, result: Result, seconds: float) -> dict[str, Any]:
    rate, low, high = result.random
    return {
        "summary": list(_summaries(settings, result)),
        "widths": [_of_width(result, width) for width in widths_of(settings)],
        "variants": [asdict(row) for row in result.variants],
        "positions": list(result.positions),
        "left_out": list(result.left_out),
        "random_play": {"win_rate": rate, "win_rate_low": low, "win_rate_high": high}
        | {"third_sides": result.random_third_sides},
        "seconds": seconds,
        "settings": as_options(settings),
    }


def _summaries(settings: Settings, result: Result) -> Iterator[dict[str, Any]]:
    """A row a width and opponent: before training, and at the end."""
    for width in widths_of(settings):
        for opponent in OPPONENTS:
            first, *_, last = result.of(width, opponent)
            yield {**asdict(last), "mean_before": first.mean, "best_before": first.best}


def _of_width(result: Result, width: float) -> dict[str, Any]:
    """Means over the networks of a width."""
    rows = [row for row in result.networks if row.width == width]
    means = {
        name: float(np.mean([getattr(row, name) for row in rows]))
        for name in WIDTH_COLUMNS
        if name not in ("width", "training_seconds")
    }
    return {"width": width, **means, "training_seconds": result.training_seconds[width]}


def _arrays(settings: Settings, result: Result) -> dict[str, np.ndarray]:
    """All networks of each width, and each best one in a file that plays."""
    arrays = {}
    for width, weights in zip(widths_of(settings), result.weights, strict=True):
        arrays[f"networks-{width:g}"] = weights
        for opponent in OPPONENTS:
            best = result.last(width, opponent).network
            arrays[f"best-{width:g}-against-{opponent}"] = weights[best]
    return arrays


def _draw(result: Result, folder: Path) -> list[Path]:
    import pandas as pd

    from evo.studies.dots_and_boxes_supervised.plot import training_figure
    from results.plots.style import save_all

    levels = {"level-0": (0.5, "even"), "level-1": (result.random[0], "random play")}
    curve = pd.DataFrame(columns_of(result.curve))
    return save_all({"figure-5": lambda: training_figure(curve, levels)}, folder)


def _lines(record: dict[str, Any]) -> Iterator[str]:
    settings, random = record["settings"], record["random_play"]
    yield (
        f"{settings['networks']} networks of each width of the first weights, "
        f"{settings['epochs']:,} epochs over {settings['sets']} sets of "
        f"{np.mean(record['positions']):,.0f} positions in the mean "
        f"({settings['training_games']:,} games)."
    )
    yield (
        f"Shares of {settings['games']:,} games won, before and after; the best again by "
        f"{settings['again']:,} fresh games."
    )
    yield from text_table(record["summary"], SUMMARY_COLUMNS)
    yield ""
    yield (
        f"Random play wins {random['win_rate']:.2%} ({random['win_rate_low']:.2%} to "
        f"{random['win_rate_high']:.2%}) against level 1."
    )
    yield ""
    yield "On positions never learned from, and as the nearest genome (10 bits a weight):"
    yield from text_table(record["widths"], WIDTH_COLUMNS)
    yield ""
    yield (
        f"Where no move completes a box and some draw no third side, {random['third_sides']:.1%} "
        "of the moves of random play draw one."
    )
    if record["variants"]:
        yield ""
        yield f"With one thing different, {settings['explained_by']} networks each:"
        yield from text_table(record["variants"], VARIANT_COLUMNS)
    yield ""
    yield f"{record['seconds']:.0f} s"
