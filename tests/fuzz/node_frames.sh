#!/usr/bin/env bash
# Fuzzes the node with frames: the corpus and COUNT mutations of it, for each suite, with and without hybrid
# pairing, with the sanitizers. Every run uses the same mutations.
#
# usage: tests/fuzz/node_frames.sh [COUNT]     (default: 5000 a suite)
# environment: SELO_SUITES  the suites, some with a hyphen and the hybrid (default: all)
set -euo pipefail
cd "$(dirname "$0")/../.."
count=${1:-5000}
out=out/fuzz
flags=(-std=c11 -Wall -Wextra -O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all -Isrc)
mkdir -p "$out"
rm -f "$out"/*.o "$out/library.a"

# Compile the files that do not depend on the suite once.
mapfile -t library < <(find src/selo -name '*.c' \
    -not -path 'src/selo/x25519/*' -not -path 'src/selo/p256/*' -not -path 'src/selo/ed25519/*' \
    -not -path 'src/selo/suit/*' -not -path 'src/selo/native/*' -not -path 'src/selo/link/*' -not -path 'src/selo/noise/*')
for source in "${library[@]}"; do
    ${CC:-cc} "${flags[@]}" -c -o "$out/$(basename "$source" .c).o" "$source"
done
ar rcs "$out/library.a" "$out"/*.o
for suite in ${SELO_SUITES:-1 2 3 4 1-512 2-512 4-512}; do
    hybrid=0
    case $suite in *-*) hybrid=${suite#*-} ;; esac
    ${CC:-cc} "${flags[@]}" -DSELO_LINK_SUITE=${suite%-*} -DSELO_LINK_HYBRID=$hybrid \
        -o "$out/node_frames$suite" \
        tests/fuzz/node_frames.c src/selo/link/*.c src/selo/noise/*.c "$out/library.a"
    "$out/node_frames$suite" "$count" tests/fuzz/corpus/node_frames/*
done
