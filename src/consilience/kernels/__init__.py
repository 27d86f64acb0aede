"""Compiled loops that more than one stage needs. Kernels take arrays only."""
