"""A sample of docstrings, error messages and help texts: `python -m benchmarks.blind --seed 1`.

A reader who sees only the sample says what each function does, what went wrong and how to mend it,
or what each option does. `--answers` adds the place of each text, to judge the reader by the code.
"""

import argparse
import ast
import random
from collections.abc import Iterator
from pathlib import Path

from evo.cli.main import COMMANDS
from evo.cli.options import flag_of, flags_of
from evo.requests.base import sentence_of

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("evo", "tournaments", "cluster", "results")
COUNTS = {"docstring": 50, "message": 20, "help": 20}
LEAST_WORDS = 6
"""Words of an error message: shorter ones are parts of messages."""


def texts() -> Iterator[tuple[str, str, str]]:
    """Yield the kind, the text and the place of all texts."""
    for package in PACKAGES:
        for file in sorted((ROOT / package).rglob("*.py")):
            place = file.relative_to(ROOT)
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.FunctionDef) and (doc := ast.get_docstring(node)):
                    parameters = ", ".join(each.arg for each in node.args.args)
                    yield (
                        "docstring",
                        f"({parameters}): {doc}",
                        f"{place}:{node.lineno} {node.name}",
                    )
                if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                    for argument in node.exc.args:
                        message = _text_of(argument)
                        if len(message.split()) >= LEAST_WORDS:
                            yield "message", message, f"{place}:{node.lineno}"
    for name in COMMANDS.own():
        command = COMMANDS.load(name)
        if command.record is not None:
            for item in flags_of(command.record):
                if not item.metadata.get("hidden"):
                    text = f"evo {name}: {sentence_of(command.record, item)}"
                    yield "help", text, f"{name} {flag_of(item)}"


def _text_of(node: ast.AST) -> str:
    """Return a string of the source, with the names of its values in braces."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_text_of(part) for part in node.values)
    return f"{{{ast.unparse(node.value)}}}" if isinstance(node, ast.FormattedValue) else ""


def main() -> None:
    """Print the sample of a seed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--answers", action="store_true", help="print the place of each text")
    options = parser.parse_args()
    draw, known = random.Random(options.seed), list(texts())
    for kind, count in COUNTS.items():
        for number, each in enumerate(
            draw.sample([text for text in known if text[0] == kind], count)
        ):
            print(f"[{kind} {number + 1}]" + (f" {each[2]}" if options.answers else ""))
            print(each[1] + "\n")


if __name__ == "__main__":
    main()
