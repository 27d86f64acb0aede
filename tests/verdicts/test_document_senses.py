"""The senses inside a document: complete link beside its slow transcription and SciPy's."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

import naive
from consilience.errors import SettingError
from consilience.language.wordnet import load_wordnet, wu_palmer
from consilience.verdicts.document_senses import complete_link, document_senses
from making import corpus_of

FARM = "Corn, wheat, barley and oats are grain. The bank gave a loan. Farmers and traders met in January."


def groups(labels):
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)}


@pytest.mark.parametrize("seed", range(10))
def test_complete_link_equals_its_definition_and_scipy(seed):
    chance = np.random.default_rng(seed)
    size, most = int(chance.integers(1, 12)), float(chance.uniform(0.2, 0.9))
    distances = np.triu(chance.random((size, size)), 1)
    distances += distances.T
    found = groups(complete_link(distances, most))
    assert found == naive.complete_link(distances.tolist(), most)
    if size > 1:
        assert found == groups(fcluster(linkage(squareform(distances), "complete"), most, "distance"))


@pytest.mark.compiled
@pytest.mark.parametrize("alike", [0.0, 0.3, 0.6, 0.9, 1.0])
def test_senses_of_a_cluster_are_alike_and_no_two_clusters_could_merge(alike):
    (found,) = document_senses(corpus_of([FARM * 2]), alike=alike)
    tree, synsets = load_wordnet().tree, load_wordnet().synsets.to_list()

    def similar(p, q):
        p, q = synsets.index(p.sense), synsets.index(q.sense)
        return 1.0 if p == q else float(wu_palmer(tree, [p, q], [q, p]).mean())

    everything = [sense for cluster in found for sense in cluster.senses]
    assert len(everything) == len({sense.sense for sense in everything})
    for a in found:
        assert a.least == pytest.approx(min(similar(p, q) for p in a.senses for q in a.senses))
        assert a.least >= alike - 1e-9
        for b in found:
            if a is not b:
                assert min(similar(p, q) for p in a.senses for q in b.senses) < alike
    assert [len(cluster.senses) for cluster in found] == sorted((len(c.senses) for c in found), reverse=True)


@pytest.mark.compiled
def test_what_is_of_a_kind_is_together():
    (found,) = document_senses(corpus_of([FARM]))
    together = [{noun for sense in cluster.senses for noun in sense.nouns} for cluster in found]
    cereals = next(nouns for nouns in together if "wheat" in nouns)
    assert {"corn", "barley"} & cereals
    assert "loan" not in cereals


@pytest.mark.compiled
def test_documents_without_a_known_noun_have_no_clusters():
    assert document_senses(corpus_of(["", "and of the", "A dog."]))[:2] == [[], []]
    (one,) = document_senses(corpus_of(["A dog."]))
    assert [sense.sense for cluster in one for sense in cluster.senses] == ["dog.n.01"]
    assert one[0].least == 1.0
    assert document_senses(corpus_of([])) == []


def test_alike_is_a_share():
    with pytest.raises(SettingError, match="from 0 to 1"):
        document_senses(corpus_of([FARM]), alike=1.5)
