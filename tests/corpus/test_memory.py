"""Reading takes less than twice the file in memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

_MEASURE = """
import resource, sys
import polars, numpy, consilience.corpus
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
corpus = consilience.corpus.read(sys.argv[1])
print(len(corpus), (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss counts kilobytes on Linux only")
@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_peak_below_twice_the_file(tmp_path: Path, kind: str) -> None:
    file = tmp_path / f"a.{kind}"
    words = "the quick brown fox, it jumps over the lazy dog and writes about it at length; " * 12
    with file.open("w") as out:
        out.write("id,text\n" if kind == "csv" else "")
        for i in range(400_000):
            text = f"{i} {words}"
            out.write(f'{i},"{text}"\n' if kind == "csv" else json.dumps({"id": i, "text": text}) + "\n")
    run = subprocess.run([sys.executable, "-c", _MEASURE, str(file)], capture_output=True, text=True, check=True)
    documents, peak = map(int, run.stdout.split())
    assert documents == 400_000
    assert peak < 2 * file.stat().st_size
