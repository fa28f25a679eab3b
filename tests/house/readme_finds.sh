#!/usr/bin/env bash
# readme_finds.sh ROOT PROGRAM: plants each kind of fault in a copy of the documents; readme.sh must
# name every one.
set -euo pipefail
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
check=$(dirname "$0")/readme.sh
program=$2
cp -r "$1/README.md" "$1/docs" "$1/scripts" "$copy/"
mkdir "$copy/estimator"
cp -r "$1/estimator/examples" "$copy/estimator/"
bash "$check" "$copy" "$program"

# finds WHAT COMMAND... FILE: after COMMAND FILE in the copy, the check of FILE complains of WHAT;
# undone after.
finds() {
  (cd "$copy" && "${@:2}")
  if found=$(bash "$check" "$copy" "$program" "${!#}") || ! grep -qF -- "$1" <<<"$found"; then
    printf 'not found: %s (%s)\n%s\n' "$1" "${*:2}" "$found"
    exit 1
  fi
  cp "$source/README.md" "$copy/"
  cp "$source/docs/"*.md "$copy/docs/"
}
source=$1
finds 'prints what is marked' sed -i 's/136 MiB/137 MiB/' README.md
finds 'prints what is marked' sed -i '/^query 1 = /d' README.md
finds 'prints what is marked' sed -i 's/^\$ scripts\/attest trace two-positions .*/&\n\n/' README.md
finds 'prints what is marked' sed -i 's/--dtype b16/--dtype b17/' README.md
finds 'without its command' sed -i 's/^\$ scripts\/attest trace two/trace two/' README.md
finds 'without its end' sed -i '$ a ```' README.md
finds 'cannot run: rm -rf' sed -i '$ a ```\n$ rm -rf x\n```' docs/cli.md
finds 'scripts/tests is not a program' sed -i 's/^scripts\/test$/scripts\/tests/' README.md
finds 'shows no command' sed -i '/^\$ /d' README.md
