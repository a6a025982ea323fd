"""Workers take no more of a machine than they were given, and let nobody in."""

from __future__ import annotations

import os
import subprocess
import sys
from math import inf
from pathlib import Path

import pytest

from cluster import processors
from cluster.processors import available_threads, time_limit


def group(folder: Path, **files: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / f"cpu.{name}").write_text(text)


@pytest.mark.parametrize(
    ("own", "inner", "limit"),
    [("max 100000", "max 100000", inf), ("250000 100000", "max 100000", 2.5),
     ("max 100000", "50000 100000", 0.5), ("100000 100000", "300000 100000", 1.0),
     ("nonsense", "100000 0", inf)],
)  # fmt: skip
def test_the_least_time_of_a_control_group_and_those_above_it_counts(own, inner, limit, tmp_path):
    group(tmp_path / "groups" / "pod", max=own)
    group(tmp_path / "groups" / "pod" / "container", max=inner)
    (tmp_path / "own").write_text("0::/pod/container\n")
    assert time_limit(tmp_path / "groups", tmp_path / "own") == limit


@pytest.mark.parametrize(("quota", "limit"), [("-1\n", inf), ("150000\n", 1.5)])
def test_control_groups_of_the_first_version_count_too(quota, limit, tmp_path):
    group(tmp_path / "cpu,cpuacct" / "job", cfs_quota_us=quota, cfs_period_us="100000\n")
    (tmp_path / "own").write_text("5:memory:/job\n4:cpu,cpuacct:/job\n0::/\n")
    assert time_limit(tmp_path, tmp_path / "own") == limit


def test_without_control_groups_there_is_no_limit(tmp_path):
    assert time_limit(tmp_path, tmp_path / "none") == inf


@pytest.mark.parametrize(("limit", "expected"), [(inf, 8), (2.5, 3), (0.5, 1), (64.0, 8)])
def test_threads_are_no_more_than_processors_and_their_time(limit, expected, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(8)))
    monkeypatch.setattr(processors, "time_limit", lambda: limit)
    assert available_threads() == expected


LISTENING = """
import os, time
from pathlib import Path
from cluster.ray_connection import RayConnection

class Actor:
    def variables(self):
        import pyarrow
        return os.environ["OPENBLAS_NUM_THREADS"], pyarrow.cpu_count()

def addresses():
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if b"MARK_OF_A_TEST=" + os.environ["MARK_OF_A_TEST"].encode() not in (
                folder / "environ"
            ).read_bytes():
                continue
            files = [os.readlink(file) for file in (folder / "fd").iterdir()]
        except OSError:
            continue
        sockets = {name[8:-1] for name in files if name.startswith("socket:[")}
        for table in ("tcp", "tcp6"):
            for line in (folder / "net" / table).read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == "0A" and fields[9] in sockets:
                    yield fields[1].rpartition(":")[0]

connection = RayConnection(1, None)
actor = connection.make(Actor)
print(*connection.ray.get(actor.variables.remote()))
print(*addresses())
connection.close()
"""
LOOPBACK = {"0100007F", "00000000000000000000000001000000", "0000000000000000FFFF00000100007F"}
"""As /proc has 127.0.0.1, ::1 and ::ffff:127.0.0.1."""


@pytest.mark.slow
def test_a_ray_of_this_machine_listens_for_it_alone_and_its_actors_have_one_thread(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", LISTENING],
        env={**os.environ, "MARK_OF_A_TEST": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    variables, addresses = done.stdout.splitlines()
    assert variables == "1 1"
    assert len(addresses.split()) > 3
    assert set(addresses.split()) <= LOOPBACK
