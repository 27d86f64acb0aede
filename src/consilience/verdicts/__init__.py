"""What may be said about clusters, classes and words.

description.py      a cluster in words: telling terms, central documents, a check
outliers.py         what fits its cluster or class badly
classification.py   which of given classes a document belongs to, and how often that is right
similarity.py       which words are like a word
judgement.py        labels beside a truth; which of two clusterings is better
confusion.py        which classes are mixed up, and what became of each
in_words.py         a judgement in sentences
document_senses.py  the senses of one document's nouns, those of a kind together
stability.py        which clusters come again on samples of the items
tendency.py         whether there is anything to cluster

and about one clustering made of many:

ensemble.py         views -> members -> consensus, in one call
members.py          clusterings on parts of the features          weights.py   how good each is
coassociation.py    k-means on how often items are put together   median.py    what agrees best with all
support.py          who stands behind each cluster
"""

from consilience.verdicts.classification import Accuracy, NearestCentroid, accuracy, folds
from consilience.verdicts.description import ClusterDescription, describe, describe_words
from consilience.verdicts.ensemble import RULES, Ensemble, ensemble
from consilience.verdicts.members import Members
from consilience.verdicts.outliers import Outliers, outliers
from consilience.verdicts.similarity import nearest_words
from consilience.verdicts.tendency import Tendency, tendency

__all__ = [
    "RULES",
    "Accuracy",
    "ClusterDescription",
    "Ensemble",
    "Members",
    "NearestCentroid",
    "Outliers",
    "Tendency",
    "accuracy",
    "describe",
    "describe_words",
    "ensemble",
    "folds",
    "nearest_words",
    "outliers",
    "tendency",
]
