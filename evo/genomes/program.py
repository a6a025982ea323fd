"""Programs: texts that a mutator changes, for the learner ``program-search``.

The genes of a program are the SHA-256 of its text, uint8 ``[N, 32]``. Snapshots hold the texts in
their column ``source``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from evo.genomes.base import EncodingOptions, Genome, Plan, plans_by_role
from tournaments.errors import ConfigError, TournamentError, nearest, shown
from tournaments.game import Game
from tournaments.named_files import naming_folder, read_named
from tournaments.options import checked, option, table
from tournaments.players.bot.sandbox import ProgramLimits
from tournaments.players.programs import FIRST_BOT, Programs, remember, text_of

SUFFIX = re.compile(r"(\.\w{1,16})?", re.ASCII)
MOST_BYTES = 1 << 20
"""Maximum size of a program in bytes."""


@dataclass(frozen=True)
class ProgramGenes(Genome):
    """Genomes of programs. Only a mutator can change them.

    Attributes:
        representation: the programs as players.
        files: the files of the first programs.
    """

    default_mutation: ClassVar[str] = ""
    unit: ClassVar[str] = "bytes of a SHA-256"
    rule: ClassVar[str] = "a program is changed as a text"
    representation: Programs
    files: tuple[str, ...]

    def first_texts(self) -> list[str]:
        """Return the texts of the first programs: of the files, or a bot that plays at random.

        Raises:
            ConfigError: a file cannot be read, or is no text.
        """
        return [text_of_file(file) for file in self.files] or [FIRST_BOT]

    def check_files(self, game: Game) -> None:
        """Raise if a first program is missing, or cannot be a program of the game.

        Raises:
            ConfigError: the message names the file.
        """
        if game.rules.contest is not None and not self.files:
            raise ConfigError(
                "no genome.files given; the first programs are expected for a contest, such as "
                "--set 'genome.files=[\"first.py\"]'"
            )
        for file, text in zip(self.files, self.first_texts(), strict=False):
            try:
                self.representation.check(game, text)
            except TournamentError as error:
                raise ConfigError(f"genome.files={file!r} given; {error}") from None

    def random(self, individuals: int, rng: np.random.Generator) -> np.ndarray:
        """Return the first programs in turn, uint8 ``[N, 32]``. Nothing is random.

        Raises:
            ConfigError: as of :meth:`first_texts`.
        """
        return self.genes_of(self.first_texts(), individuals)

    def genes_of(self, texts: list[str], individuals: int) -> np.ndarray:
        """Return the genes of a number of individuals that have these texts in turn."""
        digests = [remember(text) for text in texts]
        joined = b"".join(digests[row % len(digests)] for row in range(individuals))
        return np.frombuffer(joined, dtype=np.uint8).reshape(individuals, -1).copy()

    def sources(self, genes: np.ndarray) -> list[str]:
        """Return the texts of individuals."""
        return [text_of(row.tobytes()) for row in genes]

    def diversity(self, genes: np.ndarray) -> float:
        """Return the share of pairs of individuals whose texts differ, 0 to 1."""
        count = len(genes)
        if count < 2:
            return 0.0
        same = sum(each * (each - 1) for each in Counter(map(bytes, genes)).values())
        return 1.0 - same / (count * (count - 1))

    def are_alleles(self, genes: np.ndarray) -> bool:
        """Return whether genes are bytes."""
        return genes.dtype == np.uint8

    @property
    def can_change(self) -> bool:
        """False: a SHA-256 cannot be mutated."""
        return False


@dataclass(frozen=True)
class ProgramOptions(EncodingOptions):
    """Texts of programs, which a mutator changes (learner program-search).

    In games with positions, programs are bots (docs/bots.md). In contests, the simulator gets their
    files, or calls a function of them.

    Attributes:
        files: the files of the first programs, which generation 0 holds in turn; of a role as in
            red=a.py; empty: a bot that plays at random
        function: function of a Python program that the simulator of a contest calls; empty: the
            simulator gets the path of the file
        confined: whether that function runs in a process with the limits of bots; false: in the
            process of the simulator, with all that you may do
        limits: the limits of such a process and of bots: seconds, game_seconds, start, memory,
            output
        suffix: ending of the names of the programs' files; empty: that of the first files, or .py
    """

    programs: ClassVar[bool] = True
    encoding: str = option("program")
    files: tuple[str, ...] = option(())
    function: str = option("")
    confined: bool = option(True)
    limits: dict[str, Any] = table()
    suffix: str = option("")

    @staticmethod
    def fits(game: Game) -> bool:
        """Return True: programs play every game, and take part in every contest."""
        return True

    def plans(self, game: Game) -> tuple[Plan, ...]:
        """Return the populations of programs that evolve in a game: one, or one per role.

        Raises:
            ConfigError: options that do not go together, or with the game.
        """
        by_role = self._files_by_role(game)
        suffixes = {Path(file).suffix for files in by_role.values() for file in files}
        if not self.suffix and len(suffixes) > 1:
            raise ConfigError(
                f"genome.files={shown(list(self.files))} given; their names end in "
                f"{' and '.join(sorted(suffixes))}: give programs of one language, or genome.suffix"
            )
        suffix = self.suffix or next(iter(suffixes), ".py")
        if not SUFFIX.fullmatch(suffix):
            raise ConfigError(
                f"genome.suffix={shown(suffix)} given; an ending of a file's name is expected, "
                "such as .py"
            )
        if self.function and not self.function.isidentifier():
            raise ConfigError(
                f"genome.function={shown(self.function)} given; the name of a function is expected"
            )
        if self.function and (game.rules.contest is None or suffix != ".py"):
            raise ConfigError(
                f"genome.function={self.function!r} given; a contest calls a function of a Python "
                "program (.py): leave it out"
            )
        if not self.confined and not self.function:
            raise ConfigError(
                "genome.confined=false given without genome.function; bots are always confined, "
                "and a simulator itself runs the files that it gets: leave it out"
            )
        limits = checked(ProgramLimits, "genome.limits.", self.limits, ConfigError)

        def genome(seats: tuple[int, ...]) -> ProgramGenes:
            form = suffix, self.function, self.confined, limits, naming_folder()
            files = by_role[game.seats[seats[0]] if game.rules.has_roles else ""]
            return ProgramGenes(Programs(seats, *form), files)

        return plans_by_role(game, genome)

    def _files_by_role(self, game: Game) -> Mapping[str, tuple[str, ...]]:
        """Return the files of each role, or of all seats under an empty name.

        Raises:
            ConfigError: a role has no file, or does not exist.
        """
        if not game.rules.has_roles:
            return {"": self.files}
        files: dict[str, list[str]] = {seat: [] for seat in game.seats}
        for file in self.files:
            role, is_named, rest = file.partition("=")
            if is_named and role not in files:
                raise ConfigError(
                    f"genome.files={file!r} given{nearest(role, game.seats)}; the roles are "
                    f"{' and '.join(game.seats)}"
                )
            for seat in [role] if is_named else game.seats:
                files[seat].append(rest if is_named else file)
        if missing := [seat for seat, own in files.items() if not own and self.files]:
            raise ConfigError(
                f"genome.files={shown(list(self.files))} given; there is no program of "
                f"{missing[0]}: add {missing[0]}=FILE"
            )
        return {seat: tuple(own) for seat, own in files.items()}


def text_of_file(file: str) -> str:
    """Return the text of a first program.

    Raises:
        ConfigError: the file cannot be read, is too large, or is no text in UTF-8.
    """
    try:
        return read_named(file, MOST_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ConfigError(f"genome.files={file!r} given; a text in UTF-8 is expected") from None
    except TournamentError as error:
        raise ConfigError(f"genome.files={file!r} given; {error}") from None
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"genome.files={file!r} given; {getattr(error, 'strerror', error)}: the path of a "
            "program is expected"
        ) from None


GENOME = ProgramOptions
