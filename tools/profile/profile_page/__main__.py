"""Makes the page of `gondwana run --profile=FILE.html`, and a picture for documents.

python3 profile_page DATA.json PAGE.html [COMMAND LOAD]

The picture PAGE.svg is written next to the page, and a summary to standard error.
"""

import sys
from pathlib import Path

sys.path.insert(1, str(Path(__file__).parents[1] / "pages"))

import data
import new_file
import page
import paths
import pictures
import summary


def complain(text: str) -> int:
    print(f"gondwana profile: {text}", file=sys.stderr)
    return 1


def main(source: Path, target: Path, words: list[str]) -> int:
    print(f"gondwana profile: drawing {target}", file=sys.stderr, flush=True)
    try:
        profile = data.read(source)
        picture = target.with_suffix(".svg")
        matrix = pictures.matrix(profile)
        if matrix is not None:
            new_file.write(picture, matrix.encode())
        of_job = paths.of_job(profile)
        text = page.page(profile, of_job, words, matrix, pictures.balance(profile))
        new_file.write(target, text.encode())
    except (OSError, ValueError) as error:
        return complain(f"no page is made from {source}: {error}")
    print(summary.text(profile, of_job), end="", file=sys.stderr)
    where = f"{target}, the picture of the matrix in {picture}" if matrix else str(target)
    print(f"gondwana profile: the page is in {where}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(complain(f"expected two files: {__doc__.splitlines()[2]}"))
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]))
