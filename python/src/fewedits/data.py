# SPDX-License-Identifier: MIT
"""Graphs of other programs in, and back out: PyTorch Geometric, networkx, SMILES, arrays, TU files."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from . import _core
from ._core import Graph
from ._errors import error
from ._lists import LabelRule, LabelTable, keys_of_rows, table_of

__all__ = ["Dataset", "GraphBatch", "generate", "open_dataset"]

#: The form of metadata, as the engine names it.
_FORMAT = json.loads(_core.generated_metadata())["format"]

#: A function that says what the features of graphs are. It gets a GraphBatch, and gives an array with
#: a row for each node, or a pair of that and an array with a row for each direction of an edge.
Features = Callable[["GraphBatch"], Any]


class GraphBatch:
    """Several graphs side by side, as ``torch_geometric.data.Batch`` has them, but as labels.

    This is what a ``features`` function gets. Every attribute is a new array of NumPy.
    """

    def __init__(self, batch: _core.Batch, dataset: Dataset, core: _core.Dataset) -> None:
        self._batch = batch
        self._dataset = dataset
        self._core = core

    @property
    def dataset(self) -> Dataset:
        """The dataset that the labels are of."""
        return self._dataset

    @property
    def num_graphs(self) -> int:
        return self._batch.num_graphs

    @property
    def num_nodes(self) -> int:
        return self._batch.num_nodes

    @property
    def labels(self) -> np.ndarray:
        """The label of each node, as the data or ``node_label`` names it."""
        keys = [self._dataset.nodes.keys[value] for value, _ in self._core.node_labels]
        return np.asarray(keys)[self._batch.labels]

    @property
    def edge_index(self) -> np.ndarray:
        """Both directions of every edge: an array of two rows."""
        return self._batch.edge_index

    @property
    def edge_labels(self) -> np.ndarray | None:
        """The label of each direction of an edge; None if edges have none."""
        table = self._dataset.edges
        if table is None or not self._batch.has_edge_labels:
            return None
        keys = [table.keys[value] for value, _ in self._core.edge_labels]
        return np.asarray(keys)[self._batch.edge_labels]

    @property
    def batch(self) -> np.ndarray:
        """The number of the graph that each node is of."""
        return self._batch.batch

    @property
    def graphs(self) -> list[Graph]:
        return self._batch.graphs


@dataclass(frozen=True)
class _Reading:
    """How graphs were read, so that others can be read in the same way."""

    kind: str
    node_label: LabelRule = None
    edge_label: LabelRule = None
    target: LabelRule = None
    hydrogens: bool = False
    charges: bool = True


class Dataset:
    """Graphs that can be explained, and what their labels look like to a model.

    Made by the functions of this module, of which :func:`fewedits.dataset` chooses the right one.
    ``dataset[i]`` is a :class:`Graph`; ``dataset.to_pyg(graph)``, ``to_networkx`` and ``to_smiles``
    lead back.
    """

    def __init__(
        self,
        reading: _Reading,
        *,
        nodes: LabelTable,
        edges: LabelTable | None = None,
        raw: _core.RawDataset | None = None,
        opened: Callable[[str | None], _core.Dataset] | None = None,
        metadata: dict[str, Any] | None = None,
        features: Features | None = None,
        notes: Iterable[str] = (),
        path: str = "",
        flags: Sequence[tuple[str, str]] = (),
        originals: Sequence[Any] | None = None,
    ) -> None:
        self._reading = reading
        self.nodes = nodes
        self.edges = edges
        self._raw = raw
        self._opened = opened
        self._metadata = dict(metadata or {})
        self.features = features
        self._notes = tuple(notes)
        self.path = path
        self.flags = tuple(flags)
        self._originals = originals
        self._prepared: dict[tuple[str | None, int | None], _core.Dataset] = {}

    # ---- What it holds

    @property
    def core(self) -> _core.Dataset:
        """As the engine has it, whatever is desired."""
        return self.prepared()

    def prepared(self, desired: str | None = None, outputs: int | None = None) -> _core.Dataset:
        """As the engine has it, with a desired class, for a model with so many outputs, of which
        number N is class N."""
        key = (desired, outputs)
        if key not in self._prepared:
            self._prepared[key] = self._prepare(desired, outputs)
        return self._prepared[key]

    def _prepare(self, desired: str | None, outputs: int | None) -> _core.Dataset:
        if self._opened is not None:
            return self._opened(desired)
        assert self._raw is not None
        metadata: dict[str, Any] = {"format": _FORMAT, **self._metadata}
        classes = sorted(set(self._raw.graph_labels))
        names = metadata.get("classes", {})
        known = classes + [int(value) for value in names]
        if outputs is not None and known and min(known) >= 0 and max(known) < outputs:
            metadata["classes"] = {str(c): names.get(str(c), str(c)) for c in range(outputs)}
            metadata["model_columns"] = list(range(outputs))
        return _core.prepare(self._raw, json.dumps(metadata), desired)

    @property
    def is_from_files(self) -> bool:
        return self._opened is not None

    @property
    def name(self) -> str:
        return self.core.name

    @property
    def is_molecular(self) -> bool:
        return self.core.domain == "molecule"

    @property
    def notes(self) -> list[str]:
        """What was normalised or left out on the way in."""
        return [*self._notes, *self.core.notes]

    @property
    def classes(self) -> np.ndarray | None:
        """The class of each graph, as the data names it; None if it has none."""
        core = self.core
        if not core.classes:
            return None
        values = np.asarray([value for value, _ in core.class_labels])
        out: np.ndarray = values[np.asarray(core.classes)]
        return out

    @property
    def node_names(self) -> list[str]:
        return [name for _, name in self.core.node_labels]

    @property
    def edge_names(self) -> list[str]:
        return [name for _, name in self.core.edge_labels]

    def __len__(self) -> int:
        return len(self.core)

    def __getitem__(self, index: int) -> Graph:
        return self.core[index]

    def __iter__(self) -> Iterator[Graph]:
        core = self.core
        return (core[i] for i in range(len(core)))

    def __repr__(self) -> str:
        core = self.core
        classes = f", {len(core.class_labels)} classes" if core.class_labels else ""
        return (
            f"Dataset({core.name!r}: {len(core)} graphs, {core.total_nodes} nodes, "
            f"{core.total_edges} edges, {len(core.node_labels)} node labels{classes})"
        )

    def __getstate__(self) -> dict[str, Any]:
        if self._opened is not None:
            raise error("a dataset that was read from files is not pickled", "open it again from its path")
        state = self.__dict__.copy()
        raw = self._raw
        assert raw is not None
        state["_raw"] = (
            raw.name, raw.graphs, raw.node_values, raw.edge_values, raw.graph_labels, raw.names
        )
        state["_prepared"] = {}
        state["_originals"] = None
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        name, graphs, node_values, edge_values, classes, names = state.pop("_raw")
        self.__dict__.update(state)
        self._raw = _core.raw_from_graphs(name, graphs, node_values, edge_values, classes)
        self._raw.names = names

    # ---- More of the same

    def original(self, index: int) -> Any:
        """What graph ``index`` was made from; None if it is not kept."""
        if self._originals is None:
            return None
        return self._originals[self.core.source_index[index]]

    def read_more(self, data: Any) -> Dataset:
        """Other graphs, with the labels of these. Raises Error for a label that these do not have."""
        if isinstance(data, Dataset):
            return data
        return _read(data, self)

    def save(self, folder: str | os.PathLike[str], *, desired: object = None) -> None:
        """Writes the graphs as a folder of the TU format, for other programs and the command line; as one
        compact file, if it is called NAME.few."""
        self.prepared(None if desired is None else str(desired)).save(Path(folder))

    # ---- Back

    def rows_of_nodes(self, core: _core.Dataset | None = None) -> np.ndarray | None:
        """What a node of each of the engine's labels looks like to a model; None: labels alone do not
        tell."""
        table = self.nodes.rows
        if table is None:
            return None
        return np.ascontiguousarray(table[[v for v, _ in (core or self.core).node_labels]])

    def rows_of_edges(self, core: _core.Dataset | None = None) -> np.ndarray | None:
        """The same of edges."""
        if self.edges is None or self.edges.rows is None:
            return None
        labels = (core or self.core).edge_labels
        return np.ascontiguousarray(self.edges.rows[[v for v, _ in labels]])

    def features_of(
        self, batch: _core.Batch, core: _core.Dataset, edges_too: bool = True
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Features of nodes and of directions of edges, from the table or from the function."""
        x = self.rows_of_nodes(core)
        attributes = self.rows_of_edges(core) if edges_too and batch.has_edge_labels else None
        if self.features is None:
            if x is None:
                raise no_features(self)
            edge_attr = None if attributes is None else batch.edge_rows(attributes)
            return batch.node_rows(x), edge_attr
        given = self.features(GraphBatch(batch, self, core))
        nodes, edges = given if isinstance(given, tuple) else (given, None)
        nodes = _as_array(nodes)
        if nodes.shape[0] != batch.num_nodes:
            raise error(
                f"features gave {nodes.shape[0]} rows for {batch.num_nodes} nodes",
                "it must give a row for each node of the batch",
            )
        if edges is None:
            return nodes, None if attributes is None else batch.edge_rows(attributes)
        edges = _as_array(edges)
        if edges.shape[0] != batch.num_lines:
            raise error(
                f"features gave {edges.shape[0]} rows for {batch.num_lines} directions of edges",
                "it must give a row for each column of edge_index",
            )
        return nodes, edges

    def to_pyg(self, graph: Graph) -> Any:
        """A graph as ``torch_geometric.data.Data``, with the features that a model sees."""
        import torch
        from torch_geometric.data import Data

        batch = _core.Batch(_core.as_written(self.core, [graph]))
        x, edge_attr = self.features_of(batch, self.core)
        out = Data(x=torch.from_numpy(x), edge_index=torch.from_numpy(batch.edge_index))
        if edge_attr is not None:
            out.edge_attr = torch.from_numpy(edge_attr)
        return out

    def to_networkx(self, graph: Graph) -> Any:
        """A graph of networkx; nodes, and edges if they have labels, have a ``label``."""
        import networkx

        out = networkx.Graph()
        labels = self.core.node_labels
        for node, label in enumerate(graph.labels.tolist()):
            value, name = labels[label]
            out.add_node(node, label=self._key(self.nodes, value), name=name)
        edge_labels = graph.edge_labels
        names = self.core.edge_labels
        for i, (u, v) in enumerate(graph.edges.tolist()):
            if edge_labels is None or self.edges is None:
                out.add_edge(u, v)
                continue
            label = int(edge_labels[i])
            if label < len(names):
                value, name = names[label]
                out.add_edge(u, v, label=self._key(self.edges, value), name=name)
            else:  # that molecules have, and the data does not write
                out.add_edge(u, v, label="aromatic", name="aromatic")
        return out

    @staticmethod
    def _key(table: LabelTable, value: int) -> Any:
        return table.keys[value] if value < len(table) else value

    def to_smiles(self, graph: Graph) -> str:
        """A molecule as canonical SMILES (needs fewedits[chem])."""
        from . import chem

        return chem.to_smiles(graph, self)

    def draw(self, graph: Graph) -> str:
        """A picture of a graph, as SVG."""
        return _core.draw_graph(self.core, graph)


def no_features(dataset: Dataset) -> Exception:
    return error(
        "nodes with the same label have different features, so that nothing says what an edited node's "
        "features are",
        "give features=, a function from a GraphBatch to the features of its nodes"
        if dataset.features is None
        else "",
    )


def _as_array(values: Any) -> np.ndarray:
    if hasattr(values, "detach"):
        values = values.detach().cpu().numpy()
    out = np.ascontiguousarray(values)
    return out if out.ndim > 1 else out[:, None]


# ---- Reading


def _known_name(name: str, columns: int, metadata: dict[str, Any]) -> dict[str, Any]:
    """What is known of a public dataset of that name, if all of its labels are there."""
    text = _core.builtin_metadata(name)
    if text is None:
        return metadata
    known = json.loads(text)
    if len(known.get("node_labels", {})) == columns:
        for key in ("node_labels", "edge_labels", "domain"):
            if key in known:
                metadata.setdefault(key, known[key])
        # Classes are numbered from 0 by PyTorch Geometric, in the order of the file's values.
        classes = sorted(known.get("classes", {}).items(), key=lambda entry: int(entry[0]))
        if classes:
            metadata.setdefault("classes", {str(i): entry[1] for i, entry in enumerate(classes)})
    return metadata


def _whole_classes(values: np.ndarray) -> np.ndarray | None:
    """None if there are none that could be classes."""
    if values.size == 0:
        return None
    if np.issubdtype(values.dtype, np.floating):
        if bool(np.isnan(values).any()) or not bool((values == np.floor(values)).all()):
            return None
    return values.astype(np.int64)


class _Arrays:
    """Graphs on their way into the engine."""

    def __init__(self) -> None:
        self.nodes: list[int] = []
        self.lines: list[int] = []
        self.ends: list[np.ndarray] = []

    def add(self, nodes: int, edge_index: np.ndarray) -> None:
        self.nodes.append(nodes)
        self.lines.append(edge_index.shape[1])
        self.ends.append(edge_index)

    def raw(
        self,
        name: str,
        labels: np.ndarray,
        edge_labels: np.ndarray | None,
        classes: np.ndarray | None,
        lines_are_edges: bool,
    ) -> _core.RawDataset:
        ends = np.concatenate(self.ends, axis=1) if self.ends else np.zeros((2, 0), np.int64)
        ends = np.ascontiguousarray(ends, dtype=np.int64)
        return _core.raw_dataset(
            name,
            np.asarray(self.nodes, dtype=np.int64),
            np.asarray(self.lines, dtype=np.int64),
            np.ascontiguousarray(labels, dtype=np.int64),
            ends[0],
            ends[1],
            edge_labels,
            classes,
            lines_are_edges,
        )


def _numpy(value: Any) -> np.ndarray:
    return np.asarray(value.detach().cpu().numpy() if hasattr(value, "detach") else value)


def _pyg_keys(
    data: Sequence[Any], attribute: str, rule: LabelRule, what: str, counts: Sequence[int]
) -> tuple[np.ndarray | None, np.ndarray | None]:
    """The label of each node (or direction of an edge), and its features; None for what there is not."""
    found = [getattr(item, attribute, None) for item in data]
    rows: np.ndarray | None = None
    if any(value is not None for value in found):
        if any(value is None for value in found):
            raise error(f"some graphs have {attribute}, and others have none")
        arrays = [_numpy(value) for value in found]
        if len({array.shape[1:] for array in arrays}) > 1:
            raise error(f"{attribute} is not equally wide in all graphs")
        rows = np.concatenate(arrays) if arrays else None
    if callable(rule):
        parts = [np.asarray(_numpy(rule(item))).reshape(-1) for item in data]
        for i, (part, count) in enumerate(zip(parts, counts, strict=True)):
            if len(part) != count:
                raise error(f"the label function gave {len(part)} labels for {count} {what} of graph {i}")
        return np.concatenate(parts), rows
    if isinstance(rule, str) and rule != "rows":
        if any(getattr(item, rule, None) is None for item in data):
            raise error(f"not every graph has the attribute {rule!r}")
        return np.concatenate([_numpy(getattr(item, rule)).reshape(-1) for item in data]), rows
    if rows is None:
        return None, None
    return keys_of_rows(rows, rule, what, f"data.{attribute}"), rows


def _pyg_classes(data: Sequence[Any], target: LabelRule) -> tuple[np.ndarray | None, list[str]]:
    if callable(target):
        return np.asarray([int(target(item)) for item in data], dtype=np.int64), []
    found = [getattr(item, "y", None) for item in data]
    if any(value is None for value in found):
        return None, []
    columns = np.stack([_numpy(value).reshape(-1) for value in found]) if found else np.zeros((0, 1))
    if columns.shape[1] != 1 and target is None:
        return None, [
            f"y has {columns.shape[1]} columns: classes are left out; target=N takes column N"
        ]
    column = columns[:, target if isinstance(target, int) else 0]
    classes = _whole_classes(column)
    notes = [] if classes is not None else ["y is not a class of every graph: classes are left out"]
    return classes, notes


def _is_pyg(item: Any) -> bool:
    return hasattr(item, "edge_index") and hasattr(item, "num_nodes")


def _is_ogb_molecule(data: Sequence[Any]) -> bool:
    """The columns of from_smiles and of MoleculeNet."""
    x, attr = getattr(data[0], "x", None), getattr(data[0], "edge_attr", None)
    if x is None or attr is None or getattr(data[0], "smiles", None) is None:
        return False
    return tuple(x.shape[1:]) == (9,) and tuple(attr.shape[1:]) == (3,)


def from_pyg(
    data: Iterable[Any],
    *,
    node_label: LabelRule = None,
    edge_label: LabelRule = None,
    target: LabelRule = None,
    features: Features | None = None,
    node_names: Sequence[str] | dict[Any, str] | None = None,
    edge_names: Sequence[str] | dict[Any, str] | None = None,
    class_names: Sequence[str] | None = None,
    name: str | None = None,
    molecules: bool | None = None,
    rare_label_threshold: int | None = None,
    like: Dataset | None = None,
) -> Dataset:
    """A dataset of PyTorch Geometric, or a list of its ``Data``."""
    items = list(data)
    if not items:
        raise error("there are no graphs")
    own_name = name or getattr(data, "name", None) or type(data).__name__
    own_name = "graphs" if own_name in ("list", "tuple", "generator") else str(own_name)
    if like is None and _is_ogb_molecule(items) and node_label is None and features is None:
        from . import chem

        return chem.from_pyg_molecules(items, own_name, target, rare_label_threshold)
    counts = [int(item.num_nodes) for item in items]
    arrays = _Arrays()
    for item, count in zip(items, counts, strict=True):
        arrays.add(count, _numpy(item.edge_index).reshape(2, -1))
    keys, rows = _pyg_keys(items, "x", node_label, "nodes", counts)
    notes: list[str] = []
    if keys is None:
        raise error(
            "the graphs have no features of nodes (x is None), so that nothing says which nodes are alike",
            "say it: node_label=\"z\" takes the attribute z, and node_label may be a function of a graph",
        )
    edge_keys: np.ndarray | None
    try:
        edge_keys, edge_rows = _pyg_keys(items, "edge_attr", edge_label, "edges", arrays.lines)
    except ValueError as trouble:
        if edge_label is not None:
            raise
        # Perhaps nobody needs them: a model that does says so.
        notes.append(f"edges have no labels: {trouble}")
        edge_keys, edge_rows = None, None
    classes, more = _pyg_classes(items, target)
    notes += more
    reading = _Reading("pyg", node_label, edge_label, target)
    if like is not None:
        return _like(like, arrays, keys.tolist(), None if edge_keys is None else edge_keys.tolist(),
                     classes, own_name, False, items)
    nodes, values, told = table_of(keys, rows)
    edges, edge_values = None, None
    if edge_keys is not None:
        edges, edge_values, edges_told = table_of(edge_keys, edge_rows)
        if not edges_told and features is None:
            notes.append(
                "edges with the same label have different edge_attr: only models without it can be asked"
            )
    if not told and features is None:
        notes.append(
            "nodes with the same label have different x: only models with features= can be asked"
        )
    metadata: dict[str, Any] = {"name": own_name}
    if molecules is not None:
        metadata["domain"] = "molecule" if molecules else "generic"
    columns = 0 if rows is None or rows.ndim < 2 else rows.shape[1]
    if node_names is None and node_label is None:
        known = _known_name(own_name, columns, dict(metadata))
        if "node_labels" in known:
            node_names = {int(v): n for v, n in known["node_labels"].items()}
            if edge_names is None and "edge_labels" in known:
                edge_names = {int(v): n for v, n in known["edge_labels"].items()}
            if class_names is None and "classes" in known:
                metadata["classes"] = known["classes"]
            metadata.setdefault("domain", known.get("domain", "generic"))
    return _made(
        reading, arrays, nodes.named(node_names, "nodes"), values,
        None if edges is None else edges.named(edge_names, "edges"), edge_values, classes, metadata,
        class_names, features, notes, rare_label_threshold, False, items,
    )  # fmt: skip


def _made(
    reading: _Reading,
    arrays: _Arrays,
    nodes: LabelTable,
    values: np.ndarray,
    edges: LabelTable | None,
    edge_values: np.ndarray | None,
    classes: np.ndarray | None,
    metadata: dict[str, Any],
    class_names: Sequence[str] | None,
    features: Features | None,
    notes: Sequence[str],
    rare_label_threshold: int | None,
    lines_are_edges: bool,
    originals: Sequence[Any] | None,
) -> Dataset:
    raw = arrays.raw(metadata["name"], values, edge_values, classes, lines_are_edges)
    metadata["node_labels"] = {str(v): name for v, name in enumerate(nodes.names)}
    if edges is not None:
        metadata["edge_labels"] = {str(v): name for v, name in enumerate(edges.names)}
    if class_names is not None:
        metadata["classes"] = {str(c): text for c, text in enumerate(class_names)}
    if rare_label_threshold is not None:
        metadata["rare_label_threshold"] = rare_label_threshold
    return Dataset(
        reading, nodes=nodes, edges=edges, raw=raw, metadata=metadata, features=features, notes=notes,
        originals=originals,
    )  # fmt: skip


def _like(
    like: Dataset,
    arrays: _Arrays,
    keys: Sequence[Any],
    edge_keys: Sequence[Any] | None,
    classes: np.ndarray | None,
    name: str,
    lines_are_edges: bool,
    originals: Sequence[Any] | None,
) -> Dataset:
    """Graphs with the labels of another dataset."""
    values = like.nodes.values_of(keys, "label of nodes")
    edge_values = None
    if like.edges is not None:
        if edge_keys is None and sum(arrays.lines) > 0:
            raise error("these graphs have no labels of edges, and those of the dataset have")
        edge_values = like.edges.values_of(edge_keys or [], "label of edges")
    raw = arrays.raw(name, values, edge_values, classes, lines_are_edges)
    # All labels of the other one, whether or not they occur here, so that they have the same numbers.
    core = like.core
    node_values = list(core.node_labels)
    edge_tables = list(core.edge_labels)
    place = {value: i for i, (value, _) in enumerate(node_values)}
    edge_place = {value: i for i, (value, _) in enumerate(edge_tables)}
    missing = {like.nodes.names[value] for value, _ in raw.node_values if value not in place}
    if missing:
        raise error(f"the dataset leaves out the labels {', '.join(sorted(missing))}")
    nodes_to = [place[value] for value, _ in raw.node_values]
    edges_to = [edge_place[value] for value, _ in raw.edge_values]
    graphs = [_renumbered(graph, nodes_to, edges_to) for graph in raw.graphs]
    whole = _core.raw_from_graphs(name, graphs, node_values, edge_tables, raw.graph_labels)
    metadata = {key: value for key, value in like._metadata.items() if key != "rare_label_threshold"}
    metadata["name"] = name
    return Dataset(
        like._reading, nodes=like.nodes, edges=like.edges, raw=whole, metadata=metadata,
        features=like.features, notes=raw.notes, originals=originals,
    )  # fmt: skip


def _renumbered(graph: Graph, nodes: Sequence[int], edges: Sequence[int]) -> Graph:
    labels = [nodes[label] for label in graph.labels.tolist()]
    ends = [(u, v) for u, v in graph.edges.tolist()]
    own = graph.edge_labels
    return Graph(labels, ends, None if own is None else [edges[label] for label in own.tolist()])


def from_networkx(
    graphs: Iterable[Any],
    *,
    node_label: LabelRule = None,
    edge_label: LabelRule = None,
    target: LabelRule = None,
    features: Features | None = None,
    node_names: Sequence[str] | dict[Any, str] | None = None,
    edge_names: Sequence[str] | dict[Any, str] | None = None,
    class_names: Sequence[str] | None = None,
    name: str = "graphs",
    molecules: bool = False,
    rare_label_threshold: int | None = None,
    like: Dataset | None = None,
) -> Dataset:
    """Graphs of networkx. A node's label is its attribute ``label``, or that which ``node_label``
    names, or what the function ``node_label(graph, node)`` gives; those of edges alike."""
    items = list(graphs)
    if not items:
        raise error("there are no graphs")
    arrays = _Arrays()
    keys: list[Any] = []
    edge_keys: list[Any] = []
    for i, graph in enumerate(items):
        if graph.is_directed() or graph.is_multigraph():
            raise error(
                f"graph {i} is {'directed' if graph.is_directed() else 'a multigraph'}",
                "give undirected simple graphs: networkx.Graph(graph)",
            )
        order = {node: place for place, node in enumerate(graph.nodes)}
        keys += [_nx_label(graph, node, graph.nodes[node], node_label, f"node {node!r}") for node in order]
        ends = []
        for u, v, attributes in graph.edges(data=True):
            if u == v:
                continue
            ends.append((order[u], order[v]))
            edge_keys.append(_nx_label(graph, (u, v), attributes, edge_label, f"edge {u!r}-{v!r}"))
        arrays.add(len(order), np.asarray(ends, dtype=np.int64).reshape(-1, 2).T)
    given = {key is not None for key in keys}
    if given == {True, False}:
        raise error("some nodes have a label, and others have none")
    if given == {False}:
        if node_label is not None:
            raise error(f"no node has the attribute {node_label!r}")
        keys = [0] * len(keys)
    edge_given = {key is not None for key in edge_keys}
    if edge_given == {True, False}:
        raise error("some edges have a label, and others have none")
    labels_edges = edge_given == {True}
    classes = _nx_classes(items, target)
    if like is not None:
        return _like(like, arrays, keys, edge_keys if labels_edges else None, classes, name, True, items)
    nodes, values, _ = table_of(_key_array(keys), None)
    edges, edge_values = None, None
    if labels_edges:
        edges, edge_values, _ = table_of(_key_array(edge_keys), None)
    nodes = _with_one_hot(nodes)
    notes = [] if given == {True} else ["nodes have no labels: all are alike"]
    return _made(
        _Reading("networkx", node_label, edge_label, target), arrays, nodes.named(node_names, "nodes"),
        values, None if edges is None else _with_one_hot(edges.named(edge_names, "edges")), edge_values,
        classes, {"name": name, "domain": "molecule" if molecules else "generic"}, class_names, features,
        notes, rare_label_threshold, True, items,
    )  # fmt: skip


def _key_array(keys: Sequence[Any]) -> np.ndarray:
    out = np.asarray(keys)
    if out.ndim != 1 or out.dtype == object:
        raise error("labels are of different kinds", "let all be whole numbers, or all be texts")
    return out


def _with_one_hot(table: LabelTable) -> LabelTable:
    """What a model sees where nobody says otherwise."""
    return LabelTable(table.keys, np.eye(len(table), dtype=np.float32), table.names)


def _nx_label(graph: Any, item: Any, attributes: dict[str, Any], rule: LabelRule, where: str) -> Any:
    if callable(rule):
        return rule(graph, item) if not isinstance(item, tuple) else rule(graph, *item)  # type: ignore[call-arg]
    return attributes.get("label" if rule is None else str(rule))


def _nx_classes(items: Sequence[Any], target: LabelRule) -> np.ndarray | None:
    found = [
        target(graph) if callable(target) else graph.graph.get("y" if target is None else str(target))
        for graph in items
    ]
    if any(value is None for value in found):
        return None
    return _whole_classes(np.asarray(found))


def from_arrays(
    graphs: Iterable[tuple[Any, ...]],
    *,
    classes: Sequence[int] | None = None,
    features: Features | None = None,
    node_names: Sequence[str] | dict[Any, str] | None = None,
    edge_names: Sequence[str] | dict[Any, str] | None = None,
    class_names: Sequence[str] | None = None,
    name: str = "graphs",
    molecules: bool = False,
    rare_label_threshold: int | None = None,
    like: Dataset | None = None,
) -> Dataset:
    """Pairs ``(labels, edges)`` or triples ``(labels, edges, edge_labels)``: a label for each node,
    and each edge once as a pair of nodes, from 0. Labels are whole numbers or texts."""
    items = list(graphs)
    if not items:
        raise error("there are no graphs")
    arrays = _Arrays()
    keys: list[Any] = []
    edge_keys: list[Any] = []
    kinds = {len(item) for item in items}
    if not kinds <= {2, 3} or len(kinds) != 1:
        raise error("graphs are pairs (labels, edges), or all are triples (labels, edges, edge_labels)")
    for i, item in enumerate(items):
        ends = np.asarray(item[1], dtype=np.int64).reshape(-1, 2)
        arrays.add(len(item[0]), ends.T)
        keys += np.asarray(item[0]).tolist()
        if len(item) == 3:
            if len(item[2]) != len(ends):
                raise error(f"graph {i} has {len(ends)} edges and {len(item[2])} labels of edges")
            edge_keys += np.asarray(item[2]).tolist()
    own = None if classes is None else np.asarray(classes, dtype=np.int64)
    has_edges = kinds == {3}
    if like is not None:
        return _like(like, arrays, keys, edge_keys if has_edges else None, own, name, True, items)
    nodes, values, _ = table_of(_key_array(keys), None)
    edges, edge_values = None, None
    if has_edges and edge_keys:
        edges, edge_values, _ = table_of(_key_array(edge_keys), None)
    return _made(
        _Reading("arrays"), arrays, _with_one_hot(nodes.named(node_names, "nodes")), values,
        None if edges is None else _with_one_hot(edges.named(edge_names, "edges")), edge_values, own,
        {"name": name, "domain": "molecule" if molecules else "generic"}, class_names, features, [],
        rare_label_threshold, True, items,
    )  # fmt: skip


def open_dataset(
    path: str | os.PathLike[str],
    *,
    metadata: str | os.PathLike[str] | None = None,
    rare_label_threshold: int | None = None,
) -> Dataset:
    """A folder or .zip of the TU format or a dataset file (.few), as ``fewedits dataset`` opens it."""
    file = Path(path)

    def opened(desired: str | None) -> _core.Dataset:
        return _core.open_dataset(
            file,
            None if metadata is None else Path(metadata),
            desired,
            rare_label_threshold,
        )

    core = opened(None)
    flags: list[tuple[str, str]] = []
    if metadata is not None:
        flags.append(("metadata", str(metadata)))
    if rare_label_threshold is not None:
        flags.append(("rare-label-threshold", str(rare_label_threshold)))
    return Dataset(
        _Reading("files"),
        nodes=_file_table(core.node_labels),
        edges=_file_table(core.edge_labels) if core.edge_labels else None,
        opened=opened,
        path=str(path),
        flags=flags,
    )


def _file_table(labels: Sequence[tuple[int, str]]) -> LabelTable:
    """By value in the file: what a model sees is one-hot over the labels that are there."""
    top = max((value for value, _ in labels), default=-1)
    rows = np.zeros((top + 1, len(labels)), dtype=np.float32)
    names = [str(value) for value in range(top + 1)]
    for place, (value, name) in enumerate(labels):
        if value < 0:
            return LabelTable(tuple(v for v, _ in labels), None, tuple(n for _, n in labels))
        rows[value, place] = 1
        names[value] = name
    return LabelTable(tuple(range(top + 1)), rows, tuple(names))


def generate(graphs: int = 1000, *, seed: int = 1, undesired_share: float = 0.55, threads: int = 0) -> Dataset:
    """Molecule-like graphs with a planted rule, as ``fewedits generate`` makes them: class 0 contains
    a nitro group or an aromatic amine."""
    raw = _core.generate(graphs, seed, undesired_share, threads)
    metadata = json.loads(_core.generated_metadata())
    metadata.pop("format")
    desired = metadata.pop("desired_class")
    metadata.pop("model_columns", None)
    nodes = LabelTable(
        tuple(value for value, _ in raw.node_values),
        np.eye(len(raw.node_values), dtype=np.float32),
        tuple(metadata["node_labels"][str(value)] for value, _ in raw.node_values),
    )
    edges = LabelTable(
        tuple(value for value, _ in raw.edge_values),
        np.eye(len(raw.edge_values), dtype=np.float32),
        tuple(metadata["edge_labels"][str(value)] for value, _ in raw.edge_values),
    )
    del desired
    return Dataset(_Reading("arrays"), nodes=nodes, edges=edges, raw=raw, metadata=metadata)


def _read(data: Any, like: Dataset | None = None, **how: Any) -> Dataset:
    """Whatever it is."""
    if isinstance(data, Dataset):
        if how:
            raise error(f"the dataset is read already: {', '.join(how)} cannot change it")
        return data
    if isinstance(data, (str, os.PathLike)):
        if str(data).lower().endswith((".smi", ".csv", ".sdf")):
            from . import chem

            return chem.from_file(Path(data), like=like, **how)
        if like is not None:
            raise error("give a dataset that was opened with fewedits.open_dataset")
        return open_dataset(data, **how)
    if isinstance(data, _core.Graph) or _is_pyg(data) or hasattr(data, "adjacency"):
        data = [data]
    if isinstance(data, Iterable) and not isinstance(data, Sequence) and not hasattr(data, "__getitem__"):
        data = list(data)
    try:
        first = data[0]
    except (IndexError, TypeError, KeyError):
        raise error(
            f"a {type(data).__name__} is no set of graphs, or has none",
            "give a dataset of PyTorch Geometric, a list of Data, of graphs of networkx, of SMILES or "
            "of pairs (labels, edges), or the path of a TU dataset",
        ) from None
    if isinstance(first, _core.Graph):
        return _from_graphs(data, like, **how)
    if isinstance(first, str):
        from . import chem

        return chem.from_smiles(data, like=like, **how)
    if _is_pyg(first):
        if like is not None and like._reading.kind == "molecules":
            from . import chem

            return chem.from_pyg_molecules(list(data), "graphs", None, None, like)
        if like is not None:
            reading = like._reading
            return from_pyg(
                data, like=like, node_label=reading.node_label, edge_label=reading.edge_label,
                target=reading.target,
            )  # fmt: skip
        return from_pyg(data, **how)
    if hasattr(first, "adjacency"):
        if like is not None:
            reading = like._reading
            return from_networkx(
                data, like=like, node_label=reading.node_label, edge_label=reading.edge_label,
                target=reading.target,
            )  # fmt: skip
        return from_networkx(data, **how)
    if isinstance(first, tuple) and len(first) in (2, 3):
        return from_arrays(data, like=like, **how)
    raise error(
        f"a list of {type(first).__name__} is no set of graphs",
        "give a dataset of PyTorch Geometric, a list of Data, of graphs of networkx, of SMILES or of "
        "pairs (labels, edges), or the path of a TU dataset",
    )


def _from_graphs(graphs: Sequence[Graph], like: Dataset | None, **how: Any) -> Dataset:
    """The engine's own graphs, with the labels of a dataset, or with numbers for labels."""
    if like is None:
        triples = [
            (g.labels.tolist(), g.edges.tolist())
            if g.edge_labels is None
            else (g.labels.tolist(), g.edges.tolist(), g.edge_labels.tolist())
            for g in graphs
        ]
        return from_arrays(triples, **how)  # type: ignore[arg-type]
    core = like.core
    whole = _core.raw_from_graphs(
        "graphs", list(graphs), list(core.node_labels), list(core.edge_labels), []
    )
    metadata = {k: v for k, v in like._metadata.items() if k != "rare_label_threshold"}
    return Dataset(
        like._reading, nodes=like.nodes, edges=like.edges, raw=whole, metadata=metadata,
        features=like.features,
    )  # fmt: skip


def dataset(data: Any, **how: Any) -> Dataset:
    """Graphs that can be explained, whatever program they come from.

    ``data`` is a dataset of PyTorch Geometric or a list of its ``Data``, a list of graphs of networkx,
    of SMILES, or of pairs ``(labels, edges)``, or the path of a TU dataset or a dataset file.

    How labels are found, where the data leaves it open:

    - ``node_label``: a label says which nodes are alike. It is found by itself in one-hot ``x``, and in
      one column of whole numbers. Else: the number of a column of ``x``, the name of an attribute,
      ``"rows"`` (each different row of ``x`` is a label), or a function of a graph.
    - ``edge_label``: the same of ``edge_attr``. An edge that is added gets any of the labels: which one,
      the search decides, and another label is another edit.
    - ``features``: for models that see more than labels, a function from a :class:`GraphBatch` to the
      features of its nodes, or to a pair of those and the features of the directions of edges.
    - ``target``: the column of ``y`` that is the class.
    - ``node_names``, ``edge_names``, ``class_names``: for people, and, with ``molecules=True``, the
      symbols of the elements and the names of the bonds (single, double, triple, aromatic).
    """
    return _read(data, None, **how)
