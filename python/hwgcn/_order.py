"""What the index of a pandas table or column says about the order of its rows. pandas is not imported."""

import numpy as np

from ._core import InputError


def _index_of(values):
    """The entries of its index, or None where it has none."""
    index = getattr(values, "index", None)
    return None if index is None or callable(index) else np.asarray(index).tolist()  # lists have a method of this name


def _is_plain(index):
    """Whether it is 0, 1, .., which pandas gives to what has no index of its own."""
    return index == list(range(len(index)))


def nodes_in_order(graph):
    """The nodes of a graph in its own order where they have names, as those of NetworkX; None: they are 0, 1, .."""
    return list(graph) if hasattr(graph, "adjacency") and hasattr(graph, "number_of_nodes") else None


def expect_order(values, name, nodes, count, graph=None):
    """Refuses a table or column whose index has the nodes in another order than the graph: its rows would go astray.
    `nodes` are its nodes in order, in a message those of `graph`; None: 0, 1, .. up to `count`."""
    index = _index_of(values)
    expected = list(range(count)) if nodes is None else nodes
    if index is None or index == expected or len(index) != len(expected) or set(index) != set(expected):
        return
    ascending = nodes is None or graph is None
    right = f"{name}.sort_index()" if ascending else f"{name}.loc[list({graph})]"
    kept = f"{name}.reset_index(drop=True)" if ascending else f"{name}.set_axis(list({graph}))"
    raise InputError(
        f"{name}: row k is taken for node k, but the index has the nodes in another order: "
        f"pass {right}, or {kept} where the rows are right"
    )


def expect_index_of(rows, values, name, rows_name="X"):
    """Refuses values whose index is not that of the rows they belong to. One that only counts is no index, unless the
    rows have the same one in another order."""
    index, other = _index_of(values), _index_of(rows)
    if index is None or other is None or index == other or len(index) != len(other):
        return
    same = set(index) == set(other)
    if _is_plain(index) and not same:
        return
    align = f"{name}.loc[{rows_name}.index], or " if same else ""
    differs = "has another order than" if same else "differs from"
    raise InputError(
        f"{name}: row k belongs to row k of {rows_name}, but its index {differs} that of {rows_name}: "
        f"pass {align}{name}.to_numpy() where the rows are right"
    )


def expect_order_of_rows(nodes, values, name):
    """Refuses values whose index has the numbers of these nodes in another order. One that only counts is no index."""
    index = _index_of(values)
    if index is None or _is_plain(index) or len(index) != len(nodes):
        return
    numbers = np.asarray(nodes).tolist()
    if index != numbers and set(index) == set(numbers):
        raise InputError(
            f"{name}: row k belongs to the node k of X, but its index has these nodes in another order: "
            f"pass {name}.loc[X], or {name}.to_numpy() where the rows are right"
        )
