#!/usr/bin/env bash
# Prints keywords.txt, by which the Arduino IDE colours a sketch: types, functions
# and constants of src/selo.h and of what src/selo_station.h includes. Fields are separated
# by one tab.
#
# usage: tools/keywords.sh > keywords.txt
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/.."

mapfile -t headers < <(sed -n 's@^#include "\(selo/station/.*\)"@src/\1@p' src/selo_station.h)

# Comments are cut, so that names in prose do not count.
code=$(sed 's@//.*@@' src/selo.h "${headers[@]}" | tr '\n' '\f' | sed 's@/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/@@g' | tr '\f' '\n')
types=$(grep -oE '(struct|enum) selo_[a-z0-9_]+|selo_[a-z0-9]+_fn' <<<"$code" | sed 's/.* //' | sort -u)
functions=$(grep -oE '\bselo_[a-z0-9_]+\b' <<<"$code" | sort -u | comm -23 - <(echo "$types"))
constants=$(grep -oE '\bSELO_[A-Z0-9_]+\b' <<<"$code" | sort -u | grep -v '_H$')

echo "# Written by tools/keywords.sh from src/selo.h and src/selo_station.h."
printf '\n'
printf '%s\tKEYWORD1\n' $types
printf '\n'
printf '%s\tKEYWORD2\n' $functions
printf '\n'
printf '%s\tLITERAL1\n' $constants
