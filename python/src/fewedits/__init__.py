# SPDX-License-Identifier: MIT
"""Why does your model say no, and which few edits would make it say yes?

    import fewedits as fe
    from torch_geometric.datasets import TUDataset

    why = fe.explain(TUDataset(root, "MUTAG"), model, desired=0, k=10, theta=0.1)
    why                                  # in a notebook: the counterfactuals, drawn

The engine is native code that learns nothing of Python: it proves every distance that it claims.
"""

from __future__ import annotations

from . import _core
from ._core import EditScript, Graph
from ._errors import Error
from .answers import Evaluation, Predictions, Recourse, Verification, evaluate, predict
from .data import Dataset, GraphBatch, dataset, generate, open_dataset
from .explanation import Counterfactual, Explanation
from .fragility import Fragility, fragility
from .ged import Distance, DistanceMatrix, distances, ged, ged_matrix
from .models import BlackBox, Model
from .rules import Rule, RuleList, load_rules, rules
from .search import explain, load
from .training import train, train_distance

__version__: str = _core.version

__all__ = [
    "BlackBox",
    "Counterfactual",
    "Dataset",
    "Distance",
    "DistanceMatrix",
    "EditScript",
    "Error",
    "Evaluation",
    "Explanation",
    "Fragility",
    "Graph",
    "GraphBatch",
    "Model",
    "Predictions",
    "Recourse",
    "Rule",
    "RuleList",
    "Verification",
    "dataset",
    "distances",
    "evaluate",
    "explain",
    "fragility",
    "ged",
    "ged_matrix",
    "generate",
    "load",
    "load_rules",
    "open_dataset",
    "predict",
    "rules",
    "train",
    "train_distance",
]
