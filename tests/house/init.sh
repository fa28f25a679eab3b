#!/usr/bin/env bash
# init.sh ATTEST: what `attest init` writes builds without a warning, and `attest verify` accepts it.
set -euo pipefail
attest=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$attest" init my_kernel >/dev/null
cmake -S my_kernel -B my_kernel/build -DATTEST_PROGRAM="$attest" \
  -DCMAKE_C_FLAGS="-pedantic -Wall -Wextra -Werror" \
  -DCMAKE_CXX_FLAGS="-pedantic -Wall -Wextra -Werror" >/dev/null
cmake --build my_kernel/build >/dev/null
for kernel in my_kernel/build/libmy_kernel.so my_kernel/build/libmy_kernel_cpp.so; do
  test -s "$kernel"
  if "$attest" verify --help >/dev/null 2>&1; then "$attest" verify "./$kernel"; fi
done
