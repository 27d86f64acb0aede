"""K-means on the weighted co-association of members, without the N x N matrix.

    S = Σ_t w_t C_t C_t' = C W C',   C = [C_1 ... C_T],  W = the members' weights, diagonal   (Fodeh et al. 2009, 3-5)

S_ij is how often i and j stand in one cluster, by weight. The rows of S are clustered. For two rows

    ||S_i - S_j||² = (c_i - c_j)' G (c_i - c_j),   G = W C'C W

with c_i the row of C: a one for each of the T members, zeros for the rest of their clusters. So k-means on the rows
of S is k-means on the short rows c_i under the metric G. (It is what Y = C W (C'C)^(1/2) gives under Euclid's, as
Y Y' = S S', without the root. Negative weights do no harm: whatever the signs of W, G has no negative eigenvalue.)
With A_r = Σ_{i in r} c_i, the distance of an item from the mean of cluster r is

    d²(i, r) = c_i' G c_i - 2 c_i' H_r / n_r + A_r' H_r / n_r²,   H = G A

T look-ups in a table of (members' clusters) x K. Memory is N x T and (members' clusters)².
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit
from threadpoolctl import threadpool_limits

from consilience.errors import SettingError
from consilience.verdicts.members import Labels, Members

_MOST = 12_000  # clusters of all members: G is then 1.2 GB
_CANDIDATES = 8  # seeds tried per draw, as in k-means
_SAMPLE = 10_000  # items (or 100 per cluster) on which starts are compared where there are four times as many
_LEAST = 1e-9  # a gain under this share of its terms is rounding

_Floats = npt.NDArray[np.float64]
_Codes = npt.NDArray[np.int64]


class Coassociated(NamedTuple):
    """`error` is the squared error of the labels on the rows of S; items without any member are -1."""

    labels: Labels
    error: float


class _Problem(NamedTuple):
    """Items by their clusters in each member, numbered through (-1: none); the metric; c'Gc of every item."""

    codes: _Codes
    G: _Floats
    squares: _Floats


def coassociation(
    members: Members, weights: npt.ArrayLike, *, k: int, random_state: Any = 0, n_init: int = 10
) -> Coassociated:
    """k-means on the rows of S = Σ_t w_t C_t C_t', the best of `n_init` starts (greedy k-means++).

    From the seeds on, items are taken in their order and moved at once to where the squared error falls the most
    (Hartigan's exchange), until a whole pass finds no move that helps. Fewer distinct rows give fewer clusters.
    """
    width = int(members.offsets[-1])
    if width > _MOST:
        raise SettingError(
            f"the members have {width} clusters together, more than {_MOST}; "
            "take fewer members or clusters, or the consensus 'agreement' or 'entropy'"
        )
    labels = np.full(len(members.labels), -1, np.int32)
    some = np.flatnonzero((members.labels >= 0).any(axis=1))
    if not len(some):
        return Coassociated(labels, 0.0)
    problem = _problem(members, np.asarray(weights, np.float64), some)
    children = np.random.default_rng(random_state).spawn(n_init)
    with threadpool_limits(limits=1, user_api="blas"):  # its sums differ with the number of threads
        best = _best(problem, k, children)
    labels[some] = best.labels
    return Coassociated(labels, best.error)


def _best(problem: _Problem, k: int, children: list[np.random.Generator]) -> Coassociated:
    few = max(_SAMPLE, 100 * k)
    part, N = problem, len(problem.codes)
    if 4 * few <= N:
        rows = np.sort(children[0].choice(N, few, replace=False))
        part = _Problem(problem.codes[rows], problem.G, problem.squares[rows])
    runs = [_exchange(part, _assign(part, _seeds(part, k, chance))) for chance in children]
    best = min(runs, key=lambda run: run.error)
    return best if part is problem else _exchange(problem, _assign(problem, _means(part, best.labels)))


def metric(members: Members, weights: npt.ArrayLike) -> _Floats:
    """G = W C'C W, (members' clusters)²."""
    C = members.indicators()
    W = np.repeat(np.asarray(weights, np.float64), np.diff(members.offsets))
    return W[:, None] * (C.T @ C).toarray().astype(np.float64) * W


def _problem(members: Members, weights: _Floats, some: npt.NDArray[np.int64]) -> _Problem:
    G = metric(members, weights)
    labels = members.labels[some]
    codes = np.where(labels >= 0, labels + members.offsets[:-1], -1)
    squares = np.empty(len(some))
    _squares(codes, G, squares)
    return _Problem(codes, G, squares)


def _seeds(problem: _Problem, k: int, chance: np.random.Generator) -> _Floats:
    """Rows as columns, (members' clusters) x seeds; ends early where no item is left at a distance."""
    codes, G, squares = problem
    N, found = len(codes), list[int]()
    distances = np.full(N, np.inf)
    for r in range(min(k, N)):
        if r == 0:
            drawn = chance.integers(N, size=1)
        else:
            cumulated = np.cumsum(distances)
            if cumulated[-1] == 0:
                break
            drawn = np.searchsorted(cumulated, chance.random(_CANDIDATES) * cumulated[-1], side="right")
            drawn = np.minimum(drawn, np.flatnonzero(distances)[-1])
        after = np.empty((N, len(drawn)))
        _distances(codes, squares, _priced(G, codes[drawn]), squares[drawn], distances, after)
        best = int(after.sum(axis=0).argmin())
        found.append(int(drawn[best]))
        distances = after[:, best].copy()
    return _columns(codes[found], len(G))


def _assign(problem: _Problem, means: _Floats) -> Labels:
    """The nearest mean of each item; clusters without gaps."""
    H = problem.G @ means
    labels = np.empty(len(problem.codes), np.int32)
    _nearest(problem.codes, H, np.einsum("jr,jr->r", means, H) / 2, labels)
    used = np.bincount(labels, minlength=means.shape[1]) > 0
    return (np.cumsum(used) - 1)[labels].astype(np.int32)


def _exchange(problem: _Problem, labels: Labels) -> Coassociated:
    """Moves one item at a time while the squared error falls; sums are made anew for every pass."""
    k = int(labels.max()) + 1
    while True:
        sizes = np.bincount(labels, minlength=k)
        A = np.zeros((len(problem.G), k))
        _add_up(problem.codes, labels, A)
        H = problem.G @ A
        inner = np.einsum("jr,jr->r", A, H)
        if not _pass(problem.codes, problem.G, problem.squares, labels, sizes, H, inner):
            return Coassociated(labels, max(0.0, float(problem.squares.sum() - (inner / sizes).sum())))


def _means(problem: _Problem, labels: Labels) -> _Floats:
    A = np.zeros((len(problem.G), int(labels.max()) + 1))
    _add_up(problem.codes, labels, A)
    return A / np.bincount(labels)


def _priced(G: _Floats, codes: _Codes) -> _Floats:
    """G c of some items, as columns: sums of T rows of G, which is symmetric."""
    return np.stack([G[row[row >= 0]].sum(axis=0) for row in codes], axis=1)


def _columns(codes: _Codes, width: int) -> _Floats:
    """The rows c of some items, as columns."""
    out = np.zeros((width, len(codes)))
    for n, row in enumerate(codes):
        out[row[row >= 0], n] = 1
    return out


@njit(nogil=True, cache=True)
def _add_up(codes: _Codes, labels: Labels, A: _Floats) -> None:
    """A[j, r] = how many items of cluster r are in cluster j of the members'"""
    for i in range(len(labels)):
        for t in range(codes.shape[1]):
            if codes[i, t] >= 0:
                A[codes[i, t], labels[i]] += 1


@njit(nogil=True, cache=True)
def _squares(codes: _Codes, G: _Floats, out: _Floats) -> None:
    """out[i] = c_i' G c_i"""
    for i in range(len(codes)):
        total = 0.0
        for s in codes[i]:
            for t in codes[i]:
                if s >= 0 and t >= 0:
                    total += G[s, t]
        out[i] = total


@njit(nogil=True, cache=True)
def _products(codes: _Codes, i: int, H: _Floats, out: _Floats) -> None:
    """out[r] = c_i · H_r"""
    out[:] = 0.0
    for t in range(codes.shape[1]):
        j = codes[i, t]
        if j >= 0:
            for r in range(H.shape[1]):
                out[r] += H[j, r]


@njit(nogil=True, cache=True)
def _distances(codes: _Codes, squares: _Floats, H: _Floats, lengths: _Floats, so_far: _Floats, out: _Floats) -> None:
    """out[i, r] = min(so_far[i], d²(i, r)), for single items r"""
    products = np.empty(H.shape[1])
    for i in range(len(codes)):
        _products(codes, i, H, products)
        for r in range(H.shape[1]):
            distance = squares[i] + lengths[r] - 2 * products[r]
            if distance < 1e-12 * (squares[i] + lengths[r]):
                distance = 0.0
            out[i, r] = min(distance, so_far[i])


@njit(nogil=True, cache=True)
def _nearest(codes: _Codes, H: _Floats, half: _Floats, out: Labels) -> None:
    products = np.empty(H.shape[1])
    for i in range(len(codes)):
        _products(codes, i, H, products)
        out[i] = np.argmax(products - half)


@njit(nogil=True, cache=True)
def _pass(
    codes: _Codes,
    G: _Floats,
    squares: _Floats,
    labels: Labels,
    sizes: npt.NDArray[np.int64],
    H: _Floats,
    inner: _Floats,
) -> int:
    """Every item once; returns how many moved. inner[r] = A_r' G A_r"""
    # codes: N x T; G: J x J; H: J x K; sizes, inner: K
    K = len(sizes)
    products = np.empty(K)
    shift = np.empty(len(G))
    moved = 0
    for i in range(len(labels)):
        a = labels[i]
        if sizes[a] < 2:
            continue
        _products(codes, i, H, products)
        n = sizes[a]
        own = (squares[i] - 2 * products[a] / n + inner[a] / (n * n)) * n / (n - 1)
        least, b = np.inf, a
        for r in range(K):
            if r != a:
                n = sizes[r]
                cost = (squares[i] - 2 * products[r] / n + inner[r] / (n * n)) * n / (n + 1)
                if cost < least:
                    least, b = cost, r
        n = sizes[a]
        if own - least <= _LEAST * (squares[i] + inner[a] / (n * n)):
            continue
        shift[:] = 0.0  # G c_i, from rows of G: it is symmetric
        for j in codes[i]:
            if j >= 0:
                for m in range(len(G)):
                    shift[m] += G[j, m]
        for m in range(len(G)):
            H[m, b] += shift[m]
            H[m, a] -= shift[m]
        inner[b] += 2 * products[b] + squares[i]
        inner[a] += squares[i] - 2 * products[a]
        sizes[b] += 1
        sizes[a] -= 1
        labels[i] = b
        moved += 1
    return moved
