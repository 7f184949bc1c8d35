"""Makes the page of `gondwana bench --report FILE.html`: python3 bench_page DATA.json PAGE.html
[COMMAND LOAD]"""

import json
import sys
from pathlib import Path

sys.path.insert(1, str(Path(__file__).parents[2] / "pages"))

import curves
import glance
import new_file
import page


def complain(text: str) -> int:
    print(f"gondwana bench: {text}", file=sys.stderr)
    return 1


def main(source: Path, target: Path, words: list[str]) -> int:
    print(f"gondwana bench: drawing {target}", file=sys.stderr, flush=True)
    try:
        text = source.read_text(encoding="utf-8")
        results = json.loads(text)
        pictures = [curves.of_subject(result) for result in results]
        made = page.page(
            results, words, glance.picture(results), pictures, glance.rows(results), text
        )
        new_file.write(target, made.encode())
    except (OSError, ValueError) as error:
        return complain(f"no page is made from {source}: {error}")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]))
