#!/usr/bin/env bash
# readme.sh ROOT PROGRAM [FILE...]: runs every command that README.md and docs/ (or the files) show
# with its output and compares. In a plain fenced block a line "$ scripts/attest ..." is a command, the lines after it
# what it prints; a plain block without a command is a fault, for nothing would keep it true.
set -euo pipefail
cd "$1"
program=$2
files=("${@:3}")
[[ ${#files[@]} -gt 0 ]] || files=(README.md docs/*.md)
wrong=0
commands=0

# compare WHERE: runs $command and compares with $expected.
compare() {
  [[ -n $command ]] || return 0
  commands=$((commands + 1))
  if [[ $command != "scripts/attest "* ]]; then
    echo "$1: cannot run: $command"
    wrong=1
    return
  fi
  local got
  got=$(eval "\"\$program\" ${command#scripts/attest }" 2>&1 </dev/null; echo end) || true
  if ! diff <(printf '%s' "$expected") <(printf '%s' "${got%end}"); then
    echo "$1: $command: prints what is marked with >"
    wrong=1
  fi
}

for file in "${files[@]}"; do
  fence='' command='' expected='' number=0
  while IFS= read -r line || [[ -n $line ]]; do
    number=$((number + 1))
    where=$file:$number
    if [[ -z $fence ]]; then
      if [[ $line == '```'* ]]; then fence=$line; fi
    elif [[ $line == '```' ]]; then
      compare "$where"
      if [[ $fence == '```' && -z $command ]]; then
        echo "$where: a block without its command"
        wrong=1
      fi
      fence='' command='' expected=''
    elif [[ $fence == '```' && $line == '$ '* ]]; then
      compare "$where"
      command=${line#'$ '} expected=''
    elif [[ $fence == '```' ]]; then
      expected+=$line$'\n'
    fi
  done <"$file"
  if [[ -n $fence ]]; then
    echo "$file: a block without its end"
    wrong=1
  fi
done

# What a reader is told to type exists.
while read -r script; do
  if [[ ! -x $script ]]; then
    echo "README.md: $script is not a program"
    wrong=1
  fi
done < <(grep -oE '(^|[ `])scripts/[a-z_]+' README.md | tr -d ' `' | sort -u)
if ((commands == 0)); then
  echo "${files[*]} shows no command"
  wrong=1
fi
exit $wrong
