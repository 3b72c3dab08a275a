#!/usr/bin/env bash
# Compiles LinkOverSerial for the Uno, and plays it on the simulator against `selo gateway`.
#
# usage: tests/arduino/link-over-serial.sh
# environment: SELO_BUILT  the folder of the command (default: target/debug)
set -euo pipefail
cd "$(dirname "$0")/../.."
out=out/arduino-link
make --no-print-directory -s -C lab/sims/simavr OUT="$PWD/target/sims"
mkdir -p "$out"
# The simulated watchdog does not jitter. A short period keeps the test short.
tests/arduino/build-sketch.sh examples/LinkOverSerial "$out/LinkOverSerial" -DJITTER_LENGTHS=0 -DJITTER_TICKS=16 -DSELO_SKETCH_PERIOD=500
# A stack that reaches the static data is a fault.
static_end=$(avr-nm "$out/LinkOverSerial/LinkOverSerial.elf" | sed -n 's/^008\(.*\) . _end$/0x\1/p')
exec python3 tests/arduino/link-over-serial.py "${SELO_BUILT:-target/debug}/selo" target/sims/selo-simavr \
    "$out/LinkOverSerial/LinkOverSerial.elf" "$out/play" "$static_end"
