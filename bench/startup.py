"""How long a person waits before anything happens: importing the package, asking for help."""

from __future__ import annotations

import subprocess
import sys
import time

COMMANDS = {
    "import consilience": ([sys.executable, "-c", "import consilience"], 0.3),
    "consilience --help": ([sys.executable, "-m", "consilience", "--help"], 0.5),
}


def main() -> None:
    for name, (command, limit) in COMMANDS.items():
        seconds = []
        for _ in range(7):
            began = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            seconds.append(time.perf_counter() - began)
        print(f"{name}: {sorted(seconds)[3]:.3f} s (median of 7; wanted: under {limit} s)")


if __name__ == "__main__":
    main()
