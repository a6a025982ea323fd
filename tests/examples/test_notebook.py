"""The notebook of the first evening runs from its first cell to its last."""

from __future__ import annotations

import pytest
from processes import ROOT

NOTEBOOK = ROOT / "examples/first-evening.ipynb"


@pytest.mark.slow
def test_the_notebook_runs_and_shows_boards_curves_and_tables(tmp_path, monkeypatch):
    nbformat = pytest.importorskip("nbformat", reason="needs the extra examples")
    client = pytest.importorskip("nbclient", reason="needs the extra examples")
    pytest.importorskip("ipykernel", reason="needs the extra examples")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "outputs are not kept"
    client.NotebookClient(
        notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    shown = {}
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            assert output.output_type != "error"
            if html := output.get("data", {}).get("text/html"):
                shown[cell.source.splitlines()[-1]] = html
                assert str(tmp_path) not in html
    assert "<svg" in shown["position"]
    assert "evo report evening writes a page" in shown["run"]
    assert "optimal" in shown['results.open_tournament("runs/cup")']
    assert (tmp_path / "report.html").stat().st_size > 100_000
