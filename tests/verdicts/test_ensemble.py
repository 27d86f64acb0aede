"""Members, their weights, what they agree on, and who stands behind it: each fast form beside its definition."""

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from scipy.linalg import sqrtm

import naive
from consilience.errors import SettingError
from consilience.nouns import Recipe, Vectors
from consilience.vectors.tfidf import Tfidf
from consilience.verdicts import coassociation as co
from consilience.verdicts.ensemble import RULES, consensus, ensemble, shares
from consilience.verdicts.median import median
from consilience.verdicts.members import Members, chosen_features, grow
from consilience.verdicts.support import support
from consilience.verdicts.weights import cosines, weight

SEEDS = range(8)


def vectors_of(matrix, name="f"):
    matrix = sparse.csr_array(matrix, dtype=np.float32) if sparse.issparse(matrix) else np.asarray(matrix, np.float32)
    items = pl.Series("id", [f"d{i}" for i in range(matrix.shape[0])], dtype=pl.String)
    features = pl.Series("feature", [f"{name}{j}" for j in range(matrix.shape[1])], dtype=pl.String)
    return Vectors(items, matrix, features, Recipe("given"), features)


def counts_of(seed, N=60, V=40, topics=3):
    """Documents of three topics, each with words of its own; the first is empty."""
    chance = np.random.default_rng(seed)
    rates = 0.15 + 2.5 * (np.arange(V) % topics == np.arange(N)[:, None] % topics)
    counts = chance.poisson(rates * 0.4)
    counts[0] = 0
    return sparse.csr_array(counts.astype(np.float32))


def random_members(chance, N, T, k, gaps=True):
    labels = chance.integers(-1 if gaps else 0, k, size=(N, T)).astype(np.int32)
    for t in range(T):
        _, labels[:, t] = np.unique(labels[:, t], return_inverse=True)
        labels[:, t] -= gaps
    return Members(labels, ["a" if t % 2 == 0 else "b" for t in range(T)])


def columns(members):
    return [column.tolist() for column in members.labels.T]


# --- weights


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("shape", [(12, 40), (40, 12), (25, 25)])
@pytest.mark.parametrize("dense", [False, True])
def test_weights_equal_their_definition(seed, shape, dense):
    chance = np.random.default_rng(seed)
    matrix = np.where(chance.random(shape) < 0.3, chance.normal(size=shape), 0).astype(np.float32)
    matrix[chance.integers(shape[0])] = 0
    labels = random_members(chance, shape[0], 1, 4).labels[:, 0]
    found = weight(cosines(matrix if dense else sparse.csr_array(matrix)), labels)
    assert found == pytest.approx(naive.pair_correlation(matrix.tolist(), labels.tolist()), abs=1e-9)


@pytest.mark.parametrize("labels", [[0, 0, 0, 0], [-1, -1, -1, -1], [0, 1, 2, 3], [0, -1, -1, 1]])
def test_a_member_that_sets_no_pair_apart_or_together_weighs_nothing(labels):
    known = cosines(np.array([[1, 0], [1, 1], [0, 1], [2, 1]], np.float32))
    assert weight(known, np.array(labels, np.int32)) == 0.0


@pytest.mark.parametrize("rows", [[[1, 2]] * 4, [[0, 0]] * 4, [[1, 2]], np.zeros((0, 2))])
def test_where_all_cosines_are_equal_no_member_weighs_anything(rows):
    known = cosines(np.array(rows, np.float32).reshape(-1, 2))
    assert weight(known, (np.arange(len(rows)) % 2).astype(np.int32)) == 0.0


def test_threads_do_not_change_a_weight():
    matrix = sparse.random_array(
        (3000, 2500), density=0.01, format="csr", dtype=np.float32, rng=np.random.default_rng(0)
    )
    one, many = cosines(matrix, jobs=1), cosines(matrix, jobs=3)
    assert (one.total, one.squared) == (many.total, many.squared)


# --- members


def test_the_number_of_features_is_from_half_to_all_but_one():
    sizes = {len(chosen_features(9, np.random.default_rng(seed))) for seed in range(200)}
    assert sizes == {5, 6, 7, 8}
    assert chosen_features(1, np.random.default_rng(0)).tolist() == [0]
    assert chosen_features(2, np.random.default_rng(0)).tolist() in ([0], [1])
    assert len(chosen_features(0, np.random.default_rng(0))) == 0


def test_a_part_of_tfidf_is_tfidf_of_the_part():
    counts = counts_of(0)
    chosen = chosen_features(40, np.random.default_rng(5))
    from consilience.verdicts.members import _part

    part = _part(vectors_of(Tfidf().fit_transform(counts)), np.random.default_rng(5), True)
    assert np.allclose(part.matrix.toarray(), Tfidf().fit_transform(counts[:, chosen]).toarray(), atol=1e-6)
    dense = _part(vectors_of(Tfidf().fit_transform(counts).toarray()), np.random.default_rng(5), True)
    assert np.allclose(part.matrix.toarray(), dense.matrix, atol=1e-6)


def test_members_take_turns_on_the_views_and_do_not_depend_on_threads_or_on_those_that_follow():
    views = {"words": vectors_of(Tfidf().fit_transform(counts_of(0))), "more": vectors_of(counts_of(1).toarray())}
    many, few = grow(views, count=6, k=3, jobs=3), grow(views, count=4, k=3, jobs=1)
    assert many.views == ["words", "more"] * 3
    assert np.array_equal(many.labels[:, :4], few.labels)
    assert len({tuple(column) for column in columns(many)}) > 2
    assert not np.array_equal(grow(views, count=4, k=3, random_state=1).labels, few.labels)
    assert (many.labels[0] == -1).any()  # the empty document


@pytest.mark.parametrize("method", ["em-multinomial", "agglomerative", "density"])
def test_any_method_can_be_a_member(method):
    views = {"counts": vectors_of(counts_of(2))}
    found = ensemble(views, k=3, members=3, method=method)
    assert found.members.labels.shape == (60, 3)


def test_a_table_of_members_has_a_column_each():
    table = Members(np.array([[0, 1], [-1, 0]], np.int32), ["nouns", "senses"]).table(pl.Series("id", ["a", "b"]))
    assert table.to_dict(as_series=False) == {"id": ["a", "b"], "00 nouns": [0, -1], "01 senses": [1, 0]}


# --- k-means on the co-association


@pytest.mark.parametrize("seed", SEEDS)
def test_the_metric_gives_the_distances_between_rows_of_the_co_association(seed):
    chance = np.random.default_rng(seed)
    members = random_members(chance, 20, 5, 4)
    weights = chance.normal(size=5)  # some below 0
    S = np.array(naive.coassociation(columns(members), weights.tolist()))
    C, G = members.indicators().toarray().astype(float), co.metric(members, weights)
    gap = C[:, None] - C[None]
    ours = np.einsum("ijm,mn,ijn->ij", gap, G, gap)
    assert np.allclose(ours, ((S[:, None] - S[None]) ** 2).sum(axis=2), rtol=1e-9, atol=1e-9)
    W = np.repeat(weights, np.diff(members.offsets))
    Y = C * W @ np.real(sqrtm(C.T @ C))  # the form with the square root
    assert np.allclose(Y @ Y.T, S @ S.T, rtol=1e-6, atol=1e-6)
    assert np.allclose(C @ G @ C.T, S @ S.T, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_from_the_same_start_it_ends_where_k_means_on_the_rows_ends(seed):
    chance = np.random.default_rng(seed)
    members = random_members(chance, 24, 6, 4)
    members.labels[:, 0] = 0
    weights = chance.normal(0.3, 0.3, size=6)
    S = naive.coassociation(columns(members), weights.tolist())
    start = np.resize(np.arange(4), 24).astype(np.int32)
    found = co._exchange(co._problem(members, weights, np.arange(24)), start.copy())
    assert found.labels.tolist() == naive.exchange_at_once(S, start.tolist())
    assert found.error == pytest.approx(naive.squared_error(S, found.labels.tolist()), abs=1e-9)


def test_a_planted_partition_is_found_again_under_noise():
    chance = np.random.default_rng(1)
    truth = np.arange(300) % 5
    labels = np.where(chance.random((300, 9)) < 0.6, truth[:, None], chance.integers(5, size=(300, 9)))
    members = Members(labels.astype(np.int32), ["v"] * 9)
    for rule in RULES:
        found = consensus(members, np.ones(9), rule=rule, k=5)
        assert naive.purity(truth.tolist(), found.tolist()) > 0.96, rule


def test_many_items_start_from_a_sample(monkeypatch):
    chance = np.random.default_rng(2)
    truth = np.arange(2000) % 4
    labels = np.where(chance.random((2000, 7)) < 0.7, truth[:, None], chance.integers(4, size=(2000, 7)))
    members = Members(labels.astype(np.int32), ["v"] * 7)
    monkeypatch.setattr(co, "_SAMPLE", 400)
    found = co.coassociation(members, np.ones(7), k=4)
    assert naive.purity(truth.tolist(), found.labels.tolist()) > 0.95


def test_too_many_clusters_are_refused_with_a_way_out(monkeypatch):
    monkeypatch.setattr(co, "_MOST", 5)
    with pytest.raises(SettingError, match="entropy"):
        co.coassociation(random_members(np.random.default_rng(0), 20, 2, 4), [1, 1], k=3)


# --- the partition that agrees best


@pytest.mark.parametrize("seed", SEEDS)
def test_the_median_is_a_proven_local_optimum_of_the_mean_rand_index(seed):
    chance = np.random.default_rng(seed)
    members = random_members(chance, 14, 5, 3)
    found = median(members, k=4)
    labels, best = found.labels.tolist(), found.agreement
    assert best == pytest.approx(naive.mean_rand(columns(members), labels), abs=1e-12)
    for i in range(14):
        if labels[i] >= 0:
            for r in range(4):
                assert naive.mean_rand(columns(members), [*labels[:i], r, *labels[i + 1 :]]) <= best + 1e-12
    assert best >= max(naive.mean_rand(columns(members), column) for column in columns(members)) - 0.05


# --- support


@pytest.mark.parametrize("seed", SEEDS)
def test_support_equals_its_definition(seed):
    chance = np.random.default_rng(seed)
    members = random_members(chance, 15, 4, 3)
    labels = consensus(members, np.ones(4), k=3)
    backed = support(members, labels)
    wanted = np.array(naive.agreement(columns(members), labels.tolist()))
    assert backed.agreement[labels >= 0].mean() == pytest.approx(wanted[labels >= 0].mean(), abs=1e-6)
    for view, own in (("a", [0, 2]), ("b", [1, 3])):
        part = [columns(members)[t] for t in own]
        share = np.array(naive.agreement(part, labels.tolist()))[labels >= 0]
        sizes = np.bincount(labels[labels >= 0])
        assert np.dot(backed.by_view[view], sizes) / sizes.sum() == pytest.approx(share.mean(), abs=1e-9)


def test_support_by_hand():
    members = Members(np.array([[0, 1], [0, 1], [1, 0], [1, 1], [-1, -1]], np.int32), ["a", "b"])
    backed = support(members, np.array([0, 0, 1, 1, -1], np.int32))
    assert backed.agreement.tolist()[:4] == [1.0, 1.0, 1.0, 0.5]
    assert np.isnan(backed.agreement[4])
    assert backed.second.tolist() == [-1, -1, -1, 0, -1]
    assert backed.by_view == {"a": [1.0, 1.0], "b": [1.0, 0.5]}


# --- the door


def test_alpha_is_the_first_view_s_share():
    assert shares(["f", "s", "f", "s"], 0.8) == pytest.approx([0.8, 0.2, 0.8, 0.2])
    assert shares(["a", "b", "c"], 0.5) == pytest.approx([0.5, 0.25, 0.25])
    assert shares(["a", "a"], 0.3).tolist() == [1, 1]
    assert shares(["a", "b"], "auto").tolist() == [1, 1]


def test_all_of_alpha_on_one_view_is_that_view_s_ensemble():
    views = {"f": vectors_of(Tfidf().fit_transform(counts_of(3))), "s": vectors_of(counts_of(4))}
    found = ensemble(views, k=3, members=6, alpha=1.0)
    own = found.members.take([0, 2, 4])
    alone = co.coassociation(own, [found.weights[t] for t in (0, 2, 4)], k=3)
    assert naive.adjusted_rand(alone.labels.tolist(), found.clustering.labels.tolist()) == 1.0


@pytest.mark.parametrize("rule", RULES)
def test_an_ensemble_finds_the_topics_and_is_the_same_again(rule):
    counts = counts_of(5)
    views = {"tfidf": vectors_of(Tfidf().fit_transform(counts)), "counts": vectors_of(counts)}
    found, again = (ensemble(views, k=3, members=8, rule=rule, jobs=jobs) for jobs in (1, 3))
    labels = found.clustering.labels
    assert labels.tobytes() == again.clustering.labels.tobytes()
    assert labels[0] == -1
    assert naive.purity((np.arange(1, 60) % 3).tolist(), labels[1:].tolist()) > 0.95
    assert 0.8 < found.agreement <= 1
    assert min(found.weights) > 0.2
    predicted = found.clustering.estimator.predict(views["tfidf"].matrix)
    assert (predicted == labels).mean() > 0.95
    assert found.clustering.recipe.as_json()[-1]["views"] == ["tfidf", "counts"]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    ("rows", "k", "clusters"),
    [
        (np.zeros((0, 3)), 2, 0),
        (np.zeros((4, 3)), 2, 0),
        (np.zeros((4, 0)), 2, 0),
        ([[1, 2, 0]], 3, 1),
        ([[1, 2, 0]] * 5, 3, 1),
        (np.eye(3), 1, 1),
    ],
)
def test_degenerate_inputs_have_an_answer(rule, rows, k, clusters):
    matrix = np.array(rows, np.float32)
    for made in (matrix, sparse.csr_array(matrix)):
        found = ensemble({"v": vectors_of(made)}, k=k, members=3, rule=rule)
        assert found.clustering.k == clusters
        assert found.agreement is None or 0 <= found.agreement <= 1


def test_wrong_settings_are_told():
    views = {"v": vectors_of(counts_of(0))}
    for settings, said in (
        ({"rule": "vote"}, "weighted, agreement, entropy"),
        ({"alpha": 2.0}, "from 0 to 1"),
        ({"members": 0}, "members"),
        ({"method": "kmean"}, "kmeans"),
    ):
        with pytest.raises(SettingError, match=said):
            ensemble(views, **settings)
