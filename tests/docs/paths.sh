#!/usr/bin/env bash
# Performs the first lines of four paths as the reader of each page would, in empty folders: the
# maker's, the firmware engineer's, the researcher's and the contributor's. The commands are read
# from the pages. (The operator's page is performed by cargo test -p selo --test site operator.)
#
# usage: tests/docs/paths.sh
# environment: SELO_BUILT     the folder of the commands (default: target/debug)
#              SELO_TEST_ALL  1: the builder of Arduino's IDE also compiles the maker's sketch
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
. tools/verdict.sh
repository=$PWD
built=$(realpath "${SELO_BUILT:-target/debug}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# block PAGE N: the content of the page's fenced block N, from 1.
block() {
    awk -v wanted="$2" '/^```/ { if (inside) inside = 0; else { inside = 1; count++; next } }
        inside && count == wanted' "docs/$1/README.md"
}

# A clone as a stranger gets one: the tracked files and nothing else.
git ls-files -z | grep -zvE '^(site/web/node_modules|target|out)/' |
    tar -c --null -T - 2>/dev/null | (mkdir "$scratch/selo" && tar -x -C "$scratch/selo")

# Firmware: the page's program, compiled by the page's line.
mkdir "$scratch/firmware"
ln -s "$scratch/selo" "$scratch/firmware/selo"
block firmware 1 >"$scratch/firmware/seal.c"
wanted=$(sed -n 's/^It prints `\(.*\)`\. .*/\1/p' docs/firmware/README.md)
said=$(cd "$scratch/firmware" && block=$(cd "$repository" && block firmware 2) && bash -euc "$block" 2>&1)
verdict "the firmware engineer's page prints what it says" "$([ -n "$wanted" ] && [ "$said" = "$wanted" ] || echo "wanted '$wanted', got '$said'")"

# Maker: the page's lines fill the folder of the Arduino IDE, whose own builder finds the sketch.
mkdir -p "$scratch/home/Arduino/libraries"
said=$(cd "$scratch" && HOME=$scratch/home bash -euc "$(cd "$repository" && block maker 1)" 2>&1)
verdict "the maker's lines copy the libraries" "$said"
sketch=$(sed -n 's/^2\. Open File > Examples > Selo > \(.*\)\.$/\1/p' docs/maker/README.md)
verdict "the maker's sketch" "$([ -s "$scratch/home/Arduino/libraries/Selo/examples/$sketch/$sketch.ino" ] || echo "no $sketch")"
if [ "${SELO_TEST_ALL:-0}" = 1 ]; then
    begun=$SECONDS
    hardware=/usr/share/arduino/hardware
    mkdir "$scratch/sketch"
    # The core's WString.cpp needs a macro that the float.h of Debian's compiler hides from C++. A
    # simulator's clocks do not jitter: the sketch takes them for random only in this test.
    said=$(arduino-builder -compile -quiet -fqbn arduino:avr:uno -hardware "$hardware" \
        -hardware /usr/share/arduino-builder -tools /usr/share/arduino-builder \
        -libraries "$scratch/home/Arduino/libraries" -build-path "$scratch/sketch" \
        -prefs runtime.tools.avr-gcc.path=/usr \
        -prefs compiler.cpp.extra_flags="-DDECIMAL_DIG=__DECIMAL_DIG__ -DJITTER_LENGTHS=0" \
        "$scratch/home/Arduino/libraries/Selo/examples/$sketch/$sketch.ino" 2>&1) && said=
    verdict "the Arduino IDE's builder compiles $sketch" "$said"
    target/sims/selo-simavr --mcu atmega328p --frequency 16000000 --limit 250000000 \
        "$scratch/sketch/$sketch.ino.elf" </dev/null >"$scratch/chip" 2>/dev/null
    said=$(sed -n 's/^recv //p' "$scratch/chip" | tr -d '\n ' | xxd -r -p | node tests/arduino/verify-seal.mjs 2>&1)
    verdict "the board seals a reading that Node.js opens" "$said"
    echo "from the copied libraries to a sealed reading on the simulated Uno: $((SECONDS - begun)) s (wall-clock)"
fi

# Researcher: every line of the page, by a user who has an empty folder for rows. A line whose
# comment says so ends with 1.
mkdir -p "$scratch/bin" "$scratch/project/target"
ln -s "$repository/target/sims" "$scratch/project/target/sims"
ln -s "$built/selo" "$built/selo-lab" "$scratch/bin"
ln -s "$repository/lab" "$repository/studies" "$repository/src" "$repository/station" "$scratch/project"
while IFS= read -r line; do
    command=${line%%#*} status=0 expected=0
    [[ $line != *"exits with 1"* ]] || expected=1
    said=$(cd "$scratch/project" && env -u SELO_PROJECT HOME="$scratch/home" PATH="$scratch/bin:$PATH" bash -c "$command" 2>&1) || status=$?
    verdict "the researcher's line: $command" "$([ "$status" = "$expected" ] || printf 'ended with %s, not %s\n%s' "$status" "$expected" "$(tail -n 5 <<<"$said")")"
done < <(block researcher 1 | grep -v '^$')
verdict "the researcher's report" "$([ -s "$scratch/project/out/report/report.html" ] || echo "no out/report/report.html")"

# Contributor: each target of make exists; the commands after the build work.
block contributor 1 >"$scratch/lines"
for target in $(sed 's/#.*//' "$scratch/lines" | grep -oE '\bmake [a-z -]+' | sed 's/^make //'); do
    said=$(make -n "$target" 2>&1 >/dev/null) && said=
    verdict "the contributor's target $target" "$said"
done
hooks=$(sed -n 's/^git config core.hooksPath \([^ ]*\).*/\1/p' "$scratch/lines")
verdict "the contributor's hooks" "$([ -x "$hooks/pre-commit" ] || echo "no $hooks/pre-commit")"
performed=0
while IFS= read -r command; do
    said=$(cd "$scratch/project" && env -u SELO_PROJECT HOME="$scratch/home" bash -c "${command//target\/release/$built}" 2>&1) && said=
    verdict "the contributor's line: $command" "$(tail -n 5 <<<"$said")"
    performed=$((performed + 1))
done < <(sed -n 's/^\(target\/release[^#]*\).*/\1/p' "$scratch/lines")
verdict "the contributor's page has lines to perform" "$([ "$performed" -ge 2 ] || echo "it has $performed")"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
