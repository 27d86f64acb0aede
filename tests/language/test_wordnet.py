"""WordNet compiled: the same as its files, and Wu-Palmer and lemmas the same as NLTK's."""

import time

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from consilience.errors import InputError
from consilience.language import wordnet
from consilience.language.wordnet import load_wordnet, wu_palmer
from consilience.language.wordnet.compiling import FILES, compile_folder
from consilience.language.wordnet.taxonomy import taxonomy


@st.composite
def hypernyms(draw):
    """A taxonomy of up to nine synsets: each hangs under some of the earlier ones, or is a root."""
    size = draw(st.integers(1, 9))
    parents = [sorted(draw(st.sets(st.integers(0, s - 1), max_size=3))) if s else [] for s in range(size)]
    return parents, draw(st.permutations([f"name{i}" for i in range(size)]))


@given(given=hypernyms())
def test_wu_palmer_equals_its_definition(given):
    parents, names = given
    starts = np.concatenate([[0], np.cumsum([len(own) for own in parents])])
    flat = np.array([above for own in parents for above in own], np.int32)
    tree = taxonomy(starts, flat, np.argsort(np.array(names)))
    size = range(len(parents))
    ours = wu_palmer(tree, *np.meshgrid(size, size, indexing="ij"))
    assert np.allclose(ours, [[naive.wu_palmer(parents, names, p, q) for q in size] for p in size], rtol=1e-15)


@pytest.mark.compiled
def test_wu_palmer_equals_nltk_on_20000_pairs(nltk_wordnet):
    known, chance = load_wordnet(), np.random.default_rng(0)
    pairs = chance.integers(len(known.synsets), size=(20_000, 2))
    branching = np.flatnonzero(np.diff(known.parent_starts) > 1)
    pairs[:2000, 0] = chance.choice(branching, 2000)  # several hypernyms, where rules for ties count
    pairs[:1000, 1] = chance.choice(branching, 1000)
    synset = {i: nltk_wordnet.synset(known.synsets[int(i)]) for i in np.unique(pairs)}
    theirs = [synset[p].wup_similarity(synset[q]) for p, q in pairs.tolist()]
    assert np.array_equal(wu_palmer(known.tree, *pairs.T), np.array(theirs, float))


def test_lemmas_and_senses_equal_nltk(nltk_wordnet):
    known, chance = load_wordnet(), np.random.default_rng(1)
    some = known.lemmas.gather(np.sort(chance.choice(len(known.lemmas), 2000, replace=False)))
    irregular = known.exceptions["inflected"].gather(range(0, len(known.exceptions), 3))
    made = pl.concat([some, some + "s", irregular.alias("lemma"), pl.Series("lemma", ["churches", "glasses", "qqq"])])
    found = known.analyses(made)
    lemmas = known.lemmas.gather(found["lemma"])
    ours = {form: [] for form in range(len(made))}
    for form, lemma in zip(found["form"], lemmas, strict=True):
        ours[form].append(lemma)
    twice = set(known.exceptions.filter(pl.col("order") == 1, pl.col("inflected").is_duplicated())["inflected"])
    for form, text in enumerate(made):
        if text in twice:  # it stands on two lines of noun.exc: NLTK knows the last one alone
            assert set(ours[form]) >= set(nltk_wordnet._morphy(text, "n"))
            continue
        assert sorted(set(ours[form])) == sorted(set(nltk_wordnet._morphy(text, "n"))), text
    numbers = pl.DataFrame({"lemma": some}).join(
        pl.DataFrame({"lemma": known.lemmas}).with_row_index("number"), on="lemma", maintain_order="left"
    )["number"]
    for lemma, number in zip(some, numbers, strict=True):
        own = known.senses[known.sense_starts[number] : known.sense_starts[number + 1]]
        named = [synset for synset in nltk_wordnet.synsets(lemma, "n") if lemma in map(str.lower, synset.lemma_names())]
        theirs = list(dict.fromkeys(synset.name() for synset in named))
        assert [name for name in known.synsets.gather(own) if name in theirs] == theirs


def test_what_comes_along_is_what_the_files_say(wordnet_folder):
    made = compile_folder(wordnet_folder)
    with np.load(wordnet._OWN) as packed:
        assert sorted(packed.files) == sorted(made)
        assert all(np.array_equal(packed[name], made[name]) for name in made)


@pytest.mark.compiled
def test_it_loads_in_under_three_tenths_of_a_second():
    seconds = []
    for _ in range(3):
        began = time.process_time()  # others may be at work on the machine
        assert wordnet._load.__wrapped__("").tree.starts[0] == 0
        seconds.append(time.process_time() - began)
    assert min(seconds) < 0.3


SYNSETS = {  # offset: words, hypernyms
    100: (["entity"], []),
    200: (["animal"], [100]),
    300: (["cat", "pussy_cat"], [200]),
    400: (["cat"], [100]),
    500: (["dog"], [200]),
}


def small(folder):
    """A WordNet of five synsets, in its own format."""
    folder.mkdir(exist_ok=True)
    head = "  1 This is a test. WordNet 9.9 Copyright nobody\n"
    lines, index = [], {}
    for offset, (words, above) in SYNSETS.items():
        for word in words:
            index.setdefault(word, []).append(offset)
        pointers = " ".join(f"@ {up:08d} n 0000" for up in above)
        listed = " ".join(f"{word} 0" for word in words)
        lines.append(f"{offset:08d} 03 n {len(words):02x} {listed} {len(above):03d} {pointers} | a gloss")
    (folder / "data.noun").write_text(head + "\n".join(lines) + "\n")
    rows = [f"{w} n {len(o)} 1 @ {len(o)} 0 {' '.join(f'{x:08d}' for x in o)}" for w, o in sorted(index.items())]
    (folder / "index.noun").write_text(head + "\n".join(rows) + "\n")
    (folder / "noun.exc").write_text("kitties cat\n")
    return folder


def test_another_wordnet_from_its_folder(tmp_path):
    known = load_wordnet(str(small(tmp_path / "dict")))
    assert known.version == "9.9"
    assert known.synsets.to_list() == ["entity.n.01", "animal.n.01", "cat.n.01", "cat.n.02", "dog.n.01"]
    assert known.lemmas.gather(known.analyses(pl.Series(["kitties", "dogs"]))["lemma"]).to_list() == ["cat", "dog"]
    assert wu_palmer(known.tree, [2, 3], [4, 4]).tolist() == [4 / 6, 2 / 5]


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("data.noun", "n 01 animal", "v 01 animal", "data.noun, line 3"),
        ("data.noun", "@ 00000100", "@ 00000101", "no synset stands at 101"),
        ("index.noun", "cat n 2", "cat n 3", "index.noun, line 3"),
        ("data.noun", "entity 0 000 ", "entity 0 001 @ 00000200 n 0000", "circle"),
    ],
)
def test_a_broken_wordnet_is_refused_with_its_line(tmp_path, file, old, new, said):
    folder = small(tmp_path / file)
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new, 1))
    with pytest.raises(InputError, match=said):
        load_wordnet(str(folder)).tree  # noqa: B018


def test_what_is_no_wordnet_is_refused(tmp_path):
    with pytest.raises(InputError, match=FILES[0]):
        load_wordnet(str(tmp_path))
    (tmp_path / "x.npz").write_bytes(b"no archive")
    with pytest.raises(InputError, match="neither a WordNet folder"):
        load_wordnet(str(tmp_path / "x.npz"))
