"""What may be said about clusters, classes and words.

description.py      a cluster in words: telling terms, central documents, a check
outliers.py         what fits its cluster or class badly
classification.py   which of given classes a document belongs to, and how often that is right
similarity.py       which words are like a word
tendency.py         whether there is anything to cluster
"""

from consilience.verdicts.classification import Accuracy, NearestCentroid, accuracy, folds
from consilience.verdicts.description import ClusterDescription, describe, describe_words
from consilience.verdicts.outliers import Outliers, outliers
from consilience.verdicts.similarity import nearest_words
from consilience.verdicts.tendency import Tendency, tendency

__all__ = [
    "Accuracy",
    "ClusterDescription",
    "NearestCentroid",
    "Outliers",
    "Tendency",
    "accuracy",
    "describe",
    "describe_words",
    "folds",
    "nearest_words",
    "outliers",
    "tendency",
]
