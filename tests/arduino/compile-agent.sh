#!/usr/bin/env bash
# Compiles the lab's sketch for the Uno with the builder of Arduino's IDE and Debian's copy of the
# core. For other cores arduino-cli does this, but Debian does not package it.
#
# usage: tests/arduino/compile-agent.sh SKETCH_FOLDER BUILD_FOLDER [FLAG]...
# result: BUILD_FOLDER/agent.ino.elf
set -euo pipefail
sketch=$1 build=$2
shift 2
hardware=${ARDUINO_HARDWARE:-/usr/share/arduino/hardware}
# The core's WString.cpp needs a macro that the float.h of Debian's compiler hides from C++.
core_fix=-DDECIMAL_DIG=__DECIMAL_DIG__
exec arduino-builder -compile -quiet -fqbn arduino:avr:uno \
    -hardware "$hardware" -hardware /usr/share/arduino-builder -tools /usr/share/arduino-builder \
    -build-path "$build" -prefs runtime.tools.avr-gcc.path=/usr \
    -prefs compiler.c.extra_flags="$*" -prefs compiler.cpp.extra_flags="$core_fix $*" \
    -prefs compiler.S.extra_flags="$*" "$sketch/agent.ino"
