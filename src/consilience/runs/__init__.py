"""Runs: the road walked once, its folder on disk, prediction from it, and the proof that it comes out again.

road.py       settings + corpus -> Run           folder.py      Run <-> folder
predicting.py other documents by a run's model   verifying.py   the road walked again, what differs
judging.py    labels, truth, texts -> Judged     classes.py     classification into given classes
model.py      estimators <-> safetensors, JSON   atomic.py      whole or not at all
"""

from consilience.runs.folder import SavedRun, load_run, write_run
from consilience.runs.predicting import predict_corpus
from consilience.runs.road import Run, Settings, walk
from consilience.runs.verifying import verify

__all__ = ["Run", "SavedRun", "Settings", "load_run", "predict_corpus", "verify", "walk", "write_run"]
