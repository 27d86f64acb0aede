"""What may be said about clusters and classes.

description.py      in words: telling terms, central documents, a check
classification.py   which of given classes a document belongs to, and how often that is right
outliers.py         what fits its cluster or class badly
"""

from consilience.verdicts.classification import Accuracy, NearestCentroid, accuracy, folds
from consilience.verdicts.description import ClusterDescription, describe
from consilience.verdicts.outliers import Outliers, outliers

__all__ = ["Accuracy", "ClusterDescription", "NearestCentroid", "Outliers", "accuracy", "describe", "folds", "outliers"]
