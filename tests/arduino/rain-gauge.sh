#!/usr/bin/env bash
# Plays the RainGauge sketch on the simulator, with all its surroundings (rain_gauge.c), and
# prints the number of passed and failed checks.
#
# usage: tests/arduino/rain-gauge.sh RUNNER SKETCH.elf OUT_FOLDER
set -euo pipefail
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
runner=$1 sketch=$2 out=$3
mkdir -p "$out"
# shellcheck disable=SC2046 # sources are words
${CC:-cc} -std=c11 -O1 -Wall -Wextra -Wno-unused-function -Werror -I"$root/src" -I"$root/station/src" -DSELO_EEPROM=1 \
    -Wl,--wrap=selo_x25519_keygen,--wrap=selo_x25519_shared_secret \
    -o "$out/rain_gauge" "$root/tests/arduino/rain_gauge.c" $(find "$root/src" "$root/station/src" -name '*.c')
# A stack that reaches the static data is a fault.
static_end=$(avr-nm "$sketch" | sed -n 's/^008\(.*\) . _end$/0x\1/p')
"$out/rain_gauge" "$out/eeprom" "$runner" --mcu atmega328p --frequency 16000000 --paced \
    --static-end "$static_end" --eeprom "$out/eeprom" --ds3231 1795343211 --watchdog \
    --watch D4 --watch D5 --console D7:9600 "$sketch"
