#!/usr/bin/env python3
"""hwgcn-mpi weights: the same bits at any number of processes, in any number of rounds, after any interruption.

    check_weights.py MPIEXEC PROGRAM HWGCN [--data FOLDER]

Status 77: there are no data to test with.
"""

import argparse
import collections
import copy
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

import numpy
import scipy.sparse

import job

SYNTHETIC = ["synthetic", "--synthetic", "nodes=2500,mean_degree=7,words=20", "--block-size", "100"]


class Weights:
    """Weights in blocks, as numpy reads them."""

    def __init__(self, folder: pathlib.Path):
        self.list = json.loads((folder / "weights.json").read_text())
        self.blocks = {order["order"]: sorted((folder / order["folder"]).glob("rows-*.npz"))
                       for order in self.list["orders"]}

    def digest(self) -> str:
        """SHA-256 of all files."""
        total = hashlib.sha256()
        for order, files in self.blocks.items():
            for file in files:
                total.update(f"{order} {file.name}".encode() + file.read_bytes())
        return total.hexdigest()

    def matrix(self, order: int) -> scipy.sparse.csr_matrix:
        rows = []
        for file in self.blocks[order]:
            with numpy.load(file) as arrays:
                rows.append(scipy.sparse.csr_matrix((arrays["data"], arrays["indices"], arrays["indptr"]),
                                                    shape=(len(arrays["indptr"]) - 1, self.list["nodes"])))
        return scipy.sparse.vstack(rows, format="csr")


def hwgcn(program: str, arguments: list[str], folder: pathlib.Path) -> None:
    done = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"hwgcn {' '.join(arguments)}: {done.returncode}: {done.stderr}")


class Case:
    """A dataset in shards, and its weights learned by hwgcn, in one folder."""

    def __init__(self, jobs: job.Jobs, program: str, folder: pathlib.Path, dataset: list[str], order: int):
        self.jobs, self.program, self.folder, self.order = jobs, program, folder, order
        folder.mkdir()
        hwgcn(program, ["shard", *dataset, "--out", "DATA"], folder)
        hwgcn(program, ["weights", "DATA", "--order", str(order), "--no-cache", "--out-orders", "whole"], folder)

    def command(self, out: str, *more: str) -> list[str]:
        return [self.jobs.program, "weights", "DATA", "--order", str(self.order), "--cache-dir", out, "--threads", "1", *more]

    def learn(self, processes: int, out: str, *more: str) -> job.Outcome:
        return self.jobs.run(processes, self.command(out, *more), cwd=self.folder)

    def result(self, processes: int, out: str, *more: str) -> dict:
        done = self.learn(processes, out, "--json", "-", *more)
        self.jobs.expect(done.status == 0, f"{self.folder.name} on {processes}", f"{done.status}: {done.stderr}")
        return json.loads(done.stdout) if done.status == 0 else {}

    def digest(self, out: str) -> str:
        return Weights(self.folder / out).digest()

    def check_whole(self, out: str, expected: str = "whole") -> None:
        """Equal to what hwgcn learned, to the bit."""
        weights = Weights(self.folder / out)
        for order in range(2, self.order + 1):
            whole = scipy.sparse.load_npz(self.folder / f"{expected}{order}.npz").tocsr()
            blocks = weights.matrix(order)
            same = (whole.shape == blocks.shape and numpy.array_equal(whole.indptr, blocks.indptr)
                    and numpy.array_equal(whole.indices, blocks.indices)
                    and whole.data.tobytes() == blocks.data.tobytes())
            self.jobs.expect(same, f"{self.folder.name}, order {order}", f"{out} differs from what hwgcn learned")


def check_counts(case: Case) -> None:
    """Any number of processes, and rounds."""
    for processes in sorted({1, *job.COUNTS}):
        result = case.result(processes, f"W{processes}")
        rates = [process["nodes_per_second"] for process in result.get("processes", [])]
        case.jobs.expect(len(rates) == processes and min(rates) > 0, f"{processes} processes", f"nodes/s {rates}")
        case.jobs.expect(case.digest(f"W{processes}") == case.digest("W1"), f"{processes} processes", "other bits")
    case.check_whole("W1")
    result = case.result(2, "rounds", "--weights-memory", "0.0005")
    rounds = [process["rounds"] for process in result.get("processes", [])]
    case.jobs.expect(min(rounds, default=0) > 1, "little memory", f"rounds {rounds}")
    case.jobs.expect(case.digest("rounds") == case.digest("W1"), "several rounds", "other bits")


def check_old_names(case: Case) -> None:
    done = case.jobs.run(2, [case.jobs.program, "weights", "DATA", "--order", str(case.order), "--out", "renamed",
                             "--memory", "0.0005"], cwd=case.folder)
    told = [line for line in done.stderr.splitlines() if " is called " in line]
    case.jobs.expect(done.status == 0 and sorted(told) == [
        "hwgcn-mpi: note: --memory is called --weights-memory now", "hwgcn-mpi: note: --out is called --cache-dir now"],
        "old names", done.stderr)
    case.jobs.expect(case.digest("renamed") == case.digest("W1"), "old names", "other bits")


def check_samples(case: Case) -> None:
    """Rings that are cut to samples, from less than whole rings take."""
    sample = ["--sample-ring", "6"]
    hwgcn(case.program, ["weights", "DATA", "--order", str(case.order), "--no-cache", "--out-orders", "cut", *sample],
          case.folder)
    for processes in (2, 3):
        sampled = case.result(processes, f"sampled{processes}", *sample)
        case.check_whole(f"sampled{processes}", "cut")
    whole = case.result(3, "not-sampled")
    received = [max((process["received_mb"] for process in result.get("processes", [])), default=0)
                for result in (sampled, whole)]
    case.jobs.expect(0 < received[0] < received[1], "samples", f"received {received} MB, the first for samples")


def check_cache(case: Case) -> None:
    """hwgcn finds them where its cache is."""
    hwgcn(case.program, ["weights", "DATA", "--order", str(case.order), "--cache-dir", "W2", "--out-orders", "cached",
                         "--json", "cached.json"], case.folder)
    case.jobs.expect(json.loads((case.folder / "cached.json").read_text())["cached"], "as a cache", "not found")
    for order in range(2, case.order + 1):
        whole, cached = (scipy.sparse.load_npz(case.folder / f"{name}{order}.npz") for name in ("whole", "cached"))
        case.jobs.expect(whole.data.tobytes() == cached.data.tobytes(), "as a cache", "other bits")


def wait_for_blocks(case: Case, out: str, process: subprocess.Popen, count: int) -> None:
    job.wait_until(process, lambda: len(list((case.folder / out).glob("*/rows-*.npz"))) >= count)


def check_kills(case: Case, chance: random.Random) -> None:
    """One process is killed at some moment; others go on later, as many as there are then."""
    for attempt, (before, after) in enumerate(((3, 2), (2, 4))):
        out = f"killed{attempt}"
        process = case.jobs.start(before, case.command(out), cwd=case.folder)
        wait_for_blocks(case, out, process, chance.choice((1, 3, 8)))
        time.sleep(chance.random() * 0.1)
        victims = job.children(process)
        if victims:
            os.kill(chance.choice(victims), signal.SIGKILL)
        try:
            process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            process.terminate()
            process.communicate()
            case.jobs.expect(False, "a process is killed", "the others go on waiting")
        case.jobs.expect(process.returncode == 137 or not victims, "a process is killed", f"status {process.returncode}")
        files = list((case.folder / out).glob("*/rows-*.npz"))
        orders_there = collections.Counter(file.name for file in files)
        finished = sum(count == case.order - 1 for count in orders_there.values())
        for file in files:
            with numpy.load(file) as arrays:
                case.jobs.expect(arrays["indptr"][-1] == len(arrays["data"]), "a process is killed", f"half of {file.name}")
        result = case.result(after, out)
        case.jobs.expect(result.get("found_blocks") == finished, "restart", f"{result.get('found_blocks')} of {finished}")
        case.jobs.expect(case.digest(out) == case.digest("W1"), "restart", "other bits")


def check_stop(case: Case) -> None:
    """A stop in the middle: of one order more, for enough to be left to do."""
    case = copy.copy(case)
    case.order += 1
    case.result(1, "longer")
    process = case.jobs.start(3, case.command("stopped"), cwd=case.folder)
    wait_for_blocks(case, "stopped", process, 1)
    job.signal_all(process, signal.SIGTERM)
    _, stderr = process.communicate(timeout=30)
    lines = [line for line in stderr.splitlines() if line.startswith("hwgcn-mpi: error: ")]
    case.jobs.expect(process.returncode == 130 and lines == [
        "hwgcn-mpi: error: interrupted; the same command goes on from what is finished"], "SIGTERM", stderr)
    case.result(2, "stopped")
    case.jobs.expect(case.digest("stopped") == case.digest("longer"), "after SIGTERM", "other bits")


def check_damage(case: Case) -> None:
    file = sorted((case.folder / "W3").glob("*/rows-*.npz"))[3]
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    done = case.learn(3, "W3")
    case.jobs.expect(done.status == 0 and done.stderr.count("damaged part of the weights") == 1
                     and "1 block learned" in done.stdout, "a damaged block", done.stdout + done.stderr)
    case.jobs.expect(case.digest("W3") == case.digest("W1"), "a damaged block", "other bits")


def check_places(case: Case) -> None:
    """Machines that do not see the same files."""
    jobs, other = case.jobs, case.folder / "other"
    other.mkdir()
    hwgcn(case.program, ["shard", "karate", "--out", "DATA"], other)
    command = case.command("W")
    done = jobs.run(1, [*command, ":", "-n", "1", "-wdir", str(other), *command], cwd=case.folder)
    jobs.expect(done.status == 2 and done.errors() == [
        "hwgcn-mpi: error: process 1 has another list of shards than process 0"], "other shards", done.stderr)
    command[2] = str(case.folder / "DATA")
    done = jobs.run(1, [*command, ":", "-n", "1", "-wdir", str(other), *command], cwd=case.folder)
    jobs.expect(done.status == 2 and len(done.errors()) == 1 and "process 1 does not see" in done.errors()[0],
                "other folders", done.stderr)


def check_real_data(jobs: job.Jobs, program: str, folder: pathlib.Path, data: pathlib.Path) -> None:
    for name, order, processes in (("cora", 3, 3), ("pubmed", 2, 2)):
        case = Case(jobs, program, folder / name, [name, "--data-dir", str(data)], order)
        case.result(processes, "W")
        case.check_whole("W")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("mpiexec")
    parser.add_argument("program")
    parser.add_argument("hwgcn")
    parser.add_argument("--data", type=pathlib.Path, help="test with real data from this folder, or $HWGCN_DATA")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    jobs = job.Jobs(arguments.mpiexec, "", arguments.program)
    with tempfile.TemporaryDirectory() as folder:
        top = pathlib.Path(folder)
        if arguments.data:
            data = pathlib.Path(os.environ.get("HWGCN_DATA", arguments.data))
            if not (data / "planetoid").is_dir():
                print("skipped: no data")
                return 77
            check_real_data(jobs, arguments.hwgcn, top, data)
            return jobs.report()
        case = Case(jobs, arguments.hwgcn, top / "synthetic", SYNTHETIC, 3)
        check_counts(case)
        check_old_names(case)
        check_samples(case)
        check_cache(case)
        check_kills(case, random.Random(arguments.seed))
        check_stop(case)
        check_damage(case)
        check_places(case)
    return jobs.report()


if __name__ == "__main__":
    sys.exit(main())
