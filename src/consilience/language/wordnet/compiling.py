"""A WordNet `dict/` folder to one small file of arrays: lemmas, the order of their senses, hypernyms; no glosses.

    python -m consilience.language.wordnet.compiling DICT_FOLDER nouns.npz

Read are `index.noun`, `data.noun` and `noun.exc`, of any WordNet from 3.0 on; the forms are those of WordNet's manual
pages wndb(5). Each line is checked: a folder from elsewhere is refused with file and line, never half understood.

    version          the name that data.noun gives itself                   text as UTF-8 bytes
    lemmas           sorted, with _ for a space, in capitals as written     text
                     in the most frequent sense that has it
    sense_counts     how many senses each lemma has                         uint8
    senses           their synsets, most frequent first, lemma by lemma     int32
    names            the first word of each synset, in its own capitals     text
    parent_counts    how many hypernyms each synset has                     uint8
    parents          the hypernyms' numbers, then those of instances        int32
    exceptions       an irregular form and its base forms, one form a line  text
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from consilience.errors import InputError

Arrays = dict[str, npt.NDArray[Any]]

FILES = ("index.noun", "data.noun", "noun.exc")
_HYPERNYM, _INSTANCE_OF = "@", "@i"
_AT_MOST = 255  # senses of a lemma, hypernyms of a synset


def compile_folder(folder: Path) -> Arrays:
    """The arrays of the nouns of a `dict/` folder."""
    lines = {name: _lines(folder, name) for name in FILES}
    number: dict[int, int] = {}
    words: list[list[str]] = []
    linked: list[list[int]] = []
    for at, line in _content(lines["data.noun"]):
        try:
            offset, own, hypernyms = _synset(line)
        except (ValueError, IndexError) as problem:
            raise _broken(folder, "data.noun", at, problem) from problem
        number[offset] = len(words)
        words.append(own)
        linked.append(hypernyms)
    lemmas: dict[str, list[int]] = {}
    for at, line in _content(lines["index.noun"]):
        try:
            lemma, offsets = _lemma(line)
            lemmas[lemma] = [number[offset] for offset in offsets]
        except (ValueError, IndexError, KeyError) as problem:
            raise _broken(folder, "index.noun", at, problem) from problem
    try:
        parents = [[number[offset] for offset in hypernyms] for hypernyms in linked]
    except KeyError as problem:
        raise InputError(f"{folder / 'data.noun'}: no synset stands at {problem}, which one names") from problem
    ordered = sorted(lemmas)
    return {
        "version": _text([_version(lines["data.noun"])]),
        "lemmas": _text([_written(lemma, [words[synset] for synset in lemmas[lemma]]) for lemma in ordered]),
        "sense_counts": np.array([len(lemmas[lemma]) for lemma in ordered], np.uint8),
        "senses": np.array([synset for lemma in ordered for synset in lemmas[lemma]], np.int32),
        "names": _text([own[0] for own in words]),
        "parent_counts": np.array([len(own) for own in parents], np.uint8),
        "parents": np.array([parent for own in parents for parent in own], np.int32),
        "exceptions": _text(sorted({" ".join(line.split()) for line in lines["noun.exc"] if len(line.split()) > 1})),
    }


def _lines(folder: Path, name: str) -> list[str]:
    try:
        return (folder / name).read_text(encoding="utf-8").splitlines()
    except OSError as problem:
        raise InputError(
            f"{folder / name} cannot be read ({problem.strerror}); a WordNet folder holds {', '.join(FILES)}"
        ) from problem
    except UnicodeDecodeError as problem:
        raise InputError(f"{folder / name} is no UTF-8 text: {problem.reason}") from problem


def _content(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Numbered lines without the licence, whose lines begin with a space."""
    return ((at, line) for at, line in enumerate(lines, 1) if line and not line.startswith(" "))


def _synset(line: str) -> tuple[int, list[str], list[int]]:
    """`offset lex_filenum ss_type w_cnt word lex_id [...] p_cnt [symbol offset pos source/target ...] | gloss`"""
    fields = line.partition("|")[0].split()
    if fields[2] != "n":
        raise ValueError(f"a synset of type {fields[2]!r}, not n")
    words = int(fields[3], 16)
    count = int(fields[4 + 2 * words])
    pointers = fields[5 + 2 * words : 5 + 2 * words + 4 * count]
    if words < 1 or len(pointers) != 4 * count:
        raise ValueError("fewer words or pointers than it says")
    linked = [
        [int(pointers[i + 1]) for i in range(0, len(pointers), 4) if pointers[i] == kind and pointers[i + 2] == "n"]
        for kind in (_HYPERNYM, _INSTANCE_OF)
    ]
    hypernyms = list(dict.fromkeys(linked[0] + linked[1]))
    if len(hypernyms) > _AT_MOST:
        raise ValueError(f"{len(hypernyms)} hypernyms")
    return int(fields[0]), fields[4 : 4 + 2 * words : 2], hypernyms


def _written(lemma: str, synsets: list[list[str]]) -> str:
    """The lemma in its capitals: index.noun has none."""
    return next((word for own in synsets for word in own if word.lower() == lemma), lemma)


def _lemma(line: str) -> tuple[str, list[int]]:
    """`lemma pos synset_cnt p_cnt [symbol ...] sense_cnt tagsense_cnt offset [...]`"""
    fields = line.split()
    count, pointers = int(fields[2]), int(fields[3])
    offsets = [int(field) for field in fields[6 + pointers :]]
    if fields[1] != "n" or not 0 < count <= _AT_MOST or len(offsets) != count:
        raise ValueError("another number of synsets than it says, or no noun")
    return fields[0], offsets


def _version(lines: list[str]) -> str:
    """What the licence at the head of data.noun calls it."""
    head = "\n".join(line for line in lines[:60] if line.startswith(" "))
    found = re.search(r"WordNet\s+(\S+)\s+Copyright", head)
    return found[1] if found else "of an unnamed version"


def _text(lines: list[str]) -> npt.NDArray[np.uint8]:
    return np.frombuffer("\n".join(lines).encode(), np.uint8)


def _broken(folder: Path, name: str, at: int, problem: Exception) -> InputError:
    return InputError(f"{folder / name}, line {at}, is not of the form of WordNet's noun files: {problem}")


def main() -> None:
    """Compiles the folder named first into the file named second."""
    if len(sys.argv) != 3:
        raise SystemExit("usage: python -m consilience.language.wordnet.compiling DICT_FOLDER nouns.npz")
    arrays = compile_folder(Path(sys.argv[1]))
    np.savez_compressed(sys.argv[2], **arrays)  # type: ignore[arg-type]
    print(f"{sys.argv[2]}: {len(arrays['parent_counts'])} synsets, {len(arrays['sense_counts'])} lemmas")


if __name__ == "__main__":
    main()
