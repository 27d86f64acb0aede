"""One clustering from many: members on several views, their weights, and what they agree on.

rule          what the consensus is
weighted      k-means on the weighted co-association of the members (Fodeh, Punch and Tan 2009)
agreement     the partition with the largest mean Rand index with the members, by local moves
entropy       entropy clustering of the items by their clusters in the members, taken as T words each
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from consilience import catalogue
from consilience.clusterings._conventions import by_size, check_count
from consilience.errors import SettingError
from consilience.kernels.counting import unit_rows
from consilience.nouns import Clustering, Integers, Recipe, Vectors
from consilience.verdicts.coassociation import coassociation
from consilience.verdicts.median import median
from consilience.verdicts.members import Labels, Members, grow
from consilience.verdicts.support import Support, support
from consilience.verdicts.weights import cosines, weight

RULES = ("weighted", "agreement", "entropy")


class Ensemble(NamedTuple):
    """The consensus, the members it was made of, their weights w_t, and who stands behind it."""

    clustering: Clustering
    members: Members
    weights: list[float]
    support: Support

    @property
    def agreement(self) -> float | None:
        """The mean share of members that agree with an item's cluster, over the assigned items."""
        known = self.support.agreement[self.clustering.labels >= 0]
        return float(known.mean(dtype=np.float64)) if len(known) else None

    def take(self, order: Integers) -> Ensemble:
        """The same items in another order."""
        members = self.members._replace(labels=self.members.labels[order])
        backed = self.support._replace(agreement=self.support.agreement[order], second=self.support.second[order])
        return Ensemble(self.clustering.take(order), members, self.weights, backed)


def ensemble(
    views: Mapping[str, Vectors],
    *,
    k: int = 20,
    members: int = 20,
    method: str = "kmeans",
    rule: str = "weighted",
    alpha: float | str = "auto",
    random_state: int = 0,
    jobs: int = -1,
    stage: Callable[[str], None] = lambda _: None,
) -> Ensemble:
    """Cluster the same items as several views show them (or one), and unite the clusterings.

    The views take turns until there are `members`. `alpha` is the first view's share of a weighted consensus, the
    others share the rest; "auto" gives all equal shares (Fodeh et al. took 0.8 for nouns and 0.2 for senses). The
    clustering carries the clusters' centres in the first view, by which other items are assigned.
    """
    check_rule(rule, alpha)
    check_count("members", members)
    check_count("k", k)
    seeds = np.random.SeedSequence(random_state).generate_state(2)
    grown = grow(views, count=members, k=k, method=method, random_state=int(seeds[0]), jobs=jobs, stage=stage)
    stage("weighing members")
    known = {name: cosines(vectors.matrix, jobs=jobs) for name, vectors in views.items()}
    weights = [weight(known[name], grown.labels[:, t]) for t, name in enumerate(grown.views)]
    del known
    stage(f"uniting {members} members ({rule})")
    scaled = np.array(weights) * shares(grown.views, alpha)
    labels = consensus(grown, scaled, rule=rule, k=k, random_state=int(seeds[1]), jobs=jobs)
    backed = support(grown, labels)
    first = next(iter(views.values()))
    settings = {"views": list(views), "members": members, "method": method, "rule": rule, "alpha": alpha, "k": k}
    recipe = Recipe("ensemble", {**settings, "random_state": random_state}, first.recipe)
    clustering = Clustering(first.items, labels, recipe, backed.second, _centres(first, labels))
    return Ensemble(clustering, grown, weights, backed)


def check_rule(rule: str, alpha: float | str) -> None:
    """Raises `SettingError` where there is no such consensus or share."""
    if rule not in RULES:
        raise SettingError(f"no consensus is called {rule!r}; there are: {', '.join(RULES)}")
    if alpha != "auto" and not (isinstance(alpha, int | float) and 0 <= alpha <= 1):
        raise SettingError(f"alpha is the first view's share, from 0 to 1, or 'auto'; it is {alpha!r}")


def shares(views: list[str], alpha: float | str) -> npt.NDArray[np.float64]:
    """S = α S_f + (1 - α) S_s (5), as a factor for each member: the views after the first share 1 - α equally."""
    names = list(dict.fromkeys(views))
    if alpha == "auto" or len(names) == 1:
        return np.ones(len(views))
    rest = (1 - float(alpha)) / (len(names) - 1)
    return np.array([float(alpha) if name == names[0] else rest for name in views])


def consensus(
    members: Members, weights: npt.ArrayLike, *, rule: str = "weighted", k: int, random_state: int = 0, jobs: int = -1
) -> Labels:
    """The united labels, clusters by falling size; -1 for items that no member assigned.

    `weights` are for the weighted rule only. Where all of them are 0 no member is better than chance, nor than another:
    all count alike.
    """
    weights = np.asarray(weights, np.float64)
    if rule == "weighted":
        equal = np.ones(len(weights))
        labels = coassociation(members, weights if weights.any() else equal, k=k, random_state=random_state).labels
    elif rule == "agreement":
        labels = median(members, k=k).labels
    else:
        labels = _by_entropy(members, k=k, random_state=random_state, jobs=jobs)
    order = by_size(labels, int(labels.max(initial=-1)) + 1)
    number = np.full(len(order) + 1 if not len(order) else int(order.max()) + 2, -1, np.int32)
    number[order] = np.arange(len(order))
    return number[labels]


def _by_entropy(members: Members, *, k: int, random_state: int, jobs: int) -> Labels:
    indicators = members.indicators()
    some = np.flatnonzero(np.diff(indicators.indptr))
    labels = np.full(len(members.labels), -1, np.int32)
    if len(some):
        kind = catalogue.get("clusterings", "entropy")
        estimator = kind(n_clusters=min(k, len(some)), random_state=random_state, n_jobs=jobs)
        labels[some] = estimator.fit(indicators[some]).labels_
    return labels


def _centres(view: Vectors, labels: Labels) -> Any:
    """Spherical k-means with the clusters' mean directions for centres: predicts by the nearest of them."""
    k = int(labels.max(initial=-1)) + 1
    if not k:
        return None
    some = np.flatnonzero(labels >= 0)
    member = sparse.csr_array((np.ones(len(some)), (labels[some], some)), shape=(k, len(labels)))
    rows = unit_rows(sparse.csr_array(view.matrix, dtype=np.float64, copy=True))
    centres = unit_rows(sparse.csr_array(member @ rows)).toarray().astype(np.float32)
    estimator = catalogue.get("clusterings", "kmeans")(n_clusters=k)
    estimator.cluster_centers_ = centres
    estimator.n_features_in_ = centres.shape[1]
    return estimator
