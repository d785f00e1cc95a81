"""Jobs of several processes on this machine, and what went wrong in them."""

import os
import pathlib
import subprocess
import time
from collections.abc import Callable


# Numbers of processes that give the same bits; `scripts/test long` tries all of these.
COUNTS = [int(count) for count in os.environ.get("HWGCN_PROCESSES", "1,2,3,4").split(",")]


class Outcome:
    """How a job ended, and what it said."""

    def __init__(self, status: int, stdout: str, stderr: str, seconds: float):
        self.status, self.stdout, self.stderr, self.seconds = status, stdout, stderr, seconds

    def errors(self) -> list[str]:
        return [line for line in self.stderr.splitlines() if line.startswith("hwgcn-mpi: error: ")]


def wait_until(process: subprocess.Popen, happened: Callable[[], bool], timeout: float = 60) -> None:
    """Until something happened, or the job ended, which also says so."""
    end = time.monotonic() + timeout
    while process.poll() is None and not happened():
        if time.monotonic() > end:
            process.terminate()
            raise SystemExit(f"nothing happened in {timeout} s: {process.communicate()[1]}")
        time.sleep(0.005)


def children(process: subprocess.Popen) -> list[int]:
    """The processes that mpirun started on this machine."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "stat").read_text().rsplit(")", 1)[1].split()[1] == str(process.pid):
                found.append(int(entry.name))
        except OSError:
            pass  # gone in the meantime
    return found


def signal_all(process: subprocess.Popen, number: int) -> None:
    """As Slurm does it. mpirun waits for a second before it passes a signal on, which short work does not last."""
    for child in children(process):
        os.kill(child, number)


class Jobs:
    def __init__(self, mpiexec: str, checker: str, program: str):
        self.mpiexec, self.checker, self.program = mpiexec, checker, program
        self.checks, self.problems = 0, []

    def start(self, processes: int, command: list[str], patience: int = 1, **more) -> subprocess.Popen:
        """`patience`: seconds from a signal until mpirun kills what is left; it waits that long in any case, and
        twice. On a busy machine 1 may be too few."""
        # As many processes as are asked for, whatever the number of cores; and in a container the user is root.
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                       "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_odls_base_sigkill_timeout": str(patience)}
        return subprocess.Popen([self.mpiexec, "-n", str(processes), *command], env=environment, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)

    def run(self, processes: int, command: list[str], timeout: float = 120, **more) -> Outcome:
        started = time.monotonic()
        process = self.start(processes, command, **more)
        try:
            stdout, stderr = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.terminate()  # mpirun ends its processes
            process.communicate()
            return Outcome(-1000, "", f"still running after {timeout} s", timeout)
        return Outcome(process.returncode, stdout, stderr, time.monotonic() - started)

    def expect(self, holds: bool, what: str, found: str) -> None:
        self.checks += 1
        if not holds:
            self.problems.append(f"{what}: {found}")

    def report(self) -> int:
        for problem in self.problems:
            print(problem)
        print(f"{self.checks} checks, {len(self.problems)} failed")
        return 1 if self.problems else 0
