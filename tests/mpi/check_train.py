#!/usr/bin/env python3
"""hwgcn-mpi train and predict: the same bits at any number of processes, as hwgcn on the same shards, after any end.

    check_train.py MPIEXEC PROGRAM HWGCN [--kills N]
"""

import argparse
import hashlib
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

import job

SYNTHETIC = ["synthetic", "--synthetic", "nodes=1500,mean_degree=6,words=15", "--block-size", "60"]
METHODS = {"mlp": [], "gcn": [], "hwgcn": ["--order", "2"], "sgc": [], "appnp": [], "hwgpr": ["--order", "2"],
           "mixhop": [], "lp": [], "hwgcn-wide": ["--order", "3", "--class-weights", "balanced"]}
LONG = ["--method", "gcn", "--epochs", "6000"]
RESULT = ("model.npz", "history.csv", "predictions.csv", "split.json")


def digest(run: pathlib.Path) -> dict:
    return {name: hashlib.sha256((run / name).read_bytes()).hexdigest() if (run / name).exists() else "missing"
            for name in RESULT}


class Case:
    """A dataset in shards, and where runs on it go."""

    def __init__(self, jobs: job.Jobs, program: str, folder: pathlib.Path, dataset: list[str]):
        self.jobs, self.program, self.folder = jobs, program, folder
        folder.mkdir()
        self.hwgcn("shard", *dataset, "--out", "DATA")

    def hwgcn(self, *arguments: str) -> None:
        done = subprocess.run([self.program, *arguments], cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"hwgcn {' '.join(arguments)}: {done.returncode}: {done.stderr}")

    def command(self, out: str, *more: str) -> list[str]:
        return [self.jobs.program, "train", "DATA", "--cache-dir", "W", "--threads", "1", "--quiet", "--out", out, *more]

    def train(self, processes: int, out: str, *more: str) -> job.Outcome:
        return self.jobs.run(processes, self.command(out, *more), cwd=self.folder)

    def train_alone(self, out: str, *more: str) -> dict:
        self.hwgcn("train", "DATA", "--cache-dir", "W", "--no-baselines", "--quiet", "--out", out, *more)
        return digest(self.folder / out)


def check_networks(case: Case) -> None:
    """Every network that can be shared, with dropout, and hwgcn on the same shards."""
    for method, settings in METHODS.items():
        options = ["--method", method, *([] if method == "lp" else ["--epochs", "10"]), *settings]
        alone = case.train_alone(f"{method}-alone", *options)
        for processes in job.COUNTS:
            out = f"{method}-{processes}"
            done = case.train(processes, out, *options)
            case.jobs.expect(done.status == 0, out, f"{done.status}: {done.stderr}")
            case.jobs.expect(digest(case.folder / out) == alone, out, "other bits than hwgcn on the same shards")


def check_predict(case: Case) -> None:
    """Both programs predict from each other's runs."""
    case.hwgcn("predict", "hwgcn-3", "--cache-dir", "W", "--out", "by-hwgcn.csv")
    done = case.jobs.run(3, [case.jobs.program, "predict", "hwgcn-alone", "--cache-dir", "W", "--out", "by-mpi.csv"],
                         cwd=case.folder)
    case.jobs.expect(done.status == 0, "predict", done.stderr)
    same = (case.folder / "by-hwgcn.csv").read_bytes() == (case.folder / "by-mpi.csv").read_bytes()
    case.jobs.expect(same, "predict", "the two programs do not agree")
    expected = hashlib.sha256((case.folder / "by-mpi.csv").read_bytes()).hexdigest()
    case.jobs.expect(digest(case.folder / "hwgcn-2")["predictions.csv"] == expected, "predict", "not what the run says")


def check_without_features(case: Case) -> None:
    """Labels alone, spread over a graph without features; each program predicts from the other's run."""
    edges = [(node, (node * 7 + step) % 300) for node in range(300) for step in (1, 2)]
    (case.folder / "edges.csv").write_text("source,target\n" + "".join(f"{a},{b}\n" for a, b in edges))
    (case.folder / "nodes.csv").write_text("id,label\n" + "".join(f"{node},{'ab'[node % 2]}\n" for node in range(300)))
    case.hwgcn("shard", "--edges", "edges.csv", "--nodes", "nodes.csv", "--block-size", "20", "--out", "PLAIN")
    case.hwgcn("train", "PLAIN", "--method", "lp", "--no-baselines", "--quiet", "--out", "plain-alone")
    done = case.jobs.run(3, [case.jobs.program, "train", "PLAIN", "--method", "lp", "--quiet", "--out", "plain-3"],
                         cwd=case.folder)
    case.jobs.expect(done.status == 0, "lp without features", done.stderr)
    expected = digest(case.folder / "plain-alone")
    case.jobs.expect(digest(case.folder / "plain-3") == expected, "lp without features", "other bits than hwgcn")
    case.hwgcn("predict", "plain-3", "--out", "plain-by-hwgcn.csv")
    done = case.jobs.run(2, [case.jobs.program, "predict", "plain-alone", "--out", "plain-by-mpi.csv"], cwd=case.folder)
    case.jobs.expect(done.status == 0, "predict without features", done.stderr)
    for table in ("plain-by-hwgcn.csv", "plain-by-mpi.csv"):
        found = hashlib.sha256((case.folder / table).read_bytes()).hexdigest()
        case.jobs.expect(found == expected["predictions.csv"], table, "not what the run says")


def keys_of(value, path: str = "") -> set:
    """The path of every key in a JSON value; elements of a list are all the same."""
    if isinstance(value, list):
        return set().union(*(keys_of(element, path + "[]") for element in value))
    if not isinstance(value, dict):
        return set()
    return set().union(*({f"{path}.{key}"} | keys_of(element, f"{path}.{key}") for key, element in value.items()))


VARIES = {"seconds", "seconds_per_run", "peak_mb", "processes"}


def without_times(value):
    if isinstance(value, list):
        return [without_times(element) for element in value]
    if isinstance(value, dict):
        return {key: without_times(element) for key, element in value.items() if key not in VARIES}
    return value


def check_evaluate(case: Case, epochs: str) -> None:
    """Repeated runs have the numbers of hwgcn, its warnings and its keys."""
    options = ["--method", "gcn,mlp", "--epochs", epochs, "--split", "random:10:100:200", "--runs", "3"]
    case.hwgcn("evaluate", "DATA", *options, "--no-baselines", "--json", "alone.json")
    done = case.jobs.run(2, [case.jobs.program, "evaluate", "DATA", *options, "--json", "shared.json", "--quiet"],
                         cwd=case.folder)
    case.jobs.expect(done.status == 0, "evaluate", done.stderr)
    alone, shared = (json.loads((case.folder / file).read_text()) for file in ("alone.json", "shared.json"))
    case.jobs.expect(shared.pop("exchanged_bytes", 0) > 0, "evaluate", "nothing was exchanged")
    case.jobs.expect(keys_of(alone) == keys_of(shared), "keys of evaluate", f"{keys_of(alone) ^ keys_of(shared)}")
    case.jobs.expect(without_times(alone) == without_times(shared), "evaluate", f"{alone} {shared}")
    case.jobs.expect((alone["processes"], shared["processes"]) == (1, 2), "processes", f"{shared['processes']}")
    case.jobs.expect("\x1b" not in done.stdout + done.stderr, "evaluate into a file", f"colours: {done.stdout!r}")
    if epochs == "2":
        case.jobs.expect(any("of the predictions" in note for note in shared["notes"]), "doubts", f"{shared['notes']}")


def check_keys(case: Case) -> None:
    """Results have the keys of hwgcn, and what several processes add."""
    shared = {"processes", "exchanged_bytes"}
    for command, more in ((["train", "DATA", "--method", "gcn", "--epochs", "5", "--split", "random:10:100:200",
                            "--no-baselines"], shared),
                          (["predict", "hwgcn-alone", "--cache-dir", "W", "--out", "keys.csv"], shared),
                          (["weights", "DATA", "--order", "2", "--cache-dir", "W"],
                           {"out", "learned_blocks", "found_blocks", *shared})):
        case.hwgcn(*command, "--json", "alone.json")
        done = case.jobs.run(2, [case.jobs.program, *command, "--json", "shared.json"], cwd=case.folder)
        case.jobs.expect(done.status == 0, command[0], done.stderr)
        alone, both = (json.loads((case.folder / file).read_text()) for file in ("alone.json", "shared.json"))
        case.jobs.expect(set(both) == set(alone) | more, f"keys of {command[0]}", f"{set(both) ^ set(alone)}")
        case.jobs.expect(both["exchanged_bytes"] > 0, command[0], "nothing was exchanged")


def check_names(case: Case) -> None:
    """An option has the name that it has in hwgcn; an old name is understood, and the new one told once."""
    predict = [case.jobs.program, "predict", "hwgcn-alone", "--out", "renamed.csv"]
    done = case.jobs.run(2, [*predict, "--weights", "W", "--shards", "DATA"], cwd=case.folder)
    notes = [line for line in done.stderr.splitlines() if " is called " in line]
    case.jobs.expect(done.status == 0 and sorted(notes) == ["hwgcn-mpi: note: --shards is called DATASET now",
                                                            "hwgcn-mpi: note: --weights is called --cache-dir now"],
                     "old names", f"{done.status}: {done.stderr}")
    same = (case.folder / "renamed.csv").read_bytes() == (case.folder / "by-mpi.csv").read_bytes()
    case.jobs.expect(same, "old names", "other predictions")
    done = case.jobs.run(2, [*predict, "--weights", "W", "--cache-dir", "W"], cwd=case.folder)
    case.jobs.expect(done.status == 2 and done.errors() == [
        "hwgcn-mpi: error: --weights is the old name of --cache-dir: give one of them"], "both names", done.stderr)


def check_refusals(case: Case) -> None:
    """What cannot be shared is refused by name, once, with status 2."""
    for options, words in ((["--method", "gat"], "GAT"), (["--method", "auto"], "auto"), (["--method", "ica"], "ICA"),
                           (["--method", "gcn", "--self-training", "10"], "--self-training"),
                           (["--method", "gcn", "--split", "random:100000"], "100000"),
                           (["--method", "gcn", "--no-cache"], "--no-cache: several processes cannot do this"),
                           (["--method", "gcn", "--order", "3"], "--order")):
        done = case.train(2, "refused", *options)
        errors = done.errors()
        case.jobs.expect(done.status == 2 and len(errors) == 1 and words in errors[0], " ".join(options),
                         f"{done.status}: {done.stderr}")
    done = case.jobs.run(2, [case.jobs.program, "train", "nowhere"], cwd=case.folder)
    case.jobs.expect(done.status == 2 and len(done.errors()) == 1, "no such folder", f"{done.status}: {done.stderr}")


def resume_until_done(case: Case, out: str, options: list[str], counts: list[int]) -> None:
    for processes in counts:
        done = case.train(processes, out, "--resume", *options)
        if done.status == 0:
            return
    case.jobs.expect(False, out, f"was not finished: {done.stderr}")


def wait_for_training(case: Case, out: str, process: subprocess.Popen) -> None:
    job.wait_until(process, (case.folder / out / "run.json").exists)


def check_interrupt(case: Case) -> None:
    """Ctrl-C stops all processes at the same epoch; another number of processes goes on."""
    alone = case.train_alone("long-alone", *LONG)
    process = case.jobs.start(2, case.command("stopped", *LONG), cwd=case.folder)
    wait_for_training(case, "stopped", process)
    job.signal_all(process, signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    case.jobs.expect(process.returncode == 130 and stderr.count("interrupted") == 1, "interrupt",
                     f"{process.returncode}: {stderr}")
    case.jobs.expect(not (case.folder / "stopped" / "model.npz").exists(), "interrupt", "finished all the same")
    resume_until_done(case, "stopped", LONG, [3])
    case.jobs.expect(digest(case.folder / "stopped") == alone, "interrupt", "other bits after it")


def check_kills(case: Case, kills: int) -> None:
    """A process is killed at a random moment of a training, which another number of processes takes up again."""
    alone = digest(case.folder / "long-alone")
    generator = random.Random(7)
    for kill in range(kills):
        out = f"killed-{kill}"
        process = case.jobs.start(3, case.command(out, *LONG), cwd=case.folder)
        wait_for_training(case, out, process)
        time.sleep(generator.uniform(0.0, 1.0))
        victims = job.children(process)
        case.jobs.expect(bool(victims), out, "had ended before the kill")
        if victims:
            os.kill(generator.choice(victims), signal.SIGKILL)
        process.communicate(timeout=180)
        run = case.folder / out
        half = [file.name for file in run.glob("*") if file.suffix in (".npz", ".json") and file.stat().st_size == 0]
        case.jobs.expect(not half, out, f"half-written: {half}")
        if not (run / "model.npz").exists():
            resume_until_done(case, out, LONG, [1 + kill % 4, 2])
        case.jobs.expect(digest(run) == alone, out, "other bits after a kill")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("mpiexec")
    parser.add_argument("program")
    parser.add_argument("hwgcn")
    parser.add_argument("--kills", type=int, default=2)
    options = parser.parse_args()
    jobs = job.Jobs(options.mpiexec, "", options.program)
    with tempfile.TemporaryDirectory() as folder:
        case = Case(jobs, options.hwgcn, pathlib.Path(folder) / "synthetic", SYNTHETIC)
        check_networks(case)
        check_predict(case)
        check_without_features(case)
        check_evaluate(case, "20")
        check_evaluate(case, "2")  # hardly trained: the results are doubted
        check_keys(case)
        check_names(case)
        check_refusals(case)
        check_interrupt(case)
        check_kills(case, options.kills)
    return jobs.report()


if __name__ == "__main__":
    sys.exit(main())
