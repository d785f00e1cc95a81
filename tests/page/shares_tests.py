"""Shares of gradients, and an explorer that has shares for some of its nodes, for check_report.py."""


class SharesTests:
    def test_nodes_without_shares_say_so(self):
        self.open("some")
        self.assertEqual(len(self.rows_by_distance()[0]), 5)  # the first one has some
        self.assertIn("has shares for 3 of its 600 nodes", self.text("#summary"))
        without = self.script("""
            const {ids, focus, shared} = JSON.parse(document.getElementById("data").textContent).run.explorer;
            return ids.slice(0, focus).filter((id, node) => atob(shared).charCodeAt(node) === 0)""")
        self.assertEqual(len(without), 597)
        self.script("location.hash = `node=${arguments[0]}`", without[0])
        self.assertIn(f"Node {without[0]}", self.text("#ego-title"))
        self.assertEqual({len(row) for row in self.rows_by_distance()}, {4})
        self.assertIn(f"no shares for this node: hwgcn explain RUN --node {without[0]}", self.text("#explorer"))
        self.assertEqual(self.all("#explorer [data-sort=share]"), [])

    def test_shares_of_gradients_are_those_of_explain(self):
        self.open("attention")
        self.assertIn("Shares of GAT are those of a gradient times the features of each node", self.text("#explorer"))
        explained = self.explained("attention", self.text("#ego-title").split(":")[0].removeprefix("Node "))
        self.assertEqual(explained["kind"], "gradient")
        for row, told in zip(self.rows_by_distance()[:2], explained["by_distance"][:2], strict=True):
            self.assertAlmostEqual(float(row[4].replace("−", "-")), told["share"], delta=.06)
        self.save("attention")
