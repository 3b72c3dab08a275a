#!/usr/bin/env bash
# Compiles a sketch for the Arduino Uno as the Arduino IDE does, without the IDE. Core, variant and
# flags come from boards.txt and platform.txt of the installed platform (Debian: arduino-core-avr).
# The libraries are all sources under src/, and under station/src/ for a sketch below station/.
# Prints the sizes, and fails if the image does not fit the board.
# usage: tests/arduino/build-sketch.sh SKETCH_FOLDER OUT_FOLDER [COMPILER_FLAG]...
# result: OUT_FOLDER/<sketch>.elf
# environment: ARDUINO_AVR  the platform's folder
set -euo pipefail

root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
platform=${ARDUINO_AVR:-/usr/share/arduino/hardware/arduino/avr}
sketch=${1%/} out=$2
shift 2
name=$(basename "$sketch")
mkdir -p "$out/core" "$out/sketch"

board() { sed -n "s/^uno\.$1=//p" "$platform/boards.txt"; }
# A flags value of platform.txt. The caller sets the warnings.
flags() {
    sed -n "s/^compiler\.$1\.flags=//p" "$platform/platform.txt" | sed "s/{compiler.warning_flags}/$2/"
}

mcu=$(board build.mcu)
# ARDUINO is the version of the IDE for the core: 1.8.19, the last of the 1.8 line.
machine=(-mmcu="$mcu" -DF_CPU="$(board build.f_cpu)" -DARDUINO=10819
    -DARDUINO_"$(board build.board)" -DARDUINO_ARCH_AVR
    -I"$platform/cores/$(board build.core)" -I"$platform/variants/$(board build.variant)")

# compile FLAGS_OF WARNINGS SOURCE OBJECT [EXTRA]...
compile() {
    local language=$1 warnings=$2 source=$3 object=$4 tool=avr-gcc
    shift 4
    [ "$language" != cpp ] || tool=avr-g++
    mkdir -p "$(dirname "$object")"
    # shellcheck disable=SC2046 # the platform's flags are words
    $tool $(flags "$language" "$warnings") "${machine[@]}" "$@" "$source" -o "$object"
}

language_of() {
    case $1 in
    *.cpp) echo cpp ;;
    *.S) echo S ;;
    *) echo c ;;
    esac
}

# The float.h of avr-gcc 5.4 (Debian's) hides DECIMAL_DIG from C++, but the core's WString.cpp needs
# it. A newer float.h defines it again, with the same value.
core_fix=-DDECIMAL_DIG=__DECIMAL_DIG__

# The core is the same for all sketches, so it is compiled once for each output root.
core=$(dirname "$out")/core.a
if [ ! -e "$core" ] || [ "$platform/platform.txt" -nt "$core" ]; then
    objects=()
    while read -r source; do
        object=$out/core/$(basename "$source").o
        compile "$(language_of "$source")" -w "$source" "$object" $core_fix
        objects+=("$object")
    done < <(find "$platform/cores/$(board build.core)" -name '*.c' -o -name '*.cpp' -o -name '*.S' | sort)
    rm -f "$core"
    avr-gcc-ar rcs "$core" "${objects[@]}"
fi

# The IDE turns off the warnings of libraries; here they are errors. library.properties has
# dot_a_linkage=true: the library becomes an archive, from which a sketch links only the objects
# that it calls, with their interrupts.
strict="-Wall -Wextra -Werror"
include=(-I"$root/src")
archives=()
# archive ARCHIVE FOLDER FLAG...: archives the library in FOLDER. It may include all of `include`.
archive() {
    local archive=$1 folder=$2 source object
    shift 2
    grep -q '^dot_a_linkage=true$' "$folder/library.properties"
    archives=("$archive" "${archives[@]}")
    if [ -e "$archive" ] && [ -z "$(find "$folder/src" "$root/src" -newer "$archive" -print -quit)" ]; then
        return
    fi
    rm -f "$archive" "$archive.part"
    while read -r source; do
        object=${archive%.a}/${source#"$folder/src/"}.o
        compile "$(language_of "$source")" "$strict" "$source" "$object" "${include[@]}" "$@"
        # Add the objects one by one, as the IDE does: the last of two objects with one name
        # replaces the other.
        avr-gcc-ar rcs "$archive.part" "$object"
    done < <(find "$folder/src" -name '*.c' -o -name '*.cpp' -o -name '*.S' | sort)
    mv "$archive.part" "$archive"
}
# The device library is compiled once for each output root, and once more for flags that it reads.
# The flags of a sketch or of the station do not concern it.
own=()
for flag; do
    case $flag in
    -DSELO_STATION_* | -DSELO_SKETCH_*) ;;
    -DSELO_*) own+=("$flag") ;;
    esac
done
key=$(printf '%s' "${own[*]}" | tr -c 'A-Za-z0-9_=' -)
archive "$(dirname "$out")/library$key.a" "$root" "${own[@]}"
case $(CDPATH='' cd -- "$sketch" && pwd) in
"$root"/station/*)
    include+=(-I"$root/station/src")
    archive "$out/station.a" "$root/station" "$@"
    ;;
esac

# An .ino is C++, with Arduino.h included first.
printf '#include <Arduino.h>\n#line 1 "%s.ino"\n' "$name" | cat - "$sketch/$name.ino" >"$out/sketch/$name.ino.cpp"
compile cpp "$strict" "$out/sketch/$name.ino.cpp" "$out/sketch/$name.ino.o" -I"$sketch" "${include[@]}" "$@"

# shellcheck disable=SC2046
avr-gcc $(flags c.elf "-Wall") -mmcu="$mcu" -o "$out/$name.elf" "$out/sketch/$name.ino.o" "${archives[@]}" "$core" -lm

sizes=$(avr-size -A "$out/$name.elf" | awk '
    $1 == ".text" || $1 == ".data" { flash += $2 }
    $1 == ".data" || $1 == ".bss" || $1 == ".noinit" { ram += $2 }
    END { print flash, ram }')
read -r flash ram <<<"$sizes"
echo "$name: flash $flash of $(board upload.maximum_size) bytes, static RAM $ram of $(board upload.maximum_data_size) bytes"
if [ "$flash" -gt "$(board upload.maximum_size)" ] || [ "$ram" -gt "$(board upload.maximum_data_size)" ]; then
    echo "$name: does not fit the board" >&2
    exit 1
fi
