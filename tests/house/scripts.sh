#!/usr/bin/env bash
# scripts.sh ROOT: scripts/setup and scripts/build in a small project of their own: two at once, a
# second run, changed presets. No package is installed: dpkg and apt are played by stubs.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "$1"
  exit 1
}
cp -r "$1/scripts" "$work/"
cd "$work"
mkdir bin
stub() {
  printf '#!/bin/sh\n%s\n' "$2" >"bin/$1"
  chmod +x "bin/$1"
}
export PATH=$work/bin:$PATH STUBS=$work/stubs
mkdir stubs
stub sudo 'exec "$@"'
# Every package but those named in stubs/missing is installed.
stub dpkg-query 'shift 3; for p in "$@"; do grep -qxF "$p" "$STUBS/missing" || echo "$p install ok installed"; done'
stub apt-get '
mkdir "$STUBS/running" 2>/dev/null || echo "two at once" >>"$STUBS/log"
sleep 0.2
echo "$@" >>"$STUBS/log"
rmdir "$STUBS/running"'

# setup: silent where all is there; clang only for the preset that needs it; one apt at a time.
: >stubs/missing
[[ -z $(scripts/setup 2>&1) ]] || fail "setup is not silent"
printf 'clang\nclang-tidy\n' >stubs/missing
[[ -z $(scripts/setup release 2>&1) ]] || fail "setup asks for clang without need"
scripts/setup tidy 2>/dev/null &
scripts/setup tidy 2>/dev/null
wait $!
[[ $(grep -c 'install .* clang clang-tidy$' stubs/log) == 2 ]] || fail "setup installs something else"
if grep -q 'two at once' stubs/log; then fail "two setups run apt at once"; fi

# A project whose program prints the preset's word.
: >stubs/missing
cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES CXX)
file(APPEND "${CMAKE_BINARY_DIR}/configured" "once\n")
add_executable(word word.cpp)
target_compile_definitions(word PRIVATE WORD="${WORD}")
CMAKE
printf '#include <cstdio>\nint main() { std::puts(WORD); }\n' >word.cpp
presets() {
  printf '{"version": 6, "configurePresets": [{"name": "release", "generator": "Ninja",
    "binaryDir": "${sourceDir}/build/release", "cacheVariables": {%s}}]}' "$1" >CMakePresets.json
}
presets '"WORD": "first"'

scripts/build release >out1 2>&1 &
scripts/build release word >out2 2>&1 || fail "$(cat out2)"
wait $! || fail "$(cat out1)"
[[ $(build/release/word) == first ]] || fail "the program is not built"
[[ $(cat build/release/configured) == once ]] || fail "two builds at once both configure"

[[ -z $(scripts/build release 2>&1) ]] || fail "an idle build is not silent"

presets '"WORD": "second"'
scripts/build release >/dev/null 2>&1
[[ $(build/release/word) == second ]] || fail "a changed preset is not followed"
presets '"OTHER": "1"'
scripts/build release >/dev/null 2>&1
[[ -z $(build/release/word) ]] || fail "what a preset no longer sets stays"
sed -i 's/WORD="/WORD="third/' CMakeLists.txt
scripts/build release >/dev/null 2>&1
[[ $(build/release/word) == third ]] || fail "a changed CMakeLists.txt is not followed"

printf 'int main() { return nothing; }\n' >word.cpp
if scripts/build release >/dev/null 2>out; then fail "a build that fails passes"; fi
grep -q "nothing" out || fail "a build that fails does not say why"
