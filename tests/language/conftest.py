"""WordNet's own files, and NLTK reading them."""

import tarfile
import warnings

import pytest


@pytest.fixture(scope="session")
def wordnet_folder(data, tmp_path_factory):
    """The noun files of WordNet 3.0, and empty files for the other parts of speech, which NLTK wants to open."""
    path = tmp_path_factory.mktemp("wordnet")
    with tarfile.open(data("wordnet30_noun.tar.gz")) as archive:
        archive.extractall(path, filter="data")
    folder = path / "wordnet30"
    for part in ("adj", "adv", "verb"):
        for name in (f"index.{part}", f"data.{part}", f"{part}.exc"):
            (folder / name).touch()
    return folder


@pytest.fixture(scope="session")
def nltk_wordnet(wordnet_folder):
    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    class Nouns(WordNetCorpusReader):
        def map_wn(self, version="wordnet"):
            return None  # other languages' wordnets, which would ask for a download

    nltk.data.path.append(str(wordnet_folder.parent))  # it opens files in its own folders only
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Nouns(str(wordnet_folder), None)
