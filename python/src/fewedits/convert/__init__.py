# SPDX-License-Identifier: MIT
"""Modules of PyTorch whose computation the engine knows become models of its own.

A module is traced with ``torch.fx``, and every operation between its inputs and its answer is looked
at, whatever attributes are called: layers of PyTorch Geometric with the options that the engine
computes, and what stands between them as far as it can be written with the engine's layers. Whatever
is not recognised makes the module one that is asked as it is, and the reason is said.

What is known:

- *before the first layer* anything that makes a node's row of its label alone: embeddings and their
  sums, linear layers, norms of a row. The same of edges;
- *layers*: ``GCNConv``, ``GINConv``, ``GINEConv``, ``SAGEConv``, ``GraphConv``, ``GATConv``, but for the
  options ``improved``, ``cached``, ``project``, ``normalize`` of SAGE, ``residual``, weights of edges,
  attention and normalisation without self loops, and other aggregations than sum (SAGE and GraphConv
  also mean and maximum); one after the other, without residual connections;
- *between them*, and inside a GIN: linear layers, batch norm, dropout, ReLU, leaky ReLU (of one slope),
  ELU, GELU, tanh, sigmoid, in any order;
- *pooling*: sum, mean, maximum, of any of the layers, side by side or summed (``JumpingKnowledge("cat")``
  and ``MultiAggregation`` too);
- *the head*: linear layers, batch norm, one kind of activation; then logits, softmax, log-softmax, one
  logit or one sigmoid;
- ``BasicGNN`` models, ``MLP``, ``Sequential``, and whatever else is made of these.

Graphs without nodes are the one exception: where a linear layer with a bias stands between concatenated
layers and their mean or maximum, the bias counts for them, too.

Converted models are used only if they agree with the module on every graph of the dataset
(:mod:`fewedits.models`).
"""

from __future__ import annotations

from typing import Any

from ._result import NativeModel, NotNative, Sample

__all__ = ["NativeModel", "NotNative", "Sample", "to_native"]


def to_native(module: Any, sample: Sample) -> NativeModel | NotNative:
    """What the module computes as a model file and its tensors, or why there is none."""
    from ._interpret import converted

    return converted(module, sample)
