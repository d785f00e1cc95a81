#!/usr/bin/env python3
"""Two processes at once on one run folder, one weight cache and one journal; and one that dies while it holds a lock.

    two_processes.py PROGRAM [--tries 200]

Whoever comes second waits for nothing: it succeeds, or says in one line who is there. What is on disk in the end belongs
to one run each, never to a mixture.
"""

import argparse
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import sandbox

IN_THE_WAY = ("holds a finished run", "holds an unfinished run", "holds other files")


class Failures:
    def __init__(self):
        self.tries, self.found = 0, []

    def check(self, what: str, complaints: list[str]) -> None:
        self.tries += 1
        if complaints:
            self.found.append(f"{what}: {'; '.join(complaints)}")


def start(program: str, arguments: list[str], folder: pathlib.Path) -> subprocess.Popen:
    return subprocess.Popen([program, *arguments, "--threads", "1"], cwd=folder, env=sandbox.environment(folder), text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def ended(process: subprocess.Popen) -> sandbox.Outcome:
    stdout, stderr = process.communicate(timeout=120)
    return sandbox.Outcome(process.returncode, stdout, stderr)


def at_once(program: str, commands: list[list[str]], folder: pathlib.Path, attempt: int):
    """Starts them at distances that differ from try to try: they meet at every point of their lives."""
    processes = []
    for command in commands:
        processes.append(start(program, command, folder))
        time.sleep(attempt % 50 * 0.0006)
    return [process.pid for process in processes], [ended(process) for process in processes]


def says_who(outcome: sandbox.Outcome, others: list[int]) -> bool:
    """One line with the process that is in the way, its host, and since when."""
    lines = outcome.errors()
    return len(lines) == 1 and socket.gethostname() in lines[0] and "since" in lines[0] and \
        any(f"{other}" in lines[0] for other in others)


def says_too_early(outcome: sandbox.Outcome) -> bool:
    """The lock is taken before its holder writes its name into it."""
    return any("is in use by another process" in line for line in outcome.errors())


def outcome_complaints(pids: list[int], outcomes: list[sandbox.Outcome], excuses: tuple[str, ...] = ()) -> list[str]:
    complaints = [] if any(outcome.status == 0 for outcome in outcomes) else ["none succeeded"]
    for pid, outcome in zip(pids, outcomes):
        if outcome.status == 0:
            continue
        if outcome.status not in (1, 2):
            complaints.append(f"status {outcome.status}")
        elif not any(excuse in outcome.stderr for excuse in excuses) and not says_too_early(outcome) and \
                not says_who(outcome, [other for other in pids if other != pid]):
            complaints.append(f"does not say who is in the way: {outcome.stderr.strip()}")
    return complaints


def unexpected(folder: pathlib.Path, expected: dict[str, str]) -> list[str]:
    found = sandbox.files_of(folder)
    return [f"wrong {name}" for name in found.keys() | expected.keys()
            if found.get(name) != expected.get(name) and not name.endswith(".lock")]


# One run folder ---------------------------------------------------------------------------------------------------------

def train(seed: int, *more: str) -> list[str]:
    return ["train", "karate", "--method", "mlp", "--epochs", "5", "--no-cache", "--seed", str(seed), "--out", "run", *more]


def reference(program: str, base: pathlib.Path, commands: list[list[str]]) -> dict[str, str]:
    folder = base / "template"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for command in commands:
        sandbox.must_run(program, [*command, "--threads", "1"], folder)
    return sandbox.files_of(folder)


def run_folder(program: str, base: pathlib.Path, tries: int, failures: Failures) -> None:
    """Two seeds, with and without --force; the folder holds the run of one."""
    expected = [reference(program, base, [train(seed)]) for seed in (1, 2)]
    folder = base / "case"
    for attempt in range(tries):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        more = ["--force"] if attempt % 2 else []
        pids, outcomes = at_once(program, [train(1, *more), train(2, *more)], folder, attempt)
        complaints = outcome_complaints(pids, outcomes, () if more else IN_THE_WAY)
        differences = [unexpected(folder, files) for files in expected]
        if all(differences):
            complaints.append("mixed run: " + ", ".join(min(differences, key=len)))
        elif sandbox.run(program, ["predict", "run"], folder).status != 0:
            complaints.append("predict does not take the run")
        winners = [index for index in (0, 1) if not differences[index]]
        if sum(outcome.status == 0 for outcome in outcomes) == 1 and winners and outcomes[winners[0]].status != 0:
            complaints.append("the run is of the process that failed")
        failures.check(f"run folder, try {attempt}", complaints)


# One cache --------------------------------------------------------------------------------------------------------------

def weight_cache(program: str, base: pathlib.Path, tries: int, failures: Failures) -> None:
    """Both need the same orders; both get them."""
    commands = [["weights", "karate", "--order", "3", "--cache-dir", "cache", "--out", name] for name in ("a.npz", "b.npz")]
    expected = reference(program, base, commands)
    folder = base / "case"
    for attempt in range(tries):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        _, outcomes = at_once(program, commands, folder, attempt)
        complaints = [f"status {outcome.status}: {outcome.stderr}" for outcome in outcomes if outcome.status != 0]
        complaints += [f"said: {outcome.remarks()[0]}" for outcome in outcomes if outcome.remarks()]
        failures.check(f"cache, try {attempt}", complaints + unexpected(folder, expected))


# One journal ------------------------------------------------------------------------------------------------------------

def evaluate(seed: int) -> list[str]:
    return ["evaluate", "karate", "--method", "mlp,lp", "--no-baselines", "--epochs", "3", "--runs", "2", "--no-cache",
            "--first-seed", str(seed), "--journal", "runs.journal"]


def lines_of(files: dict[str, str]) -> set[str]:
    return set(files.get("runs.journal", "").split("\n")) - {""}


def journal(program: str, base: pathlib.Path, tries: int, failures: Failures) -> None:
    """Whoever succeeds finds all of its runs in the journal; three at once also meet while a lock changes hands."""
    commands = [evaluate(seed) for seed in (0, 100, 200)]
    expected = [lines_of(reference(program, base, [command])) for command in commands]
    folder = base / "case"
    for attempt in range(tries):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        count = 2 + attempt % 2
        pids, outcomes = at_once(program, commands[:count], folder, attempt)
        complaints = outcome_complaints(pids, outcomes)
        lines = lines_of(sandbox.files_of(folder))
        for outcome, own in zip(outcomes, expected):
            if outcome.status == 0 and not own <= lines:
                complaints.append("a run that succeeded is not in the journal")
        if lines - set().union(*expected[:count]):
            complaints.append("the journal holds something else")
        failures.check(f"journal, try {attempt}", complaints)


# A holder that dies -----------------------------------------------------------------------------------------------------

def wait_for(condition, seconds: float = 60) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return False


def killed_holder(program: str, base: pathlib.Path, failures: Failures, what: str, command: list[str], sign: str,
                  third: list[str]) -> None:
    """The first holds the lock, the second is told so, the first is killed, the third goes on at once."""
    folder = base / "case"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    endless = [part if part != "5" and part != "3" else "1000000" for part in command]
    first = start(program, endless, folder)
    complaints = []
    try:
        if not wait_for(lambda: (folder / sign).exists()):
            complaints.append("the first did not start")
        second = ended(start(program, command, folder))
        if second.status == 0:
            complaints.append("the second did not see the first")
        elif not says_who(second, [first.pid]):
            complaints.append(f"does not say who is in the way: {second.stderr.strip()}")
        if first.poll() is not None:
            complaints.append("the first ended by itself")
    finally:
        first.send_signal(signal.SIGKILL)
        first.communicate()
    outcome = ended(start(program, third, folder))
    if outcome.status != 0:
        complaints.append(f"the third: status {outcome.status}: {outcome.stderr.strip()}")
    failures.check(what, complaints)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--tries", type=int, default=200)
    options = parser.parse_args()
    base = pathlib.Path(tempfile.mkdtemp(prefix="hwgcn-two-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
    failures = Failures()
    try:
        run_folder(options.program, base, options.tries, failures)
        print(f"run folder: {options.tries} tries, {len(failures.found)} failed", flush=True)
        weight_cache(options.program, base, options.tries, failures)
        journal(options.program, base, options.tries, failures)
        for _ in range(5):
            killed_holder(options.program, base, failures, "killed while training", train(1, "--force"), "run/split.json",
                          train(1, "--force"))
            killed_holder(options.program, base, failures, "killed while evaluating", evaluate(0), "runs.journal",
                          evaluate(0))
    finally:
        shutil.rmtree(base, ignore_errors=True)
    for line in failures.found[:40]:
        print("  " + line)
    print(f"{failures.tries - len(failures.found)} passed, {len(failures.found)} failed")
    return 1 if failures.found else 0


if __name__ == "__main__":
    sys.exit(main())
