"""Which classes a clustering mixes up, and what became of each class.

The company of class c: for a document of c, the expected share of its cluster that is of class d,

    P[c, d] = 1/n_c Σ_j n_cj n_dj / n_j        Σ_d P[c, d] = 1

A document that is not assigned keeps its own company. n_c P[c, d] is symmetric: as many documents of c keep company
with d as the other way round. Nothing here maps clusters to classes, so any number of clusters will do.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from consilience.measures.contingency import Contingency
from consilience.measures.mappings import many_to_one, optimal
from consilience.nouns import Integers

_PAIRS = 10
_CLASSES = 3000  # of more classes, pairs of them are too many to look at


class Fate(NamedTuple):
    """What became of a class: its items, those that are assigned, the cluster that holds most of them, how much of the
    class lies there and how much of that cluster it is, and F of the two. Cluster -1: none is assigned."""

    number: int
    items: int
    assigned: int
    cluster: int
    held: float
    share: float
    f: float


class Mixed(NamedTuple):
    """Two classes in common clusters: how many documents' worth of company, as a share of either, and where most."""

    a: int
    b: int
    documents: float
    share_of_a: float
    share_of_b: float
    cluster: int


class Grid(NamedTuple):
    """The table as a picture: classes by clusters, ordered so that what belongs together lies on the diagonal.

    `cells` are items; the last column but one is all other clusters, the last what is not assigned; the last row all
    other classes. These are 0 wide or high in meaning where nothing is left over.
    """

    classes: Integers
    clusters: Integers
    cells: Integers


def fates(table: Contingency, unassigned: Integers) -> list[Fate]:
    """A row a class, in the classes' order; `unassigned` counts its items outside the table."""
    best = many_to_one(table.transposed)  # the cluster that holds most of a class
    at = {(int(r), int(c)): int(n) for n, r, c in zip(table.n, table.row, table.column, strict=True) if best[r] == c}
    found = []
    for number, inside in enumerate(table.rows):
        cluster, items = int(best[number]), int(inside + unassigned[number])
        n = at.get((number, cluster), 0)
        held, share = (n / items if items else 0.0), (n / int(table.columns[cluster]) if n else 0.0)
        f = 2 * held * share / (held + share) if n else 0.0
        found.append(Fate(number, items, int(inside), cluster, held, share, f))
    return found


def mixed(table: Contingency, unassigned: Integers, most: int = _PAIRS) -> list[Mixed]:
    """The pairs of classes that keep each other most company, the worst first; only where it is a document or more."""
    shape = (len(table.rows), len(table.columns))
    if shape[0] > _CLASSES:
        return []
    counts = sparse.csr_array((table.n.astype(np.float64), (table.row, table.column)), shape=shape)
    weighted = counts @ sparse.diags_array(1 / np.maximum(table.columns, 1).astype(np.float64))
    together = sparse.coo_array(sparse.triu(weighted @ counts.T, k=1))
    order = np.lexsort((together.col, together.row, -together.data))[:most]
    sizes = table.rows + unassigned
    found = []
    for row, column, documents in zip(together.row[order], together.col[order], together.data[order], strict=True):
        if documents < 1:
            break
        a, b = int(row), int(column)
        where = np.asarray(weighted[[a]].multiply(counts[[b]]).todense()).ravel()
        found.append(
            Mixed(a, b, float(documents), float(documents / sizes[a]), float(documents / sizes[b]), int(where.argmax()))
        )
    return found


def grid(table: Contingency, unassigned: Integers, most: int = 30) -> Grid:
    """The largest classes and, beside each, the cluster matched to it; then the clusters left, the largest first."""
    sizes = table.rows + unassigned
    classes = np.lexsort((np.arange(len(sizes)), -sizes))[:most]
    partner = np.full(len(sizes), -1)
    h = optimal(table)
    partner[h[h >= 0]] = np.flatnonzero(h >= 0)
    matched = [int(partner[c]) for c in classes if partner[c] >= 0]
    rest = [int(j) for j in np.lexsort((np.arange(len(table.columns)), -table.columns)) if table.columns[j]]
    taken = set(matched)
    clusters = np.array((matched + [j for j in rest if j not in taken])[:most], dtype=np.int64)
    row_at = np.full(len(sizes), len(classes))
    row_at[classes] = np.arange(len(classes))
    column_at = np.full(len(table.columns), len(clusters))
    column_at[clusters] = np.arange(len(clusters))
    cells = np.zeros((len(classes) + 1, len(clusters) + 2), np.int64)
    np.add.at(cells, (row_at[table.row], column_at[table.column]), table.n)
    np.add.at(cells[:, -1], row_at, unassigned)
    return Grid(classes, clusters, cells)
