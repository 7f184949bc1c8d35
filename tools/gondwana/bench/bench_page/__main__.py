"""Makes the page of `gondwana bench --report FILE.html`: python3 bench_page DATA.json PAGE.html"""

import json
import os
import sys
from pathlib import Path

import page

NEEDS_MATPLOTLIB = (
    "the curves need matplotlib for {}: install it (Debian: python3-matplotlib; "
    "else pip install matplotlib)"
)
SYSTEM_PYTHON = "/usr/bin/python3"  # Debian's packages are for this one


def complain(text: str) -> int:
    print(f"gondwana bench: {text}", file=sys.stderr)
    return 1


def main(source: Path, target: Path) -> int:
    try:
        import curves  # it loads matplotlib
        import glance
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("matplotlib", "numpy"):
            raise
        if os.path.exists(SYSTEM_PYTHON) and sys.orig_argv[0] != SYSTEM_PYTHON:
            os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, "-B", *sys.argv])
        return complain(NEEDS_MATPLOTLIB.format(sys.executable))
    try:
        text = source.read_text(encoding="utf-8")
        results = json.loads(text)
        pictures = [curves.of_subject(result) for result in results]
        text = page.page(results, glance.picture(results), pictures, glance.rows(results), text)
        target.write_text(text, encoding="utf-8")
    except (OSError, ValueError) as error:
        return complain(f"no page is made from {source}: {error}")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
