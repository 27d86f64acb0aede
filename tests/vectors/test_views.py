from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.utils.estimator_checks import parametrize_with_checks

import naive
from consilience import catalogue, vectors
from consilience.errors import InputError, SettingError
from consilience.kernels.counting import count_matrix
from consilience.language import raw_tokens, tokenise
from consilience.nouns import Recipe, Vectors
from consilience.vectors import distances, reads, represent, represent_like
from making import corpus_of

VIEWS = catalogue.names("vectors")
TEXTS = st.lists(st.lists(st.sampled_from("aa bb cc dd ee".split()), max_size=8), min_size=1, max_size=12)


def cut(texts):
    return tokenise(corpus_of([" ".join(text) for text in texts]), language="unknown", stem="none", min_df=1)


@parametrize_with_checks([catalogue.get("vectors", view)() for view in VIEWS])
def test_scikit_learn_s_own_checks(estimator, check):
    check(estimator)


@given(texts=TEXTS)
def test_equal_to_their_formulas(texts):
    tokens = cut(texts)
    terms = tokens.vocabulary.to_list()
    if not terms:
        return
    dense = {view: represent(tokens, view).matrix for view in ("counts", "boolean", "tfidf-raw", "tfidf-relative")}
    dense = {view: matrix.toarray() for view, matrix in dense.items()}
    for d, text in enumerate(texts):
        for t, term in enumerate(terms):
            assert dense["counts"][d, t] == text.count(term)
            assert dense["boolean"][d, t] == (term in text)
            assert np.isclose(dense["tfidf-raw"][d, t], naive.tfidf_raw(texts, term, d), rtol=1e-6)
            if text:
                assert np.isclose(dense["tfidf-relative"][d, t], naive.tfidf_relative(texts, term, d), rtol=1e-6)


@pytest.mark.parametrize(("view", "sublinear"), [("tfidf", False), ("tfidf-log", True)])
def test_tfidf_equals_scikit_learn_on_newsgroups(data, view, sublinear):
    texts = pl.read_ndjson(data("20newsgroups_bydate.jsonl.gz"))["text"].head(1500)
    texts = texts.filter(texts.str.len_bytes() == texts.str.len_chars())
    ours = represent(raw_tokens(corpus_of(texts.to_list()), numbers=True), view)
    peer = TfidfVectorizer(token_pattern=r"(?u)[^\W_]{2,}", dtype=np.float32, sublinear_tf=sublinear)
    theirs = peer.fit_transform(texts.to_list())
    theirs.sort_indices()
    assert ours.features.to_list() == peer.get_feature_names_out().tolist()
    assert np.array_equal(ours.matrix.indices, theirs.indices)
    assert np.allclose(ours.matrix.data, theirs.data, rtol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("view", VIEWS)
@given(texts=TEXTS)
def test_laws_of_the_catalogue(view, texts):
    tokens = replace(cut(texts), of=reads(view))
    vectors = represent(tokens, view, n_jobs=1)
    again = represent(tokens, view, n_jobs=2)
    assert vectors.matrix.shape[0] == len(texts)
    assert np.array_equal(_dense(vectors), _dense(again))
    if vectors.estimator is not None:
        like = represent_like(vectors, tokens)
        assert np.allclose(_dense(like), _dense(vectors), atol=1e-6)
        unseen = represent_like(vectors, cut([["zz", "yy"], ["aa", "zz"]]))
        assert unseen.empty[0]
    empty = np.array([not text for text in texts])
    assert vectors.empty[empty].all()


def test_lsi_keeps_the_strongest_components(data):
    texts = pl.read_ndjson(data("classic3.jsonl.gz"))["text"].fill_null("").to_list()
    tokens = tokenise(corpus_of(texts))
    vectors = represent(tokens, "lsi")
    assert vectors.matrix.shape == (len(texts), 100)
    lengths = np.linalg.norm(vectors.matrix, axis=1)
    assert np.allclose(lengths[~vectors.empty], 1, atol=1e-5)
    assert vectors.empty.sum() == 2
    X = represent(tokens, "tfidf").matrix
    exact = sparse.linalg.svds(X.astype(np.float64), k=10, random_state=0, return_singular_vectors=False)
    ours = np.linalg.norm(X @ vectors.estimator.components_[:, :10], axis=0)
    assert np.allclose(np.sort(ours), np.sort(exact), rtol=1e-2)


def test_lsi_of_fewer_documents_than_components():
    assert represent(cut([["aa", "bb"], ["cc"]]), "lsi").matrix.shape == (2, 2)


def test_refusals():
    with pytest.raises(SettingError, match="did you mean 'tfidf'"):
        represent(cut([["aa"]]), "tfidff")
    with pytest.raises(SettingError, match="n_components"):
        represent(cut([["aa"]]), "lsi", components=3)
    with pytest.raises(InputError, match="NaN"):
        Vectors(pl.Series("id", ["a"]), np.array([[np.nan]], np.float32), pl.Series("f", ["x"]), Recipe("given"))


def test_counting_equals_a_loop():
    generator = np.random.default_rng(1)
    lengths = generator.integers(0, 9, 500)
    terms = generator.integers(0, 20, lengths.sum()).astype(np.int32)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    dense = np.zeros((500, 20))
    for d in range(500):
        for t in terms[starts[d] : starts[d + 1]]:
            dense[d, t] += 1
    counts = count_matrix(terms, starts, 20)
    assert counts.has_canonical_format
    assert np.array_equal(counts.toarray(), dense)


def _dense(vectors):
    return vectors.matrix.toarray() if sparse.issparse(vectors.matrix) else vectors.matrix


def rows_of(matrix):
    items, features = (pl.Series([str(i) for i in range(n)]) for n in matrix.shape)
    return Vectors(items, matrix, features, Recipe("given"))


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_distances_are_scipys_block_by_block(metric, form, monkeypatch):
    monkeypatch.setattr(vectors, "_BLOCK", 40)
    generator = np.random.default_rng(0)
    X, Y = (generator.random((n, 6), np.float32) * (generator.random((n, 6)) < 0.6) for n in (23, 9))
    X[:, 0] += 0.1
    Y[:, 0] += 0.1
    Y[3] = X[7]
    X, Y = X.astype(np.float32), Y.astype(np.float32)
    blocks = list(distances(rows_of(form(X)), rows_of(form(Y)), metric=metric))
    assert [len(block) for block in blocks] == [4] * 5 + [3]
    assert np.concatenate(blocks) == pytest.approx(cdist(X.astype(float), Y.astype(float), metric), abs=1e-12)
    assert np.concatenate(blocks)[7, 3] == 0
    own = np.concatenate(list(distances(rows_of(form(Y)), metric=metric)))
    assert own.shape == (9, 9)
    assert not own.diagonal().any()


def test_a_row_of_zeros_is_at_cosine_distance_1_from_everything():
    X = sparse.csr_array(np.array([[1, 0], [0, 0]], np.float32))
    assert np.concatenate(list(distances(rows_of(X)))).tolist() == [[0, 1], [1, 1]]
    assert next(distances(rows_of(X), metric="euclidean")).tolist() == [[0, 1], [1, 0]]
    assert list(distances(rows_of(X[:0]))) == []


def test_distances_between_different_spaces_or_by_unknown_metrics_are_refused():
    X = rows_of(np.ones((2, 3), np.float32))
    with pytest.raises(SettingError, match="same columns; they have 3 and 2"):
        list(distances(X, rows_of(np.ones((1, 2), np.float32))))
    with pytest.raises(SettingError, match="metric must be"):
        list(distances(X, metric="manhattan"))
