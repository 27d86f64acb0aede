"""Classes of labelled documents: learnt, held out, found."""

import numpy as np
import polars as pl
import pytest

from consilience.corpus import from_frame
from consilience.errors import InputError
from consilience.runs.classes import classify_corpus

WORDS = {"net": "router cable wifi vpn proxy network", "pay": "invoice refund card bank bill payment"}


def tickets(count=40, unlabelled=()):
    chance = np.random.default_rng(0)
    classes = ["net" if i % 2 else "pay" for i in range(count)]
    texts = [" ".join(chance.choice(WORDS[name].split(), 4)) for name in classes]
    given = [None if i in unlabelled else name for i, name in enumerate(classes)]
    return from_frame(pl.DataFrame({"id": [f"d{i}" for i in range(count)], "text": texts, "label": given})), classes


def test_what_has_no_label_is_classified_and_what_has_one_is_held_out():
    corpus, classes = tickets(unlabelled={3, 4})
    found = classify_corpus(corpus)
    assert found.table["found"].to_list() == classes
    assert found.table["id"].to_list() == corpus.ids.to_list()
    assert (found.accuracy.value, found.accuracy.held_out, found.unlabelled) == (1.0, 38, 2)
    assert 0.9 < found.accuracy.low < found.accuracy.high == pytest.approx(1)


def test_the_order_of_the_rows_does_not_show():
    corpus, _ = tickets(60)
    noise = np.random.default_rng(1).choice(["net", "pay"], 60).tolist()  # so that folds matter
    corpus = from_frame(pl.DataFrame({"id": corpus.ids, "text": corpus.texts, "label": noise}))
    turned = corpus.take(np.random.default_rng(2).permutation(60))
    tables = [classify_corpus(one).table.sort("id") for one in (corpus, turned)]
    assert tables[0].equals(tables[1])


def test_phrases_of_the_training_documents_are_those_of_the_others():
    """ "ice cream" is a phrase among 30 documents, too rare to be one among the two to be classified."""
    texts = ["ice cream parlour menu price list"] * 15 + ["cream tea scone butter ice rink"] * 15 + ["ice cream"] * 2
    labels = ["sweet"] * 15 + ["mixed"] * 15 + ["sweet"] * 2
    split = ["train"] * 30 + ["test"] * 2
    frame = pl.DataFrame({"text": texts, "label": labels, "split": split})
    found = classify_corpus(from_frame(frame), split="split", phrases=True, language="en", stem="none", view="boolean")
    assert found.table["found"].to_list()[-2:] == ["sweet", "sweet"]
    assert found.accuracy.value == 1


def test_documents_without_terms_teach_nothing():
    frame = pl.DataFrame({"text": ["the", "of", "is", "and"], "label": ["a", "b", "a", "b"]})
    with pytest.raises(InputError, match="hold no term"):
        classify_corpus(from_frame(frame), language="en")
