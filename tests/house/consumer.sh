#!/usr/bin/env bash
# consumer.sh BUILD CONSUMER: installs BUILD into an empty prefix and builds another project on it.
set -euo pipefail
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
cmake --install "$1" --prefix "$prefix/installed" >/dev/null
cmake -S "$2" -B "$prefix/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix/installed" \
  -DCMAKE_BUILD_TYPE=Debug "${@:3}" >/dev/null
cmake --build "$prefix/build" >/dev/null
"$prefix/build/consumer"
"$prefix/installed/bin/attest" --version
