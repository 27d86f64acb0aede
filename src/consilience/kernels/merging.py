"""Merging the nearest clusters until one is left: the nearest-neighbour chain, over rows made when they are wanted.

A cluster's row holds its dissimilarity D to every other cluster: the sum of δ(i, j) over the pairs of items between
the two, or the largest. Both follow a merge without looking at the items again,

    D(a ∪ b, c) = D(a, c) + D(b, c)    or    max(D(a, c), D(b, c)),

and so nothing is written when clusters merge but one row: every other row catches up, in order, when it is next
looked at, where it lies in the cache as a whole. (Writing a column instead touches a cache line per cluster.)

A row is made from inner products, P(a, j) = S_a · x_j with S_a the sum of the cluster's items, by the columns that
S_a has. Where δ follows from the products (1 - cos, ||x - y||²) any row can be made again at any time, so that rows
kept are a convenience: as many as the room allows, the one unused for longest makes place. For ||x - y|| and for
maxima only items' rows can be made, and all rows are kept.

The chain (Benzécri 1982; Murtagh 1983): from a cluster to its nearest, on to the nearest of that, until two are each
other's nearest; these merge, and the chain goes on from where it was. Every cluster is looked at about three times,
and the tree is the greedy one wherever no merge brings the merged nearer to a third (single, complete, average, Ward).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from consilience.kernels.rows import Floats64
from consilience.kernels.threads import Threads

Integers32 = npt.NDArray[np.int32]
Integers64 = npt.NDArray[np.int64]

AVERAGE, WARD, COMPLETE = 0, 1, 2
COSINE, SQUARED, EUCLIDEAN = 0, 1, 2  # δ = 1 - u·v, ||x - y||², ||x - y||

_AHEAD = 64  # items whose rows are made in one go: each is wanted sooner or later, and a call costs 50 µs
_TILE = 256  # items per tile of dense products: with 100 features 200 KB, which stay in the second level of the cache
_NARROW = 0.5  # columns of merged clusters are dropped where less than this share is alive; 0.75 cost a third more
_ROUNDING = 1e-14  # a squared distance under this share of its terms is rounding
_COSINE_ROUNDING = 1e-12  # likewise 1 - cos; unit rows made from rounded float32 differ by that much


class Items(NamedTuple):
    """The items by row and by column.

    Row i holds `values[p]` in column `columns[p]` for p in `starts[i]:starts[i + 1]`; column t is held by the items
    `holders[p]` with `weights[p]` for p in `first[t]:first[t + 1]`; or, if more are held than not, `across[t]` is the
    whole column (else `across` has no rows).
    """

    starts: Integers64
    columns: Integers32
    values: Floats64
    first: Integers64
    holders: Integers32
    weights: Floats64
    across: Floats64
    squares: Floats64


class Merges(NamedTuple):
    """Pairs of items whose clusters merged, and at which height; in the order found, children before parents."""

    pairs: Integers32
    heights: Floats64


class _Forest(NamedTuple):
    """Clusters on their way. A cluster is a column; the lower of two columns that merge goes on."""

    now: Integers64  # see the positions below
    alive: npt.NDArray[np.bool_]  # by column, as are the next
    sizes: Floats64
    inverse: Floats64  # 1/n
    totals: Floats64  # Σ ||x||²
    spread: Floats64  # squared error about the centroid / n
    heights: Floats64  # of the cluster's last merge
    slots: Integers64  # where its row is kept, -1: nowhere
    chained: npt.NDArray[np.bool_]
    heads: Integers32  # its lowest item
    tails: Integers32
    following: Integers32  # by item: the next of the same cluster, -1
    columns: Integers32  # by item: its cluster
    given: npt.NDArray[np.bool_]  # by item: its own row was made once
    chain: Integers32
    kept: Integers32  # the merges since columns were last dropped: into this column
    gone: Integers32  # from this one
    owners: Integers32  # by slot: whose row
    stamps: Integers64  # by slot: how many of these merges the row knows
    used: Integers64  # by slot: when it was last looked at
    free: Integers64  # slots without an owner, a stack
    rows: npt.NDArray[np.floating[Any]]  # slot s: rows[s * width : (s + 1) * width]
    scores: Floats64
    pairs: Integers32
    found: Floats64


class _Scratch(NamedTuple):
    """Room to add rows up: all zero between uses."""

    total: Floats64
    held: npt.NDArray[np.bool_]
    columns: Integers32


_WIDTH, _ALIVE, _CHAINED, _LOGGED, _MADE, _CLOCK, _FREE, _SLOTS, _NEXT = range(9)


def chain(items: Items, linkage: int, kind: int, room: int, threads: Threads) -> Merges:
    """The merges of all items. `room`: bytes of rows kept; for `COMPLETE` and `EUCLIDEAN` all N² x 4 are needed."""
    count = len(items.squares)
    whole = linkage == COMPLETE or kind == EUCLIDEAN
    forest = _forest(items, np.float32 if whole else np.float64, count * count if whole else room // 8)
    features = len(items.first) - 1
    sums, products = np.zeros((_AHEAD, features)), np.empty((_AHEAD, count))
    wanted, scratch = np.empty(_AHEAD, dtype=np.int32), _scratch(features)
    while (column := _advance(forest, linkage)) >= 0:
        number = _choose(forest, column, wanted)
        if len(items.across):
            _add_up(items, forest, wanted[:number], sums)
            threads.over(count, _dense_products, items, sums[:number], products)
        else:
            _sparse_products(items, forest, wanted[:number], scratch, products)
        _write_rows(items, forest, linkage, kind, wanted[:number], products)
    return Merges(forest.pairs, forest.found)


def spanning_tree(items: Items, kind: int) -> Merges:
    """The edges of a minimum spanning tree (Prim 1957), shortest first; O(N) memory, equal ones as they were found."""
    count, features = len(items.squares), len(items.first) - 1
    pairs, lengths = np.empty((max(count - 1, 0), 2), dtype=np.int32), np.empty(max(count - 1, 0))
    _prim(items, kind, _scratch(features), np.empty((1, count)), pairs, lengths)
    order = np.argsort(lengths, kind="stable")
    return Merges(pairs[order], lengths[order])


def _scratch(features: int) -> _Scratch:
    return _Scratch(np.zeros(features), np.zeros(features, dtype=np.bool_), np.zeros(features, dtype=np.int32))


def _forest(items: Items, kind: Any, room: int) -> _Forest:
    count = len(items.squares)
    slots = max(2, min(count, room // max(count, 1)))
    now = np.zeros(9, dtype=np.int64)
    now[[_WIDTH, _ALIVE, _FREE, _SLOTS]] = count, count, slots, slots
    each = np.arange(count, dtype=np.int32)
    free = np.zeros(max(count, 2), dtype=np.int64)
    free[:slots] = np.arange(slots)[::-1]
    return _Forest(
        now,
        np.ones(count, dtype=np.bool_),
        np.ones(count),
        np.ones(count),
        items.squares.copy(),
        np.zeros(count),
        np.zeros(count),
        np.full(count, -1, dtype=np.int64),
        np.zeros(count, dtype=np.bool_),
        each.copy(),
        each.copy(),
        np.full(count, -1, dtype=np.int32),
        each.copy(),
        np.zeros(count, dtype=np.bool_),
        np.zeros(count, dtype=np.int32),
        np.zeros(count, dtype=np.int32),
        np.zeros(count, dtype=np.int32),
        np.zeros(len(free), dtype=np.int32),
        np.zeros(len(free), dtype=np.int64),
        np.zeros(len(free), dtype=np.int64),
        free,
        np.empty(slots * count, dtype=kind),
        np.empty(count),
        np.empty((max(count - 1, 0), 2), dtype=np.int32),
        np.empty(max(count - 1, 0)),
    )


@njit(nogil=True, cache=True)
def _advance(forest: _Forest, linkage: int) -> int:
    """Goes along the chain until a row is wanted that is not there: that column; -1 when all is one."""
    now, chain = forest.now, forest.chain
    while now[_ALIVE] > 1:
        if now[_CHAINED] == 0:
            chain[0] = 0  # the lower column goes on, so the first is always alive
            now[_CHAINED] = 1
            forest.chained[0] = True
        a = chain[now[_CHAINED] - 1]
        if forest.slots[a] < 0:
            return a
        _catch_up(forest, linkage, forest.slots[a])
        now[_CLOCK] += 1
        forest.used[forest.slots[a]] = now[_CLOCK]
        _price(forest, linkage, a)
        least = _least(forest.scores, now[_WIDTH])
        before = chain[now[_CHAINED] - 2] if now[_CHAINED] > 1 else -1
        if before >= 0 and forest.scores[before] <= least:
            b = before
        else:
            b = 0
            while forest.scores[b] != least:
                b += 1
            if forest.chained[b]:  # a circle of equals, closed by rounding
                b = before
        if b != before:
            chain[now[_CHAINED]] = b
            now[_CHAINED] += 1
            forest.chained[b] = True
            continue
        _merge(forest, linkage, min(a, b), max(a, b), forest.scores[b], forest.inverse[a])
        if now[_ALIVE] < _NARROW * now[_WIDTH]:
            _narrow(forest, linkage)
    return -1


@njit(nogil=True, cache=True)
def _catch_up(forest: _Forest, linkage: int, slot: int) -> None:
    """Brings a row up to the last merge."""
    width, logged = forest.now[_WIDTH], forest.now[_LOGGED]
    row = forest.rows[slot * width : (slot + 1) * width]
    kept, gone = forest.kept, forest.gone
    if linkage == COMPLETE:
        for m in range(forest.stamps[slot], logged):
            row[kept[m]] = max(row[kept[m]], row[gone[m]])
            row[gone[m]] = np.inf
    else:
        for m in range(forest.stamps[slot], logged):
            row[kept[m]] += row[gone[m]]
            row[gone[m]] = np.inf
    forest.stamps[slot] = logged


@njit(nogil=True, cache=True)
def _price(forest: _Forest, linkage: int, a: int) -> None:
    """scores[c] = what is least for the nearest of a: n_a times the mean, the largest, or the growth of the error"""
    width = forest.now[_WIDTH]
    row = forest.rows[forest.slots[a] * width : (forest.slots[a] + 1) * width]
    scores, inverse, sizes, spread = forest.scores, forest.inverse, forest.sizes, forest.spread
    if linkage == AVERAGE:
        for c in range(width):
            scores[c] = row[c] * inverse[c]
    elif linkage == COMPLETE:
        for c in range(width):
            scores[c] = row[c]
    else:  # ||c_a - c_b||² = D / (n_a n_b) - E_a / n_a - E_b / n_b, times n_a n_b / (n_a + n_b)
        n, i, s = sizes[a], inverse[a], spread[a]
        for c in range(width):
            scores[c] = (row[c] * inverse[c] * i - s - spread[c]) * (n * sizes[c] / (n + sizes[c]))


@njit(nogil=True, cache=True)
def _least(scores: Floats64, width: int) -> float:
    """min(scores[:width]), in eight lanes: four times as fast as one that waits for itself"""
    a = b = c = d = e = f = g = h = np.inf
    n = 0
    while n + 8 <= width:
        a, b = min(a, scores[n]), min(b, scores[n + 1])
        c, d = min(c, scores[n + 2]), min(d, scores[n + 3])
        e, f = min(e, scores[n + 4]), min(f, scores[n + 5])
        g, h = min(g, scores[n + 6]), min(h, scores[n + 7])
        n += 8
    while n < width:
        a = min(a, scores[n])
        n += 1
    return min(min(min(a, b), min(c, d)), min(min(e, f), min(g, h)))


@njit(nogil=True, cache=True)
def _merge(forest: _Forest, linkage: int, a: int, b: int, score: float, share: float) -> None:
    """Cluster b joins a < b. The height is at least the children's: rounding must not turn the tree upside down."""
    now = forest.now
    height = score
    if linkage == AVERAGE:
        height = score * share
    elif linkage == WARD:
        score = max(score, 0.0)
        height = np.sqrt(2 * score)
    made = now[_MADE]
    forest.heights[a] = max(height, forest.heights[a], forest.heights[b])
    forest.found[made] = forest.heights[a]
    forest.pairs[made, 0], forest.pairs[made, 1] = forest.heads[a], forest.heads[b]
    now[_MADE] += 1
    now[_CHAINED] -= 2
    forest.chained[a] = forest.chained[b] = False

    _join_rows(forest, linkage, a, b)
    n = forest.sizes[a] + forest.sizes[b]
    error = forest.spread[a] * forest.sizes[a] + forest.spread[b] * forest.sizes[b] + score
    forest.spread[a] = error / n
    forest.sizes[a] = n
    forest.inverse[a] = 1 / n
    forest.totals[a] += forest.totals[b]
    item = forest.heads[b]
    forest.following[forest.tails[a]] = item
    forest.tails[a] = forest.tails[b]
    while item >= 0:
        forest.columns[item] = a
        item = forest.following[item]
    forest.alive[b] = False
    now[_ALIVE] -= 1


@njit(nogil=True, cache=True)
def _join_rows(forest: _Forest, linkage: int, a: int, b: int) -> None:
    """The merge into the log, and the row of the merged into the place of a's; without both, there is none."""
    now = forest.now
    width, s, t = now[_WIDTH], forest.slots[a], forest.slots[b]
    forest.kept[now[_LOGGED]], forest.gone[now[_LOGGED]] = a, b
    now[_LOGGED] += 1
    if s >= 0 and t >= 0:
        forest.stamps[s], forest.stamps[t] = _known(forest, linkage, s), _known(forest, linkage, t)
        mine, other = forest.rows[s * width : (s + 1) * width], forest.rows[t * width : (t + 1) * width]
        if linkage == COMPLETE:
            for c in range(width):
                mine[c] = max(mine[c], other[c])
        else:
            for c in range(width):
                mine[c] += other[c]
        mine[a] = mine[b] = np.inf
        forest.stamps[s] = now[_LOGGED]
        forest.used[s] = now[_CLOCK]
    elif s >= 0:
        _release(forest, a)
    if t >= 0:
        _release(forest, b)


@njit(nogil=True, cache=True)
def _known(forest: _Forest, linkage: int, slot: int) -> int:
    """Brings a row up to the last merge but the one just logged, which is its own; returns how many that are."""
    forest.now[_LOGGED] -= 1
    _catch_up(forest, linkage, slot)
    forest.now[_LOGGED] += 1
    return forest.now[_LOGGED] - 1


@njit(nogil=True, cache=True)
def _release(forest: _Forest, column: int) -> None:
    forest.free[forest.now[_FREE]] = forest.slots[column]
    forest.now[_FREE] += 1
    forest.slots[column] = -1


@njit(nogil=True, cache=True)
def _narrow(forest: _Forest, linkage: int) -> None:
    """Drops the columns of clusters that are no more; rows get shorter, so there is room for more of them."""
    now = forest.now
    width = now[_WIDTH]
    left = np.flatnonzero(forest.alive[:width])
    narrow = len(left)
    place = np.full(width, -1, dtype=np.int64)
    place[left] = np.arange(narrow)
    owned = np.zeros(now[_SLOTS], dtype=np.bool_)
    for c in left:
        if forest.slots[c] >= 0:
            owned[forest.slots[c]] = True
    for s in range(now[_SLOTS]):  # upwards, and each row upwards: what is written has been read
        if owned[s]:
            _catch_up(forest, linkage, s)
            old, new = forest.rows[s * width : (s + 1) * width], forest.rows[s * narrow : (s + 1) * narrow]
            for to in range(narrow):
                new[to] = old[left[to]]
            forest.owners[s] = place[forest.owners[s]]
            forest.stamps[s] = 0
    for to in range(narrow):
        c = left[to]
        forest.sizes[to], forest.inverse[to], forest.totals[to] = forest.sizes[c], forest.inverse[c], forest.totals[c]
        forest.spread[to], forest.heights[to], forest.slots[to] = forest.spread[c], forest.heights[c], forest.slots[c]
        forest.heads[to], forest.tails[to], forest.chained[to] = forest.heads[c], forest.tails[c], forest.chained[c]
        forest.alive[to] = True
    for i in range(len(forest.columns)):
        forest.columns[i] = place[forest.columns[i]]
    for n in range(now[_CHAINED]):
        forest.chain[n] = place[forest.chain[n]]
    slots = max(now[_SLOTS], min(narrow, len(forest.rows) // narrow))
    for new_slot in range(now[_SLOTS], slots):
        forest.free[now[_FREE]] = new_slot
        now[_FREE] += 1
    now[_SLOTS], now[_WIDTH], now[_LOGGED] = slots, narrow, 0


@njit(nogil=True, cache=True)
def _choose(forest: _Forest, column: int, wanted: Integers32) -> int:
    """The columns whose rows are made now: the one that is wanted, and items still alone while there is room."""
    now = forest.now
    wanted[0], number = column, 1
    while number < len(wanted) and number < now[_FREE] and now[_NEXT] < len(forest.columns):
        item = now[_NEXT]
        c = forest.columns[item]
        if not forest.given[item] and forest.sizes[c] == 1 and c != column:
            wanted[number] = c
            number += 1
            forest.given[item] = True
        now[_NEXT] += 1
    forest.given[forest.heads[column]] = True
    return number


@njit(nogil=True, cache=True)
def _add_up(items: Items, forest: _Forest, wanted: Integers32, sums: Floats64) -> None:
    """sums[n] = S of the cluster wanted[n]"""
    for n in range(len(wanted)):
        sums[n] = 0.0
        i = forest.heads[wanted[n]]
        while i >= 0:
            for p in range(items.starts[i], items.starts[i + 1]):
                sums[n, items.columns[p]] += items.values[p]
            i = forest.following[i]


@njit(nogil=True, cache=True)
def _dense_products(items: Items, sums: Floats64, out: Floats64, low: int, high: int) -> None:
    """out[n, j] = sums[n] · x_j, four features a turn, added in their order"""
    across, features = items.across, len(items.across)
    for left in range(low, high, _TILE):
        right = min(left + _TILE, high)
        for n in range(len(sums)):
            to, s = out[n, left:right], sums[n]
            to[:] = 0.0
            t = 0
            while t + 4 <= features:
                a, b, c, d = s[t], s[t + 1], s[t + 2], s[t + 3]
                p, q = across[t, left:right], across[t + 1, left:right]
                r, u = across[t + 2, left:right], across[t + 3, left:right]
                for j in range(right - left):
                    to[j] = to[j] + a * p[j] + b * q[j] + c * r[j] + d * u[j]
                t += 4
            while t < features:
                a, p = s[t], across[t, left:right]
                for j in range(right - left):
                    to[j] += a * p[j]
                t += 1


@njit(nogil=True, cache=True)
def _sparse_products(items: Items, forest: _Forest, wanted: Integers32, scratch: _Scratch, out: Floats64) -> None:
    """out[n, j] = S · x_j for the clusters wanted"""
    for n in range(len(wanted)):
        _scatter(items, forest.following, forest.heads[wanted[n]], scratch, out[n])


@njit(nogil=True, cache=True)
def _scatter(items: Items, following: Integers32, i: int, scratch: _Scratch, out: Floats64) -> None:
    """out[j] = S · x_j, S the sum of item i and those that follow it, by the columns that S holds"""
    number = 0
    while i >= 0:
        for p in range(items.starts[i], items.starts[i + 1]):
            t = items.columns[p]
            if not scratch.held[t]:
                scratch.held[t] = True
                scratch.columns[number] = t
                number += 1
            scratch.total[t] += items.values[p]
        i = following[i]
    out[:] = 0.0
    for p in range(number):
        t = scratch.columns[p]
        value = scratch.total[t]
        scratch.total[t], scratch.held[t] = 0.0, False
        for q in range(items.first[t], items.first[t + 1]):
            out[items.holders[q]] += value * items.weights[q]


@njit(nogil=True, cache=True)
def _deltas(kind: int, count: float, total: float, squares: Floats64, products: Floats64) -> None:
    """products[j] = Σ x_i · x_j becomes Σ δ(i, j), over `count` items i with Σ ||x_i||² = total"""
    if kind == COSINE:
        for j in range(len(squares)):
            delta = count - products[j]
            products[j] = delta if delta > _COSINE_ROUNDING * count else 0.0
        return
    for j in range(len(squares)):
        terms = total + count * squares[j]
        delta = terms - 2 * products[j]
        products[j] = delta if delta > _ROUNDING * terms else 0.0
    if kind == EUCLIDEAN:
        for j in range(len(squares)):
            products[j] = np.sqrt(products[j])


@njit(nogil=True, cache=True)
def _write_rows(items: Items, forest: _Forest, linkage: int, kind: int, wanted: Integers32, products: Floats64) -> None:
    """Products with items become dissimilarities to clusters, each row in a slot of its own."""
    now, sums = forest.now, forest.scores
    width = now[_WIDTH]
    for n in range(len(wanted)):
        a = wanted[n]
        _deltas(kind, forest.sizes[a], forest.totals[a], items.squares, products[n])
        sums[:width] = 0.0
        if linkage == COMPLETE:
            for j in range(len(forest.columns)):
                sums[forest.columns[j]] = max(sums[forest.columns[j]], products[n, j])
        else:
            for j in range(len(forest.columns)):
                sums[forest.columns[j]] += products[n, j]
        slot = _slot(forest)
        row = forest.rows[slot * width : (slot + 1) * width]
        for c in range(width):
            row[c] = sums[c] if forest.alive[c] else np.inf
        row[a] = np.inf
        now[_CLOCK] += 1
        forest.slots[a], forest.owners[slot] = slot, a
        forest.stamps[slot], forest.used[slot] = now[_LOGGED], now[_CLOCK]


@njit(nogil=True, cache=True)
def _slot(forest: _Forest) -> int:
    """A free place for a row; where there is none, that of the row unused for longest."""
    now = forest.now
    if now[_FREE] == 0:
        _release(forest, forest.owners[np.argmin(forest.used[: now[_SLOTS]])])
    now[_FREE] -= 1
    return forest.free[now[_FREE]]


@njit(nogil=True, cache=True)
def _prim(items: Items, kind: int, scratch: _Scratch, products: Floats64, pairs: Integers32, lengths: Floats64) -> None:
    # products: 1 x N; pairs: N - 1 x 2; lengths: N - 1
    count = len(items.squares)
    distance, source = np.full(count, np.inf), np.zeros(count, dtype=np.int32)
    outside = np.arange(1, count).astype(np.int32)  # rising, so that of equals the lowest is taken
    alone = np.full(count, -1, dtype=np.int32)
    row = np.zeros((1, len(items.across)))
    i = 0
    for made in range(count - 1):
        if len(items.across):
            row[:] = 0.0
            for p in range(items.starts[i], items.starts[i + 1]):
                row[0, items.columns[p]] = items.values[p]
            _dense_products(items, row, products, 0, count)
        else:
            _scatter(items, alone, i, scratch, products[0])
        _deltas(kind, 1.0, items.squares[i], items.squares, products[0])
        best, at, left = np.inf, 0, count - 1 - made
        for n in range(left):
            j = outside[n]
            if products[0, j] < distance[j]:
                distance[j], source[j] = products[0, j], i
            if distance[j] < best:
                best, at = distance[j], n
        i = outside[at]
        pairs[made, 0], pairs[made, 1], lengths[made] = source[i], i, best
        for n in range(at, left - 1):
            outside[n] = outside[n + 1]
