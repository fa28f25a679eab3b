#!/usr/bin/env bash
# docs.sh ROOT: docs/map.md names every source, and every bibliography key used has its entry.
set -euo pipefail
cd "$1"
wrong=0
for file in $(find attention oracle estimator reports cli cmake scripts tests -type f | sort); do
  name=$(basename "$file")
  stem=${name%.*}
  grep -qE "(^|[^a-z_])($name|$stem\.\{h,cpp\})" docs/map.md || { echo "docs/map.md: $file"; wrong=1; }
done
keys=$(grep -rhoE --include='*.h' '\[[A-Z][A-Za-z]*[A-Z0-9-][A-Za-z0-9-]*\]' \
  attention oracle estimator reports cli | tr -d '[]' | sort -u)
more=$(grep -rhoE '\.source = "[^"]+"|, [0-9]+, "[A-Za-z0-9-]+"\}' estimator | grep -oE '"[^"]+"' |
  tr -d '"' | sort -u)
for key in $keys $more; do
  grep -qF "[$key]" docs/bibliography.md || { echo "docs/bibliography.md: $key"; wrong=1; }
done
exit $wrong
