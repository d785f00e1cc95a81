import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp


@pytest.fixture(scope="session")
def program():
    """The command line, to compare with."""
    return os.environ["HWGCN_PROGRAM"]


class Graph:
    """A synthetic graph, read from what the command line exports: both see the same numbers."""

    def __init__(self, program, folder):
        options = "nodes=300,vocabulary=60,words=8,seed=3"
        self.path = str(folder / "graph.npz")
        command = [program, "data", "export", "synthetic", "--synthetic", options, "--format", "npz", "--out", self.path]
        subprocess.run(command, check=True, capture_output=True)
        arrays = np.load(self.path)

        def matrix(name):
            parts = (arrays[f"{name}_data"], arrays[f"{name}_indices"], arrays[f"{name}_indptr"])
            return sp.csr_matrix(parts, shape=tuple(arrays[f"{name}_shape"]))

        self.A, self.X, self.y = matrix("adj"), matrix("attr"), arrays["labels"].astype(int)

    def labels(self, per_class):
        """y with so many labels per class, -1 elsewhere."""
        y = np.full(self.y.shape, -1)
        for label in np.unique(self.y):
            nodes = np.flatnonzero(self.y == label)[:per_class]
            y[nodes] = label
        return y


@pytest.fixture(scope="session")
def graph(program, tmp_path_factory):
    return Graph(program, tmp_path_factory.mktemp("graph"))


@pytest.fixture(autouse=True)
def torch_stays_out():
    """Nothing here may import torch."""
    yield
    assert "torch" not in sys.modules
