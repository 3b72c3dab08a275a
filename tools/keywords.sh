#!/usr/bin/env bash
# Prints keywords.txt of a library, with which the Arduino IDE colours a sketch: the types,
# functions and constants of its public headers. One tab separates the fields.
#
# usage: tools/keywords.sh > keywords.txt                      (src/selo.h)
#        tools/keywords.sh station > station/keywords.txt      (station/src/selo_station.h)
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/.."

library=${1:-.}
[ "$library" != . ] || set --
case $library in
.) top=src/selo.h headers=(src/selo_*.h src/selo*.hpp) ;;
station)
    top=station/src/selo_station.h
    mapfile -t headers < <(sed -n 's@^#include "\(.*\)"@station/src/\1@p' "$top")
    ;;
*) echo "keywords.sh: '$library' is not a library: . or station" >&2; exit 2 ;;
esac

# Removes comments, so that names in prose do not count. Expands macros that declare functions to
# the functions' names.
expand='
    s@//.*@@; /^#include/d; s@\bselo_[a-z0-9_]*##[a-z0-9_#]*@@g; /^#define SELO_[A-Z_]*(.*\\$/d; /^ *SELO_AES_PIECES(/d; /^  *SELO_AES_AEAD\(_OF\)*(/d
    s@^SELO_CIPHER_OF(\(.*\))@\1_cipher@; s@^SELO_INVERSE_OF(\(.*\))@\1_inverse@
    s@^SELO_AES_IN_PIECES(\([^,]*\).*@struct \1_sealing struct \1_opening \1_seal_start \1_seal_update \1_seal_finish \1_open_start \1_open_update \1_open_finish@
    s@^SELO_AES_AEAD(\(.*\), selo.*@struct \1_key \1_setup \1_seal \1_open@
    s@^SELO_AES_GCM(\(.*\), .*@struct \1_key \1_setup \1_seal \1_open@'
code=$(sed "$expand" "$top" "${headers[@]}" | tr '\n' '\f' | sed 's@/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/@@g' | tr '\f' '\n')
types=$(grep -oE '(struct|enum) selo_[a-z0-9_]+|selo_[a-z0-9]+_fn' <<<"$code" | sed 's/.* //' | sort -u)
functions=$(grep -oE '\bselo_[a-z0-9_]+\b' <<<"$code" | sort -u | comm -23 - <(echo "$types"))
constants=$(grep -oE '\bSELO_[A-Z0-9_]+\b' <<<"$code" | sort -u | grep -v '_H$')

echo "# Written by tools/keywords.sh${1:+ $1} from $top."
printf '\n'
printf '%s\tKEYWORD1\n' $types
printf '\n'
printf '%s\tKEYWORD2\n' $functions
printf '\n'
printf '%s\tLITERAL1\n' $constants
