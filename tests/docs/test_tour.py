"""The tour runs, says what the page reads out of it, and leaves a whole run behind."""

import subprocess
import sys

import pytest


@pytest.mark.slow
def test_the_tour(root, tmp_path):
    tour = root / "examples" / "tour.py"
    done = subprocess.run([sys.executable, str(tour)], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    lines = done.stdout.splitlines()
    assert 20 < len(lines) < 60
    said = {line[:12].strip(): line[12:] for line in lines}
    assert said["same seed"] == "the same labels"
    assert said["verify"] == "the same again"
    assert said["clusters"].startswith("12 of sizes")
    assert {"other seed", "against", "taught", "misfit", "socket", "words", "note", "predicted"} <= set(said)
    assert (tmp_path / "tour-run" / "report.html").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["docstrings.parquet", "tour-run"]
