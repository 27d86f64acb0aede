from dataclasses import replace

import numpy as np
import pytest

from consilience import tokenise
from consilience.errors import ConsilienceError
from consilience.nouns import Tokens
from consilience.verdicts import tendency
from making import corpus_of


def topics(seed: int, documents: int = 60, groups: int = 3, own: float = 0.5) -> Tokens:
    """Documents of which a share of the words belongs to one of a few groups of words."""
    chance = np.random.default_rng(seed)
    texts = []
    for d in range(documents):
        words = [
            f"group{'abc'[d % groups]}{'xyzuvw'[chance.integers(6)]}"
            if chance.random() < own
            else f"word{'abcdefghij'[chance.integers(10)]}{'abcdefghij'[chance.integers(10)]}"
            for _ in range(chance.integers(6, 20))
        ]
        texts.append(" ".join(words))
    return tokenise(corpus_of(texts), language="unknown", min_df=1)


def dealt_anew(tokens: Tokens, seed: int) -> Tokens:
    return replace(tokens, terms=np.random.default_rng(seed).permutation(tokens.terms))


def test_topics_are_structure() -> None:
    found = tendency(topics(0), permutations=99)
    assert found.structure
    assert found.p == 0.01
    assert found.near > found.near_by_chance
    assert found.hopkins > 0.52
    assert found.verdict.startswith("There is something to cluster")


@pytest.mark.slow
def test_on_shuffled_corpora_p_is_uniform_and_hopkins_half() -> None:
    tokens = topics(0, documents=20)
    found = [tendency(dealt_anew(tokens, seed), permutations=19, random_state=seed, n_jobs=1) for seed in range(120)]
    p = np.array([one.p for one in found])
    for level in (0.05, 0.25, 0.5, 0.75):  # within three standard errors
        assert abs((p <= level).mean() - level) < 3 * np.sqrt(level * (1 - level) / len(p))
    assert np.mean([one.hopkins for one in found]) == pytest.approx(0.5, abs=0.01)
    none = next(one for one in found if not one.structure)
    assert none.verdict.startswith("No structure was found")


def test_equal_documents_and_documents_without_words() -> None:
    same = tendency(tokenise(corpus_of(["one two"] * 8 + ["", " "]), language="unknown", min_df=1), permutations=19)
    assert same.documents == 8
    assert same.near == pytest.approx(1)
    assert same.structure  # shuffled, they would not be equal
    word = tendency(tokenise(corpus_of(["one"] * 5), language="unknown", min_df=1), permutations=19)
    assert (word.p, word.z, word.hopkins) == (1, 0, 0.5)


def test_the_same_seed_the_same_numbers_and_a_sample() -> None:
    tokens = topics(1)
    assert tendency(tokens, permutations=19, sample=30) == tendency(tokens, permutations=19, sample=30, n_jobs=1)
    assert tendency(tokens, permutations=19, sample=30).documents == 30


def test_too_little_to_say() -> None:
    with pytest.raises(ConsilienceError, match="three documents with terms; there are 2"):
        tendency(tokenise(corpus_of(["one two", "two one", ""]), language="unknown", min_df=1))
    with pytest.raises(ConsilienceError, match="take 19 or more"):
        tendency(topics(0), permutations=9)


@pytest.mark.parametrize("name", ["classic3", "banking77"])
def test_real_corpora_have_structure_and_none_when_shuffled(data, name: str) -> None:  # type: ignore[no-untyped-def]
    from consilience import read

    tokens = tokenise(read(data(f"{name}.jsonl.gz")))
    assert tendency(tokens, permutations=19, sample=400).p == 0.05
    assert tendency(dealt_anew(tokens, 4), permutations=19, sample=400).p > 0.05
