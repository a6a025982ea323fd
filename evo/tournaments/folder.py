"""The entries and the seed that a tournament or a league stores in its folder."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from evo.versions import other_rules
from results.folder.tournament import SECRET_FILE, TournamentWriter
from tournaments.errors import ConfigError


def refuse_other(writer: TournamentWriter, now: Mapping[str, Any]) -> None:
    """Raise if the folder holds another tournament or league.

    Args:
        writer: writer of the folder.
        now: entries of ``tournament.json`` that must be the same.

    Raises:
        ConfigError: an entry differs, or the games were played under other rules.
    """
    assert writer.info is not None
    info, path = writer.info, writer.path
    if line := other_rules(str(path), info.get("versions", {})):
        raise ConfigError(f"{line}: give another folder with --out")
    for name, value in now.items():
        held = info.get(name)
        if held != value:
            is_secret = name == "seed" and None in (held, value)
            asked = "a secret one" if is_secret and value is None else value
            held = "a secret one, until it is over" if is_secret and held is None else held
            raise ConfigError(
                f"{name} {asked} given; {path} holds games of {name} {held}: give that, or another "
                "folder with --out"
            )


def note(writer: TournamentWriter, now: Mapping[str, Any], versions: Mapping[str, str]) -> None:
    """Write entries of ``tournament.json`` unless they are the same already.

    The first write also stores the time and the versions.
    """
    created = datetime.now(UTC).isoformat(timespec="seconds")
    wanted = {**(writer.info or {"created": created, "versions": versions}), **now}
    if wanted != writer.info:
        writer.write_info(wanted)


def secret_seed(writer: TournamentWriter | None) -> int:
    """Return the secret seed of an interrupted tournament, or a new unpredictable seed.

    Raises:
        ConfigError: the folder holds games of a secret seed, but the seed is lost.
    """
    if writer is None:
        return secrets.randbits(128)
    seed = writer.secret_seed
    if seed is None:
        if len(writer.pairs["round"]):
            raise ConfigError(
                f"{writer.path} holds games of a secret seed, but not the file {SECRET_FILE} that "
                "held it: give another folder with --out"
            )
        seed = writer.secret_seed = secrets.randbits(128)
    return seed


def publish(writer: TournamentWriter, **seeds: Any) -> None:
    """Write seeds into ``tournament.json`` and remove the secret seed."""
    assert writer.info is not None
    writer.write_info({**writer.info, **seeds})
    writer.secret_seed = None
