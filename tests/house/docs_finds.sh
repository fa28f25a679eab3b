#!/usr/bin/env bash
# Plants each kind of fault in a copy of the sources; docs.sh must name every one, and pass the copy
# once it is gone.
set -euo pipefail
copy=$(mktemp -d)
trap 'rm -rf "$copy" "$copy.tar"' EXIT
check=$(dirname "$0")/docs.sh
tar -cf "$copy.tar" -C "$1" attention oracle estimator reports cli cmake scripts tests docs .ci \
  CMakeLists.txt CMakePresets.json .clang-format .clang-tidy README.md
fresh() {
  find "$copy" -mindepth 1 -delete
  tar -xf "$copy.tar" -C "$copy"
}
# finds WHAT COMMAND...: after COMMAND in the copy, the check complains of WHAT; undone after.
finds() {
  (cd "$copy" && "${@:2}")
  if found=$(bash "$check" "$copy") || ! grep -qF -- "$1" <<<"$found"; then
    printf 'not found: %s (%s)\n%s\n' "$1" "${*:2}" "$found"
    exit 1
  fi
  fresh
}
add() { printf '%s\n' "$2" >>"$1"; }

fresh
bash "$check" "$copy"

# The map.
finds 'does not name: attention/plant.h' touch attention/plant.h
finds 'does not name: oracle/error.h' touch oracle/error.h # the name of another folder's file
finds 'does not name: tests/plant.txt' touch tests/plant.txt
finds 'does not name: attention/shape.cpp' sed -i 's/shape\.{h,cpp}/shape.h/' docs/map.md
finds 'does not name: cli/main.cpp' sed -i '/^- `cli\/main\.cpp`/d' docs/map.md
finds 'does not name: cli/main.cpp' sed -i 's/^- `cli\/main\.cpp`.*/cli\/main.cpp is a file/' docs/map.md
finds 'names twice: oracle/bound.h' add docs/map.md '- `oracle/bound.h`: again'
finds 'names twice: attention/shape.h' add docs/map.md '- `attention/shape.h`: again'
finds 'does not exist: oracle/plant.h' add docs/map.md '- `oracle/plant.h`: gone'
finds 'does not exist: attention/half.cpp' sed -i 's/half\.h`/half.{h,cpp}`/' docs/map.md
finds 'does not exist: plants/' add docs/map.md '- `plants/`: gone'
finds 'not a line of the form' add docs/map.md '- oracle/bound.h: no backticks'

# The bibliography.
finds 'lacks: Plant99' add attention/shape.h '// a bound  [Plant99]'
finds 'lacks: Plant99' add attention/shape.cpp '// [Plant99] ch. 3'
finds 'lacks: plant' add oracle/real.h '//   where it stands, [plant]'
finds 'lacks: plant-2' add docs/bound.md 'as in [plant-2].'
finds 'lacks: Plant' sed -i '0,/\.source = "[^"]*"/s//.source = "Plant"/' estimator/model.cpp
finds 'lacks: plant' sed -i '0,/, 2, "BF16"/s//, 2, "plant"/' estimator/dtype.cpp
finds 'nothing cites: plant' add docs/bibliography.md '| [plant] | a work |'
finds 'nothing cites: Plant99' add docs/bibliography.md '| [Plant99] | a work |'
finds 'nothing cites: Tang89' sed -i 's/\[Tang89\]//' oracle/exponential.h
finds 'lacks: Tang89' sed -i '/\[Tang89\]/d' docs/bibliography.md
finds 'has twice: Tang89' add docs/bibliography.md '| [Tang89] | again |'

# What only looks like a key.
add "$copy/attention/shape.h" '// row[plant] of `[plant]`, [queries x keys] and [0, 1)'
add "$copy/docs/bound.md" 'a [link](bound.md), `[OPTIONS]`'
bash "$check" "$copy"
