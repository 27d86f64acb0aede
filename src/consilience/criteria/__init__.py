"""What a clustering maximises: criteria that methods climb and measures report.

    entropy.py           D_KL of Ferret, Grau and Jardino: how much of the words a clustering leaves unsaid
    exhaustive.py        `best_partition`: the best of all partitions of up to 12 items. A function and no method of the
                         catalogue, because it stands beside the methods as the truth that they are tested against.
    representatives.py   mu1 to mu4 of Zaharie: compactness, connectedness, separability

Methods and measures both may import from here, never from each other.
"""

from consilience.criteria.exhaustive import CRITERIA, Best, best_partition

__all__ = ["CRITERIA", "Best", "best_partition"]
