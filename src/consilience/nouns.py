"""The nouns: what the stages hand to each other.

    Corpus ──▶ Tokens ──▶ Vectors ──▶ Clustering
                          labels from anywhere ──▶ Labelling

Each is frozen, checked once when it is built and trusted afterwards, and carries its `Recipe`: the step that made
it, with settings and what it was made from, enough to make it again. Items are named by the same `ids` throughout.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import sparse

from consilience.errors import DuplicateIds, InputError, MissingColumn, SettingError

Integers = npt.NDArray[np.integer[Any]]
Floats = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Recipe:
    """How a noun was made: the step, its settings (JSON values), and the recipe of what it was made from."""

    step: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    source: Recipe | None = None

    def as_json(self) -> list[dict[str, Any]]:
        """The steps in the order they were taken."""
        earlier = self.source.as_json() if self.source else []
        return [*earlier, {"step": self.step, **self.settings}]


@dataclass(frozen=True, eq=False)
class Corpus:
    """Documents: ids, texts, and every other column they came with.

    `columns` holds all input columns but id and text, as they came; `label` and `time` name two of them.
    `skipped` counts broken lines that were left out because the reader was told to.
    """

    ids: pl.Series
    texts: pl.Series
    columns: pl.DataFrame = field(default_factory=pl.DataFrame)
    label: str | None = None
    time: str | None = None
    recipe: Recipe = Recipe("given")
    skipped: int = 0

    def __post_init__(self) -> None:
        for name, series in (("id", self.ids), ("text", self.texts)):
            if series.dtype != pl.String or series.null_count():
                raise InputError(f"a Corpus needs {name}s as strings without gaps; it got {series.dtype}")
        rows = len(self.ids)
        if len(self.texts) != rows or (self.columns.width and self.columns.height != rows):
            raise InputError(f"a Corpus needs one text and one row of columns per id; it got {rows} ids")
        for role in (self.label, self.time):
            if role is not None and role not in self.columns.columns:
                raise MissingColumn(f"no column {role!r}; there are: {', '.join(self.columns.columns)}")
        if self.ids.n_unique() != rows:
            twice = self.ids.filter(self.ids.is_duplicated())
            raise DuplicateIds(
                f"{len(twice)} of {rows} items share their id with another, the first is {twice[0]!r}; "
                "ids must be unique: name another column with --id, or leave ids out to have rows numbered"
            )

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def truth(self) -> pl.Series | None:
        """Gold labels, a list of classes per item (empty where there is none); None without a label column."""
        if self.label is None:
            return None
        column = self.columns[self.label]
        if isinstance(column.dtype, pl.Array):
            column = column.arr.to_list()
        if column.dtype.is_float():
            column = column.fill_nan(None)  # what pandas writes for no label
        if not isinstance(column.dtype, pl.List):
            column = column.cast(pl.String).replace("", None)
            return pl.select(
                pl.when(column.is_null()).then(pl.lit([], dtype=pl.List(pl.String))).otherwise(pl.concat_list(column))
            ).to_series()
        return column.cast(pl.List(pl.String)).fill_null([]).list.drop_nulls()

    @property
    def times(self) -> pl.Series | None:
        """The time column as it came; None without one."""
        return None if self.time is None else self.columns[self.time]

    def take(self, rows: Integers) -> Corpus:
        """The same documents in another order, or some of them."""
        return Corpus(
            self.ids[rows],
            self.texts[rows],
            self.columns[rows] if self.columns.width else self.columns,
            self.label,
            self.time,
            self.recipe,
            self.skipped,
        )


@dataclass(frozen=True, eq=False)
class Tokens:
    """Texts as ragged rows of term numbers: item i holds `terms[starts[i]:starts[i + 1]]`.

    `vocabulary[t]` is the term, `surface[t]` the whole word to show for it (they differ where terms are stems).
    `language` is an ISO 639-1 code, or "unknown"; `of` says what the terms are: "words", "nouns" or "senses".
    """

    items: pl.Series
    terms: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int64]
    vocabulary: pl.Series
    surface: pl.Series
    language: str
    recipe: Recipe
    of: str = "words"

    def __post_init__(self) -> None:
        if len(self.starts) != len(self.items) + 1 or self.starts[-1] != len(self.terms):
            raise InputError(f"Tokens need len(items) + 1 = {len(self.items) + 1} starts; they got {len(self.starts)}")
        if len(self.vocabulary) != len(self.surface):
            raise InputError("Tokens need one surface form per term")

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True, eq=False)
class Vectors:
    """One row per item: a CSR matrix with sorted indices or a dense one, float32, with a name for every column.

    `terms` are the columns of the counts it was made from, `estimator` the fitted view, for other documents.
    """

    items: pl.Series
    matrix: sparse.csr_array | npt.NDArray[np.float32]
    features: pl.Series
    recipe: Recipe
    terms: pl.Series = field(default_factory=lambda: pl.Series("term", [], dtype=pl.String))
    estimator: Any = None

    def __post_init__(self) -> None:
        if self.matrix.shape != (len(self.items), len(self.features)):
            raise InputError(
                f"Vectors need a matrix of {len(self.items)} items x {len(self.features)} features; "
                f"it is {self.matrix.shape[0]} x {self.matrix.shape[1]}"
            )
        values = self.matrix.data if isinstance(self.matrix, sparse.csr_array) else self.matrix
        if not np.isfinite(values).all():
            raise InputError("Vectors hold NaN or infinity; every value must be finite")

    def __len__(self) -> int:
        return len(self.items)

    @property
    def empty(self) -> npt.NDArray[np.bool_]:
        """Which items have no feature at all."""
        if isinstance(self.matrix, np.ndarray):
            return ~np.any(self.matrix, axis=1)
        return np.diff(self.matrix.indptr) == 0


@dataclass(frozen=True, eq=False)
class Clustering:
    """Which items belong together. Clusters are numbered 0, 1, ... by falling size; -1 is not assigned.

    `second` is each item's next best cluster (-1: none). `estimator` is the fitted method, for prediction.

    `merges` is the tree of a hierarchical method as scipy.cluster.hierarchy writes it: row m says which two clusters
    merge into cluster n + m, at which height, and how many items it then has. Its leaves 0 to n - 1 are the n assigned
    items in their order here; items that are not assigned have no place in the tree.

    `memberships`, items x k, say how far an item belongs to each cluster, where the method knows degrees; a row of
    zeros is not assigned.
    """

    items: pl.Series
    labels: npt.NDArray[np.int32]
    recipe: Recipe
    second: npt.NDArray[np.int32] | None = None
    estimator: Any = None
    merges: npt.NDArray[np.float64] | None = None
    memberships: npt.NDArray[np.float32] | None = None

    def __post_init__(self) -> None:
        if len(self.labels) != len(self.items):
            raise InputError(f"a Clustering needs one label per item: {len(self.labels)} for {len(self.items)}")
        if self.memberships is not None and self.memberships.shape != (len(self.items), self.k):
            raise InputError(
                f"a Clustering needs memberships of {len(self.items)} items x {self.k} clusters; "
                f"they are {' x '.join(map(str, self.memberships.shape))}"
            )
        sizes = self.sizes
        if len(self.labels) and (self.labels.min() < -1 or (np.diff(sizes) > 0).any() or (sizes == 0).any()):
            raise InputError("clusters are numbered 0, 1, ... by falling size without gaps, -1 for not assigned")
        leaves = int((self.labels >= 0).sum())
        if self.merges is not None and self.merges.shape != (max(leaves - 1, 0), 4):
            raise InputError(
                f"the tree of {leaves} assigned items has {max(leaves - 1, 0)} merges of 4 numbers; "
                f"this one has the shape {self.merges.shape}"
            )

    def __len__(self) -> int:
        return len(self.items)

    def take(self, order: Integers) -> Clustering:
        """The same items in another order, each exactly once; the tree's leaves follow."""
        merges = self.merges
        if merges is not None:
            leaves = np.cumsum(self.labels >= 0) - 1
            moved = np.arange(2.0 * len(merges) + 1)
            moved[leaves[order][self.labels[order] >= 0]] = np.arange(int((self.labels >= 0).sum()))
            merges = np.column_stack([np.sort(moved[merges[:, :2].astype(np.int64)], axis=1), merges[:, 2:]])
        return Clustering(
            self.items[order],
            self.labels[order],
            self.recipe,
            None if self.second is None else self.second[order],
            self.estimator,
            merges,
            None if self.memberships is None else self.memberships[order],
        )

    @property
    def k(self) -> int:
        """How many clusters there are."""
        return int(self.labels.max(initial=-1)) + 1

    @property
    def sizes(self) -> Integers:
        """Number of items of each cluster."""
        return np.bincount(self.labels[self.labels >= 0], minlength=self.k)

    @property
    def assigned(self) -> float:
        """Share of items that belong to a cluster (coverage); 1.0 for no items at all."""
        return float((self.labels >= 0).mean()) if len(self.labels) else 1.0

    def sets(self, threshold: float) -> sparse.csr_array:
        """Clusters that overlap (clumps): an item is in each in which its membership reaches the threshold.

        True and False, items x k: row i holds the clusters of item i, none or several.
        """
        if self.memberships is None:
            raise InputError("this clustering has no memberships; use em-multinomial, em-gaussian or fuzzy")
        if not 0 < threshold <= 1:
            raise SettingError(f"threshold must be above 0 and at most 1, it is {threshold!r}")
        return sparse.csr_array(self.memberships >= np.float32(threshold))


@dataclass(frozen=True, eq=False)
class Labelling:
    """Labels from anywhere - a program, a person, gold: which classes each item has, under the names they came with.

    `sets`, items x classes in CSR, holds how far an item belongs to each of its classes: 1 where there are no
    degrees. An item may have no class (it is not assigned), one, or several.
    """

    items: pl.Series
    classes: pl.Series
    sets: sparse.csr_array

    def __post_init__(self) -> None:
        if self.sets.shape != (len(self.items), len(self.classes)):
            raise InputError(
                f"a Labelling needs sets of {len(self.items)} items x {len(self.classes)} classes; "
                f"they are {self.sets.shape[0]} x {self.sets.shape[1]}"
            )
        if self.sets.nnz and not (np.isfinite(self.sets.data).all() and self.sets.data.min() > 0):
            raise InputError("degrees of membership are finite and above 0; leave classes that an item has not out")
        if self.items.n_unique() != len(self.items):
            twice = self.items.filter(self.items.is_duplicated())[0]
            raise DuplicateIds(f"item {twice!r} is labelled twice; each item may stand once, with a list of classes")

    def __len__(self) -> int:
        return len(self.items)

    @property
    def counts(self) -> Integers:
        """How many classes each item has."""
        return np.diff(self.sets.indptr)

    @property
    def overlapping(self) -> bool:
        """Whether any item has several classes."""
        return bool((self.counts > 1).any())

    @property
    def labels(self) -> npt.NDArray[np.int32]:
        """One class per item, the one it belongs to most (of equals the first); -1 where it has none."""
        counts = self.counts
        rows = np.repeat(np.arange(len(self)), counts)
        strongest = np.lexsort((self.sets.indices, -self.sets.data, rows))
        labels = np.full(len(self), -1, dtype=np.int32)
        some = counts > 0
        labels[some] = self.sets.indices[strongest[self.sets.indptr[:-1][some]]]
        return labels

    def take(self, rows: Integers) -> Labelling:
        """Some of the items, or all in another order; the classes stay."""
        return Labelling(self.items[rows], self.classes, self.sets[rows])
