#!/usr/bin/env bash
# formatted.sh ROOT: clang-format has nothing to change. Exit code 77: there is no clang-format.
set -euo pipefail
cd "$1"
command -v clang-format >/dev/null || { echo "clang-format is not installed"; exit 77; }
find attention oracle estimator reports cli tests -name '*.h' -o -name '*.cpp' |
  xargs clang-format --dry-run --Werror
