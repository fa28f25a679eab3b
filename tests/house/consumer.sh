#!/usr/bin/env bash
# consumer.sh SOURCE BUILD CMAKE-OPTIONS...: installs BUILD into an empty prefix and builds another
# project on it; once as it is, once with the headers in a folder of another name.
set -euo pipefail
source=$1
built=$2
options=("${@:3}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# consumes BUILD NAME INCLUDEDIR
consumes() {
  cmake --install "$1" --prefix "$work/$2" >/dev/null
  [[ -f $work/$2/$3/attest/attention/shape.h ]]
  cmake -S "$source/tests/house/consumer" -B "$work/$2-build" -G Ninja \
    -DCMAKE_PREFIX_PATH="$work/$2" -DCMAKE_BUILD_TYPE=Debug "${options[@]}" >/dev/null
  cmake --build "$work/$2-build" >/dev/null
  "$work/$2-build/consumer"
  "$work/$2-build/my_kernel_test" --gtest_brief=1
  "$work/$2/bin/attest" --version
}
consumes "$built" plain include

# Where headers go changes no object code: the second build tree borrows what the first has built.
cmake -S "$source" -B "$work/built" -G Ninja -DATTEST_BUILD_TESTS=OFF -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_INSTALL_INCLUDEDIR=share/headers "${options[@]}" >/dev/null
for folder in attention oracle estimator reports tests/properties tests/candidates; do
  cp "$built/$folder/libattest_$(basename "$folder").a" "$work/built/$folder/"
done
cp "$built/cli/attest" "$work/built/cli/"
consumes "$work/built" elsewhere share/headers
