#!/usr/bin/env python3
"""Runs every command shown in a Markdown file and compares what it prints with what the file shows.

    run_snippets.py PROGRAM FILE.md..

In a ```console block, a line "$ command" is run in an empty folder (one per file: commands can build on each
other) with the folder of PROGRAM first in PATH; the lines below it are the expected output. A line "..." stands for any number of
lines. Times, memory and paths differ from machine to machine and are not compared. A block ```sh takes too long to run, or needs
other data: of its hwgcn commands it is checked that they and their options exist. A block that follows the comment <!-- file: NAME --> is written to that file first.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"(?:<!-- file: (?P<file>\S+) -->\n)?^```(?P<kind>\w*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
VARIES = re.compile(r"\s*\d[\d.,]*(e-?\d+)? (ms|us|s|min|h|MB|GB|threads?|weights)\b|\s*\d\.\de-\d+|(/[\w.-]+)+|v?\d+\.\d+\.\d+")


def comparable(line: str) -> str:
    return re.sub(r"\s+", " ", VARIES.sub(" ~", line)).strip()


def matches(shown: list[str], printed: list[str]) -> bool:
    if not shown:
        return not printed
    if shown[0] == "...":
        return any(matches(shown[1:], printed[start:]) for start in range(len(printed) + 1))
    return bool(printed) and shown[0] == printed[0] and matches(shown[1:], printed[1:])


def commands(body: str):
    """Pairs of a command and the lines shown below it; a command ending in a backslash goes on in the next line."""
    command, shown = None, []
    lines = iter(body.splitlines())
    for line in lines:
        if line.startswith("$ "):
            if command is not None:
                yield command, shown
            command, shown = line[2:], []
            while command.endswith("\\"):
                command = command[:-1] + next(lines).strip()
        else:
            shown.append(line)
    if command is not None:
        yield command, shown


def check_words(command: str, environment: dict[str, str]) -> list[str]:
    """What a command of the program has that the program does not know."""
    words = command.split("#")[0].split()[1:]
    names = []
    while words and re.fullmatch("[a-z]+", words[0]) and len(names) < (2 if names == ["data"] else 1):
        names.append(words.pop(0))
    method = re.findall(r"--method [a-z-]+", " ".join(words))[:1] if names == ["train"] else []
    asked = ["hwgcn", *names, *" ".join(method).split(), "--help-all"]  # a method has options of its own
    help_text = subprocess.run(asked, env=environment, text=True, capture_output=True)
    if help_text.returncode != 0:
        return [" ".join(names)]
    known = set(re.findall(r"--[a-z-]+", help_text.stdout))
    return [word for word in re.findall(r"--[a-z-]+", " ".join(words)) if word not in known]


def check(document: pathlib.Path, environment: dict[str, str]) -> list[str]:
    problems, count = [], 0
    with tempfile.TemporaryDirectory() as folder:
        environment = environment | {"HOME": folder, "XDG_CACHE_HOME": f"{folder}/cache", "XDG_DATA_HOME": f"{folder}/data"}
        environment.pop("HWGCN_DATA", None)
        for block in BLOCK.finditer(document.read_text()):
            if block["file"]:
                (pathlib.Path(folder) / block["file"]).write_text(block["body"])
            if block["kind"] == "sh":
                for command in re.findall(r"^hwgcn .*", block["body"], re.MULTILINE):
                    count += 1
                    problems += [f"{document.name}: {command}: no {word}" for word in check_words(command, environment)]
            if block["kind"] != "console":
                continue
            for command, shown in commands(block["body"]):
                if command.startswith(("scripts/", "git ", "cd ")):
                    continue
                count += 1
                run = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
                printed = [comparable(line) for line in run.stdout.splitlines() if line.strip()]
                expected = [comparable(line) for line in shown if line.strip()]
                if not matches(expected, printed):
                    problems.append(f"{document.name}: $ {command}\n--- shown\n" + "\n".join(expected)
                                    + "\n--- printed\n" + "\n".join(printed))
    print(f"{document.name}: {count} commands checked")
    return problems


def main() -> int:
    program, *documents = sys.argv[1:]
    environment = os.environ | {"PATH": f"{pathlib.Path(program).resolve().parent}:{os.environ['PATH']}"}
    problems = []
    for document in documents:
        problems += check(pathlib.Path(document), environment)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
