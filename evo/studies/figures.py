"""Lines with bands, and small pictures for pages, for the figures of studies."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from results.folder.files import atomic_write, make_folder
from results.plots.style import STYLE


def draw_band(axes: Axes, x: Any, band: tuple[Any, Any, Any], alpha: float, **look: Any) -> None:
    """Plot a line with a band that shows the interval of each point.

    Args:
        axes: the panel.
        x: [K].
        band: the low ends, the line and the high ends, each [K].
        alpha: opacity of the band.
        look: of the line.
    """
    low, middle, high = (np.asarray(each, dtype=np.float64) for each in band)
    (line,) = axes.plot(x, middle, look.pop("style", "-"), **look)
    axes.fill_between(x, low, high, color=line.get_color(), alpha=alpha, linewidth=0)


def save_small(draw: Callable[[], Figure], file: Path) -> Path:
    """Save a figure as a PNG file of 80 dots an inch for a page, and return its path.

    ``draw`` makes the figure.
    """
    with matplotlib.rc_context(STYLE):
        stream = io.BytesIO()
        draw().savefig(stream, format="png", dpi=80, metadata={"Software": None})
    make_folder(file.parent)
    atomic_write(file, stream.getvalue())
    return file
