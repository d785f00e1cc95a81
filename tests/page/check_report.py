#!/usr/bin/env python3
"""Opens reports in a real Chromium and uses them: looks, searches, clicks, drags, types.

    check_report.py PROGRAM [FOLDER]

FOLDER, if given, receives screenshots to look at.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from ranking_tests import RankingTests, make_rare_report
from shares_tests import SharesTests

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
SCREENSHOTS = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None
HOSTILE = "</script><script>document.title='broken'</script>"


def hwgcn(folder: pathlib.Path, *arguments: str) -> None:
    environment = os.environ | {"HOME": str(folder), "XDG_CACHE_HOME": f"{folder}/cache"}
    subprocess.run([PROGRAM, *arguments, "--quiet"], cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)


def label_of(node: int) -> str:
    if node == 3 or node >= 30:  # eleven have none
        return ""
    return "red <b>" if node % 2 else "blue & co" + "o" * 200


def make_reports(folder: pathlib.Path) -> None:
    synthetic = ("synthetic", "--synthetic", "nodes=600,classes=4,words=8,vocabulary=200,homophily=0.7")
    hwgcn(folder, "train", *synthetic, "--method", "hwgcn", "--order", "4", "--split", "random:5:100:300", "--epochs", "60", "--out", "run")
    hwgcn(folder, "evaluate", *synthetic, "--method", "gcn,hwgcn", "--runs", "3", "--epochs", "30", "--json", "compared.json")
    hwgcn(folder, "report", "run", "--orders", "2", "--result", "compared.json", "--out", "run.html")
    hwgcn(folder, "train", *synthetic, "--method", "hwgpr", "--order", "2", "--split", "random:5:100:300", "--epochs", "20", "--out", "far")
    hwgcn(folder, "report", "far", "--out", "far.html")
    hwgcn(folder, "train", *synthetic, "--method", "gat", "--split", "random:5:100:300", "--epochs", "20", "--out", "attention")
    hwgcn(folder, "report", "attention", "--out", "attention.html")
    hwgcn(folder, "report", "run", "--shares", "3", "--out", "some.html")
    hwgcn(folder, "report", "compared.json", "--out", "compared.html")
    (folder / "nodes.csv").write_text("id,class,x,y\n" + "".join(
        f'"{HOSTILE if k == 3 else f"node {k}"}",{label_of(k)},{k % 2},{k % 3}\n' for k in range(40)))
    (folder / "edges.csv").write_text("from,to\n" + "".join(
        f'"{HOSTILE if k == 3 else f"node {k}"}","{HOSTILE if (k + 2) % 40 == 3 else f"node {(k + 2) % 40}"}"\n' for k in range(40)))
    hwgcn(folder, "train", "--edges", "edges.csv", "--nodes", "nodes.csv", "--label", "class", "--out", "own")
    hwgcn(folder, "report", "own", "--out", "own.html")
    make_rare_report(folder, hwgcn)


def open_browser(*more: str) -> webdriver.Chrome:
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--force-prefers-reduced-motion", "--window-size=1200,1000", *more):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


class Page(RankingTests, SharesTests, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        make_reports(cls.folder)
        cls.browser = open_browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()
        cls.temporary.cleanup()

    def open(self, name: str) -> None:
        self.browser.get("about:blank")
        self.browser.get(f"file://{self.folder}/{name}.html")
        self.assertEqual(self.script("return document.body.dataset.ready"), "yes")
        # Charts are drawn when their width is known: observed in one frame, drawn in the next.
        self.browser.execute_async_script("""const done = arguments[0];
            requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => done())));""")

    def tearDown(self):
        complaints = [entry["message"] for entry in self.browser.get_log("browser")]
        self.assertEqual(complaints, [])
        requests = self.script("return performance.getEntriesByType('resource').map(entry => entry.name)")
        self.assertEqual([name for name in requests if not name.startswith("data:")], [])

    def script(self, text: str, *arguments):
        return self.browser.execute_script(text, *arguments)

    def one(self, selector: str):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector: str) -> str:
        return self.one(selector).text

    def save(self, name: str) -> None:
        if SCREENSHOTS is None:
            return
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.script("window.scrollTo(0, 0)")
        height = self.script("return document.documentElement.scrollHeight")
        width = self.script("return innerWidth")
        self.browser.set_window_size(width, height + 150)
        self.browser.save_screenshot(str(SCREENSHOTS / f"{name}.png"))
        self.browser.set_window_size(1200, 1000)

    # What is on the page.
    def test_every_section_is_there_and_drawn(self):
        self.open("run")
        ids = [section.get_attribute("id") for section in self.all("main section")]
        self.assertEqual(ids, ["summary", "features", "curves", "orders", "comparison", "result-1", "confusion", "ranking", "reliability",
                               "importances", "weights", "explorer", "settings"])
        for name in ("curves", "orders", "comparison", "result-1", "confusion", "ranking", "reliability", "importances", "weights", "explorer"):
            self.assertGreater(len(self.all(f"#{name} figure svg *")), 8, name)
        self.assertEqual(len(self.all("#confusion rect.cell")), 16)
        self.assertEqual([link.get_attribute("href").split("#")[1] for link in self.all("nav a")], ids)
        self.assertIn("Accuracy", self.text("#summary dl"))
        self.assertRegex(self.text("#summary dl > div:nth-child(2)"), r"Always the commonest class\s+\d+\.\d %\s+“class_\d+” for every node")
        self.assertEqual(self.text("#left-out li"), "Predictions of nodes without a label: Every node of this graph has a label: none is left to predict.")
        self.assertIn("200 features, each row divided by its sum", self.text("#features"))
        self.save("run")

    def test_a_result_alone(self):
        self.open("compared")
        self.assertEqual([section.get_attribute("id") for section in self.all("main section")], ["result-1"])
        self.one("#result-1 summary").click()
        rows = self.all("#result-1 tbody tr")
        self.assertEqual([row.find_element(By.TAG_NAME, "td").text for row in rows], ["gcn", "hwgcn", "lp", "linear", "linear-neighbors"])
        self.save("compared")

    def test_hostile_names_are_only_text(self):
        self.open("own")
        self.assertNotEqual(self.browser.title, "broken")
        self.assertEqual(self.all("#explorer b"), [])
        search = self.one("#ego-search")
        search.send_keys("</script>")
        self.assertIn(HOSTILE, self.text("#ego-found"))
        search.send_keys(Keys.ENTER)
        self.assertIn(HOSTILE, self.text("#ego-title"))
        self.assertIn("Held-out accuracy", self.text("#summary dl"))
        self.assertIn("each held out in turn", self.text("#confusion"))
        self.assertEqual(len(self.all("#confusion rect.cell")), 4)
        self.save("own")

    def test_with_cross_fitting_the_calibrated_curve_is_shown_too(self):
        self.open("own")
        self.assertIn("those of each fold were calibrated by what fits the other folds", self.text("#reliability"))
        self.assertIn("Circles: calibrated", self.text("#reliability figcaption"))
        self.assertEqual(len(self.all("#reliability path.curve")), 2)
        self.assertIn("Calibration error", self.text("#summary dl"))

    def test_importances_are_those_of_explain(self):
        self.open("run")
        self.assertIn("on 300 test nodes", self.text("#importances"))
        self.assertIn("hwgcn explain RUN --importances --columns 200", self.text("#importances"))
        hwgcn(self.folder, "explain", "run", "--importances", "--top", "30", "--json", "importances.json")
        told = json.loads((self.folder / "importances.json").read_text())["feature_importances"]
        self.one("#importances summary").click()
        rows = [[cell.text for cell in row.find_elements(By.TAG_NAME, "td")] for row in self.all("#importances tbody tr")]
        self.assertEqual([row[0] for row in rows], [column["name"] for column in told["columns"]])
        self.assertEqual(len(self.all("#importances svg rect")), 30)
        for row, column in zip(rows, told["columns"], strict=True):
            self.assertAlmostEqual(float(row[2].replace("−", "-")), column["drop"], delta=.006)
        self.open("own")
        self.assertEqual(self.all("#importances"), [])
        self.assertIn("Which features matter: LP does not look at features", self.text("#left-out"))

    def test_columns_say_what_they_became(self):
        self.open("own")
        rows = [[cell.text for cell in row.find_elements(By.TAG_NAME, "td")] for row in self.all("#features tbody tr")]
        self.assertEqual([row[0] for row in rows], ["id", "class", "x", "y"])
        self.assertEqual(rows[1][1], "the labels: 2 classes")

    # Predictions of nodes without a label.

    def unlabelled(self, column: int) -> list[str]:
        return [row.find_elements(By.TAG_NAME, "td")[column].text for row in self.all("#unlabelled tbody tr")]

    def test_unlabelled_nodes_come_least_sure_first(self):
        self.open("own")
        self.assertIn("11 nodes have no label.", self.text("#unlabelled"))
        nodes = self.unlabelled(0)
        self.assertEqual(len(nodes), 11)
        self.assertIn(HOSTILE[:39] + "…", nodes)
        self.assertIn("node 39", nodes)
        sure = [float(text.removesuffix(" %")) for text in self.unlabelled(2)]
        self.assertEqual(sure, sorted(sure))
        for predicted, second in zip(self.unlabelled(1), self.unlabelled(3), strict=True):
            self.assertEqual({predicted[:3], second[:3]}, {"red", "blu"})

    def test_unlabelled_nodes_can_be_sorted_and_visited(self):
        self.open("own")
        self.one("#unlabelled [data-sort=node]").click()
        nodes = self.unlabelled(0)
        self.assertEqual(nodes, sorted(nodes))
        self.assertEqual(self.browser.switch_to.active_element.get_attribute("data-sort"), "node")
        self.script("arguments[0].click()", self.all("#unlabelled button.link")[-1])
        self.assertTrue(self.text("#ego-title").startswith(f"Node {nodes[-1]}: "))
        self.assertGreater(self.script("return scrollY"), 500)

    def test_text_uses_the_width_of_the_page(self):
        self.open("run")
        self.assertEqual(self.script("""return [...document.querySelectorAll("section > p")].filter(one => one.textContent.length > 200)
            .filter(one => one.getBoundingClientRect().width < .95 * (one.parentElement.clientWidth - 40)).map(one => one.textContent)"""), [])

    # The explorer.

    def shown(self) -> int:
        return len(self.all("#explorer g.node"))

    def test_search_by_id(self):
        self.open("run")
        search = self.one("#ego-search")
        search.send_keys("12")
        found = [option.text.split(" ")[0] for option in self.all("#ego-found [role=option]")]
        self.assertEqual(found[0], "12")  # the exact one first
        self.assertTrue(all("12" in id for id in found))
        search.send_keys(Keys.ARROW_DOWN, Keys.ENTER)
        self.assertTrue(self.text("#ego-title").startswith(f"Node {found[1]}: "))
        self.assertIn(f"#node={found[1]}", self.browser.current_url)
        search.clear()
        search.send_keys("nobody")
        self.assertIn("No node with “nobody”", self.text("#explorer [role=status]"))

    def test_click_goes_there_and_back(self):
        self.open("run")
        first = self.text("#ego-title")
        node = self.all("#explorer g.node")[1]
        wanted = node.get_attribute("data-id")
        self.assertFalse(self.one("#explorer .controls button").is_enabled())
        node.click()
        self.assertTrue(self.text("#ego-title").startswith(f"Node {wanted}: "))
        self.one("#explorer .controls button").click()
        self.assertEqual(self.text("#ego-title"), first)

    def test_the_slider_hides_light_weights(self):
        self.open("run")
        everything = self.shown()
        slider = self.one("#ego-least")
        counts, least = [], []
        for _ in range(4):
            slider.send_keys(*[Keys.ARROW_RIGHT] * 25)
            counts.append(self.shown())
            least.append(float(self.text("output[for=ego-least]")))
        self.assertEqual(counts, sorted(counts, reverse=True))
        self.assertEqual(least, sorted(least))
        self.assertLess(counts[-1], everything)
        self.assertGreater(counts[-1], 1)  # edges weigh 1 and stay
        self.assertEqual(slider.get_attribute("value"), "100")
        distances = {row.find_elements(By.TAG_NAME, "td")[1].text for row in self.all("#explorer .members tbody tr")}
        self.assertEqual(distances, {"1"})

    def rows_by_distance(self) -> list[list[str]]:
        return [[cell.text for cell in row.find_elements(By.TAG_NAME, "td")] for row in self.all("#explorer .scroll:not(.members) tbody tr")]

    def explained(self, run: str, node: str) -> dict:
        hwgcn(self.folder, "explain", run, "--node", node, "--top", "1000", "--json", "explained.json")
        return json.loads((self.folder / "explained.json").read_text())

    def test_rings_and_shares_are_those_of_explain(self):
        self.open("run")
        rows = self.rows_by_distance()
        self.assertEqual([row[0] for row in rows], ["the node itself", "neighbors", "distance 2", "distance 3", "distance 4"])
        self.assertEqual(sum(int(row[2]) for row in rows), self.shown())
        explained = self.explained("run", self.text("#ego-title").split(":")[0].removeprefix("Node "))
        for row, told in zip(rows, explained["by_distance"], strict=True):
            self.assertEqual(int(row[1]), told["nodes"])
            self.assertAlmostEqual(float(row[4].replace("−", "-")), told["share"], delta=.06)
        members = self.all("#explorer .members tbody tr")
        self.assertEqual(len(members), self.shown() - 1)
        shares = [abs(float(row.find_elements(By.TAG_NAME, "td")[3].text.replace("−", "-"))) for row in members]
        self.assertEqual(shares, sorted(shares, reverse=True))

    def test_what_is_heard_over_several_steps_is_not_lost(self):
        self.open("far")
        rows = self.rows_by_distance()
        self.assertEqual(rows[-1][0], "others, over several steps")
        explained = self.explained("far", self.text("#ego-title").split(":")[0].removeprefix("Node "))
        self.assertAlmostEqual(sum(float(row[4].replace("−", "-")) for row in rows), sum(told["share"] for told in explained["by_distance"]), delta=.3)

    def test_sorting_the_table(self):
        self.open("run")
        self.one("#explorer [data-sort=weight]").click()
        weights = [float(row.find_elements(By.TAG_NAME, "td")[2].text) for row in self.all("#explorer .members tbody tr")]
        self.assertEqual(weights, sorted(weights, reverse=True))

    def test_the_next_wrong_prediction(self):
        self.open("run")
        button = self.all("#explorer .controls button")[1]
        self.assertRegex(button.text, r"Next wrong prediction \(\d+\)")
        button.click()
        self.assertIn(", wrong", self.text("#explorer .told"))

    def test_an_address_names_a_node(self):
        self.browser.get("about:blank")
        self.browser.get(f"file://{self.folder}/run.html#node=77")
        self.assertTrue(self.text("#ego-title").startswith("Node 77: "))
        self.assertGreater(self.script("return scrollY"), 500)
        self.script("location.hash = '#node=78'")
        self.assertTrue(self.text("#ego-title").startswith("Node 78: "))
        self.one("#explorer .controls button").click()
        self.assertTrue(self.browser.current_url.endswith("#node=77"))

    def test_escape_closes_the_suggestions(self):
        self.open("run")
        before = self.text("#ego-title")
        self.one("#ego-search").send_keys("12", Keys.ESCAPE, Keys.ENTER)
        self.assertEqual(self.text("#ego-title"), before)
        self.assertFalse(self.one("#ego-found").is_displayed())

    def test_the_focus_is_never_lost(self):
        self.open("run")
        button = self.one("#explorer .members button.link")
        wanted = button.text
        self.script("arguments[0].focus()", button)
        button.send_keys(Keys.ENTER)
        self.assertEqual(self.browser.switch_to.active_element.get_attribute("data-id"), wanted)
        back = self.one("#explorer .controls button")
        self.script("arguments[0].focus()", back)
        back.send_keys(Keys.ENTER)
        self.assertEqual(self.browser.switch_to.active_element.tag_name, "g")

    # The keyboard, colours, sizes.

    def test_the_keyboard_suffices(self):
        self.open("run")
        first = self.text("#ego-title")
        self.script("document.querySelector('#explorer g.node').focus()")
        self.browser.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
        active = self.browser.switch_to.active_element
        wanted = active.get_attribute("data-id")
        self.assertIn(wanted, self.text("#explorer .told"))
        active.send_keys(Keys.ENTER)
        self.assertNotEqual(self.text("#ego-title"), first)
        self.assertTrue(self.text("#ego-title").startswith(f"Node {wanted}: "))
        curve = self.one("#curves svg")
        self.script("arguments[0].focus()", curve)
        curve.send_keys(Keys.HOME)
        self.assertTrue(self.text("#curves figcaption").startswith("epoch 1: training "))
        curve.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        self.assertTrue(self.text("#curves figcaption").startswith("epoch 3: "))

    def test_dark_and_light(self):
        self.open("run")
        self.assertEqual(self.script("return document.documentElement.dataset.theme"), "light")
        before = self.script("return getComputedStyle(document.body).backgroundColor")
        self.one("#theme").click()
        self.assertEqual(self.script("return document.documentElement.dataset.theme"), "dark")
        self.assertNotEqual(before, self.script("return getComputedStyle(document.body).backgroundColor"))
        self.save("dark")

    def test_follows_the_system_into_the_dark(self):
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
        self.open("run")
        self.assertEqual(self.script("return document.documentElement.dataset.theme"), "dark")
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})

    def test_fits_a_phone(self):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": True})
        for name in ("run", "own", "far", "rare", "compared"):
            self.open(name)
            self.assertLessEqual(self.script("return document.documentElement.scrollWidth"), 360, name)
        self.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def test_on_paper_nothing_is_cut_off(self):
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        self.open("run")
        self.assertFalse(self.one("nav").is_displayed())
        self.assertFalse(self.one("#explorer .controls").is_displayed())
        self.assertEqual(self.script("return getComputedStyle(document.querySelector('.members')).overflowY"), "visible")
        self.assertEqual(self.script("return getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})

    def test_every_control_has_a_name(self):
        self.open("run")
        nameless = self.script("""
            return [...document.querySelectorAll("button, input, a, svg[tabindex], [role=button], [role=img]")].filter(one =>
                !(one.getAttribute("aria-label") || one.textContent.trim() || document.querySelector(`label[for="${one.id}"]`)))
                .map(one => one.outerHTML.slice(0, 80))""")
        self.assertEqual(nameless, [])

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
