import numpy as np
import polars as pl
import pytest

from consilience.corpus import read
from consilience.language import tokenise
from consilience.vectors import represent
from consilience.verdicts import outliers
from making import corpus_of


@pytest.mark.parametrize(
    ("name", "strip", "precision"),
    [("20newsgroups_bydate", "headers", 0.45), ("classic3", (), 0.65), ("banking77", (), 0.35)],
)
def test_planted_documents_are_found(data, name, strip, precision):
    """One document in a hundred gets another class; of as many with the largest score, so many are planted ones."""
    corpus = read(data(f"{name}.jsonl.gz"), strip=strip)
    vectors = represent(tokenise(corpus))
    labels = (corpus.truth.list.first().rank("dense").cast(pl.Int64) - 1).to_numpy().copy()
    generator = np.random.default_rng(0)
    planted = generator.choice(len(labels), len(labels) // 100, replace=False)
    k = labels.max() + 1
    labels[planted] = (labels[planted] + generator.integers(1, k, len(planted))) % k
    score = np.nan_to_num(outliers(vectors.matrix, labels).score, nan=-np.inf)
    found = np.argsort(-score)[: len(planted)]
    assert np.isin(found, planted).mean() > precision


def test_length_alone_makes_no_outlier():
    """Short texts of the same words as the long ones stay below the one that speaks of something else."""
    generator = np.random.default_rng(1)
    topic, other = [[f"{name}{i}x" for i in range(60)] for name in ("topic", "other")]
    texts = [" ".join(generator.choice(topic, generator.integers(4, 50))) for _ in range(200)]
    texts.append(" ".join(generator.choice(other, 20)))
    vectors = represent(tokenise(corpus_of(texts), language="unknown", stem="none", min_df=1))
    found = outliers(vectors.matrix, np.zeros(201, int))
    assert found.score.argmax() == 200
    assert found.distance.argmax() == 200
    assert found.density.argmax() == 200


def test_no_cluster_no_feature_no_score_and_alike_is_zero():
    vectors = represent(tokenise(corpus_of(["aa bb", "aa bb", "aa bb", "cc", "", "dd"]), language="unknown", min_df=1))
    found = outliers(vectors.matrix, np.array([0, 0, 0, 1, 0, -1]))
    assert found.score[:4].tolist() == [0, 0, 0, 0]
    assert np.isnan(found.score[4:]).all()
    assert np.isnan(outliers(vectors.matrix, np.full(6, -1)).score).all()
