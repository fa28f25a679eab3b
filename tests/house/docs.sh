#!/usr/bin/env bash
# docs.sh ROOT: docs/map.md names every file of the sources by its path, once, and nothing else; the
# keys of docs/bibliography.md are those that contract comments, ledgers and the other documents cite.
set -euo pipefail
cd "$1"
export LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong=0
# complain TEXT: each line of stdin is a fault of that kind.
complain() {
  while read -r line; do
    echo "$1: $line"
    wrong=1
  done
}

# A line of the map: "- `path`, `path.{h,cpp}`: what it is". A path that ends in / is a folder.
perl -ne '
  next unless /^- (`[^`]+`(?:, `[^`]+`)*): /;
  for my $path ($1 =~ /`([^`]+)`/g) {
    if ($path =~ /^(.*)\{(.*)\}(.*)$/) { print "$1$_$3\n" for split /,/, $2 } else { print "$path\n" }
  }' docs/map.md | sort >"$work/named"
find attention oracle estimator reports cli cmake scripts tests .ci CMakeLists.txt CMakePresets.json \
  .clang-format .clang-tidy -type f -not -path '*/__pycache__/*' | sort >"$work/files"
complain "docs/map.md names twice" < <(uniq -d "$work/named")
complain "docs/map.md does not name" < <(comm -13 <(uniq "$work/named") "$work/files")
complain "docs/map.md names what does not exist" < <(while read -r path; do
  if [[ $path == */ ]]; then [[ -d $path ]]; else [[ -f $path ]]; fi || echo "$path"
done <"$work/named")
complain "docs/map.md: not a line of the form '- \`path\`: what it is'" < <(
  grep -E '^ *[-*]' docs/map.md | grep -vE '^- `[^`]+`(, `[^`]+`)*: .' || true)

# A key is a word in brackets: in a comment or a document, not after a word (an index) and not before
# a parenthesis (a link). A ledger's key is a string.
{
  find attention oracle estimator reports cli tests -type f \( -name '*.h' -o -name '*.cpp' \) -print0 |
    xargs -0 perl -ne 'next unless m{(?<![:"])//(.*)}; my $c = $1; $c =~ s/`[^`]*`//g;
      print "$1\n" while $c =~ /(?<![\w\])])\[([A-Za-z][\w-]*)\](?![\[(])/g'
  find docs README.md -name '*.md' -not -path docs/bibliography.md -print0 |
    xargs -0 perl -0ne 's/^```.*?^```//gms; s/`[^`\n]*`//g;
      print "$1\n" while /(?<![\w\])])\[([A-Za-z][\w-]*)\](?![\[(])/g'
  find estimator -name '*.cpp' -print0 |
    xargs -0 perl -0ne 'print "$1\n" while /(?:\.source = |, \d+, )"([\w-]+)"/g'
} | grep . | sort -u >"$work/cited"
sed -nE 's/^\| *\[([^]]*)\] *\|.*/\1/p' docs/bibliography.md | sort >"$work/keys"
complain "docs/bibliography.md has twice" < <(uniq -d "$work/keys")
complain "docs/bibliography.md lacks" < <(comm -23 "$work/cited" "$work/keys")
complain "docs/bibliography.md has, and nothing cites" < <(comm -13 "$work/cited" "$work/keys")
exit $wrong
