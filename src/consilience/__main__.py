"""The command `consilience`, also as `python -m consilience`."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command line; an interruption while it is still being loaded ends as quietly as one later."""
    try:
        from consilience.cli import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        print("consilience: interrupted; nothing was written", file=sys.stderr)
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
