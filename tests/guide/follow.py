"""Follows docs/guide/getting-started.md in an empty directory, as a reader does: it creates the files, runs the commands and
compares what they print. `…` in the page stands for any text. `run` calls it."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import time

PAGE, DIRECTORY = (pathlib.Path(argument) for argument in sys.argv[1:3])
LOCKFILE = pathlib.Path(sys.argv[3])
# What ends the output of a block in the terminal's output.
END = "end of the block"


def blocks(page):
    """The language and the text of each block, and the last line of text above it."""
    above, language, block = "", None, []
    for line in page.splitlines():
        if language is not None and line == "```":
            yield above, language, "\n".join(block)
            above, language, block = "", None, []
        elif language is not None:
            block.append(line)
        elif line.startswith("```"):
            language = line.removeprefix("```")
        elif line:
            above = line


class Terminal:
    """A shell that stays open, like a reader's."""

    def __init__(self, directory):
        self.shell = subprocess.Popen(
            ["bash"],
            cwd=directory,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def close(self):
        """Ends the shell and what it has started."""
        os.killpg(self.shell.pid, signal.SIGTERM)

    def run(self, commands):
        """What the commands print."""
        self.shell.stdin.write(f"{commands}\necho; echo '{END}'\n")
        self.shell.stdin.flush()
        lines = []
        for line in self.shell.stdout:
            if line.rstrip("\n") == END:
                break
            lines.append(line)
        return "".join(lines).strip()


def expect(printed, pattern):
    """Fails if what was printed is not what the page says."""
    lines = [".*?".join(re.escape(part.strip()) for part in line.split("…")) for line in pattern.splitlines()]
    # What curl prints has no line break at its end.
    if not re.fullmatch(r"\s*".join(lines), printed, re.DOTALL):
        sys.exit(f"The page says:\n\n{pattern}\n\nand it is:\n\n{printed}")


def start(terminal):
    """Builds and starts the host in the background, in the directory and with the variables of this terminal."""
    print(terminal.run("cargo build 2>&1 | tail -n 3"))
    terminal.run("cargo run --quiet > log 2>&1 &")
    for _ in range(100):
        if "000" != terminal.run("curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:3000/"):
            return
        time.sleep(0.1)
    sys.exit(f"The host does not listen:\n\n{terminal.run('cat log')}")


def without_a_line(terminal, page):
    """The section about the compiler: all that it prints if the line is missing that the page names."""
    section = page.split("\n## What the compiler says\n")[1]
    line = re.search(r"Delete the line `(.+?)`", section)[1]
    message = re.search(r"^```text\n(.*?)\n```$", section, re.MULTILINE | re.DOTALL)[1]
    source = DIRECTORY / "shop/src/main.rs"
    before = source.read_text()
    if before.count(line) != 1:
        sys.exit(f"The host has no line `{line}`, or several.")
    source.write_text(before.replace(line, ""))
    # An editor removes the spaces at the end of a line of the page.
    printed = re.sub(r" +$", "", terminal.run("cargo build 2>&1"), flags=re.MULTILINE)
    if message not in printed:
        sys.exit(f"The page says that the compiler prints:\n\n{message}\n\nand it prints:\n\n{printed}")
    for kind, heading in re.findall(r"^(error|warning)(?:\[\w+\])?: (.*)$", printed, re.MULTILINE):
        # Cargo's own last words: how many there were.
        if not re.match(r"could not compile|`shop`", heading) and heading not in section:
            sys.exit(f"The page does not mention this {kind}: {heading}")


def follow(terminal):
    """The whole page."""
    page = PAGE.read_text()
    story = page.split("\n## What the compiler says\n")[0]
    printed = ""
    for above, language, text in blocks(story):
        file = re.fullmatch(r"`(\S+)`:", above)
        if file:
            (DIRECTORY / "shop" / file[1]).write_text(text + "\n")
        elif language == "sh":
            commands, starts = re.subn(r"^cargo run$", "", text, flags=re.MULTILINE)
            printed = terminal.run(commands)
            if "cargo new" in commands:
                # The versions that the repository is tested with.
                (DIRECTORY / "shop/Cargo.lock").write_bytes(LOCKFILE.read_bytes())
            if starts:
                start(terminal)
        elif language == "text":
            expect(printed, text)
        else:
            sys.exit(f"Nothing is done with this block:\n\n{text}")
    log = terminal.run("cat log")
    for line in log.splitlines():
        if " ERROR " in line or " WARN " in line:
            sys.exit(f"The log of the first host has: {line}")
    if "`posture()` lists how" not in log:
        sys.exit(f"The log does not say in how many ways the configuration deviates from ASVS:\n\n{log}")
    without_a_line(terminal, page)


terminal = Terminal(DIRECTORY)
try:
    follow(terminal)
finally:
    terminal.close()
