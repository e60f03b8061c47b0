# SPDX-License-Identifier: MIT
"""Molecules: SMILES in and out, and the columns of PyTorch Geometric's from_smiles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from conftest import QUICK
from rdkit import Chem
from torch_geometric.utils import from_smiles

import fewedits as fe

SMILES = [
    "CCO", "c1ccccc1N", "CC(=O)[O-]", "C[N+](=O)[O-]", "c1cc[nH]c1", "O=C(O)c1ccco1", "CC(C)N",
    "C#N", "c1ccc2ccccc2c1", "CS(=O)(=O)N", "Cn1cnc2c1c(=O)n(C)c(=O)n2C", "[Na+].[Cl-]", "FC(F)(F)Cl",
]  # fmt: skip


def canonical(smiles: str) -> str:
    return str(Chem.MolToSmiles(Chem.MolFromSmiles(smiles)))


def test_smiles_go_there_and_back() -> None:
    data = fe.dataset(SMILES)
    assert data.is_molecular and data.core.knows_bonds
    for graph, smiles in zip(data, SMILES, strict=True):
        assert data.to_smiles(graph) == canonical(smiles)


def test_features_are_those_of_from_smiles() -> None:
    data = fe.dataset(SMILES)
    for graph, smiles in zip(data, SMILES, strict=True):
        ours, theirs = data.to_pyg(graph), from_smiles(smiles)
        assert torch.equal(ours.x, theirs.x)
        assert torch.equal(ours.edge_index, theirs.edge_index)
        assert torch.equal(ours.edge_attr, theirs.edge_attr)


def test_data_of_from_smiles_is_read_as_molecules() -> None:
    items = [from_smiles(smiles) for smiles in SMILES]
    data = fe.dataset(items)
    assert data.is_molecular and "N+" in data.node_names and "aromatic" in data.edge_names
    for i, graph in enumerate(data):
        assert data.to_smiles(graph) == canonical(SMILES[i])
        back = data.to_pyg(graph)
        assert torch.equal(back.x, items[i].x) and torch.equal(back.edge_attr, items[i].edge_attr)


def test_what_is_no_smiles_is_refused() -> None:
    with pytest.raises(fe.Error, match="SMILES number 1 cannot be read: 'C1CC'"):
        fe.dataset(["C", "C1CC"])


def test_files_of_molecules(tmp_path: Path) -> None:
    smi = tmp_path / "some.smi"
    smi.write_text("CCO 1\n# nothing\nCCN 0\n", encoding="utf-8")
    data = fe.dataset(smi)
    assert data.name == "some" and data.classes is not None and data.classes.tolist() == [1, 0]
    table = tmp_path / "some.csv"
    table.write_text("Smiles,label\nCCO,1\nCCN,0\n", encoding="utf-8")
    assert fe.dataset(table).classes is not None
    table.write_text("molecule,label\nCCO,1\n", encoding="utf-8")
    with pytest.raises(fe.Error, match="no column is named smiles"):
        fe.dataset(table)


def oxygens(smiles: list[str]) -> np.ndarray:
    """A black box that looks at SMILES: class 1 has no oxygen."""
    count = np.array([text.upper().count("O") for text in smiles], dtype=float)
    return np.stack([count - 0.5, 0.5 - count], axis=1)


def test_counterfactuals_of_molecules_are_molecules() -> None:
    chains = ["C" * n + "O" for n in range(1, 9)] + ["C" * n + "N" for n in range(1, 5)]
    why = fe.explain(chains, fe.BlackBox(oxygens, wants="smiles"), desired=1, **{**QUICK, "theta": 0.2})
    assert why.coverage > 0 and why.core.edge_label_names
    for c in why:
        molecule = Chem.MolFromSmiles(c.to_smiles())
        assert molecule is not None and all(atom.GetSymbol() != "O" for atom in molecule.GetAtoms())


class Embedding(torch.nn.Module):
    """Looks at every column of x and of edge_attr."""

    def forward(
        self, x: torch.Tensor, edge_index: torch.Tensor, edge_attr: torch.Tensor, batch: torch.Tensor
    ) -> torch.Tensor:
        graphs = int(batch.max()) + 1
        value = (x[:, 0] == 8).float() * 2 - (x[:, 4] > 1).float() / 8
        edges = torch.zeros(graphs).index_add_(0, batch[edge_index[0]], edge_attr[:, 2].float())
        out: torch.Tensor = torch.zeros(graphs).index_add_(0, batch, value) + edges - 1
        return torch.stack([out, -out], 1)


def test_derived_columns_are_computed_again() -> None:
    items: list[Any] = [from_smiles("C" * n + "O") for n in range(1, 9)]
    why = fe.explain(items, Embedding().eval(), desired=1, **{**QUICK, "theta": 0.2})
    for c in why:
        item = from_smiles(c.to_smiles())
        with torch.no_grad():
            out = Embedding()(item.x, item.edge_index, item.edge_attr, torch.zeros(len(item.x)).long())
        assert out.softmax(1)[0, 1].item() == pytest.approx(c.probability, abs=1e-5)
