#!/usr/bin/env bash
# Plants each kind of breach in a copy of the sources; the check must find every one, and pass the
# copy once it is gone.
set -euo pipefail
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
check=$(dirname "$0")/include_directions.sh
for folder in attention oracle estimator reports cli; do cp -r "$1/$folder" "$copy/"; done
bash "$check" "$copy"

# line FILE TEXT: a file with that text, in printf's spelling, must be named by the check.
line() {
  printf "$2\n" >"$copy/$1"
  if found=$(bash "$check" "$copy") || ! grep -qF "$1" <<<"$found"; then
    echo "not found: $2 in $1"
    exit 1
  fi
  rm "$copy/$1"
}
plant() { line "$1" "#include $2"; }

# Each folder's walls.
plant attention/plant.cpp '"oracle/real.h"'
plant attention/plant.cpp '<boost/multiprecision/cpp_int.hpp>'
plant attention/plant.cpp '<fmt/format.h>'
plant attention/plant.cpp '<math.h>'
plant attention/plant.cpp '<unistd.h>'
plant oracle/plant.h '"attention/visibility.h"'
plant oracle/plant.h '"attention/scoring.h"'
plant oracle/plant.h '"attention/softmax.h"'
plant oracle/plant.cpp '"attention/explicit_attention.h"'
plant oracle/plant.cpp '"attention/streaming_attention.h"'
plant oracle/plant.cpp '"estimator/ledger.h"'
plant oracle/plant.h '<nlohmann/json.hpp>'
plant oracle/plant.cpp '<boost/program_options.hpp>'
plant estimator/plant.cpp '"attention/scoring.h"'
plant estimator/plant.cpp '<boost/multiprecision/cpp_int.hpp>'
plant estimator/plant.h '<nlohmann/json.hpp>'
plant reports/plant.cpp '"estimator/ledger.h"'
plant reports/plant.cpp '"attention/shape.h"'
plant reports/plant.h '"attention/error.h"'
plant reports/plant.h '<nlohmann/json.hpp>'
plant reports/plant.h '<fmt/format.h>'
plant cli/plant.h '<boost/program_options.hpp>'
plant cli/plant.h '<nlohmann/json.hpp>'
plant cli/plant.cpp '<boost/multiprecision/cpp_int.hpp>'
plant cli/plant.cpp '"tests/support/run_kernels.h"'
plant cli/plant.cpp '<unistd.h>'

# The same include, written otherwise.
line attention/plant.cpp '#include <oracle/real.h>'
line attention/plant.cpp '#\tinclude "oracle/real.h"'
line attention/plant.cpp '\t#include "oracle/real.h"'
line attention/plant.cpp '#include"oracle/real.h"'
line attention/plant.cpp '#include /* why */ "oracle/real.h"'
line attention/plant.cpp '/* why */ #include "oracle/real.h"'
line attention/plant.cpp '#/* why */include "oracle/real.h"'
line attention/plant.cpp '#inc\\\nlude "oracle/real.h"'
line attention/plant.cpp '#include_next <oracle/real.h>'
line attention/plant.cpp '#import "oracle/real.h"'
line attention/plant.cpp '%%:include "oracle/real.h"'
line attention/plant.cpp '#define HEADER "oracle/real.h"\n#include HEADER'
line attention/plant.cpp 'import <oracle/real.h>;'
plant attention/plant.cpp '"../oracle/real.h"'
plant attention/plant.cpp '"attention/../oracle/real.h"'
plant attention/plant.cpp '"real.h"'

# The same include in a file of another name.
for extension in hpp hh cc ipp inl inc cxx h.in; do
  plant "attention/plant.$extension" '"oracle/real.h"'
done
mkdir "$copy/attention/deep"
plant attention/deep/plant.h '"oracle/real.h"'

# The same include through others.
plant cli/plant.cpp '"oracle/real.h"'
plant cli/plant.h '"oracle/exact_sum.h"'
cp "$copy/attention/shape.h" "$copy/shape.h"
printf '#include "attention/visibility.h"\n' >>"$copy/attention/shape.h"
if bash "$check" "$copy" >/dev/null; then
  echo "not found: the oracle reads visibility through the shape"
  exit 1
fi
mv "$copy/shape.h" "$copy/attention/shape.h"
bash "$check" "$copy"
