#!/bin/bash
# full build with tests, release preset
set -e
./dev build > /tmp/build.log 2>&1 || { tail -30 /tmp/build.log; exit 1; }
