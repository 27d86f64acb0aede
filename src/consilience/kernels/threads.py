"""How many threads, and kernels run on them over blocks of rows."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self

from consilience.errors import SettingError

_BLOCK = 1024  # rows per task at least: some 0.1 ms of work, ten times what handing out a task costs


def thread_count(n_jobs: int | None) -> int:
    """How many threads `n_jobs` asks for, as in scikit-learn: None is one, -1 all cores, -2 all but one."""
    if n_jobs is None:
        return 1
    if n_jobs == 0:
        raise SettingError("the number of threads is 0; it is 1 or more, or -1 for all cores")
    return n_jobs if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)


class Threads:
    """Runs a kernel over blocks of rows, on as many threads as asked; kernels release the GIL.

    A kernel computes each row by itself, so neither the blocks nor the threads show in the result.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._pool = ThreadPoolExecutor(count) if count > 1 else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool:
            self._pool.shutdown()

    def over(self, rows: int, kernel: Callable[..., Any], *arguments: Any, least: int = _BLOCK) -> None:
        """Calls `kernel(*arguments, low, high)` for blocks of `least` rows or more that cover `rows` rows."""
        if self._pool is None or rows <= least:
            kernel(*arguments, 0, rows)
            return
        size = max(least, -(-rows // (8 * self.count)))  # eight blocks a thread even out unequal rows
        blocks = [(low, min(low + size, rows)) for low in range(0, rows, size)]
        for done in [self._pool.submit(kernel, *arguments, low, high) for low, high in blocks]:
            done.result()
