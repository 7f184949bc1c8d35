#!/usr/bin/env bash
# run.sh FOLDER: all files here under herd7, which is in PATH; FOLDER has its models (herd/libdir of its
# sources). "Ok": a condition with ~exists never holds, one with exists can.
set -euo pipefail
models=$(realpath "${1:?the folder with the models of herd7 is missing}")
cd "$(dirname "${BASH_SOURCE[0]}")"
status=0
for test in *.litmus; do
  model=rc11.cat
  if [[ $test == aarch64-* ]]; then model=aarch64.cat; fi
  result=$(herd7 -set-libdir "$models" -model "$model" "$test" 2>&1) || status=1
  if grep -q '^Ok' <<<"$result" && ! grep -q 'undef' <<<"$result"; then
    grep '^Observation' <<<"$result"
  else
    printf '%s\n' "$result"
    status=1
  fi
done
exit $status
