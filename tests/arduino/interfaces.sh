#!/usr/bin/env bash
# Checks that a sketch compiles for boards and libraries that are no packages of Debian, against the
# declarations in tests/arduino/interfaces: for the Uno with its real core, and for ESP32 and ESP8266.
# It finds a wrong name, type or number of arguments. It does not show that the sketch runs.
#
# usage: tests/arduino/interfaces.sh [-DNAME=VALUE]... SKETCH...
# environment: ARDUINO_AVR  the platform's folder
set -euo pipefail
cd "$(dirname "$0")/../.."
platform=${ARDUINO_AVR:-/usr/share/arduino/hardware/arduino/avr}
declared=tests/arduino/interfaces
strict=(-Os -x c++ -std=gnu++11 -fsyntax-only -Wall -Wextra -Werror -Isrc -I"$declared/any")

while [[ ${1-} == -D* ]]; do
    strict+=("$1")
    shift
done
for sketch in "$@"; do
    source=examples/$sketch/$sketch.ino
    avr-g++ "${strict[@]}" -mmcu=atmega328p -DF_CPU=16000000L -DARDUINO=10819 -DARDUINO_ARCH_AVR \
        -I"$platform/cores/arduino" -I"$platform/variants/standard" -I"$platform/libraries/SPI/src" \
        -include Arduino.h "$source"
    for chip in ESP32 ESP8266; do
        g++ "${strict[@]}" -D"$chip" -I"$declared/esp" -include Arduino.h "$source"
    done
    echo "$sketch: types agree for the Uno, ESP32 and ESP8266"
done
