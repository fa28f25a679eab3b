#!/usr/bin/env bash
# include_directions.sh ROOT: each folder includes only what it may know. Prints every breach.
set -euo pipefail
cd "$1"
breaches=0

# check FOLDER PATTERN: quoted includes of FOLDER's sources must match PATTERN.
check() {
  local found
  found=$(grep -rnE '^ *# *include *"' --include='*.h' --include='*.cpp' "$1" |
    grep -vE "#include \"($2)\"" || true)
  report "$found" "$1 may include only $2"
}
# forbid FILES PATTERN: no include matches PATTERN.
forbid() {
  local found
  # shellcheck disable=SC2086
  found=$(grep -rnE "^ *# *include *[<\"]($2)" $1 || true)
  report "$found" "forbidden: $2"
}
report() {
  [[ -z $1 ]] && return
  printf '%s\n  (%s)\n' "$1" "$2"
  breaches=1
}

types='attention/(error|spelling|shape|tensor_view|half|head_map|visibility_rule|score_rule|problem_spec|tiles)\.h'
blocks='attention/(matrix|layer_norm|feed_forward|multi_head|block)\.h' # parameters the oracle reads
check attention 'attention/[a-z_]+\.h'
check oracle "oracle/[a-z_]+\.h|$types|$blocks"
check estimator "estimator/[a-z_]+\.h|$types"
check reports 'reports/[a-z_]+\.h'
check cli '(cli|attention|estimator|reports|oracle|tests/candidates|tests/properties)/[a-z_]+\.h'
forbid 'attention reports' '(boost|nlohmann|rapidcheck|gtest)/'
forbid 'attention' 'fmt/'
forbid 'estimator cli' 'boost/multiprecision'
forbid '--include=*.h attention estimator reports cli' '(nlohmann/json\.hpp|boost/)'
exit $breaches
