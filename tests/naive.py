"""Slow and obvious: each function is its formula or rule written down as it is said, for the fast forms to equal."""

from __future__ import annotations

import itertools
import math
import unicodedata
from collections import Counter
from collections.abc import Callable

# --- language ---------------------------------------------------------------------------------------------------

_UNSPACED_NAMES = (
    "CJK UNIFIED",
    "CJK COMPAT",
    "HIRAGANA",
    "KATAKANA",
    "THAI",
    "LAO",
    "KHMER",
    "MYANMAR",
    "HALFWIDTH KATAKANA",
)


def kind(character: str) -> str:
    """letter, mark, unspaced, ignored or separator, by Unicode's category and the character's name."""
    category = unicodedata.category(character)
    if category == "Cf" or unicodedata.name(character, "").startswith("VARIATION SELECTOR-"):
        return "ignored"
    if category[0] in "LM" and unicodedata.name(character, "").startswith(_UNSPACED_NAMES):
        return "unspaced"
    if category[0] == "L":
        return "letter"
    return "mark" if category[0] in "MN" else "separator"


def tokens(text: str, *, numbers: bool = False, min_length: int = 2) -> list[str]:
    """The token rule, a character at a time."""
    runs: list[tuple[str, list[str]]] = []
    last = "separator"
    for character in text:
        now = {"letter": "word", "mark": "word"}.get(kind(character), kind(character))
        if now == "ignored":
            continue
        if now != "separator":
            if now != last:
                runs.append((now, []))
            runs[-1][1].append(character)
        last = now
    found = []
    for what, characters in runs:
        lowered = [c.lower()[0] if unicodedata.category(c)[0] == "L" else c for c in characters]
        if what == "unspaced":
            found += [a + b for a, b in itertools.pairwise(lowered)] or lowered
        elif len(characters) >= min_length and (numbers or any(kind(c) == "letter" for c in characters)):
            found.append("".join(lowered))
    return [unicodedata.normalize("NFKC", token).lower() for token in found]


def document_frequency(documents: list[list[str]]) -> Counter[str]:
    """In how many documents each term stands."""
    return Counter(term for document in documents for term in set(document))


# --- vectors ----------------------------------------------------------------------------------------------------


def tfidf_raw(documents: list[list[str]], term: str, d: int) -> float:
    """tf × log(N / df)"""
    return documents[d].count(term) * math.log(len(documents) / document_frequency(documents)[term])


def tfidf_relative(documents: list[list[str]], term: str, d: int) -> float:
    """(tf / length) × ln(N / F)"""
    return tfidf_raw(documents, term, d) / len(documents[d])


def jaccard(a: list[str], b: list[str]) -> float:
    """|a ∩ b| / |a ∪ b|"""
    return len(set(a) & set(b)) / len(set(a) | set(b))


# --- clusters in words --------------------------------------------------------------------------------------------


def telling(documents: list[list[str]], labels: list[int], term: str, cluster: int) -> float:
    """F-measure of the query "documents that hold the term" for the documents of the cluster."""
    found = {d for d, document in enumerate(documents) if term in document}
    wanted = {d for d, label in enumerate(labels) if label == cluster}
    both = len(found & wanted)
    if not both:
        return 0.0
    precision, recall = both / len(found), both / len(wanted)
    return 2 * precision * recall / (precision + recall)


# --- measures ---------------------------------------------------------------------------------------------------


def contingency(classes: list[int], clusters: list[int]) -> Counter[tuple[int, int]]:
    """How often each class meets each cluster."""
    return Counter(zip(classes, clusters, strict=True))


def many_to_one(cells: Counter[tuple[int, int]], shape: tuple[int, int]) -> list[int]:
    """For each cluster the class it shares most with, the first of equal ones, -1 if none."""
    best = [max(range(shape[0]), key=lambda i: cells[i, j]) for j in range(shape[1])]
    return [i if cells[i, j] else -1 for j, i in enumerate(best)]


def greedy(cells: Counter[tuple[int, int]], shape: tuple[int, int]) -> list[int]:
    """The largest cell whose class and cluster are both free, until there is none; then the smaller sums first."""
    h, left = [-1] * shape[1], {cell: n for cell, n in cells.items() if n}
    while left:
        i, j = min(left, key=lambda cell: (-left[cell], _margins(cells, cell), cell))
        h[j] = i
        left = {cell: n for cell, n in left.items() if cell[0] != i and cell[1] != j}
    return h


def _margins(cells: Counter[tuple[int, int]], cell: tuple[int, int]) -> int:
    return sum(n * ((i == cell[0]) + (j == cell[1])) for (i, j), n in cells.items())


def best_matching(cells: Counter[tuple[int, int]], shape: tuple[int, int]) -> float:
    """The largest sum of cells of which no two share a class or a cluster, by trying all."""
    few, many = sorted(shape)
    if few == 0:
        return 0.0
    turned = shape[0] > shape[1]
    return max(
        sum(cells[(j, i) if turned else (i, j)] for i, j in enumerate(chosen))
        for chosen in itertools.permutations(range(many), few)
    )


def _kinds(classes: list[int], clusters: list[int]) -> tuple[int, int, int, int]:
    """Pairs together in both, in the classes only, in the clusters only, in neither, by looking at every pair."""
    pairs = [(i, j) for i in range(len(classes)) for j in range(i)]
    kinds = Counter((classes[i] == classes[j], clusters[i] == clusters[j]) for i, j in pairs)
    return kinds[True, True], kinds[True, False], kinds[False, True], kinds[False, False]


def rand(classes: list[int], clusters: list[int]) -> float:
    """The share of pairs on which both agree."""
    a, b, c, d = _kinds(classes, clusters)
    return (a + d) / (a + b + c + d) if len(classes) > 1 else 1.0


def adjusted_rand(classes: list[int], clusters: list[int]) -> float:
    """(together in both - by chance) / (mean of the two - by chance)"""
    a, b, c, d = _kinds(classes, clusters)
    chance = (a + b) * (a + c) / max(a + b + c + d, 1)
    mean = (a + b + a + c) / 2
    return 1.0 if mean == chance else (a - chance) / (mean - chance)


def jaccard_of_pairs(classes: list[int], clusters: list[int]) -> float:
    a, b, c, _ = _kinds(classes, clusters)
    return a / (a + b + c) if a + b + c else 1.0


def fowlkes_mallows(classes: list[int], clusters: list[int]) -> float:
    """√(precision × recall) of pairs"""
    a, b, c, _ = _kinds(classes, clusters)
    if b == c == 0:
        return 1.0
    return math.sqrt(a / (a + c) * a / (a + b)) if a else 0.0


def gamma(classes: list[int], clusters: list[int]) -> float:
    """The correlation of two rows of 0 and 1, a place for each pair."""
    pairs = [(i, j) for i in range(len(classes)) for j in range(i)]
    x = [float(classes[i] == classes[j]) for i, j in pairs]
    y = [float(clusters[i] == clusters[j]) for i, j in pairs]
    if x == y:
        return 1.0
    mx, my = sum(x) / len(x), sum(y) / len(y)
    both = sum((p - mx) * (q - my) for p, q in zip(x, y, strict=True))
    alone = math.sqrt(sum((p - mx) ** 2 for p in x) * sum((q - my) ** 2 for q in y))
    return both / alone if alone else 0.0


def _parts(labels: list[int]) -> list[set[int]]:
    """The items of each label."""
    return [{i for i, label in enumerate(labels) if label == one} for one in sorted(set(labels))]


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 1.0


def purity(classes: list[int], clusters: list[int]) -> float:
    """The share of items whose class is the largest of their cluster."""
    return sum(max(len(k & c) for c in _parts(classes)) for k in _parts(clusters)) / len(classes) if classes else 1.0


def inverse_purity(classes: list[int], clusters: list[int]) -> float:
    return purity(clusters, classes)


def van_dongen(classes: list[int], clusters: list[int]) -> float:
    """(2 N - Σ of the largest shares on both sides) / 2 N"""
    N = len(classes)
    largest = purity(classes, clusters) * N + purity(clusters, classes) * N
    return (2 * N - largest) / (2 * N) if N else 0.0


def accuracy(classes: list[int], clusters: list[int]) -> float:
    """The best of all one-to-one mappings."""
    shape = (max(classes, default=-1) + 1, max(clusters, default=-1) + 1)
    return best_matching(contingency(classes, clusters), shape) / len(classes) if classes else 1.0


def accuracy_greedy(classes: list[int], clusters: list[int]) -> float:
    cells, shape = contingency(classes, clusters), (max(classes, default=-1) + 1, max(clusters, default=-1) + 1)
    return sum(cells[i, j] for j, i in enumerate(greedy(cells, shape))) / len(classes) if classes else 1.0


def _f(c: set[int], k: set[int]) -> float:
    """F of a class as what was wanted and a cluster as what was found."""
    right = len(c & k)
    return 2 * (right / len(k)) * (right / len(c)) / (right / len(k) + right / len(c)) if right else 0.0


def larsen(classes: list[int], clusters: list[int]) -> float:
    return _mean([max(_f(c, k) for k in _parts(clusters)) for c in _parts(classes)])


def clustering_f(classes: list[int], clusters: list[int]) -> float:
    return _mean([max(_f(c, k) for k in _parts(clusters)) for c in _parts(classes) for _ in c])


def bcubed_precision(classes: list[int], clusters: list[int]) -> float:
    """For each item, how many of those in its cluster are of its class."""
    shares = []
    for i in range(len(classes)):
        company = [j for j in range(len(classes)) if clusters[j] == clusters[i]]
        shares.append(sum(classes[j] == classes[i] for j in company) / len(company))
    return _mean(shares)


def bcubed_recall(classes: list[int], clusters: list[int]) -> float:
    return bcubed_precision(clusters, classes)


def bcubed(classes: list[int], clusters: list[int]) -> float:
    """The harmonic mean of both."""
    return 2 / (1 / bcubed_precision(classes, clusters) + 1 / bcubed_recall(classes, clusters))


def element_centric(classes: list[int], clusters: list[int], alpha: float = 0.9) -> float:
    """1 - 1/2α Σ_j |p_ij - q_ij|: a walk from i stays with probability 1 - α, else it goes anywhere in i's part."""

    def walk(labels: list[int], i: int, j: int) -> float:
        return (1 - alpha) * (i == j) + alpha * (labels[i] == labels[j]) / labels.count(labels[i])

    items = range(len(classes))
    return _mean([1 - sum(abs(walk(classes, i, j) - walk(clusters, i, j)) for j in items) / (2 * alpha) for i in items])


def _H(labels: list[int]) -> float:
    return -sum(n / len(labels) * math.log(n / len(labels)) for n in Counter(labels).values())


def entropy(classes: list[int], clusters: list[int]) -> float:
    """Each cluster's entropy over the classes, weighted by its size."""
    return sum(len(k) / len(classes) * _H([classes[i] for i in sorted(k)]) for k in _parts(clusters))


def entropy_bits(classes: list[int], clusters: list[int]) -> float:
    return entropy(classes, clusters) / math.log(2)


def entropy_normalised(classes: list[int], clusters: list[int]) -> float:
    return entropy(classes, clusters) / math.log(len(set(classes))) if len(set(classes)) > 1 else 0.0


def cluster_entropy(classes: list[int], clusters: list[int]) -> float:
    return entropy(clusters, classes)


def homogeneity(classes: list[int], clusters: list[int]) -> float:
    return 1 - entropy(classes, clusters) / _H(classes) if len(set(classes)) > 1 else 1.0


def completeness(classes: list[int], clusters: list[int]) -> float:
    return homogeneity(clusters, classes)


def v(classes: list[int], clusters: list[int]) -> float:
    h, c = homogeneity(classes, clusters), completeness(classes, clusters)
    return 2 * h * c / (h + c) if h + c > 1e-9 else 0.0


def vi(classes: list[int], clusters: list[int]) -> float:
    return entropy(classes, clusters) + entropy(clusters, classes)


def nvi(classes: list[int], clusters: list[int]) -> float:
    return vi(classes, clusters) / _H(classes) if len(set(classes)) > 1 else _H(clusters)


def mutual_information(classes: list[int], clusters: list[int]) -> float:
    """Σ p ln (p / what independence would give)"""
    N, total = len(classes), 0.0
    for (i, j), n in contingency(classes, clusters).items():
        total += n / N * math.log(n / N / (classes.count(i) / N * clusters.count(j) / N))
    return total


def _shared(classes: list[int], clusters: list[int], of: Callable[[float, float], float]) -> float:
    """I / of(H(C), H(K)); the two with one part each are the same."""
    if len(set(classes)) <= 1 and len(set(clusters)) <= 1:
        return 1.0
    whole = of(_H(classes), _H(clusters))
    return mutual_information(classes, clusters) / whole if whole else 0.0


def nmi_geometric(classes: list[int], clusters: list[int]) -> float:
    return _shared(classes, clusters, lambda a, b: math.sqrt(a * b))


def nmi_max(classes: list[int], clusters: list[int]) -> float:
    return _shared(classes, clusters, max)


def nmi_min(classes: list[int], clusters: list[int]) -> float:
    return _shared(classes, clusters, min)


def nmi_joint(classes: list[int], clusters: list[int]) -> float:
    return _shared(classes, clusters, lambda a, b: _H(list(zip(classes, clusters, strict=True))))  # type: ignore[arg-type]


def expected_information(classes: list[int], clusters: list[int]) -> float:
    """Σ over sizes a, b and shares n of P(n) × the term of I, P by counting draws."""
    N, total = len(classes), 0.0
    for a in Counter(classes).values():
        for b in Counter(clusters).values():
            for n in range(max(1, a + b - N), min(a, b) + 1):
                P = math.comb(a, n) * math.comb(N - a, b - n) / math.comb(N, b)
                total += P * n / N * math.log(n * N / (a * b))
    return total


def adjusted_mutual_information(classes: list[int], clusters: list[int]) -> float:
    E, I = expected_information(classes, clusters), mutual_information(classes, clusters)  # noqa: E741
    mean = (_H(classes) + _H(clusters)) / 2
    return 1.0 if mean - E < 1e-12 else (I - E) / (mean - E)


# --- measures within the space ----------------------------------------------------------------------------------


def cosine(p: list[float], q: list[float]) -> float:
    """p · q / (||p|| ||q||); nothing is similar to zeros"""
    lengths = _length(p) * _length(q)
    return sum(a * b for a, b in zip(p, q, strict=True)) / lengths if lengths else 0.0


def mu1(rows: list[list[float]], labels: list[int], representatives: list[list[float]]) -> float:
    """Σ_r Σ_{D in C_r} s(D, R_r)"""
    return sum(cosine(row, representatives[r]) for row, r in zip(rows, labels, strict=True) if r >= 0)


def mu2(rows: list[list[float]], labels: list[int], L: int) -> float:
    """1/N Σ_i 1/L Σ_j [1/j if the j-th nearest neighbour is in the cluster of i]; what shares nothing is none"""
    assigned = [i for i, r in enumerate(labels) if r >= 0]
    total = 0.0
    for i in assigned:
        near = [j for j in range(len(rows)) if j != i and cosine(rows[i], rows[j]) > 1e-7]
        near.sort(key=lambda j: (-round(cosine(rows[i], rows[j]), 6), j))
        total += sum(1 / (n + 1) for n, j in enumerate(near[:L]) if labels[j] == labels[i]) / L
    return total / len(assigned) if assigned else 0.0


def mu3(sizes: list[int], representatives: list[list[float]], whole: list[float]) -> float:
    """Σ_r n_r s(R_r, R)"""
    return sum(n * cosine(R, whole) for n, R in zip(sizes, representatives, strict=True))


def mu4(representatives: list[list[float]]) -> float:
    """Σ_r max_{q != r} s(R_q, R_r)"""
    others = [[cosine(R, Q) for q, Q in enumerate(representatives) if q != r] for r, R in enumerate(representatives)]
    return sum(max(row) for row in others if row)


def d_kl(rows: list[list[int]], labels: list[int]) -> float:
    """The Kullback-Leibler divergence of each item's words from its cluster's, an item weighing as many words as it has"""
    total = 0.0
    for row, r in zip(rows, labels, strict=True):
        cluster = [
            sum(column) for column in zip(*(x for x, q in zip(rows, labels, strict=True) if q == r), strict=True)
        ]
        for n, O in zip(row, cluster, strict=True):  # noqa: E741
            if n and r >= 0:
                total += n * math.log(n / sum(row) / (O / sum(cluster)))
    return total / max(sum(sum(row) for row, r in zip(rows, labels, strict=True) if r >= 0), 1)


def silhouette(rows: list[list[float]], labels: list[int], distance: Callable[..., float]) -> list[float]:
    """(b - a) / max(a, b) of every item: its mean distance to its own, and to the nearest other cluster"""

    def mean(i: int, r: int) -> float:
        members = [j for j, own in enumerate(labels) if own == r and j != i]
        return sum(distance(rows[i], rows[j]) for j in members) / len(members)

    widths = []
    for i, r in enumerate(labels):
        if labels.count(r) == 1:
            widths.append(0.0)
            continue
        a, b = mean(i, r), min(mean(i, q) for q in set(labels) - {r})
        widths.append((b - a) / max(a, b) if max(a, b) > 1e-9 else 0.0)
    return widths


# --- measures of sets: A, B hold a set of classes and of clusters for each item; h maps a cluster to a class or to -1 ----


def _onto(h: list[int], B: set[int]) -> set[int]:
    return {h[j] for j in B} - {-1}


def macro_i(A: list[set[int]], B: list[set[int]], h: list[int], *, one: bool) -> float:
    """2 IM / (Σ |A_i| + Σ |h(B_i)|); one to one, |h(B_i)| is |B_i|."""
    matches = sum(len(a & _onto(h, b)) for a, b in zip(A, B, strict=True))
    return 2 * matches / (sum(map(len, A)) + sum(len(b if one else _onto(h, b)) for b in B))


def micro_i(A: list[set[int]], B: list[set[int]], h: list[int], *, one: bool) -> float:
    """The mean F of the items."""
    return _mean(
        [2 * len(a & _onto(h, b)) / (len(a) + len(b if one else _onto(h, b))) for a, b in zip(A, B, strict=True)]
    )


def _united(A: list[set[int]], B: list[set[int]], h: list[int]) -> list[tuple[set[int], set[int]]]:
    """The items of a class and of all clusters that map to it, united; a cluster left over has no class."""
    items = range(len(A))
    parts = [
        ({i for i in items if c in A[i]}, {i for i in items if c in _onto(h, B[i])}) for c in sorted(set(h) - {-1})
    ]
    return parts + [(set(), {i for i in items if j in B[i]}) for j, c in enumerate(h) if c == -1]


def micro_c(A: list[set[int]], B: list[set[int]], h: list[int]) -> float:
    """Σ |k| / N* F_k over the united clusters"""
    parts = _united(A, B, h)
    return sum(len(k) * _f(c, k) for c, k in parts) / max(sum(len(k) for _, k in parts), 1)


def macro_c(A: list[set[int]], B: list[set[int]], h: list[int]) -> float:
    """R = CM / Σ over all gold classes |c|, P = CM / Σ |k|, their harmonic mean"""
    parts = _united(A, B, h)
    matches = sum(len(c & k) for c, k in parts)
    gold = sum(sum(c in a for a in A) for c in set().union(*A))
    R, P = matches / gold, matches / max(sum(len(k) for _, k in parts), 1)
    return 2 * R * P / (R + P) if matches else 0.0


def type_level(name: str, A: list[set[int]], B: list[set[int]], h: list[int]) -> float:
    """macro_i_1_1 and the like."""
    if name.startswith("micro_c"):
        return micro_c(A, B, h)
    return {"macro_i": macro_i, "micro_i": micro_i}[name[:7]](A, B, h, one=name.endswith("_1_1"))


def best_type_level(name: str, A: list[set[int]], B: list[set[int]], classes: int, clusters: int) -> float:
    """The largest value of all mappings."""
    mappings = itertools.product(range(-1 if name.endswith("_1_1") else 0, classes), repeat=clusters)
    if name.endswith("_1_1"):
        mappings = (h for h in mappings if len([c for c in h if c >= 0]) == len({c for c in h if c >= 0}))
    return max(type_level(name, A, B, list(h)) for h in mappings)


def _together(sets: list[set[int]], e: int, other: int) -> int:
    """How many sets two items share; an item in none shares one with itself, where it is alone."""
    return max(len(sets[e] & sets[other]), int(e == other))


def bcubed_precision_of_sets(A: list[set[int]], B: list[set[int]]) -> float:
    """The mean over items of the mean over those that share a cluster with them."""
    means = []
    for e in range(len(A)):
        near = [other for other in range(len(A)) if _together(B, e, other)]
        shares = [min(_together(A, e, o), _together(B, e, o)) / _together(B, e, o) for o in near]
        means.append(sum(shares) / len(shares))
    return _mean(means)


def bcubed_recall_of_sets(A: list[set[int]], B: list[set[int]]) -> float:
    return bcubed_precision_of_sets(B, A)


def bcubed_of_sets(A: list[set[int]], B: list[set[int]]) -> float:
    return 2 / (1 / bcubed_precision_of_sets(A, B) + 1 / bcubed_recall_of_sets(A, B))


def omega_of_sets(A: list[set[int]], B: list[set[int]]) -> float:
    """Pairs that share equally many on both sides, beyond chance."""
    pairs = list(itertools.combinations(range(len(A)), 2))
    a, b = ([len(sets[i] & sets[j]) for i, j in pairs] for sets in (A, B))
    if not pairs:
        return 1.0
    found = sum(x == y for x, y in zip(a, b, strict=True)) / len(pairs)
    chance = sum(a.count(t) * b.count(t) for t in set(a)) / len(pairs) ** 2
    return (found - chance) / (1 - chance) if chance < 1 else 1.0


def element_centric_of_sets(A: list[set[int]], B: list[set[int]], alpha: float = 0.9) -> float:
    """Personalised PageRank by taking 220 steps; an item in no cluster stays where it is."""
    items = range(len(A))

    def walk(sets: list[set[int]], start: int) -> list[float]:
        size = Counter(k for each in sets for k in each)
        at = [float(i == start) for i in items]
        for _ in range(220):
            after = [(1 - alpha) * (i == start) for i in items]
            for i in items:
                if not sets[i]:
                    after[i] += alpha * at[i]
                for k in sets[i]:
                    for j in items:
                        after[j] += alpha * at[i] / len(sets[i]) / size[k] * (k in sets[j])
            at = after
        return at

    walks = [(walk(A, i), walk(B, i)) for i in items]
    return _mean([1 - sum(abs(x - y) for x, y in zip(p, q, strict=True)) / (2 * alpha) for p, q in walks])


# --- clusterings ------------------------------------------------------------------------------------------------


def _length(vector: list[float]) -> float:
    return math.sqrt(sum(v * v for v in vector))


def _sum(rows: list[list[float]], width: int) -> list[float]:
    return [sum(row[j] for row in rows) for j in range(width)]


def _members(rows: list[list[float]], labels: list[int], cluster: int) -> list[list[float]]:
    return [row for row, label in zip(rows, labels, strict=True) if label == cluster]


def unit(row: list[float]) -> list[float]:
    """x / ||x||"""
    return [v / _length(row) for v in row]


def spherical_quality(rows: list[list[float]], labels: list[int]) -> float:
    """Q = Σ_r ||S_r|| over unit rows"""
    units = [unit(row) for row in rows]
    return sum(_length(_sum(_members(units, labels, r), len(rows[0]))) for r in set(labels))


def squared_error(rows: list[list[float]], labels: list[int]) -> float:
    """E = Σ_r Σ_{i in C_r} ||x_i - S_r / n_r||²"""
    total = 0.0
    for r in set(labels):
        members = _members(rows, labels, r)
        centre = [v / len(members) for v in _sum(members, len(rows[0]))]
        total += sum((v - c) ** 2 for row in members for v, c in zip(row, centre, strict=True))
    return total


def quality(metric: str, rows: list[list[float]], labels: list[int]) -> float:
    """Q, or -E: what is maximised."""
    return spherical_quality(rows, labels) if metric == "cosine" else -squared_error(rows, labels)


def best_move(metric: str, rows: list[list[float]], labels: list[int], item: int) -> tuple[float, int]:
    """How much the objective gains if the item goes where it gains most, and where that is; nobody leaves alone."""
    now, own = quality(metric, rows, labels), labels[item]
    best = (0.0, own)
    if labels.count(own) > 1:
        for r in sorted(set(labels) - {own}):
            gain = quality(metric, rows, [*labels[:item], r, *labels[item + 1 :]]) - now
            best = max(best, (gain, r), key=lambda pair: pair[0])
    return best


def exchange(metric: str, rows: list[list[float]], labels: list[int]) -> list[int]:
    """Steps of two halves: all items propose their best move, then those proposals that still gain are carried out."""
    while True:
        wanted = [best_move(metric, rows, labels, i)[1] for i in range(len(rows))]
        before = labels
        for i, r in enumerate(wanted):
            moved = [*labels[:i], r, *labels[i + 1 :]]
            if labels.count(labels[i]) > 1 and quality(metric, rows, moved) > quality(metric, rows, labels) + 1e-5:
                labels = moved
        if labels == before:
            return labels


class CourseSteps:
    """The course's k-means, written down as it is told: `table` holds (members, centroid) per cluster and step."""

    def __init__(self, rows: list[list[float]], k: int) -> None:
        self.rows = rows
        pairs = [(i, j) for i in range(len(rows)) for j in range(i + 1, len(rows))]
        starts = list(max(pairs, key=lambda pair: self.distance(rows[pair[0]], rows[pair[1]])))
        while len(starts) < k:
            starts.append(
                max(range(len(rows)), key=lambda i: min(self.distance(rows[i], rows[start]) for start in starts))
            )
        self.clusters = [[start] for start in starts]
        self.table = [self.state()]
        for i in range(len(rows)):
            if i not in starts:
                self.closest(i).append(i)
                self.table.append(self.state())
        self.start_error = sum(self.errors())
        error = math.inf
        while sum(self.errors()) < error:
            error = sum(self.errors())
            for i in range(len(rows)):
                home = next(cluster for cluster in self.clusters if i in cluster)
                target = self.closest(i)
                if target is not home:
                    home.remove(i)
                    target.append(i)

    @staticmethod
    def distance(p: list[float], q: list[float]) -> float:
        return math.sqrt(sum((a - b) ** 2 for a, b in zip(p, q, strict=True)))

    def centroid(self, cluster: list[int]) -> list[float]:
        return [v / len(cluster) for v in _sum([self.rows[i] for i in cluster], len(self.rows[0]))]

    def closest(self, i: int) -> list[int]:
        return min(self.clusters, key=lambda cluster: self.distance(self.rows[i], self.centroid(cluster)))

    def errors(self) -> list[float]:
        return [
            sum(self.distance(self.rows[i], self.centroid(cluster)) ** 2 for i in cluster) for cluster in self.clusters
        ]

    def state(self) -> list[tuple[list[int], list[float]]]:
        return [(list(cluster), self.centroid(cluster)) for cluster in self.clusters]


def cosine_distance(p: list[float], q: list[float]) -> float:
    """1 - cos(p, q)"""
    return 1 - sum(a * b for a, b in zip(unit(p), unit(q), strict=True))


def between(linkage: str, distance: Callable[..., float], a: list[list[float]], b: list[list[float]]) -> float:
    """d(a, b) of two clusters given by their rows"""
    pairs = [distance(p, q) for p in a for q in b]
    if linkage == "single":
        return min(pairs)
    if linkage == "complete":
        return max(pairs)
    if linkage == "average":
        return sum(pairs) / len(pairs)
    means = [[v / len(rows) for v in _sum(rows, len(rows[0]))] for rows in (a, b)]
    return math.sqrt(2 * len(a) * len(b) / (len(a) + len(b))) * CourseSteps.distance(means[0], means[1])


def agglomerate(linkage: str, metric: str, rows: list[list[float]]) -> list[tuple[float, frozenset[int]]]:
    """The height and the items of each new cluster: the two nearest merge until one is left."""
    points = [unit(row) for row in rows] if metric == "cosine" else rows
    distance = cosine_distance if metric == "cosine" else CourseSteps.distance
    clusters, merges = [frozenset([i]) for i in range(len(rows))], []
    while len(clusters) > 1:
        pairs = [(a, b) for n, a in enumerate(clusters) for b in clusters[n + 1 :]]
        height, a, b = min(
            ((between(linkage, distance, [points[i] for i in a], [points[i] for i in b]), a, b) for a, b in pairs),
            key=lambda found: found[0],
        )
        clusters = [c for c in clusters if c not in (a, b)] + [a | b]
        merges.append((height, a | b))
    return merges


# --- criteria ---------------------------------------------------------------------------------------------------


def partitions(items: int) -> list[list[int]]:
    """All of them, clusters numbered by their first items: an item joins each cluster there is, or opens the next."""
    if items == 0:
        return [[]]
    return [[*labels, r] for labels in partitions(items - 1) for r in range(max(labels, default=-1) + 2)]


def cliques(rows: list[list[float]], labels: list[int]) -> float:
    """Σ_r Σ_{i < j in C_r} (cos(x_i, x_j) - s), s the mean of all cosines"""
    pairs = [(i, j) for j in range(len(rows)) for i in range(j)]
    cosines = {(i, j): 1 - cosine_distance(rows[i], rows[j]) for i, j in pairs}
    mean = sum(cosines.values()) / max(len(pairs), 1)
    return sum(cosines[i, j] - mean for i, j in pairs if labels[i] == labels[j])


# --- clusterings with degrees of membership -----------------------------------------------------------------------


def _log_sum(values: list[float]) -> float:
    """ln Σ exp v"""
    largest = max(values)
    return largest + math.log(sum(math.exp(v - largest) for v in values))


def _shares(scores: list[float]) -> list[float]:
    """exp(s_k) / Σ_l exp(s_l)"""
    total = _log_sum(scores)
    return [math.exp(s - total) for s in scores]


class MultinomialStep:
    """One M-step from memberships and the E-step that follows: theta[k][w], pi[k], memberships[d][k], objective."""

    def __init__(self, rows: list[list[float]], u: list[list[float]], alpha: float) -> None:
        N, V, K = len(rows), len(rows[0]), len(u[0])
        self.theta = []
        for k in range(K):
            counts = [sum(u[d][k] * rows[d][w] for d in range(N)) for w in range(V)]
            self.theta.append([(alpha + counts[w]) / (alpha * V + sum(counts)) for w in range(V)])
        sizes = [1 + sum(u[d][k] for d in range(N)) for k in range(K)]
        self.pi = [size / sum(sizes) for size in sizes]
        scores = [
            [
                math.log(self.pi[k]) + sum(count * math.log(self.theta[k][w]) for w, count in enumerate(row))
                for k in range(K)
            ]
            for row in rows
        ]
        self.memberships = [_shares(row) for row in scores]
        self.objective = (
            sum(_log_sum(score) for score, row in zip(scores, rows, strict=True) if any(row))
            + alpha * sum(math.log(p) for words in self.theta for p in words)
            + sum(math.log(p) for p in self.pi)
        )


def shares_of_rows(rows: list[list[float]]) -> list[list[float]]:
    """p(w|tu) = O[w,tu] / O[tu]   (Ferret, Grau and Jardino 2001, eq. 1)"""
    return [[x / sum(row) for x in row] if any(row) else row for row in rows]


def words_entropy(rows: list[list[float]], labels: list[int]) -> float:
    """H_K = -Σ_wk p(w, k) ln p(w|k)   (Ferret, Grau and Jardino 2001, eq. 3 and 4); -1 belongs nowhere"""
    total = sum(x for row, label in zip(rows, labels, strict=True) if label >= 0 for x in row)
    found = 0.0
    for k in set(labels) - {-1}:
        own = [sum(column) for column in zip(*(r for r, a in zip(rows, labels, strict=True) if a == k), strict=True)]
        found -= sum(x / total * math.log(x / sum(own)) for x in own if x > 0)
    return found


def price(rows: list[list[float]], labels: list[int], d: int, k: int) -> float:
    """What O H_K grows by when unit d, alone till then, is added to cluster k."""
    apart = [*labels[:d], max(labels) + 1, *labels[d + 1 :]]
    added = [*labels[:d], k, *labels[d + 1 :]]
    total = sum(sum(row) for row in rows)
    own = sum(-x * math.log(x / sum(rows[d])) for x in rows[d] if x > 0)
    return total * (words_entropy(rows, added) - words_entropy(rows, apart)) + own


def lowest_by_one_move(rows: list[list[float]], labels: list[int], k: int) -> float:
    """The lowest H_K that moving one unit leads to."""
    moves = itertools.product([d for d, label in enumerate(labels) if label >= 0], range(k))
    return min((words_entropy(rows, [*labels[:d], b, *labels[d + 1 :]]) for d, b in moves), default=0.0)


class GaussianStep:
    """One M-step from memberships and the E-step that follows, with variances of at least `floor`."""

    def __init__(self, rows: list[list[float]], u: list[list[float]], floor: list[float], *, spherical: bool) -> None:
        N, d, K = len(rows), len(rows[0]), len(u[0])
        self.means, self.variances, self.pi = [], [], []
        for k in range(K):
            n = sum(u[i][k] for i in range(N))
            mean = [sum(u[i][k] * rows[i][j] for i in range(N)) / n for j in range(d)]
            spread = [sum(u[i][k] * (rows[i][j] - mean[j]) ** 2 for i in range(N)) / n for j in range(d)]
            if spherical:
                spread = [sum(spread) / d] * d
            self.means.append(mean)
            self.variances.append([max(s, f) for s, f in zip(spread, floor, strict=True)])
            self.pi.append(n / N)
        scores = [[math.log(self.pi[k]) + self.log_density(row, k) for k in range(K)] for row in rows]
        self.memberships = [_shares(row) for row in scores]
        self.objective = sum(_log_sum(row) for row in scores)

    def log_density(self, row: list[float], k: int) -> float:
        """Σ_j ln N(x_j; μ_kj, σ²_kj)"""
        return sum(
            -math.log(2 * math.pi * variance) / 2 - (x - mean) ** 2 / (2 * variance)
            for x, mean, variance in zip(row, self.means[k], self.variances[k], strict=True)
        )


class FuzzyStep:
    """Centres from memberships and memberships from these centres: centres[k][j], memberships[i][k], objective."""

    def __init__(self, rows: list[list[float]], u: list[list[float]], m: float, metric: str) -> None:
        points = [unit(row) for row in rows] if metric == "cosine" else rows
        K, width = len(u[0]), len(rows[0])
        self.centres = []
        for k in range(K):
            total = _sum([[u[i][k] ** m * v for v in point] for i, point in enumerate(points)], width)
            by = _length(total) if metric == "cosine" else sum(row[k] ** m for row in u)
            self.centres.append([v / by for v in total])
        self.memberships = [self.shares(point, m) for point in points]
        self.objective = sum(
            self.memberships[i][k] ** m * self.squared(point, self.centres[k])
            for i, point in enumerate(points)
            for k in range(K)
        )

    @staticmethod
    def squared(p: list[float], q: list[float]) -> float:
        distance = sum((a - b) ** 2 for a, b in zip(p, q, strict=True))
        return distance if distance > 1e-12 * (sum(a * a for a in p) + sum(b * b for b in q)) else 0.0

    def shares(self, point: list[float], m: float) -> list[float]:
        distances = [self.squared(point, centre) for centre in self.centres]
        if 0 in distances:
            return [(distance == 0) / distances.count(0) for distance in distances]
        return [1 / sum((own / other) ** (1 / (m - 1)) for other in distances) for own in distances]


# --- comparisons of two clusterings ---------------------------------------------------------------------------------


def apart(labels: list[int]) -> list[list[int]]:
    """The distances of a clustering: 0 in the same class, 1 apart."""
    return [[int(p != q) for q in labels] for p in labels]


def mantel_z(x: list[list[float]], y: list[list[float]], order: list[int] | None = None) -> float:
    """Z = Σ_ij x_ij y_π(i)π(j)"""
    pi = order or list(range(len(x)))
    return sum(x[i][j] * y[pi[i]][pi[j]] for i in range(len(x)) for j in range(len(x)))


def correlation(x: list[list[float]], y: list[list[float]]) -> float:
    """Of two distances over all pairs i < j."""
    pairs = [(x[i][j], y[i][j]) for j in range(len(x)) for i in range(j)]
    a, b = (sum(values) / len(pairs) for values in zip(*pairs, strict=True))
    above = sum((p - a) * (q - b) for p, q in pairs)
    return above / math.sqrt(sum((p - a) ** 2 for p, _ in pairs) * sum((q - b) ** 2 for _, q in pairs))


def kappa(classes: list[int], clusters: list[int], h: dict[int, int]) -> float:
    """(T1 - T2) / (1 - T2) once each cluster j is called h[j]; one that h does not name is called by no class."""
    N = len(classes)
    called = [h.get(j) for j in clusters]
    T1 = sum(i == j for i, j in zip(classes, called, strict=True)) / N
    T2 = sum(classes.count(i) / N * (called.count(i) / N) for i in set(classes))
    return 1.0 if T2 == 1 else (T1 - T2) / (1 - T2)


def weight(documents: list[list[str]], word: str) -> float:
    """The share of a class's documents that contain the word; under one in ten it is noise."""
    share = sum(word in document for document in documents) / max(len(documents), 1)
    return share if share >= 0.1 else 0.0


def class_similarity(d: list[list[str]], c: list[list[str]]) -> float:
    """sim(d, c): the fourth root of the shares that the common words have of all weights and occurrences."""

    def shares(own: list[list[str]], other: list[list[str]]) -> float:
        words = {word: weight(own, word) for document in own for word in document}
        words = {word: W for word, W in words.items() if W > 0}
        counts = {word: sum(document.count(word) for document in own) for word in words}
        both = [word for word in words if weight(other, word) > 0]
        if not words:
            return 0.0
        share_of_weight = sum(words[word] for word in both) / sum(words.values())
        return share_of_weight * sum(counts[word] for word in both) / sum(counts.values())

    return (shares(d, c) * shares(c, d)) ** 0.25


def witten_bell(d: list[list[str]], word: str, V: int) -> float:
    """p'(w|d) = (O[w, d] + nsw(d) / V) / (O[d] + nsw(d))"""
    words = [w for document in d for w in document]
    nsw = len(set(words))
    return (words.count(word) + nsw / V) / (len(words) + nsw)


def class_divergence(d: list[list[str]], c: list[list[str]], V: int) -> float:
    """Σ_w p(w|c) ln (p(w|c) / p'(w|d))"""
    words = [w for document in c for w in document]
    p = {word: words.count(word) / len(words) for word in words}
    return sum(p[word] * math.log(p[word] / witten_bell(d, word, V)) for word in p)


# --- ensembles --------------------------------------------------------------------------------------------------


def pair_correlation(rows: list[list[float]], labels: list[int]) -> float:
    """Pearson's correlation over pairs i < j of cos(x_i, x_j), 0 for a row of zeros, with "both in one cluster"."""
    pairs = [(i, j) for j in range(len(rows)) for i in range(j)]
    s = [1 - cosine_distance(rows[i], rows[j]) if any(rows[i]) and any(rows[j]) else 0.0 for i, j in pairs]
    together = [float(labels[i] == labels[j] >= 0) for i, j in pairs]
    mean_s, mean_t = sum(s) / max(len(pairs), 1), sum(together) / max(len(pairs), 1)
    both = sum((a - mean_s) * (b - mean_t) for a, b in zip(s, together, strict=True))
    spread = sum((a - mean_s) ** 2 for a in s) * sum((b - mean_t) ** 2 for b in together)
    return both / math.sqrt(spread) if spread > 1e-12 else 0.0


def coassociation(members: list[list[int]], weights: list[float]) -> list[list[float]]:
    """S_ij = Σ_t w_t [member t puts i and j together]; members[t][i] is a label, -1 is in no cluster."""
    items = range(len(members[0]))
    return [
        [sum(w for w, member in zip(weights, members, strict=True) if member[i] == member[j] >= 0) for j in items]
        for i in items
    ]


def exchange_at_once(rows: list[list[float]], labels: list[int]) -> list[int]:
    """Items in their order, each moved to where the squared error falls most, until a pass moves none."""
    while True:
        before = labels
        for i in range(len(rows)):
            gain, r = best_move("euclidean", rows, labels, i)
            if gain > 1e-7:
                labels = [*labels[:i], r, *labels[i + 1 :]]
        if labels == before:
            return labels


def mean_rand(members: list[list[int]], labels: list[int]) -> float:
    """The mean share of pairs that a member and the labels treat alike: together, or apart; -1 is apart from all."""
    pairs = [(i, j) for j in range(len(labels)) for i in range(j)]
    alike = [(m[i] == m[j] >= 0) == (labels[i] == labels[j] >= 0) for m in members for i, j in pairs]
    return sum(alike) / len(alike)


def agreement(members: list[list[int]], labels: list[int]) -> list[float]:
    """For each item the share of members that put it into the cluster matched with its own, by the best matching."""
    votes = [0] * len(labels)
    for member in members:
        names, own = sorted(set(member) - {-1}), sorted(set(labels) - {-1})
        places = own + [None] * len(names)
        best = max(
            (dict(zip(names, chosen, strict=True)) for chosen in itertools.permutations(places, len(names))),
            key=lambda h: sum(a >= 0 and h[a] == b for a, b in zip(member, labels, strict=True)),
        )
        for i, (a, b) in enumerate(zip(member, labels, strict=True)):
            votes[i] += a >= 0 and b >= 0 and best[a] == b
    return [v / len(members) for v in votes]


# --- senses -----------------------------------------------------------------------------------------------------


def _up(parents: list[list[int]], s: int) -> dict[int, int]:
    """The ancestors of s, itself among them, and the fewest links up to each."""
    links, edge = {s: 0}, [s]
    while edge:
        edge = sorted({above for below in edge for above in parents[below]} - set(links))
        links |= {above: min(links[b] for b in links if above in parents[b]) + 1 for above in edge}
    return links


def _depth(parents: list[list[int]], s: int, of: Callable[..., int]) -> int:
    return 1 + of(_depth(parents, above, of) for above in parents[s]) if parents[s] else 0


def wu_palmer(parents: list[list[int]], names: list[str], p: int, q: int) -> float:
    """2 d / (Lp + Lq + 2 d) as NLTK counts: the subsumer is deepest by shortest, d by longest paths from a root."""
    up = {s: _up(parents, s) for s in range(len(parents))}
    common = set(up[p]) & set(up[q])
    if not common:
        return 0.0
    deepest = max(_depth(parents, s, min) for s in common)
    tied = [s for s in common if _depth(parents, s, min) == deepest]
    subsumer = p if p in tied else min(tied, key=lambda s: names[s])
    d = 1 + _depth(parents, subsumer, max)
    Lp, Lq = (min(up[x][a] + up[subsumer][a] for a in set(up[x]) & set(up[subsumer])) for x in (p, q))
    return 2 * d / (Lp + Lq + 2 * d)


def disambiguate(senses: list[list[int]], similarity: Callable[[int, int], float]) -> list[int]:
    """argmax_{s in S_i} Σ_{j ≠ i} max_{s' in S_j} σ(s, s'), the first of equals; S_i are those of the i-th noun."""
    chosen = []
    for i, own in enumerate(senses):
        sums = [
            math.fsum(max(similarity(s, other) for other in others) for j, others in enumerate(senses) if j != i)
            for s in own
        ]
        chosen.append(next(s for s, total in zip(own, sums, strict=True) if total > max(sums) - 1e-9))
    return chosen


def complete_link(distances: list[list[float]], most: float) -> set[frozenset[int]]:
    """The two clusters whose farthest items are nearest merge, while these are no farther apart than `most`."""
    clusters = {frozenset([i]) for i in range(len(distances))}
    while len(clusters) > 1:
        far = {(a, b): max(distances[i][j] for i in a for j in b) for a, b in itertools.combinations(clusters, 2)}
        a, b = min(far, key=far.__getitem__)
        if far[a, b] > most:
            break
        clusters = clusters - {a, b} | {a | b}
    return clusters
