"""What may be said about a clustering: `description.py` says in words what each cluster holds."""

from consilience.verdicts.description import ClusterDescription, describe

__all__ = ["ClusterDescription", "describe"]
