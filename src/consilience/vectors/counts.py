"""Counts: how often each term stands in each document."""

from __future__ import annotations

from consilience.vectors._counts import CountWeighting


class Counts(CountWeighting):
    """O[d, t], the frequency vectors of the course (Cavar 2010)."""
