#!/usr/bin/env bash
# labels.sh BUILD TEST...: the tests labelled slow are these, each of them exists, and others remain.
set -euo pipefail
build=$1
shift
listed() { ctest --test-dir "$build" -N "$@" | sed -nE 's/^ *Test +#[0-9]+: //p' | LC_ALL=C sort; }
diff <(printf '%s\n' "$@" | LC_ALL=C sort) <(listed -L '^slow$')
[[ -n $(listed -LE '^slow$') ]]
