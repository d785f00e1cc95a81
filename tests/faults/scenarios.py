"""The commands that are disturbed, each with the files it starts from."""

import dataclasses
import pathlib

import sandbox

OWN = ["--edges", "edges.csv", "--nodes", "nodes.csv"]
FAST = ["--epochs", "3", "--no-baselines"]
ONE = ["--threads", "1"]


@dataclasses.dataclass(frozen=True)
class Scenario:
    name: str
    command: list[str]
    before: list[list[str]] = dataclasses.field(default_factory=list)  # commands whose files it starts from
    again: list[str] = dataclasses.field(default_factory=list)  # what the next ordinary run needs on top
    own_data: int = 0  # half the nodes of a graph of one's own; with many, its files are read in several pieces
    main: bool = False  # the first of its command: this one gets the thousand allocations

    def arguments(self) -> list[str]:
        return self.command if "--threads" in self.command else self.command + ONE

    def make_template(self, program: str, folder: pathlib.Path) -> None:
        folder.mkdir(parents=True)
        if self.own_data:
            sandbox.write_own_data(folder, self.own_data)
        for command in self.before:
            sandbox.must_run(program, command + ONE, folder)


def train(folder: str, *more: str) -> list[str]:
    return ["train", "karate", "--method", "mlp", *FAST, "--no-cache", "--out", folder, *more]


def evaluate(runs: int, *more: str) -> list[str]:
    return ["evaluate", "karate", "--method", "mlp,lp", "--no-baselines", "--epochs", "3", "--runs", str(runs),
            "--no-cache", "--journal", "runs.journal", *more]


WEIGHTS = ["weights", "karate", "--order", "2"]
ORDER_2 = ["--method", "hwgcn", "--order", "2", "--cache-dir", "cache"]

INSPECT = [
    Scenario("inspect", ["inspect", "karate", "--json", "inspect.json"], main=True),
    Scenario("inspect own files", ["inspect", *OWN, "--json", "-"], own_data=20),
    Scenario("inspect larger files", ["inspect", *OWN], own_data=1000),
    Scenario("inspect npz", ["inspect", "data.npz"],
             before=[["data", "export", "karate", "--format", "npz", "--out", "data.npz"]]),
    Scenario("inspect shards", ["inspect", "shards"],
             before=[["shard", "karate", "--block-size", "12", "--out", "shards"]]),
]
LEARN = [
    Scenario("weights", [*WEIGHTS, "--out", "w.npz", "--json", "w.json", "--cache-dir", "cache"], main=True),
    Scenario("weights without cache", [*WEIGHTS, "--out-orders", "order-", "--no-cache"]),
    Scenario("weights from cache", [*WEIGHTS, "--out", "w.npz", "--cache-dir", "cache"],
             before=[[*WEIGHTS, "--cache-dir", "cache"]]),
    Scenario("weights on two threads", [*WEIGHTS, "--out", "w.npz", "--no-cache", "--threads", "2"]),
    Scenario("weights on twelve threads", [*WEIGHTS, "--no-cache", "--threads", "12"]),
]
TRAIN = [
    Scenario("train", train("run", "--json", "train.json"), again=["--force"], main=True),
    Scenario("train over a run", train("run", "--seed", "2", "--force"), before=[train("run", "--seed", "1")]),
    Scenario("train own files", ["train", *OWN, *FAST, *ORDER_2, "--out", "run"], again=["--force"], own_data=20),
    Scenario("train auto", ["train", "karate", "--method", "auto", *FAST, "--cache-dir", "cache", "--out", "run",
                            "--threads", "2"], again=["--force"]),
]
USE = [
    Scenario("predict", ["predict", "run", "--out", "p.csv", "--json", "p.json"], before=[train("run")], main=True),
    Scenario("predict own files", ["predict", "run", *OWN, "--cache-dir", "cache"], own_data=20,
             before=[["train", *OWN, *FAST, *ORDER_2, "--out", "run"]]),
    Scenario("report", ["report", "run", "--out", "r.html", "--json", "r.json", "--no-cache"], before=[train("run")],
             main=True),
    Scenario("report of a result", ["report", "result.json", "--out", "r.html"],
             before=[evaluate(2, "--json", "result.json")]),
]
EVALUATE = [
    Scenario("evaluate", evaluate(2, "--json", "result.json"), main=True),
    Scenario("evaluate goes on", evaluate(33), before=[evaluate(32)]),
    Scenario("evaluate on two threads", [*evaluate(4), "--threads", "2"]),
]
EXPORT = [
    Scenario("export csv", ["data", "export", "karate", "--format", "csv", "--out", "csv", "--json", "e.json"],
             main=True),
    Scenario("export npz", ["data", "export", *OWN, "--format", "npz", "--out", "own.npz"], own_data=20),
    Scenario("shard", ["shard", "karate", "--block-size", "12", "--out", "shards", "--json", "s.json"]),
    Scenario("shard over shards", ["shard", "karate", "--block-size", "12", "--out", "shards", "--force"],
             before=[["shard", "karate", "--block-size", "5", "--out", "shards"]]),
    Scenario("export matrix-market", ["data", "export", "karate", "--format", "matrix-market", "--out", "mm"]),
]
EVERY = INSPECT + LEARN + TRAIN + USE + EVALUATE + EXPORT


def known_to(program: str) -> list[Scenario]:
    """Where data export asks for --force before it replaces files, its next run needs it."""
    usage = sandbox.must_run(program, ["data", "export", "--help"], pathlib.Path.cwd()).stdout
    if "--force" not in usage:
        return EVERY
    return [dataclasses.replace(scenario, again=["--force"]) if scenario in EXPORT else scenario for scenario in EVERY]
