# SPDX-License-Identifier: MIT
"""Molecules, through RDKit from PyPI (``pip install fewedits[chem]``)."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from . import _core
from ._core import Graph
from ._errors import error
from ._lists import LabelRule, LabelTable
from .data import Dataset, Features, GraphBatch, _Arrays, _like, _made, _pyg_classes, _Reading, _whole_classes

__all__ = ["from_smiles", "pyg_features", "to_mol", "to_smiles"]

_BONDS = ("single", "double", "triple", "aromatic")


def _rdkit() -> Any:
    try:
        from rdkit import Chem, RDLogger
    except ImportError:
        raise error("molecules need RDKit", "pip install fewedits[chem]") from None
    RDLogger.DisableLog("rdApp.*")  # type: ignore[attr-defined]
    return Chem


def _name(symbol: str, charge: int) -> str:
    """As the labels of atoms are named: "C", "N+", "Fe+2"."""
    if charge == 0:
        return symbol
    size = "" if abs(charge) == 1 else str(abs(charge))
    return f"{symbol}{'+' if charge > 0 else '-'}{size}"


def from_smiles(
    smiles: Iterable[str],
    *,
    classes: Sequence[int] | None = None,
    hydrogens: bool = False,
    charges: bool = True,
    class_names: Sequence[str] | None = None,
    features: Features | None = None,
    name: str = "molecules",
    rare_label_threshold: int | None = None,
    like: Dataset | None = None,
) -> Dataset:
    """A dataset of SMILES: atoms with their charges are labels of nodes, bonds are labels of edges.

    ``hydrogens`` makes hydrogens nodes of their own; ``charges=False`` gives all atoms of an element
    one label. Models see what ``torch_geometric.utils.from_smiles`` gives, unless ``features`` says
    otherwise.
    """
    chem = _rdkit()
    texts = [str(text) for text in smiles]
    if not texts:
        raise error("there are no molecules")
    if like is not None:
        hydrogens, charges = like._reading.hydrogens, like._reading.charges
    arrays = _Arrays()
    atoms: list[tuple[int, int, str]] = []
    bonds: list[str] = []
    for i, text in enumerate(texts):
        molecule = chem.MolFromSmiles(text)
        if molecule is None:
            raise error(f"SMILES number {i} cannot be read: {text!r}", "leave it out, or correct it")
        if hydrogens:
            molecule = chem.AddHs(molecule)
        chem.Kekulize(molecule, clearAromaticFlags=True)
        for atom in molecule.GetAtoms():
            charge = atom.GetFormalCharge() if charges else 0
            atoms.append((atom.GetAtomicNum(), charge, _name(atom.GetSymbol(), charge)))
        ends = []
        for bond in molecule.GetBonds():
            ends.append((bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()))
            kind = str(bond.GetBondType()).lower()
            bonds.append(kind if kind in _BONDS else "single")
        arrays.add(molecule.GetNumAtoms(), np.asarray(ends, dtype=np.int64).reshape(-1, 2).T)
    own = None if classes is None else _whole_classes(np.asarray(classes))
    reading = _Reading("molecules", hydrogens=hydrogens, charges=charges)
    return _molecules(
        reading, arrays, atoms, bonds, own, name, class_names, features, [], rare_label_threshold, True,
        texts, like,
    )  # fmt: skip


def _molecules(
    reading: _Reading,
    arrays: _Arrays,
    atoms: Sequence[tuple[int, int, str]],
    bonds: Sequence[str],
    classes: np.ndarray | None,
    name: str,
    class_names: Sequence[str] | None,
    features: Features | None,
    notes: Sequence[str],
    rare_label_threshold: int | None,
    lines_are_edges: bool,
    originals: Sequence[Any],
    like: Dataset | None,
) -> Dataset:
    names = [atom[2] for atom in atoms]
    if like is not None:
        return _like(like, arrays, names, bonds, classes, name, lines_are_edges, originals)
    # Neutral atoms first, by their number.
    ordered = sorted(set(atoms), key=lambda atom: (abs(atom[1]), atom[1], atom[0]))
    nodes = LabelTable(tuple(atom[2] for atom in ordered))
    edges = LabelTable(tuple(kind for kind in _BONDS if kind in set(bonds) or kind == "single"))
    return _made(
        reading, arrays, nodes, nodes.values_of(names, "atom"), edges, edges.values_of(bonds, "bond"),
        classes, {"name": name, "domain": "molecule"}, class_names, features or pyg_features, notes,
        rare_label_threshold, lines_are_edges, originals,
    )  # fmt: skip


def from_pyg_molecules(
    items: Sequence[Any],
    name: str,
    target: LabelRule,
    rare_label_threshold: int | None,
    like: Dataset | None = None,
) -> Dataset:
    """Data with the columns of ``from_smiles`` and of MoleculeNet: identity and distance rest on
    element, charge and bond; the other columns are computed again for an edited molecule."""
    from torch_geometric.utils.smiles import e_map, x_map

    chem = _rdkit()
    table = chem.GetPeriodicTable()
    arrays = _Arrays()
    atoms: list[tuple[int, int, str]] = []
    bonds: list[str] = []
    for item in items:
        arrays.add(int(item.num_nodes), item.edge_index.numpy())
        for number, charge in item.x[:, [0, 3]].tolist():
            value = int(x_map["formal_charge"][charge])
            atoms.append((number, value, _name(table.GetElementSymbol(number), value)))
        for kind in item.edge_attr[:, 0].tolist():
            text = str(e_map["bond_type"][kind]).lower()
            bonds.append(text if text in _BONDS else "single")
    classes, notes = _pyg_classes(items, target)
    return _molecules(
        _Reading("molecules", target=target), arrays, atoms, bonds, classes, name, None, None, notes,
        rare_label_threshold, False, items, like,
    )  # fmt: skip


def from_file(
    file: Path,
    *,
    smiles: str = "smiles",
    label: str | None = None,
    like: Dataset | None = None,
    **how: Any,
) -> Dataset:
    """A ``.smi`` file (a SMILES in each line) or a ``.csv`` file with a column of SMILES."""
    if not file.exists():
        raise error(f"{file}: there is no such file or folder")
    if file.suffix.lower() == ".smi":
        lines = [line.split() for line in file.read_text(encoding="utf-8").splitlines()]
        lines = [words for words in lines if words and not words[0].startswith("#")]
        classes = [words[1] for words in lines if len(words) > 1 and _is_whole(words[1])]
        given = [int(text) for text in classes] if len(classes) == len(lines) else None
        return from_smiles([words[0] for words in lines], classes=given, name=file.stem, like=like, **how)
    if file.suffix.lower() != ".csv":
        raise error(f"{file}: only .smi and .csv files of molecules are read", "write SMILES")
    with file.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    columns = {str(column).lower(): column for column in (rows[0] if rows else {})}
    if smiles.lower() not in columns:
        raise error(f"{file}: no column is named {smiles}", f"the columns are {', '.join(columns)}")
    named = [label] if label else ["label", "class", "y"]
    column = next((columns[text.lower()] for text in named if text.lower() in columns), None)
    own = None if column is None else [int(row[column]) for row in rows]
    texts = [row[columns[smiles.lower()]] for row in rows]
    return from_smiles(texts, classes=own, name=file.stem, like=like, **how)


def _is_whole(text: str) -> bool:
    return text.lstrip("-").isdigit()


def to_mol(graph: Graph, data: Dataset) -> Any:
    """A graph as a molecule of RDKit, atoms in the order of the nodes.

    Raises Error if it is none.
    """
    chem = _rdkit()
    names = [name for _, name in data.core.node_labels]
    found = _core.molecule_sketch(data.core, graph)
    if found is None:
        raise error("the graph is no molecule", "its labels must be atoms, and the dataset one of molecules")
    orders, charges, hydrogens = found
    out = chem.RWMol()
    for node, label in enumerate(graph.labels.tolist()):
        atom = chem.Atom(names[label].rstrip("+-0123456789"))
        atom.SetFormalCharge(charges[node])
        if hydrogens is not None:
            atom.SetNoImplicit(True)
            atom.SetNumExplicitHs(hydrogens[node])
        out.AddAtom(atom)
    kinds = {1: chem.BondType.SINGLE, 2: chem.BondType.DOUBLE, 3: chem.BondType.TRIPLE}
    for (u, v), order in zip(graph.edges.tolist(), orders, strict=True):
        out.AddBond(u, v, kinds[order])
    molecule = out.GetMol()
    try:
        chem.SanitizeMol(molecule)
    except ValueError as trouble:
        raise error(f"the graph is no molecule: {trouble}") from None
    return molecule


def to_smiles(graph: Graph, data: Dataset) -> str:
    """Canonical SMILES. Raises Error if the graph is no molecule."""
    return str(_rdkit().MolToSmiles(to_mol(graph, data)))


def pyg_features(batch: GraphBatch) -> tuple[np.ndarray, np.ndarray]:
    """The columns that ``torch_geometric.utils.from_smiles`` gives, computed anew for each molecule."""
    from torch_geometric.utils import from_rdmol

    nodes, edges = [], []
    for graph in batch.graphs:
        item = from_rdmol(to_mol(graph, batch.dataset))
        nodes.append(item.x.numpy())
        edges.append(item.edge_attr.numpy())
    return np.concatenate(nodes), np.concatenate(edges)
