#!/usr/bin/env bash
# Tests the library as a CMake dependency: builds and runs a consumer, and includes the project's
# files as ESP-IDF and Zephyr do.
#
# usage: tests/cmake/run.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
out=out/cmake
rm -rf "$out"
cmake -S tests/cmake -B "$out" -DCMAKE_BUILD_TYPE=Release >"$out.log" || { cat "$out.log"; exit 1; }
cmake --build "$out" --parallel 2 >>"$out.log" || { cat "$out.log"; exit 1; }
version=$("$out/consumer")
header=$(sed -n 's/^#define SELO_VERSION "\(.*\)"/selo \1/p' src/selo.h)
[ "$version" = "$header" ] || { echo "the consumer prints \"$version\", selo.h has \"$header\"" >&2; exit 1; }
"$out/psa_consumer" || { echo "a hash by psa_hash_compute is wrong" >&2; exit 1; }
"$out/station_consumer" || { echo "the station computes a wrong time" >&2; exit 1; }
cmake -DROOT="$PWD" -P tests/cmake/script-mode.cmake
echo "cmake: 5 passed, 0 failed"
