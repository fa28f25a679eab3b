#!/usr/bin/env bash
# Plants each kind of breach in a copy of the sources; the check must find every one.
set -euo pipefail
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
check=$(dirname "$0")/include_directions.sh
for folder in attention oracle estimator reports cli; do cp -r "$1/$folder" "$copy/"; done
bash "$check" "$copy"
plant() {
  printf '#include %s\n' "$2" >"$copy/$1"
  if bash "$check" "$copy" >/dev/null; then
    echo "not found: $2 in $1"
    exit 1
  fi
  rm "$copy/$1"
}
plant attention/plant.cpp '"oracle/real.h"'
plant attention/plant.cpp '<boost/multiprecision/cpp_int.hpp>'
plant attention/plant.cpp '<fmt/format.h>'
plant oracle/plant.h '"attention/visibility.h"'
plant oracle/plant.cpp '"attention/explicit_attention.h"'
plant oracle/plant.cpp '"estimator/ledger.h"'
plant estimator/plant.cpp '"attention/scoring.h"'
plant estimator/plant.cpp '<boost/multiprecision/cpp_int.hpp>'
plant estimator/plant.h '<nlohmann/json.hpp>'
plant reports/plant.cpp '"estimator/ledger.h"'
plant cli/plant.h '<boost/program_options.hpp>'
plant cli/plant.cpp '"tests/support/run_kernels.h"'
