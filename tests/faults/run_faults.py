#!/usr/bin/env python3
"""Lets every call fail once, and looks at what is left.

    run_faults.py PROGRAM LIBRARY [--brief | --all] [--only SCENARIO[/KIND/MODE/ERRNO/N]]

LIBRARY is fail_calls.c, compiled. Every scenario (scenarios.py) is run once undisturbed, which counts its calls; then with
the n-th open, read, write, close, fsync, rename, unlink, thread creation and so on failing, for every n, and with the
n-th allocation failing, for a thousand n spread over the run. After each case:
  - the status is 0, 1 or 2; one other than 0 comes with a line "hwgcn: error: ..";
  - 0 means the same outputs as undisturbed, but for the cache, and then the program said so;
  - every file is as before, as it has to be in the end, or absent; inputs are as before; a run that says that it is finished
    holds the files of one run; no temporary file is left, but where unlink is what failed;
  - the next ordinary run succeeds, with the outputs of an undisturbed one.
--all also tries every n where the default takes fifteen of them (all later calls failing, EINTR, short reads and writes);
--brief takes at most a dozen n of each kind, spread over the run, the first and the last among them.
"""

import argparse
import collections
import dataclasses
import errno
import json
import multiprocessing
import os
import pathlib
import resource
import shutil
import sys
import tempfile

import sandbox
import scenarios

SOME = 15  # of a kind that the first line of it tries for every n
BRIEF = 12
ALLOCATIONS = 1000  # of the first scenario of each command

# Kind, mode, errno, whether only files of the sandbox are concerned, and the most n that are tried (None: all).
PLANS = [
    ("open", "once", errno.EIO, True, None), ("open", "once", errno.EMFILE, False, None),
    ("open", "on", errno.EMFILE, True, SOME),
    ("read", "once", errno.EIO, True, None), ("read", "on", errno.EIO, True, SOME), ("read", "once", errno.EINTR, True, SOME),
    ("write", "once", errno.ENOSPC, True, None), ("write", "on", errno.ENOSPC, True, SOME),
    ("write", "once", errno.EINTR, True, SOME),
    ("close", "once", errno.EIO, True, None), ("close", "on", errno.EIO, True, SOME),
    ("fsync", "once", errno.EIO, True, None), ("fsync", "on", errno.EIO, True, SOME),
    ("rename", "once", errno.EIO, True, None), ("rename", "on", errno.EACCES, True, SOME),
    ("unlink", "once", errno.EACCES, True, None), ("unlink", "on", errno.EACCES, True, SOME),
    ("thread", "once", errno.EAGAIN, True, None), ("thread", "on", errno.EAGAIN, True, None),
    ("mkdir", "once", errno.ENOSPC, True, None), ("lock", "once", errno.ENOLCK, True, None),
    ("stat", "once", errno.EIO, True, None), ("truncate", "once", errno.EIO, True, None),
    ("random", "once", errno.ENOSYS, True, None),
    ("short-read", "once", 0, True, SOME), ("short-read", "on", 0, True, SOME),
    ("short-write", "once", 0, True, SOME), ("short-write", "on", 0, True, SOME),
]
# Without a case of these, the library no longer sees what the program does.
NEEDED = {"open", "read", "write", "close", "fsync", "rename", "unlink", "thread", "alloc", "mkdir", "lock", "stat",
          "short-read", "short-write"}


@dataclasses.dataclass(frozen=True)
class Case:
    scenario: int
    kind: str
    mode: str
    code: int
    number: int
    restricted: bool

    def settings(self, library: str, folder: pathlib.Path) -> dict[str, str]:
        values = {"LD_PRELOAD": library, "FAULT_KIND": self.kind, "FAULT_MODE": self.mode, "FAULT_ERRNO": str(self.code),
                  "FAULT_N": str(self.number), "FAULT_HIT": str(folder.parent / "hit")}
        return {**values, "FAULT_PREFIX": str(folder)} if self.restricted else values

    def text(self) -> str:
        place = "" if self.restricted else " anywhere"
        return f"{self.kind}/{self.mode}/{errno.errorcode.get(self.code, self.code)}/{self.number}{place}"


@dataclasses.dataclass
class Reference:
    """A scenario undisturbed: the files before and after it, what it said, and how often it called what."""
    scenario: scenarios.Scenario
    template: pathlib.Path
    before: dict[str, str]
    after: dict[str, str]
    outcome: sandbox.Outcome
    counts: dict[bool, dict[str, int]]


def count_calls(program: str, library: str, scenario: scenarios.Scenario, folder: pathlib.Path, restricted: bool):
    case = Case(0, "none", "once", 0, 1, restricted)
    counts = folder.parent / "counts"
    counts.unlink(missing_ok=True)
    outcome = sandbox.run(program, scenario.arguments(), folder,
                          {**case.settings(library, folder), "FAULT_COUNTS": str(counts)})
    if outcome.status != 0:
        raise SystemExit(f"{scenario.name}, undisturbed: {outcome.status}: {outcome.stderr}")
    lines = [line.split() for line in counts.read_text().splitlines()]
    return outcome, {kind: int(count) for kind, count in lines}


def reference_of(program: str, library: str, scenario: scenarios.Scenario, base: pathlib.Path) -> Reference:
    template, folder = base / "template", base / "case"
    scenario.make_template(program, template)
    before = sandbox.files_of(template)
    found = []
    for restricted in (True, False):
        sandbox.fresh_copy(template, folder)
        outcome, counts = count_calls(program, library, scenario, folder, restricted)
        found.append((sandbox.files_of(folder), outcome, counts))
    for name in found[0][0].keys() | found[1][0].keys():
        if found[0][0].get(name) != found[1][0].get(name):
            raise SystemExit(f"{scenario.name}: {name} differs between two undisturbed runs: these tests must learn why")
    return Reference(scenario, template, before, found[0][0], found[0][1], {True: found[0][2], False: found[1][2]})


def spread(count: int, most: int | None) -> list[int]:
    if most is None or count <= most:
        return list(range(1, count + 1))
    return sorted({1 + round(k * (count - 1) / (most - 1)) for k in range(most)})


def cases_of(index: int, reference: Reference, options) -> list[Case]:
    cases = []
    for kind, mode, code, restricted, most in PLANS:
        most = None if options.all else min(most or BRIEF, BRIEF) if options.brief else most
        numbers = spread(reference.counts[restricted][kind], most)
        cases += [Case(index, kind, mode, code, number, restricted) for number in numbers]
    allocations = reference.counts[True]["alloc"]
    many = ALLOCATIONS // 10 if options.brief else ALLOCATIONS
    few = max(2, many // 40)
    for mode, most in (("once", many if reference.scenario.main else few), ("on", few)):
        cases += [Case(index, "alloc", mode, errno.ENOMEM, number, True) for number in spread(allocations, most)]
    return cases


# What must hold after a case -------------------------------------------------------------------------------------------

def without(manifest: str, *keys: str) -> str:
    value = json.loads(manifest)
    for key in keys:
        value.pop(key, None)
        value.get("result", {}).pop(key, None)
    return json.dumps(value, sort_keys=True)


def same_but_notes(name: str, found: str | None, expected: str | None) -> bool:
    """Results in JSON repeat the remarks."""
    return name.endswith(".json") and None not in (found, expected) and found.startswith("{") and \
        without(found, "notes") == without(expected, "notes")


def run_complaints(now: dict[str, str], reference: Reference) -> list[str]:
    """A folder that is a finished run holds the files of one run."""
    manifest = now.get("run/run.json")
    if manifest is None:
        return []
    if not manifest.startswith("{"):
        return ["run.json is broken"]
    if not json.loads(manifest)["finished"]:
        return []
    for files in (reference.before, reference.after):
        stored = files.get("run/run.json")
        if stored is None or without(stored, "baselines") != without(manifest, "baselines"):
            continue
        parts = ("run/model.npz", "run/history.csv", "run/predictions.csv", "run/split.json")
        return [f"finished run with a wrong {part}" for part in parts if now.get(part) != files.get(part)]
    return ["run.json is of neither run"]


def file_complaints(case: Case, now: dict[str, str], reference: Reference) -> list[str]:
    complaints = run_complaints(now, reference)
    before, after = reference.before, reference.after
    for name in sorted(now.keys() | before.keys() | after.keys()):
        value, old, new = now.get(name), before.get(name), after.get(name)
        if name not in before and name not in after:
            if "/shards.new/" in name:  # the next writer removes it
                if case.kind != "unlink" and case.mode != "on":
                    complaints.append("a folder of new shards is left")
            elif sandbox.TEMPORARY.search(name):
                if case.kind != "unlink":
                    complaints.append("a temporary file is left")
            elif not name.endswith((".lock", "/checkpoint.npz")) and "/choice/choice-" not in name:
                complaints.append(f"unexpected file {name}")
        elif name.endswith("journal"):
            if value is None and old is not None:
                complaints.append("the journal is gone")
            if value is not None and not set((old or "").split("\n")) - {""} <= set(value.split("\n")):
                complaints.append("the journal lost runs")
            if value is not None and not set(value.split("\n")) - {""} <= set(new.split("\n")):
                complaints.append("the journal holds something else")
        elif name in after and after[name] == old and value != old:
            complaints.append(f"input {name} is {'gone' if value is None else 'changed'}")
        elif name == "run/run.json" and value is not None:
            pass  # looked at above
        elif value not in (None, old, new) and not same_but_notes(name, value, new):
            complaints.append(f"wrong {name}")
    return complaints


def success_complaints(outcome: sandbox.Outcome, now: dict[str, str], reference: Reference) -> list[str]:
    """Status 0: the same outputs, or a remark about what it went without."""
    more = set(outcome.remarks()) - set(reference.outcome.remarks())
    if not more and sandbox.comparable_text(outcome.stdout) != sandbox.comparable_text(reference.outcome.stdout) and \
            sandbox.comparable_json(outcome.stdout) != sandbox.comparable_json(reference.outcome.stdout):
        return ["status 0, but another standard output"]
    complaints = []
    for name, expected in reference.after.items():
        found = now.get(name)
        if found == expected or (more and (sandbox.is_cached(name) or same_but_notes(name, found, expected))):
            continue
        complaints.append(f"status 0, but {'no' if found is None else 'another'} {name}")
    return complaints


def next_run_complaints(program: str, folder: pathlib.Path, reference: Reference) -> list[str]:
    scenario = reference.scenario
    outcome = sandbox.run(program, scenario.arguments() + [flag for flag in scenario.again if flag not in scenario.command],
                          folder, timeout=30)
    if outcome.status != 0:
        return [f"the next run: status {outcome.status}: {(outcome.errors() or ['?'])[0]}"]
    now = sandbox.files_of(folder)
    return [f"the next run: {'no' if name not in now else 'another'} {name}"
            for name, expected in reference.after.items()
            if now.get(name) != expected and not same_but_notes(name, now.get(name), expected)]


class Worker:
    """One process that runs cases; the next ordinary run is tried once for every state that a case leaves."""

    def __init__(self, program: str, library: str, base: pathlib.Path, references: list[Reference]):
        self.program, self.library, self.references = program, library, references
        self.folder = base / f"worker-{os.getpid()}" / "case"
        self.states: dict[tuple, list[str]] = {}

    def complaints(self, case: Case) -> tuple[list[str], str]:
        reference = self.references[case.scenario]
        hit = self.folder.parent / "hit"
        sandbox.fresh_copy(reference.template, self.folder)
        hit.unlink(missing_ok=True)
        outcome = sandbox.run(self.program, reference.scenario.arguments(), self.folder,
                              case.settings(self.library, self.folder), timeout=30)
        place = hit.read_text().strip().replace(str(self.folder) + "/", "") if hit.exists() else "not reached"
        now = sandbox.files_of(self.folder)
        found = []
        if outcome.status not in (0, 1, 2):
            found.append(f"status {outcome.status}")
        elif outcome.status != 0 and not outcome.errors():
            found.append(f"status {outcome.status} without a message")
        if outcome.status == 0:
            found += success_complaints(outcome, now, reference)
        found += file_complaints(case, now, reference)
        state = (case.scenario, frozenset((sandbox.TEMPORARY.split(name)[0], text) for name, text in now.items()))
        if state not in self.states:
            self.states[state] = next_run_complaints(self.program, self.folder, reference)
        said = outcome.stderr.strip().splitlines()
        return found + self.states[state], f"{place}; {said[-1] if said else 'said nothing'}"


worker: Worker | None = None


def set_up(*arguments) -> None:
    global worker
    worker = Worker(*arguments)


def examine(case: Case) -> tuple[Case, list[str], str]:
    return case, *worker.complaints(case)


def chosen(cases: list[Case], references: list[Reference], only: str) -> list[Case]:
    """The cases of a scenario or of a kind; or a single one, also where the default would leave its n out."""
    name, _, rest = only.partition("/")
    parts = rest.removesuffix(" anywhere").split("/")
    if len(parts) < 4:
        return [case for case in cases if references[case.scenario].scenario.name == name and case.text().startswith(rest)]
    scenario = [reference.scenario.name for reference in references].index(name)
    code = int(parts[2]) if parts[2].isdigit() else getattr(errno, parts[2])
    return [Case(scenario, parts[0], parts[1], code, int(parts[3]), not rest.endswith(" anywhere"))]


def report(failures, references: list[Reference]) -> None:
    """One line per kind of failure, with a case that shows it."""
    groups = collections.defaultdict(list)
    for case, complaints, place in failures:
        for complaint in complaints:
            groups[(references[case.scenario].scenario.name, case.kind, case.mode, complaint)].append((case, place))
    for (name, _, _, complaint), members in sorted(groups.items(), key=lambda group: group[0]):
        case, place = members[0]
        print(f"  {name}/{case.text()}: {complaint} [{place}]" + (f" and {len(members) - 1} more" if members[1:] else ""))


def run_cases(options, cases: list[Case], base: pathlib.Path, references: list[Reference]):
    failures, done = [], 0
    setting = (options.program, options.library, base, references)
    with multiprocessing.Pool(options.jobs, set_up, setting) as pool:
        for case, complaints, place in pool.imap_unordered(examine, cases, chunksize=8):
            done += 1
            if complaints:
                failures.append((case, complaints, place))
            if done % 500 == 0:
                print(f"{done} of {len(cases)} cases, {len(failures)} failed", flush=True)
    return sorted(failures, key=lambda failure: (failure[0].scenario, failure[0].text()))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("library", type=os.path.abspath)
    effort = parser.add_mutually_exclusive_group()
    effort.add_argument("--brief", action="store_true")
    effort.add_argument("--all", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    base = pathlib.Path(tempfile.mkdtemp(prefix="hwgcn-faults-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
    try:
        references = [reference_of(options.program, options.library, scenario, base / f"scenario-{index}")
                      for index, scenario in enumerate(scenarios.known_to(options.program))]
        cases = [case for index, reference in enumerate(references) for case in cases_of(index, reference, options)]
        missing = NEEDED - {case.kind for case in cases}
        if options.only:
            cases = chosen(cases, references, options.only)
        failures = run_cases(options, cases, base, references)
        report(failures, references)
        kinds = collections.Counter(case.kind for case in cases)
        print("cases: " + ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())))
        for kind in sorted(missing):
            print(f"no case of {kind}: the library does not see these calls any more")
        print(f"{len(cases) - len(failures)} passed, {len(failures)} failed")
        return 1 if failures or missing or not cases else 0
    finally:
        shutil.rmtree(base, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
