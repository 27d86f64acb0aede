"""Where each document stands on the map: t-SNE on the nearest neighbours, its repulsion summed by FFT on a grid.

    rows ──▶ 100 latent dimensions ──▶ 12 nearest neighbours each ──▶ start ──▶ 300 steps ──▶ a box of 1 x 1

Every pair of neighbours attracts and every pair of documents repels (van der Maaten, Hinton 2008):

    move_i = e Σ_j p_ij w_ij (y_j - y_i) + 1/Z Σ_j w_ij² (y_i - y_j)     w_ij = 1 / (1 + |y_i - y_j|²),  Z = Σ w_ij

with p_ij the same for all pairs of neighbours, which is as good as perplexities (Böhm, Berens, Kobak 2022). The second
sum is a convolution: documents are spread on a grid, and one FFT gives it everywhere (Linderman and others 2019).

Clusters decide nothing but where a document starts (between the centres it resembles, which keeps related clusters
side by side), so the map is a second opinion: a cluster that lies scattered is scattered. No chance but a fixed seed,
one thread: the same rows give the same map.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numba as nb
import numpy as np
import numpy.typing as npt
import scipy.fft
from scipy import sparse
from threadpoolctl import threadpool_limits

from consilience.nouns import Integers

Floats32 = npt.NDArray[np.float32]
Matrix: TypeAlias = Any  # CSR or dense, float32

_LATENT = 100  # 50 lose a quarter of the neighbours that 100 keep; 100 cost half a second on 18,846 documents
_NEIGHBOURS = 12
_CELLS = 20  # cells searched for neighbours; 12 lose 5 % of those kept on the map, 30 gain 2 % for twice the time
_CANDIDATES = 10_000  # rows a row is compared with at most: 50,000 copies of one text would take N² comparisons
_STEPS, _EARLY = 300, 80
_SQUEEZE = 4.0  # attraction in the early steps, so that groups find each other before they are pushed apart
# Side of a grid square, where the kernel's width is 1, and squares along the map at most: forces are then within 2 %
# of their sums; twice as fine keeps no more neighbours.
_GRID, _GRID_AT_MOST = 0.4, 240
_LONGEST_STEP = 5.0


def lay_out(matrix: Matrix, labels: Integers) -> Floats32:
    """A place in the unit square for every row; the largest cluster stands on the left, above the middle.

    Rows of zeros resemble nothing: they lie together in the lower left corner.
    """
    with threadpool_limits(limits=1, user_api="blas"):
        return _boxed(_positions(matrix, labels), labels)


def _positions(matrix: Matrix, labels: Integers) -> Floats32:
    """Places in the map's own measure; y grows downwards. NaN for rows of zeros."""
    places = np.full((matrix.shape[0], 2), np.nan, np.float32)
    filled = np.flatnonzero(_lengths(matrix) > 0)
    if len(filled) <= 3:  # too few to have neighbours: side by side
        places[filled] = np.column_stack([np.arange(len(filled)), np.zeros(len(filled))])
        return places
    latent = _latent(matrix[filled])
    places[filled] = _descend(_affinities(_neighbours(latent)), _start(latent, labels[filled]))
    return places


def _lengths(matrix: Matrix) -> npt.NDArray[np.float64]:
    if sparse.issparse(matrix):
        return np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1), np.float64).ravel())
    return np.sqrt(np.einsum("ij,ij->i", matrix, matrix, dtype=np.float64))


def _unit(rows: Floats32) -> Floats32:
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))[:, None]
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0, casting="unsafe")


def _latent(matrix: Matrix) -> Floats32:
    """Rows of unit length in at most 100 dimensions: X ≈ U S V', U S."""
    from sklearn.utils.extmath import randomized_svd

    scale = (1 / _lengths(matrix)).astype(np.float32)
    X = sparse.csr_array(sparse.diags_array(scale) @ matrix) if sparse.issparse(matrix) else matrix * scale[:, None]
    if X.shape[1] <= _LATENT:
        return np.asarray(X.toarray() if sparse.issparse(X) else X, np.float32)
    U, S, _ = randomized_svd(X, min(_LATENT, *X.shape), n_iter=3, random_state=0)
    return _unit((U * S).astype(np.float32))


def _neighbours(latent: Floats32) -> Integers:
    """The nearest rows by cosine, 12 each. Beyond 2,000 rows looked for in nearby cells only, √N of them."""
    rows = len(latent)
    count = min(_NEIGHBOURS, rows - 1)
    cells, nearby = _cells(latent) if rows > 2000 else ([np.arange(rows)], [np.arange(1)])
    found = np.empty((rows, count), np.int32)
    for own, near in zip(cells, nearby, strict=True):
        candidates = np.sort(np.concatenate([cells[cell] for cell in near]))
        if len(candidates) > _CANDIDATES:
            candidates = candidates[np.linspace(0, len(candidates) - 1, _CANDIDATES).astype(np.int64)]
        # a cell of many thousand twins is priced in blocks, not at once
        for block in np.array_split(own, -(-len(own) * len(candidates) // 4_000_000) or 1):
            cosine = latent[block] @ latent[candidates].T
            cosine[candidates[None, :] == block[:, None]] = -np.inf
            found[block] = candidates[np.argpartition(-cosine, count - 1, axis=1)[:, :count]]
    return found


def _cells(latent: Floats32) -> tuple[list[Integers], list[Integers]]:
    """The rows of every cell (spherical k-means, two turns), and each cell's nearest cells, enough for neighbours."""
    rows = len(latent)
    count = int(rows**0.5)
    centres = latent[np.linspace(0, rows - 1, count).astype(np.int64)]
    for _ in range(2):
        own = np.argmax(latent @ centres.T, axis=1)
        member = sparse.csr_array((np.ones(rows, np.float32), (own, np.arange(rows))), shape=(count, rows))
        centres = _unit(member @ latent)
    own = np.argmax(latent @ centres.T, axis=1)
    cells: list[Integers] = np.split(np.argsort(own, kind="stable"), np.cumsum(np.bincount(own, minlength=count))[:-1])
    sizes = np.array([len(cell) for cell in cells])
    nearby: list[Integers] = []
    for order in np.argsort(-(centres @ centres.T), axis=1, kind="stable"):
        enough = int(np.searchsorted(np.cumsum(sizes[order]), _NEIGHBOURS + 1)) + 1
        nearby.append(order[: max(_CELLS, enough)])
    return list(cells), nearby


def _affinities(neighbours: Integers) -> sparse.csr_array:
    """p_ij, the same for every pair of which one is among the other's neighbours (twice that if both), sum 1."""
    rows, count = neighbours.shape
    ends = np.arange(rows + 1) * count
    chosen = sparse.csr_array((np.ones(rows * count, np.float32), neighbours.ravel(), ends), shape=(rows, rows))
    both = sparse.csr_array(chosen + chosen.T)
    both.data /= both.data.sum()
    return both


def _start(latent: Floats32, labels: Integers) -> Floats32:
    """Between the centres each row resembles; the centres by classical scaling of their distances."""
    found = np.unique(labels[labels >= 0])
    if len(found) >= 3:
        centres = _unit(np.stack([latent[labels == cluster].mean(axis=0) for cluster in found]))
        affinity = latent @ centres.T
        weights = np.exp(8 * (affinity - affinity.max(axis=1, keepdims=True)))
        places = (
            weights / weights.sum(axis=1, keepdims=True) @ _scaled(2 - 2 * (centres @ centres.T).astype(np.float64))
        )
    else:  # no constellation of centres to keep: the two strongest directions of the rows
        centred = latent - latent.mean(axis=0)
        places = centred @ np.linalg.eigh(centred.T @ centred)[1][:, ::-1][:, :2]
        if places.shape[1] < 2:
            places = np.column_stack([places, np.zeros(len(places))])
    places = places / (places.std() or 1.0)
    return (places + np.random.default_rng(0).normal(0, 0.01, places.shape)).astype(np.float32)


def _scaled(squares: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Classical scaling: the two strongest axes of -1/2 J D² J."""
    J = np.eye(len(squares)) - 1 / len(squares)
    values, vectors = np.linalg.eigh(-0.5 * J @ squares @ J)
    return vectors[:, ::-1][:, :2] * np.sqrt(np.maximum(values[::-1][:2], 0))


class _Grid(NamedTuple):
    """Squares of side `side` from the corner (x, y), `squares` along either axis."""

    x: float
    y: float
    side: float
    squares: int


def _descend(affinities: sparse.csr_array, places: Floats32) -> Floats32:
    """300 steps with momentum; the rate N / e is the one that needs no tuning (Belkina and others 2019)."""
    rows = len(places)
    velocity, pull = np.zeros_like(places), np.zeros_like(places)
    kernels: dict[tuple[float, int], npt.NDArray[np.complex64]] = {}
    for step in range(_STEPS):
        squeeze = _SQUEEZE if step < _EARLY else 1.0
        _attract(affinities.indptr, affinities.indices, affinities.data, places, pull)
        push = _repel(places, kernels)
        Z = max(float(push[:, 0].sum(dtype=np.float64)) - rows, 1.0)
        move = (squeeze * pull + push[:, 1:] / np.float32(Z)) * np.float32(rows)
        velocity = np.float32(0.5 if step < 20 else 0.8) * velocity + move
        lengths = np.sqrt((velocity * velocity).sum(axis=1, keepdims=True))
        velocity *= np.minimum(1, _LONGEST_STEP / np.maximum(lengths, 1e-9))
        places = places + velocity
        places -= places.mean(axis=0)
    return places


def _repel(places: Floats32, kernels: dict[tuple[float, int], npt.NDArray[np.complex64]]) -> Floats32:
    """Σ_j w_ij, and both parts of Σ_j w_ij² (y_i - y_j), for every i."""
    low, high = places.min(axis=0), places.max(axis=0)
    span = max(float((high - low).max()), 1e-3)
    squares = int(np.ceil(min(_GRID_AT_MOST, max(40, span / _GRID)) / 20) * 20)
    # sides go up by 5 %, so that most steps can use the transform of the kernel they had before
    side = float(1.05 ** np.ceil(np.log(span / (squares - 4)) / np.log(1.05)))
    if (side, squares) not in kernels:
        kernels.clear()
        kernels[side, squares] = _transformed(side, squares)
    grid = _Grid(float(low[0]) - 1.5 * side, float(low[1]) - 1.5 * side, side, squares)
    mass = np.zeros((squares, squares), np.float32)
    _spread(places, *grid[:3], mass)
    doubled = (2 * squares, 2 * squares)  # the FFT wraps round: an empty half keeps the far edge away
    transform = scipy.fft.rfft2(mass, doubled, workers=1)
    fields = scipy.fft.irfft2(kernels[side, squares] * transform, doubled, workers=1)[:, :squares, :squares]
    push = np.zeros((len(places), 3), np.float32)
    _read(places, *grid[:3], np.ascontiguousarray(fields, np.float32), push)
    return push


def _transformed(side: float, squares: int) -> npt.NDArray[np.complex64]:
    """The transforms of w, w² dx and w² dy, each divided by the blur of spreading and of reading.

    Either is a convolution with a quadratic spline, whose transform is sinc³ along both axes.
    """
    steps = (np.fft.fftfreq(2 * squares, 1 / (2 * squares)) * side).astype(np.float32)
    dx, dy = np.meshgrid(steps, steps, indexing="ij")
    w = 1 / (1 + dx * dx + dy * dy)
    blur = np.sinc(np.fft.fftfreq(2 * squares)) ** 6
    blurred = blur[:, None] * blur[None, : squares + 1]
    return np.asarray(scipy.fft.rfft2(np.stack([w, w * w * dx, w * w * dy]), workers=1) / blurred, np.complex64)


def _boxed(places: Floats32, labels: Integers) -> Floats32:
    """Turned so that the longest extent lies flat and the largest cluster left and above, then fitted into 1 x 1.

    The box holds 99.9 % of the documents along either axis; the few beyond are drawn on its edge, since one
    document far out would otherwise shrink all others to a spot.
    """
    filled = ~np.isnan(places[:, 0])
    if filled.any():
        y = places[filled].astype(np.float64)
        y -= y.mean(axis=0)
        y = y @ np.linalg.eigh(y.T @ y)[1][:, ::-1]
        largest = labels[filled] == 0
        y *= np.where((y[largest].mean(axis=0) if largest.any() else y[0]) > 0, -1, 1)
        low, high = np.quantile(y, 0.0005, axis=0), np.quantile(y, 0.9995, axis=0)
        margin = 0.02 * (high - low).max()
        low, high = np.maximum(low - margin, y.min(axis=0)), np.minimum(high + margin, y.max(axis=0))
        side = max(float((high - low).max()), 1e-9)
        places[filled] = np.clip((y - low) / side, 0, (high - low) / side)
        places[filled] += ((1 - (high - low) / side) / 2).astype(np.float32)
    empty = np.flatnonzero(~filled)
    turn, radius = np.arange(len(empty)) * 2.399963, np.sqrt(np.arange(len(empty)) + 0.5)  # a sunflower's seeds
    radius *= min(0.5 / max(len(places), 1) ** 0.5, 0.08 / max(len(empty), 1) ** 0.5)
    places[empty, 0] = 0.08 + radius * np.cos(turn)
    places[empty, 1] = 0.92 + radius * np.sin(turn)
    return np.clip(places, 0, 1)


@nb.njit(cache=True, nogil=True)
def _attract(starts, columns, weights, places, out):  # type: ignore[no-untyped-def]
    """starts, columns, weights: CSR of p; places, out: N x 2."""
    for i in range(len(starts) - 1):
        x, y = places[i, 0], places[i, 1]
        sum_x, sum_y = 0.0, 0.0
        for at in range(starts[i], starts[i + 1]):
            dx, dy = places[columns[at], 0] - x, places[columns[at], 1] - y
            pw = weights[at] / (1.0 + dx * dx + dy * dy)
            sum_x += pw * dx
            sum_y += pw * dy
        out[i, 0] = sum_x
        out[i, 1] = sum_y


@nb.njit(cache=True, nogil=True)
def _spread(places, x, y, side, mass):  # type: ignore[no-untyped-def]
    """Every document's mass on the nine nearest squares, by quadratic splines. places: N x 2; mass: M x M, zeros."""
    for i in range(len(places)):
        u, v = (places[i, 0] - x) / side, (places[i, 1] - y) / side
        a, b = int(u + 0.5), int(v + 0.5)
        u, v = u - a, v - b
        along = (0.5 * (0.5 - u) ** 2, 0.75 - u * u, 0.5 * (0.5 + u) ** 2)
        across = (0.5 * (0.5 - v) ** 2, 0.75 - v * v, 0.5 * (0.5 + v) ** 2)
        for p in range(3):
            for q in range(3):
                mass[a + p - 1, b + q - 1] += along[p] * across[q]


@nb.njit(cache=True, nogil=True)
def _read(places, x, y, side, fields, out):  # type: ignore[no-untyped-def]
    """The fields where the documents are, by the same splines. places: N x 2; fields: 3 x M x M; out: N x 3."""
    for i in range(len(places)):
        u, v = (places[i, 0] - x) / side, (places[i, 1] - y) / side
        a, b = int(u + 0.5), int(v + 0.5)
        u, v = u - a, v - b
        along = (0.5 * (0.5 - u) ** 2, 0.75 - u * u, 0.5 * (0.5 + u) ** 2)
        across = (0.5 * (0.5 - v) ** 2, 0.75 - v * v, 0.5 * (0.5 + v) ** 2)
        for field in range(3):
            total = 0.0
            for p in range(3):
                for q in range(3):
                    total += along[p] * across[q] * fields[field, a + p - 1, b + q - 1]
            out[i, field] = total
