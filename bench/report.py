"""How long the report of 18,846 documents takes to draw, and how large the page is.

CONSILIENCE_DATA=... python bench/report.py
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from consilience.corpus import read
from consilience.reports import pages
from consilience.runs import Settings, walk


def main() -> None:
    corpus = read(Path(os.environ["CONSILIENCE_DATA"]) / "20newsgroups_bydate.jsonl.gz", strip="headers")
    run = walk(corpus, Settings(k=20))
    pages(run, "warm-up")
    began, worked = time.perf_counter(), time.process_time()
    files = pages(run, "20 Newsgroups")
    seconds, processor = time.perf_counter() - began, time.process_time() - worked
    size = len(files["report.html"].encode()) / 1e6
    print(
        f"report of {len(corpus)} documents: {seconds:.2f} s (wanted: under 5), {processor:.2f} s of processor time "
        f"(all threads together), {size:.2f} MB (wanted: under 8)"
    )


if __name__ == "__main__":
    main()
