#!/usr/bin/env bash
# Tests the folders of starters/. CMake, Cortex-M and AVR: builds the project as its first lines say, runs
# it on this machine, in QEMU and on simavr, and opens the messages that it prints. ESP-IDF, Zephyr and
# PlatformIO are not installed: compiles the program against declarations, and checks that the files of
# the build name what exists.
#
# usage: tests/starters/run.sh
# environment: SIMAVR_RUNNER  the runner program (default: built from lab/sims/simavr)
set -euo pipefail
cd "$(dirname "$0")/../.."
out=$PWD/out/starters
runner=${SIMAVR_RUNNER:-$PWD/target/sims/selo-simavr}
mkdir -p "$out"
. tools/verdict.sh

cmake_builds() {
    cmake -S starters/cmake -B "$out/cmake" -DCMAKE_BUILD_TYPE=Release >"$out/cmake.log" &&
        cmake --build "$out/cmake" --parallel 2 >>"$out/cmake.log" &&
        cc -std=c11 -Wall -Wextra -Werror -Isrc -o "$out/open" tests/starters/open.c "$out/cmake/selo/libselo.a"
}
cmake_runs() { for _ in 1 2 3; do "$out/cmake/seal"; done | "$out/open" >/dev/null; }
# QEMU ends after the time: the program never does.
micro_bit_runs() {
    { timeout 4 qemu-system-arm -M microbit -nographic -kernel "$out/cortex-m/seal.elf" </dev/null 2>/dev/null || true; } |
        "$out/open" >/dev/null
}
# Two starts with one EEPROM: no nonce comes twice.
uno_runs() {
    local hex start
    rm -f "$out/eeprom"
    for start in 1 2; do
        "$runner" --mcu atmega328p --frequency 16000000 --paced --eeprom "$out/eeprom" "$out/avr/seal.elf" \
            <<<"$(printf 'advance 40000000\nquit')" >"$out/avr.$start"
    done
    hex=$(sed -n 's/^recv //p' "$out/avr.1" "$out/avr.2" | tr -d '\n ')
    # shellcheck disable=SC2059 # the format is the text, as \x escapes
    [ "$(printf "$(sed 's/../\\x&/g' <<<"$hex")" | "$out/open" || echo 0)" -ge 4 ]
}

holds "cmake builds" cmake_builds
holds "cmake seals" cmake_runs
holds "cortex-m builds" make --no-print-directory -s -j2 -C starters/cortex-m BUILD="$out/cortex-m"
holds "cortex-m seals" micro_bit_runs
[ -n "${SIMAVR_RUNNER:-}" ] || make --no-print-directory -s -C lab/sims/simavr OUT="$PWD/target/sims"
holds "avr builds" make --no-print-directory -s -j2 -C starters/avr BUILD="$out/avr"
holds "avr seals" uno_runs

strict=(-Wall -Wextra -Werror -Isrc -Itests/starters/declared)
holds "esp-idf compiles" gcc -std=gnu17 "${strict[@]}" -fsyntax-only starters/esp-idf/main/main.c
holds "esp-idf finds the library" test -f "starters/esp-idf/main/$(sed -n 's/^ *path: //p' starters/esp-idf/main/idf_component.yml)/idf_component.yml"
holds "zephyr compiles" gcc -std=gnu17 "${strict[@]}" -fsyntax-only starters/zephyr/src/main.c
module=$(sed -n 's@.*ZEPHYR_EXTRA_MODULES "${CMAKE_CURRENT_SOURCE_DIR}/\(.*\)")@\1@p' starters/zephyr/CMakeLists.txt)
holds "zephyr finds the module" test -f "starters/zephyr/$module/zephyr/module.yml"
holds "zephyr's option exists" grep -q "^config SELO$" zephyr/Kconfig
platform=${ARDUINO_AVR:-/usr/share/arduino/hardware/arduino/avr}
holds "platformio compiles" avr-g++ -std=gnu++11 -Os -Wall -Wextra -Werror -mmcu=atmega328p -DF_CPU=16000000L \
    -DARDUINO=10819 -DARDUINO_ARCH_AVR -I"$platform/cores/arduino" -I"$platform/variants/standard" -Isrc \
    -c -o /dev/null starters/platformio/src/main.cpp
holds "platformio finds the library" test -f "starters/platformio/$(sed -n 's@^lib_deps = symlink://@@p' starters/platformio/platformio.ini)/library.json"
echo "starters: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
