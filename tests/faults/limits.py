#!/usr/bin/env python3
"""Limits where they bind: threads, memory, file sizes, descriptors, rights, full devices, broken reads.

    limits.py PROGRAM LIBRARY

The limits are real ones, of a user who is not root: root is asked for no rights and has no limit of processes. LIBRARY is
fail_calls.c, compiled.
"""

import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

import sandbox

NOBODY = 65534
NOT_LOADED = "error while loading shared libraries"
MEGABYTE = 2**20

TRAIN = ["train", "karate", "--method", "mlp", "--epochs", "5", "--no-cache", "--out", "run"]
EVALUATE = ["evaluate", "karate", "--method", "mlp,lp", "--no-baselines", "--epochs", "3", "--runs", "2", "--no-cache",
            "--journal", "runs.journal"]
WEIGHTS = ["weights", "karate", "--order", "3", "--out", "w.npz", "--cache-dir", "cache"]
OWN = ["--edges", "edges.csv", "--nodes", "nodes.csv"]


class Bench:
    """A folder that belongs to the ordinary user, and a copy of the program that this user can start."""

    def __init__(self, program: str, library: str):
        place = "/dev/shm" if os.path.isdir("/dev/shm") else None
        self.base = pathlib.Path(tempfile.mkdtemp(prefix="hwgcn-limits-", dir=place))
        self.base.chmod(0o755)
        # Some systems forbid to start programs from /dev/shm.
        self.programs = pathlib.Path(tempfile.mkdtemp(prefix="hwgcn-limits-"))
        self.programs.chmod(0o755)
        self.program = str(shutil.copy(program, self.programs / "hwgcn"))
        self.library = str(shutil.copy(library, self.programs / "fail_calls.so"))
        self.folder = self.base / "case"
        self.user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
        self.cases, self.found, self.name = 0, [], ""

    def fresh(self) -> pathlib.Path:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        if self.user:
            os.chown(self.folder, NOBODY, NOBODY)
        return self.folder

    def run(self, arguments: list[str], limits: dict[int, int] | None = None, closed: tuple[int, ...] = (),
            more: dict[str, str] | None = None, stdout=subprocess.PIPE, stderr=subprocess.PIPE) -> sandbox.Outcome:
        def prepare() -> None:
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            for limit, value in (limits or {}).items():
                resource.setrlimit(limit, (value, value))
            for descriptor in closed:
                os.close(descriptor)

        try:
            done = subprocess.run([self.program, *arguments], cwd=self.folder, stdout=stdout, stderr=stderr, timeout=100,
                                  env=sandbox.environment(self.folder, **(more or {})), stdin=subprocess.DEVNULL,
                                  preexec_fn=prepare, check=False, **self.user)
        except subprocess.TimeoutExpired:
            return sandbox.Outcome(-1000, "", "still running after 100 s")
        return sandbox.Outcome(done.returncode, (done.stdout or b"").decode(errors="replace"),
                               (done.stderr or b"").decode(errors="replace"))

    def expect(self, good: bool, what: str, outcome: sandbox.Outcome) -> None:
        self.cases += 1
        if not good:
            self.found.append(f"{self.name}: {what}: status {outcome.status}: {outcome.stderr.strip()[-300:]}")

    def reference(self, arguments: list[str]) -> dict[str, str]:
        self.fresh()
        outcome = self.run(arguments)
        if outcome.status != 0:
            raise SystemExit(f"{arguments}: {outcome.status}: {outcome.stderr}")
        return sandbox.files_of(self.folder)


def ended_well(outcome: sandbox.Outcome) -> bool:
    """A documented status, with a message where it is not 0."""
    return outcome.status == 0 or (outcome.status in (1, 2) and bool(outcome.errors()))


def wrong_files(bench: Bench, expected: dict[str, str], outcome: sandbox.Outcome) -> list[str]:
    """What is neither whole nor absent; after status 0 nothing may be absent but the cache, and then it was said."""
    found = sandbox.files_of(bench.folder)
    wrong = [name for name, content in found.items() if content != expected.get(name) and
             not name.endswith((".lock", ".damaged")) and not unfinished(name, content, expected)]
    if outcome.status == 0:
        wrong += [name for name in expected.keys() - found.keys() if not (sandbox.is_cached(name) and outcome.remarks())]
    return wrong


def unfinished(name: str, content: str, expected: dict[str, str]) -> bool:
    if name == "runs.journal":
        return set(content.split("\n")) - {""} <= set(expected[name].split("\n"))
    return name == "run/run.json" and ('"finished": false' in content or is_without_baselines(content, expected[name]))


def is_without_baselines(content: str, expected: str) -> bool:
    """A finished run is safe before its baselines are trained; they make run.json longer."""
    found, whole = json.loads(content), json.loads(expected)
    whole["result"]["baselines"] = {}
    return found == whole


def check_limited(bench: Bench, arguments: list[str], expected: dict[str, str], what: str, **how) -> None:
    bench.fresh()
    outcome = bench.run(arguments, **how)
    if outcome.status == 127 and NOT_LOADED in outcome.stderr:
        return  # the limit is too low even for the system's loader
    wrong = wrong_files(bench, expected, outcome)
    bench.expect(ended_well(outcome) and not wrong,
                 f"{arguments[0]}, {what}" + (f", wrong {', '.join(wrong)}" if wrong else ""), outcome)
    again = bench.run(arguments + (["--force"] if arguments[0] == "train" else []))
    bench.expect(again.status == 0 and not wrong_files(bench, expected, again), f"{arguments[0]} after {what}", again)


# Each limit -------------------------------------------------------------------------------------------------------------

def threads(bench: Bench) -> None:
    """No further process or thread is allowed."""
    for arguments in (WEIGHTS, TRAIN, EVALUATE):
        for count in ("2", "4", "16"):
            command = [*arguments, "--threads", count]
            expected = bench.reference(command)
            check_limited(bench, command, expected, f"no thread of {count}", limits={resource.RLIMIT_NPROC: 1})


def memory(bench: Bench) -> None:
    """From the least with which the program starts at all, in steps of one megabyte and then larger ones."""
    bench.fresh()
    least = next(size for size in range(20, 2000)
                 if bench.run(["--version"], limits={resource.RLIMIT_AS: size * MEGABYTE}).status == 0)
    for arguments in (WEIGHTS, TRAIN, EVALUATE, [*WEIGHTS, "--threads", "4"]):
        expected = bench.reference(arguments)
        for more in (*range(0, 12), 16, 24, 32, 64, 128, 192):
            check_limited(bench, arguments, expected, f"{least + more} MB",
                          limits={resource.RLIMIT_AS: (least + more) * MEGABYTE})


def large_input(bench: Bench) -> None:
    """A file that does not fit: the failed run names it. One that does: the right result."""
    folder = bench.fresh()
    lines = "".join(f"{node},{(node * 7 + 1) % 6000}\n" for node in range(6000))
    (folder / "large.csv").write_text("from,to\n" + lines * 1500 + "6000,0\n")
    for size in (120, 200, 300, 400):
        outcome = bench.run(["inspect", "--edges", "large.csv", "--json", "result.json"],
                            limits={resource.RLIMIT_AS: size * MEGABYTE})
        if outcome.status == 0:
            bench.expect('"nodes": 6001' in (folder / "result.json").read_text(), f"{size} MB, other nodes", outcome)
        else:
            bench.expect(outcome.status == 1 and "large.csv" in "".join(outcome.errors()) and
                         not (folder / "result.json").exists(), f"{size} MB", outcome)
    bench.fresh()
    outcome = bench.run(["inspect", "--edges", "/dev/zero"], limits={resource.RLIMIT_AS: 2000 * MEGABYTE})
    bench.expect(outcome.status in (1, 2) and "/dev/zero" in "".join(outcome.errors()), "/dev/zero", outcome)


def file_size(bench: Bench) -> None:
    """Files may not grow beyond so many bytes: by default the kernel would kill the program."""
    for arguments in (WEIGHTS, TRAIN, EVALUATE):
        expected = bench.reference(arguments)
        for size in (0, 1, 13, 100, 500, 1000, 2000, 4000, 10000):
            check_limited(bench, arguments, expected, f"files of {size} bytes", limits={resource.RLIMIT_FSIZE: size})


def descriptors(bench: Bench) -> None:
    for arguments in (WEIGHTS, TRAIN, EVALUATE):
        expected = bench.reference(arguments)
        for count in range(3, 13):
            check_limited(bench, arguments, expected, f"{count} descriptors", limits={resource.RLIMIT_NOFILE: count})


def closed_descriptors(bench: Bench) -> None:
    """What the program prints never ends up in a file that got the number of standard output."""
    for arguments in (WEIGHTS, TRAIN, EVALUATE):
        expected = bench.reference(arguments)
        for mask in range(1, 8):
            closed = tuple(descriptor for descriptor in (0, 1, 2) if mask >> descriptor & 1)
            bench.fresh()
            outcome = bench.run(arguments, closed=closed)
            wrong = wrong_files(bench, expected, outcome)
            good = outcome.status in (0, 1) and not wrong and (outcome.status == 0 or 2 in closed or bool(outcome.errors()))
            bench.expect(good, f"{arguments[0]} without {closed}, wrong {wrong}", outcome)


def full_device(bench: Bench) -> None:
    bench.fresh()
    for arguments in (["inspect", "karate"], WEIGHTS, TRAIN, ["inspect", "karate", "--json", "-"], ["--help"]):
        with open("/dev/full", "w", encoding="ascii") as full:
            outcome = bench.run(arguments, stdout=full)
        bench.expect(outcome.status == 1 and bool(outcome.errors()), f"{arguments[0]} to /dev/full", outcome)
    bench.fresh()
    with open("/dev/full", "w", encoding="ascii") as full:
        bench.expect(bench.run(TRAIN, stderr=full).status == 0, "notes to /dev/full", sandbox.Outcome(0, "", ""))


def read_only_folders(bench: Bench) -> None:
    """Nothing can be written, everything can be read."""
    folder = bench.fresh()
    sandbox.write_own_data(folder)
    for command in (TRAIN, EVALUATE):
        bench.run(command)
    for path in (*folder.rglob("*"), folder):
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        before = sandbox.files_of(folder)
        for arguments in (["inspect", *OWN], ["predict", "run"], WEIGHTS[:4]):
            outcome = bench.run(arguments)
            bench.expect(outcome.status == 0, f"{arguments[0]} reads", outcome)
        for arguments in ([*TRAIN, "--force"], WEIGHTS, EVALUATE, ["report", "run"], ["predict", "run", "--out", "p.csv"],
                          ["data", "export", *OWN, "--format", "csv", "--out", "."]):
            outcome = bench.run(arguments)
            bench.expect(outcome.status in (1, 2) and bool(outcome.errors()), f"{arguments[0]} writes", outcome)
        bench.expect(sandbox.files_of(folder) == before, "something was changed", sandbox.Outcome(0, "", ""))
    finally:
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755)


def read_errors(bench: Bench) -> None:
    """Every single read of the data fails once: never a result from half a file."""
    folder = bench.fresh()
    sandbox.write_own_data(folder, 3000)
    for name in ("edges.csv", "nodes.csv"):
        (folder / name).chmod(0o644)
    settings = {"LD_PRELOAD": bench.library, "FAULT_KIND": "read", "FAULT_PREFIX": str(folder),
                "FAULT_HIT": str(folder / "hit")}
    number = 0
    while True:
        number += 1
        outcome = bench.run(["inspect", *OWN], more={**settings, "FAULT_N": str(number)})
        if not (folder / "hit").exists():
            break
        (folder / "hit").unlink()
        errors = "".join(outcome.errors())
        bench.expect(outcome.status == 1 and ("edges.csv" in errors or "nodes.csv" in errors), f"read {number}", outcome)
    bench.expect(number > 4, "the library did not see the reads", sandbox.Outcome(0, "", ""))


def main() -> int:
    bench = Bench(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]))
    parts = (threads, memory, large_input, file_size, descriptors, closed_descriptors, full_device, read_only_folders,
             read_errors)
    try:
        for part in parts:
            if sys.argv[3:] and part.__name__ not in sys.argv[3:]:
                continue
            bench.name = part.__name__.replace("_", " ")
            before = len(bench.found)
            part(bench)
            print(f"{bench.name}: {bench.cases} cases so far, {len(bench.found) - before} failed", flush=True)
    finally:
        shutil.rmtree(bench.base, ignore_errors=True)
        shutil.rmtree(bench.programs, ignore_errors=True)
    for line in bench.found[:60]:
        print("  " + line)
    print(f"{bench.cases - len(bench.found)} passed, {len(bench.found)} failed")
    return 1 if bench.found else 0


if __name__ == "__main__":
    sys.exit(main())
