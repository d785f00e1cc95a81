"""The section with ROC and precision-recall curves, for check_report.py."""

import pathlib

from selenium.webdriver.common.by import By


def make_rare_report(folder: pathlib.Path, hwgcn) -> None:
    """Two classes, one of them rare, by a feature that tells most of it."""
    (folder / "rare.csv").write_text("id,answer,x,y\n" + "".join(
        f"{k},{'yes <i>' if k % 9 == 0 else 'no'},{int(k % 9 == 0 or k % 5 == 0)},{k % 4}\n" for k in range(300)))
    (folder / "ring.csv").write_text("from,to\n" + "".join(f"{k},{(k + 1) % 300}\n" for k in range(300)))
    rare = ("--edges", "ring.csv", "--nodes", "rare.csv", "--label", "answer", "--split", "shares:50:25", "--epochs", "20")
    hwgcn(folder, "train", *rare, "--method", "mlp", "--out", "rare")
    hwgcn(folder, "evaluate", *rare, "--method", "mlp,gcn", "--runs", "3", "--json", "rare.json")
    hwgcn(folder, "report", "rare", "--result", "rare.json", "--out", "rare.html")


class RankingTests:
    def test_every_class_has_its_curves_and_its_areas(self):
        self.open("run")
        charts = self.all("#ranking figure svg")
        self.assertEqual([len(chart.find_elements(By.CSS_SELECTOR, "path.curve")) for chart in charts], [4, 4])
        legend = [item.text for item in self.all("#ranking .legend li")]
        self.assertEqual(len(legend), 4)
        for entry in legend:
            self.assertRegex(entry, r"^class_\d: ROC AUC \d+\.\d %, average precision \d+\.\d %$")
        self.assertNotIn("ROC AUC", self.text("#summary"))
        self.assertIn("on average over the classes", self.text("#ranking"))

    def test_the_rare_one_of_two_classes_has_one_curve_and_stands_in_the_summary(self):
        self.open("rare")
        self.assertRegex(self.text("#summary dl"), r"ROC AUC\s+\d+\.\d %\s+average precision \d+\.\d % for “yes <i>”")
        self.assertRegex(self.text("#summary dl"), r"Balanced accuracy\s+\d+\.\d %")
        self.assertIn("ROC AUC", self.text("#summary table"))
        self.assertEqual([len(chart.find_elements(By.CSS_SELECTOR, "path.curve")) for chart in self.all("#ranking figure svg")], [1, 1])
        self.assertEqual(len(self.all("#ranking svg line.cursor")), 2)  # what chance would give
        self.assertIn("for “yes <i>”, the rarer class", self.text("#ranking"))
        self.assertIn("Test ROC AUC, mean over runs", self.text("#result-1"))
        self.assertIn("Dot: ROC AUC in percent.", self.text("#result-1 figcaption"))
        self.save("rare")

    def test_marks_are_where_the_predictions_are(self):
        for name, marks in (("run", 4), ("rare", 1)):
            self.open(name)
            placed = self.script("""
                const [roc, precision] = [...document.querySelectorAll("#ranking figure svg")].map(svg =>
                  [...svg.querySelectorAll("path.mark")].map(mark => mark.querySelector("title").textContent));
                const {confusion, ranking} = JSON.parse(document.getElementById("data").textContent).run.judgement;
                return [confusion, ranking.curves.map(curve => curve.class), roc, precision]""")
            confusion, classes, roc, precision = placed
            self.assertEqual((len(roc), len(classes)), (marks, marks))
            for label, told in zip(classes, roc, strict=True):
                of_class, hits = sum(confusion[label]), confusion[label][label]
                others = sum(map(sum, confusion)) - of_class
                taken = sum(row[label] for row in confusion) - hits
                self.assertIn(f"of the class found (%) {100 * hits / of_class:.1f}, others taken for it (%) {100 * taken / others:.1f}", told)
            drawn = [label for label in classes if sum(row[label] for row in confusion) > 0]
            self.assertEqual(len(precision), len(drawn))
            self.assertRegex(self.text("#ranking"), r"Marks?: the predictions of this run, the most probable class")
        self.assertIn("the predictions", self.text("#ranking figure svg"))
        self.assertEqual(len(drawn) == 0, "Precision has no mark for “yes <i>”" in self.text("#ranking"))

    def test_curves_stay_inside_of_their_axes(self):
        for name in ("run", "rare", "own"):
            self.open(name)
            self.assertEqual(self.script("""return [...document.querySelectorAll("#ranking figure svg")].filter(svg => {
                const [box, outer] = [svg.querySelector("path.curve"), svg].map(one => one.getBoundingClientRect());
                return box.left < outer.left || box.right > outer.right + 1 || box.top < outer.top || box.bottom > outer.bottom;
            }).length"""), 0)
