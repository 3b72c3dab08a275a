#!/usr/bin/env bash
# Tests src/selo.hpp: runs test.cpp on this machine with the sanitizers, compiles it for the Uno, in
# C++11 and C++17, without exceptions; and checks that the compiler refuses each mistake of misuse.cpp.
#
# usage: tests/cxx/run.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
out=out/cxx
mkdir -p "$out"
strict=(-Isrc -Wall -Wextra -Wpedantic -Wshadow -Werror -fno-exceptions -fno-rtti)
. tools/verdict.sh
# The portable sources of what the test calls. The linker drops the rest.
mapfile -t sources < <(find src/selo/{aead,aes,ascon,chacha20,chacha20_poly1305,common,mode,poly1305} -name '*.c')
flags="-std=c11 -O1 -Isrc -fsanitize=address,undefined -ffunction-sections -fdata-sections"
rm -rf "$out/objects"
mkdir -p "$out/objects"
# shellcheck disable=SC2086 # words
(cd "$out/objects" && printf '%s\n' "${sources[@]/#/$PWD/../../../}" | xargs -P 2 -n 12 ${CC:-cc} ${flags/-Isrc/-I../../../src} -c)
for standard in c++11 c++17; do
    holds "test.cpp in $standard" g++ -std=$standard "${strict[@]}" -O1 -fsanitize=address,undefined \
        -o "$out/test-$standard" tests/cxx/test.cpp "$out"/objects/*.o -Wl,--gc-sections
    holds "test.cpp in $standard, run" "$out/test-$standard"
done
holds "misuse.cpp without a mistake" g++ -std=c++11 "${strict[@]}" -c -o /dev/null -DMISUSE=0 tests/cxx/misuse.cpp
holds "misuse.cpp on the Uno" avr-g++ -std=c++11 "${strict[@]}" -mmcu=atmega328p -c -o /dev/null -DMISUSE=0 \
    tests/cxx/misuse.cpp
refused() { ! "$@" 2>"$out/refused"; }
for number in $(sed -n 's/^#e*l*if MISUSE == \([0-9]*\)$/\1/p' tests/cxx/misuse.cpp); do
    for compiler in "g++ -std=c++11" "g++ -std=c++17" "avr-g++ -std=c++11 -mmcu=atmega328p"; do
        # shellcheck disable=SC2086 # words
        holds "$compiler refuses mistake $number" refused $compiler "${strict[@]}" -c -o /dev/null \
            -Wno-unused-variable -DMISUSE="$number" tests/cxx/misuse.cpp
    done
done
echo "cxx: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
