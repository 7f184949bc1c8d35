#!/usr/bin/env bash
# Lints the Python and shell scripts with what is installed: ruff and shellcheck are no packages of
# every system, so without them a script must only be well-formed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mapfile -t python_files < <(python3 ci/tree.py .py)
mapfile -t shell_files < <(python3 ci/tree.py .sh && echo dev && echo .ci/run)
status=0

if command -v ruff >/dev/null; then
  ruff check --quiet "${python_files[@]}" || status=1
else
  echo "scripts: ruff is not installed, so Python files are only parsed"
  python3 -c 'import ast, sys; [ast.parse(open(f).read(), f) for f in sys.argv[1:]]' \
    "${python_files[@]}" || status=1
fi

if command -v shellcheck >/dev/null; then
  shellcheck -x "${shell_files[@]}" || status=1
else
  echo "scripts: shellcheck is not installed, so shell scripts are only parsed"
  for file in "${shell_files[@]}"; do bash -n "$file" || status=1; done
fi
exit "$status"
