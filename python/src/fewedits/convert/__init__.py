# SPDX-License-Identifier: MIT
"""Modules of PyTorch whose computation the engine knows become models of its own.

A module is traced with ``torch.fx``, and every operation between its inputs and its answer is looked
at, whatever attributes are called: layers of PyTorch Geometric with the options that the engine
computes, and what stands between them as far as it can be written with the engine's layers. Whatever
is not recognised makes the module one that is asked as it is, and the reason is said.

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
