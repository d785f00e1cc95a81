"""Zachary's karate club: who goes with whom, from two labels.

    PYTHONPATH=build/release/python python3 examples/karate_club.py
"""

import hwgcn
import networkx as nx
import numpy as np

club = nx.karate_club_graph()
faction = np.array([club.nodes[member]["club"] for member in club])

# What a member is like: whom they know, and themselves.
acquaintances = nx.to_numpy_array(club, weight=None) + np.eye(len(club))

# Two labels: the instructor and the president. An empty label is an unknown one.
y = np.full(len(club), "", dtype=faction.dtype)
y[[0, 33]] = faction[[0, 33]]

model = hwgcn.HWGCNClassifier(method="hwgcn", order=3, random_state=0).fit(club, acquaintances, y)
unknown = y == ""
print(f"{np.sum(model.predict()[unknown] == faction[unknown])} of {unknown.sum()} members right")

weights = hwgcn.learn_weights(club, acquaintances, order=2).orders[2]
member = 16
far = weights[member].tocoo()
print(f"Member {member} learns from", {int(j): round(float(w), 2) for j, w in zip(far.col, far.data)})
