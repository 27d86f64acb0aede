"""A partition to start from: k-means++ seeds and a few steps of Lloyd's iteration, for methods that climb from there.

Greedy k-means++ (Arthur and Vassilvitskii 2007): of several rows drawn by their squared distance from the seeds so
far, the one that lowers the sum of these distances the most. Where rows are plenty, a sample of them is looked at.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from consilience.kernels.rows import (
    Floats32,
    Floats64,
    Labels,
    Rows,
    add_up,
    column_squares,
    dots,
    nearest,
    rows_of,
    squares,
)
from consilience.kernels.threads import Threads

CANDIDATES = 8  # seeds tried per draw: one vector register of float32; more of them measured better, five no faster
_SAMPLE = 10_000  # rows (or 100 per cluster) to work on where there are four times as many
_STEPS = 5  # of Lloyd's iteration: more changed no result of the methods that go on from here
SAME = 1e-6  # two rows are one if their squared distance is under this share of their squares


class Points(NamedTuple):
    """The rows, with u_i = weights[i] x_i and squares[i] = ||u_i||²; a row of weight 0 takes no part."""

    rows: Rows
    weights: Floats32
    squares: Floats64
    features: int


def points_of(X: Any, *, cosine: bool, threads: Threads) -> Points:
    """The rows of X as they are, or of unit length for the cosine, to which a row of zeros is nothing."""
    rows = rows_of(X)
    lengths = np.empty(X.shape[0])
    threads.over(len(lengths), squares, rows, lengths)
    if not cosine:
        return Points(rows, np.ones(len(lengths), dtype=np.float32), lengths, X.shape[1])
    some = lengths > 0
    weights = np.zeros(len(lengths), dtype=np.float32)
    weights[some] = 1 / np.sqrt(lengths[some])
    return Points(rows, weights, some.astype(np.float64), X.shape[1])


def start_labels(X: Any, k: int, *, cosine: bool, chance: np.random.Generator, threads: Threads) -> Labels:
    """A cluster for every row, without gaps; fewer than k where fewer rows differ, -1 for what takes no part."""
    points = points_of(X, cosine=cosine, threads=threads)
    some, few = np.flatnonzero(points.weights), max(_SAMPLE, 100 * k)
    part = points
    if len(some) >= 4 * few:
        sample = X[np.sort(chance.choice(some, few, replace=False))]
        part, some = points_of(sample, cosine=cosine, threads=threads), np.arange(few)
    centres = _seeds(part, some, k, chance, threads)
    for _ in range(_STEPS):
        centres = _moved(part, centres, cosine, threads)
    labels = _nearest(points, centres, threads)
    used = np.bincount(labels[labels >= 0], minlength=1) > 0
    return np.where(labels >= 0, (np.cumsum(used) - 1)[labels], -1).astype(np.int32)


def _seeds(
    points: Points, rows: npt.NDArray[np.int64], k: int, chance: np.random.Generator, threads: Threads
) -> Floats32:
    """Seeds as columns, features x k; ends early where no row is left at a distance."""
    seeds = np.zeros((points.features, min(k, len(rows))), dtype=np.float32)
    tried = np.zeros((points.features, CANDIDATES), dtype=np.float32)
    after = np.empty((len(rows), CANDIDATES), dtype=np.float32)
    distances = np.full(len(rows), np.inf, dtype=np.float32)
    for r in range(seeds.shape[1]):
        if r == 0:
            drawn = np.repeat(chance.integers(len(rows)), CANDIDATES)  # the best of several blind draws: an outlier
        else:
            cumulated = np.cumsum(distances, dtype=np.float64)
            if cumulated[-1] == 0:
                return seeds[:, :r].copy()
            drawn = np.searchsorted(cumulated, chance.random(CANDIDATES) * cumulated[-1], side="right")
            drawn = np.minimum(drawn, np.flatnonzero(distances)[-1])  # a product may round up to the total
        chosen = rows[drawn]
        write_rows(points.rows, points.weights, chosen, tried)
        threads.over(len(rows), distances_to, points, rows, tried, points.squares[chosen], distances, after)
        best = int(after.sum(axis=0, dtype=np.float64).argmin())
        seeds[:, r], distances = tried[:, best], after[:, best].copy()
        write_rows(points.rows, np.zeros_like(points.weights), chosen, tried)
    return seeds


def _moved(points: Points, centres: Floats32, cosine: bool, threads: Threads) -> Floats32:
    """Means, or unit vectors along the sums, of what is nearest to each centre; one without items stays."""
    labels, sums = _nearest(points, centres, threads), np.zeros(centres.shape)
    add_up(points.rows, points.weights, labels, sums)
    by = np.bincount(labels[labels >= 0], minlength=centres.shape[1]).astype(np.float64)
    if cosine:
        by = np.sqrt(column_squares(sums))
    return np.where(by > 0, sums / np.where(by > 0, by, 1), centres).astype(np.float32)


def _nearest(points: Points, centres: Floats32, threads: Threads) -> Labels:
    half = (column_squares(centres) / 2).astype(np.float32)
    return nearest(points.rows, points.weights, points.squares, centres, half, threads).labels


@njit(nogil=True, cache=True)
def write_rows(rows: Rows, weights: Floats32, chosen: npt.NDArray[np.int64], out: Floats32) -> None:
    """Column t of out becomes the chosen row t, where that has entries."""
    for t in range(len(chosen)):
        i = chosen[t]
        for p in range(rows.starts[i], rows.starts[i + 1]):
            out[rows.columns[p - i * rows.width], t] = weights[i] * rows.values[p]


@njit(nogil=True, cache=True, fastmath={"contract"})
def distances_to(
    points: Any,
    chosen: npt.NDArray[np.int64],
    centres: Floats32,
    lengths: Floats64,
    so_far: Floats32,
    out: Floats32,
    low: int,
    high: int,
) -> None:
    """out[n, t] = min(so_far[n], ||u - c_t||²) for the chosen rows"""
    # points: with rows, weights and squares; centres: features x T; lengths: T, their squares; so_far: n; out: n x T
    T = centres.shape[1]
    products = np.empty(T, dtype=np.float32)
    for n in range(low, high):
        i = chosen[n]
        dots(points.rows, i, centres, products)
        for t in range(T):
            both = points.squares[i] + lengths[t]
            distance = both - 2 * points.weights[i] * products[t]
            if distance < SAME * both:
                distance = 0.0
            out[n, t] = min(distance, so_far[n])
