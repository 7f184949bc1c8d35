#!/usr/bin/env bash
# Tells which C and C++ files are not as clang-format has them; --fix: rewrites them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Pinned: other versions format some constructs differently.
formatter=clang-format-19
command -v "$formatter" >/dev/null || {
  echo "format: $formatter is not installed; ./dev install-packages check brings it" >&2
  exit 1
}

mapfile -t files < <(python3 ci/tree.py .c .h .cpp .hpp)
((${#files[@]})) || exit 0

if [[ ${1:-} == --fix ]]; then
  "$formatter" -i "${files[@]}"
  exit 0
fi

# Its first word about each file is enough: where the first difference lies.
status=0
said=$("$formatter" --dry-run --Werror --ferror-limit=1 "${files[@]}" 2>&1) || status=1
places=$(sed -n 's/^\([^: ]*:[0-9]*\):.*should be clang-formatted.*/\1/p' <<<"$said" | sort -u)
if ((status)); then
  echo "${places:-$said}"
  echo "format: these are not as clang-format has them; ./dev format rewrites the files"
fi
exit "$status"
