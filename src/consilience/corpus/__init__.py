"""The corpus: texts from files, folders, streams and frames, as one noun.

reading.py     read(path) -> Corpus: the door
frames.py      from_frame(frame) -> Corpus: pandas, polars, Arrow
sources.py     a path or stdin as UTF-8 bytes: decompressed, transcoded, hashed
lines.py       bytes in blocks of whole lines, and the tally of broken ones
jsonl.py       .jsonl          ┐
schemas.py     its types       │
delimited.py   .csv, .tsv      ├─▶ a polars frame
records.py     their records   │
plain.py       .txt and folders┘
columns.py     which column is the text, the id, the label, the time -> Corpus
stripping.py   strip(texts, parts): headers, quotes and signatures of mails
labels.py      with_truth(corpus, truth), read_labelling(path): labels from a column, a table or a run folder
taxonomy.py    classes that are paths, cut to a depth
surveying.py   survey(corpus): how many are empty, how many said before
harmless.py    harmless(frame): cells no spreadsheet will run
"""

from consilience.corpus.frames import from_frame
from consilience.corpus.harmless import harmless
from consilience.corpus.labels import (
    Common,
    LabelTable,
    in_common,
    labelling,
    read_label_table,
    read_labelling,
    read_labels,
    there,
    with_truth,
)
from consilience.corpus.reading import read
from consilience.corpus.stripping import PARTS, strip
from consilience.corpus.surveying import Survey, survey

__all__ = [
    "PARTS",
    "Common",
    "LabelTable",
    "Survey",
    "from_frame",
    "harmless",
    "in_common",
    "labelling",
    "read",
    "read_label_table",
    "read_labelling",
    "read_labels",
    "strip",
    "survey",
    "there",
    "with_truth",
]
