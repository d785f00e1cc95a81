#!/usr/bin/env python3
"""Checks learned weights from outside, with numpy and scipy only: nothing in common with the program but its files.

    check_weights.py PROGRAM DATASET ORDER [--sample-ring N] [options of the dataset..]

Exports the dataset and its weights, then recomputes for every node: the ring (scipy's shortest paths), the target S X, the
scale, feasibility of the weights, and the gap of the certificate. The worst gap found must be the one reported, up to rounding.
With --sample-ring the rings are the samples that docs/solver.md defines, chosen once more.
"""

import json
import subprocess
import sys
import tempfile

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import shortest_path


def csr(archive, name):
    return sp.csr_matrix((archive[f"{name}_data"], archive[f"{name}_indices"], archive[f"{name}_indptr"]),
                         shape=archive[f"{name}_shape"])


def smoothed(adjacency, features):
    with_identity = adjacency + sp.identity(adjacency.shape[0])
    scale = sp.diags(1 / np.sqrt(np.asarray(with_identity.sum(axis=1)).ravel()))
    return (scale @ with_identity @ scale @ features).toarray()


def check_order(weights, ring_mask, features, target, report):
    worst, problems = 0.0, 0
    for node in range(features.shape[0]):
        members = np.flatnonzero(ring_mask[node])
        row = weights.getrow(node)
        assert set(row.indices) <= set(members), f"node {node}: weight outside the ring"
        rows = features[members]
        total_row = rows.sum(axis=0)
        square = total_row @ total_row
        total = len(members) * (total_row @ target[node]) / square if square > 0 else 0.0
        if total <= 0:
            assert row.nnz == 0, f"node {node}: weights without a positive total"
            continue
        problems += 1
        assert (row.data > 0).all(), f"node {node}: a weight that is not positive"
        assert abs(row.data.sum() - total) < 1e-6 * max(1, total), f"node {node}: sum {row.data.sum()}, expected {total}"
        shares = np.asarray(row[:, members].todense()).ravel() / row.data.sum()
        gradient = rows @ (rows.T @ shares - target[node])
        worst = max(worst, shares @ gradient - gradient.min())
    assert problems == report["problems"], f"{problems} problems, reported {report['problems']}"
    assert int(ring_mask.sum()) == report["ring_pairs"], f"{ring_mask.sum()} pairs, reported {report['ring_pairs']}"
    assert abs(worst - report["worst_gap"]) < 1e-12, f"worst gap {worst}, reported {report['worst_gap']}"
    print(f"order {report['order']}: {problems} problems, worst gap {worst:.1e}")


def sample_hash(number):
    bits = (number + 0x9E3779B97F4A7C15) % 2**64
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EB % 2**64
    return bits ^ bits >> 31


def sampled_rings(adjacency, max_order, limit):
    """The samples of the orders 0..max_order, as masks."""
    nodes = adjacency.shape[0]
    neighbors = [set(adjacency.getrow(node).indices.tolist()) - {node} for node in range(nodes)]
    masks = np.zeros((max_order + 1, nodes, nodes), dtype=bool)
    for node in range(nodes):
        ring, chosen = {node}, {node}
        for order in range(1, max_order + 1):
            found = set().union(*(neighbors[member] for member in ring)) - chosen
            ring = found if order == 1 else set(sorted(found, key=sample_hash)[:limit])
            chosen |= ring
            masks[order, node, list(ring)] = True
    return masks


def main():
    program, dataset, order, *options = sys.argv[1:]
    sample = options[:2] if options[:1] == ["--sample-ring"] else []
    options = options[len(sample):]
    with tempfile.TemporaryDirectory() as folder:
        run = lambda *arguments: subprocess.run([program, *arguments, "--quiet"], check=True, stdout=subprocess.PIPE)
        run("data", "export", dataset, "--format", "npz", "--out", f"{folder}/data.npz", *options)
        run("weights", dataset, "--order", order, "--no-cache", "--out", f"{folder}/all.npz",
            "--out-orders", f"{folder}/order-", "--json", f"{folder}/report.json", *options, *sample)
        archive = np.load(f"{folder}/data.npz", allow_pickle=False)
        report = json.load(open(f"{folder}/report.json"))
        adjacency = csr(archive, "adj")
        features = csr(archive, "attr").toarray().astype(np.float64)
        sums = features.sum(axis=1, keepdims=True)
        features = np.divide(features, sums, out=np.zeros_like(features), where=sums > 0).astype(np.float32).astype(np.float64)
        target = smoothed(adjacency.astype(np.float64), sp.csr_matrix(features))
        distance = shortest_path(adjacency, unweighted=True)
        rings = [distance == k for k in range(int(order) + 1)]
        if sample:
            whole, rings = rings, sampled_rings(adjacency, int(order), int(sample[1]))
            assert (rings[2] <= whole[2]).all() and (rings[2] != whole[2]).any(), "no ring was cut"
        together = sp.csr_matrix(adjacency.shape)
        for k, entry in enumerate(report["orders"], start=2):
            weights = sp.load_npz(f"{folder}/order-{k}.npz").tocsr()
            check_order(weights, rings[k], features, target, entry)
            together = together + weights
        assert abs(together - sp.load_npz(f"{folder}/all.npz")).max() < 1e-12, "the sum of the orders is not the sum"


if __name__ == "__main__":
    main()
