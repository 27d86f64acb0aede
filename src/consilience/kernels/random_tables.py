"""Random contingency tables with given margins: what is left of a table when one of its labellings is shuffled.

A table of K x L cells is drawn in one of two ways, whichever costs less; both are exact.

    shuffling   N labels are shuffled and counted: for tables with many cells and few items (Boyett 1979)
    cells       each cell from its hypergeometric distribution, given those before it: the cost does not grow with N
                (Patefield 1981 draws them so too; here each search starts at the mode)

Every table has a seed of its own, so that no result depends on how many threads draw them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from consilience.kernels.threads import Threads

Integers = npt.NDArray[np.integer[Any]]
Counts = npt.NDArray[np.int64]
Seeds = npt.NDArray[np.uint64]

_CELL = 24  # drawing a cell costs what shuffling so many labels does (measured: 150 to 190 ns, and 4 to 8 ns)
_FACTORIALS = 1 << 16  # logarithms of factorials held in a table; beyond, Stirling's series gives all digits
_GOLDEN, _MIX1, _MIX2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S32, _S11 = (np.uint64(s) for s in (30, 27, 31, 32, 11))
_LOW32 = np.uint64(0xFFFFFFFF)


def sums_of_squares(rows: Integers, columns: Integers, seeds: npt.NDArray[Any], threads: Threads) -> Counts:
    """Σ_ij n_ij² of one random table per seed; `rows` and `columns` are the margins, of equal sums."""
    rows = np.sort(rows[rows > 0]).astype(np.int64)  # the largest row, last, is what the others leave
    columns = -np.sort(-columns[columns > 0]).astype(np.int64)  # a row is often drawn before its last columns
    sums = np.zeros(len(seeds), np.int64)
    if not len(rows):
        return sums
    if _CELL * len(rows) * len(columns) > rows.sum():
        labels = np.repeat(np.arange(len(columns), dtype=np.int32 if len(columns) > 1 << 16 else np.uint16), columns)
        arguments: tuple[Any, ...] = (_shuffled, rows, labels, len(columns), seeds, sums)
    else:
        logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, _FACTORIALS)))])
        arguments = (_drawn, rows, columns, logs, seeds, sums)
    with np.errstate(over="ignore"):  # numbers of 64 bits are meant to wrap, also where kernels are not compiled
        threads.over(len(seeds), *arguments, least=1)
    return sums


@njit(nogil=True, cache=True)
def _random(state: Seeds) -> np.uint64:
    """The next 64 bits of SplitMix64 (Steele, Lea and Flood 2014)."""
    # state: 1
    state[0] += _GOLDEN
    z = state[0]
    z = (z ^ (z >> _S30)) * _MIX1
    z = (z ^ (z >> _S27)) * _MIX2
    return z ^ (z >> _S31)


@njit(nogil=True, cache=True)
def _below(n: np.uint64, state: Seeds) -> np.uint64:
    """A number under n < 2^32, all equally likely (Lemire 2019)."""
    product = (_random(state) >> _S32) * n
    low = product & _LOW32
    if low < n:
        least = (_LOW32 + np.uint64(1) - n) % n
        while low < least:
            product = (_random(state) >> _S32) * n
            low = product & _LOW32
    return product >> _S32


@njit(nogil=True, cache=True)
def _shuffled(rows: Counts, labels: Any, width: int, seeds: Seeds, sums: Counts, low: int, high: int) -> None:
    # rows: K; labels: N, sorted; seeds, sums: one per table
    state, mixed, count = np.empty(1, np.uint64), np.empty_like(labels), np.zeros(width, np.int64)
    for table in range(low, high):
        state[0] = seeds[table]
        mixed[:] = labels
        left, total = len(labels), 0
        for r in range(len(rows)):
            end = left
            first = end - rows[r]
            if r < len(rows) - 1:
                while left > first:
                    at = _below(np.uint64(left), state)
                    left -= 1
                    label = mixed[at]
                    mixed[at] = mixed[left]
                    mixed[left] = label
                    total += 2 * count[label] + 1  # (c + 1)² - c²
                    count[label] += 1
            else:
                for i in range(end):
                    total += 2 * count[mixed[i]] + 1
                    count[mixed[i]] += 1
            for i in range(first, end):
                count[mixed[i]] = 0
        sums[table] = total


@njit(nogil=True, cache=True)
def _drawn(rows: Counts, columns: Counts, logs: Any, seeds: Seeds, sums: Counts, low: int, high: int) -> None:
    # rows: K; columns: L; logs: ln k!; seeds, sums: one per table
    state, free = np.empty(1, np.uint64), np.empty_like(columns)
    for table in range(low, high):
        state[0] = seeds[table]
        free[:] = columns
        total = 0
        for r in range(len(rows) - 1):
            wanted = rows[r]
            rest = np.sum(free)
            for j in range(len(columns)):
                if wanted == 0:
                    break
                rest -= free[j]
                n = _hypergeometric(free[j], rest, wanted, logs, state)
                free[j] -= n
                wanted -= n
                total += n * n
        for j in range(len(columns)):
            total += free[j] * free[j]
        sums[table] = total


@njit(nogil=True, cache=True)
def _hypergeometric(good: int, bad: int, wanted: int, logs: Any, state: Seeds) -> int:
    """How many of `wanted` items drawn from good + bad are good: from the mode outwards until the chance is used up."""
    least, most = max(0, wanted - bad), min(wanted, good)
    if least == most:
        return least
    mode = int(((wanted + 1.0) * (good + 1.0)) / (good + bad + 2.0))
    mode = min(max(mode, least), most)
    p = math.exp(
        _log_factorial(good, logs)
        - _log_factorial(mode, logs)
        - _log_factorial(good - mode, logs)
        + _log_factorial(bad, logs)
        - _log_factorial(wanted - mode, logs)
        - _log_factorial(bad - wanted + mode, logs)
        + _log_factorial(wanted, logs)
        + _log_factorial(good + bad - wanted, logs)
        - _log_factorial(good + bad, logs)
    )
    u = np.float64(_random(state) >> _S11) * 2.0**-53 - p
    up, down, above, below = mode, mode, p, p
    while u >= 0 and (up < most or down > least):
        if up < most:
            above *= np.float64(wanted - up) * np.float64(good - up)
            up += 1
            above /= np.float64(up) * np.float64(bad - wanted + up)
            u -= above
            if u < 0:
                return up
        if down > least:
            below *= np.float64(down) * np.float64(bad - wanted + down)
            down -= 1
            below /= np.float64(wanted - down) * np.float64(good - down)
            u -= below
            if u < 0:
                return down
        if above < 1e-300 and below < 1e-300:
            break  # all chances together fell short of 1 by rounding
    return mode


@njit(nogil=True, cache=True)
def _log_factorial(k: int, logs: Any) -> float:
    """ln k!; Stirling's series from 65,536 on, where its third term is under the last digit."""
    if k < len(logs):
        return logs[k]
    x = np.float64(k)
    return (x + 0.5) * math.log(x) - x + 0.91893853320467274178 + 1 / (12 * x)
