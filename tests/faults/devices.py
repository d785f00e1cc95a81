#!/usr/bin/env python3
"""A device that fails at some moment of a training: one message, status 1, and the run goes on upon the processor.

    devices.py PROGRAM FAIL_OPENCL

Status 77: there is no OpenCL device.
"""

import ctypes.util
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import sandbox

TRAIN = ["train", "karate", "--method", "gcn", "--split", "random:4:8:10", "--epochs", "60", "--out", "run", "--quiet"]

EVALUATE = ["evaluate", "karate", "--method", "gcn", "--split", "random:4:8:10", "--epochs", "20", "--runs", "8",
            "--no-baselines", "--quiet", "--json", "-"]

# An epoch has about 40 kernels.
MOMENTS = {"FAIL_KERNEL": [1, 2, 17, 300, 1500], "FAIL_BUFFER": [1, 2, 9, 20], "FAIL_WRITE": [1, 5, 11, 14, 20],
           "FAIL_FILL": [1, 4, 12], "FAIL_QUEUE": [1]}


def real_library() -> str | None:
    """The file that a program would load, as the loader's list has it."""
    if ctypes.util.find_library("OpenCL") is None:
        return None
    for line in subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout.splitlines():
        if line.strip().startswith("libOpenCL.so.1 "):
            return line.split(" => ")[1].strip()
    return None


class Machine:
    """One with a device that fails as `faults` say."""

    def __init__(self, program: str, library: str, real: str, folder: pathlib.Path):
        self.program, self.real, self.folder = program, real, folder
        (folder / "broken").mkdir()
        shutil.copy(library, folder / "broken" / "libOpenCL.so.1")

    def run(self, arguments: list[str], **faults: int) -> subprocess.CompletedProcess:
        environment = {**sandbox.environment(self.folder), "REAL_OPENCL": self.real,
                       "LD_LIBRARY_PATH": str(self.folder / "broken"), **{name: str(at) for name, at in faults.items()}}
        return subprocess.run([self.program, *arguments], cwd=self.folder, env=environment, capture_output=True,
                              text=True, check=False, stdin=subprocess.DEVNULL)


def check_failure(machine: Machine, faults: dict, complaints: list[str]) -> None:
    shutil.rmtree(machine.folder / "run", ignore_errors=True)
    done = machine.run([*TRAIN, "--device", "gpu:0"], **faults)
    errors = [line for line in done.stderr.splitlines() if line.startswith("hwgcn: error: ")]
    if done.returncode != 1 or len(errors) != 1 or "gpu:0" not in errors[0] or "--device cpu" not in errors[0]:
        complaints.append(f"{faults}: status {done.returncode}: {done.stderr}")
    if (machine.folder / "run" / "model.npz").exists():
        complaints.append(f"{faults}: there is a model")
    again = machine.run([*TRAIN, "--device", "cpu", "--resume"], **faults)
    if again.returncode != 0 or not (machine.folder / "run" / "model.npz").exists():
        complaints.append(f"{faults}: did not go on: {again.returncode}: {again.stderr}")


def check_checkpoint(machine: Machine, complaints: list[str]) -> None:
    """Fifty epochs are done before the device fails: they are not lost."""
    shutil.rmtree(machine.folder / "run", ignore_errors=True)
    done = machine.run([*TRAIN, "--device", "gpu:0"], FAIL_KERNEL=2150)
    again = machine.run([*TRAIN, "--device", "cpu", "--resume", "--json", "-"])
    if done.returncode != 1 or again.returncode != 0 or json.loads(again.stdout)["resumed_after"] != 50:
        complaints.append(f"checkpoint: {done.returncode}, then {again.returncode}: {again.stdout[-300:]}{again.stderr}")


def accuracies(done: subprocess.CompletedProcess) -> list[float]:
    return json.loads(done.stdout)["results"][0]["accuracies"] if done.returncode == 0 else []


def check_side_by_side(machine: Machine, complaints: list[str]) -> None:
    """Runs side by side: fewer at a time where memory is short, an error where the device is lost; what was finished
    before is in the journal."""
    whole = machine.run([*EVALUATE, "--device", "gpu:0"])
    short = machine.run([*EVALUATE, "--device", "gpu:0"], FAIL_LARGE=1_200_000)  # eight runs want 2 MB in one piece
    if len(accuracies(whole)) != 8 or accuracies(short) != accuracies(whole):
        complaints.append(f"short of memory: {short.returncode}: {short.stderr}")
    none = machine.run([*EVALUATE, "--device", "gpu:0"], FAIL_LARGE=1_000)
    if none.returncode != 1 or "memory" not in none.stderr:
        complaints.append(f"no memory: {none.returncode}: {none.stderr}")
    lost = machine.run([*EVALUATE, "--device", "gpu:0", "--journal", "runs"], FAIL_LARGE=1_200_000, FAIL_KERNEL=1_500)
    if lost.returncode != 1 or "--device cpu" not in lost.stderr:
        complaints.append(f"lost: {lost.returncode}: {lost.stderr}")
    again = machine.run([*EVALUATE, "--device", "gpu:0", "--journal", "runs"])
    reused = json.loads(again.stdout)["results"][0]["reused_runs"] if again.returncode == 0 else -1
    if accuracies(again) != accuracies(whole) or reused != 4:
        complaints.append(f"after a loss: {again.returncode}: {reused} runs were in the journal: {again.stderr}")


def main() -> int:
    program, library = sys.argv[1:]
    real = real_library()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        machine = Machine(program, library, real, folder) if real else None
        info = machine.run(["info", "--json", "-"]) if machine else None
        if info is None or not json.loads(info.stdout)["devices"]:
            print("skipped: no OpenCL device")
            return 77
        whole = machine.run([*TRAIN, "--device", "gpu:0"])
        complaints = [] if whole.returncode == 0 else [f"without a fault: {whole.returncode}: {whole.stderr}"]
        faults = [(name, at) for name, moments in MOMENTS.items() for at in moments]
        for name, at in faults:
            check_failure(machine, {name: at}, complaints)
        check_checkpoint(machine, complaints)
        check_side_by_side(machine, complaints)
    for complaint in complaints:
        print(complaint)
    print(f"{len(faults) + 4} faults, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
