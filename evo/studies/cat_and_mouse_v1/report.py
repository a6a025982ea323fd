"""What ``evo reproduce cat-and-mouse-v1`` prints and keeps."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from evo.studies.cat_and_mouse_proof import proof_of
from evo.studies.cat_and_mouse_v1.study import PLAYERS, Result, Settings, run, validated
from evo.studies.page import Announce
from evo.studies.reproduction import Reproduction
from tournaments.options import as_options

__all__ = ["Settings", "reproduce"]

Proof = dict[str, dict[str, Any]]


def reproduce(settings: Settings, announce: Announce) -> Reproduction:
    """Run the study, and try what it ends with against the best possible opponents.

    Raises:
        ConfigError: a setting that cannot be.
    """
    settings = validated(settings)
    announce(f"{settings.iterations:,} iterations on {settings.rows}x{settings.cols}")
    begun = time.perf_counter()
    result = run(settings)
    seconds = time.perf_counter() - begun
    proof = _proof(settings, result)
    return Reproduction(
        record=_record(settings, result, proof, seconds),
        lines=tuple(_lines(settings, result, proof, seconds)),
        arrays={"cat": result.cat_policy, "mouse": result.mouse_policy},
        tables={"states": _states(result)},
    )


def _proof(settings: Settings, result: Result) -> Proof:
    """For each player what the best opponent does to its table; empty on boards too large."""
    board = {"rows": settings.rows, "cols": settings.cols, "first": settings.first}
    policies = zip(PLAYERS, (result.cat_policy, result.mouse_policy), strict=True)
    proofs = {seat: proof_of(policy, seat, **board) for seat, policy in policies}
    return {seat: proof for seat, proof in proofs.items() if proof}


def _record(settings: Settings, result: Result, proof: Proof, seconds: float) -> dict[str, Any]:
    lines = result.progress_lines
    return {
        "mouse": result.mouse,
        "cat": result.cat,
        "winner": result.winner,
        "moves": result.moves,
        "distance": result.distance,
        "progress_lines": lines,
        "winner_changes": result.winner_changes,
        "progress_lines_sha256": hashlib.sha256("\n".join(lines).encode()).hexdigest(),
        "candidates": result.candidates,
        "proof": proof or None,
        "seconds": seconds,
        "settings": as_options(settings),
    }


def _lines(settings: Settings, result: Result, proof: Proof, seconds: float) -> Iterator[str]:
    yield from result.progress_lines
    yield ""
    yield (
        f"After {settings.iterations:,} iterations: the mouse was winning {result.mouse:,} times, "
        f"the cat {result.cat:,} times."
    )
    yield result.verdict
    yield (
        f"{result.winner_changes:,} changes of the winner, {result.candidates:,} variants played, "
        f"{len(result.progress_lines):,} progress lines, {seconds:.2f} s"
    )
    yield ""
    yield "Against the best possible opponent, by exact play:"
    for seat, response in proof.items():
        yield f"  {seat:<5}  {response['statement']}"
    if not proof:
        yield f"  not computed: {settings.rows}x{settings.cols} cells are too many for the game"


def _states(result: Result) -> dict[str, Any]:
    winner, moves, distance = result.states.T
    return {
        "iteration": np.arange(len(winner)),
        "winner": np.array(PLAYERS)[winner].tolist(),
        "moves": moves,
        "distance": distance,
    }
