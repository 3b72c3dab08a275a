#!/usr/bin/env bash
# Tests the two chip runners and the agent firmware with the libraries that test the
# instrument: both simulators must print the same, and it must be correct.
#
# usage: tests/sims/run.sh      (needs cc, avr-gcc, node, the built runners' sources)
set -euo pipefail
cd "$(dirname "$0")/../.."
out=out/sims
mkdir -p "$out"

passed=0 failed=0
# verdict NAME CONDITION...: counts the condition, and prints it if it fails.
verdict() {
    local name=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "failed: $name" >&2
    fi
}

# ---- Build -----------------------------------------------------------------------

make -s -C lab/sims/simavr OUT="$PWD/$out"
[ -d lab/sims/avr8js/node_modules/avr8js ] || tools/npm-ci.sh lab/sims/avr8js
warnings="-std=c11 -Wall -Wextra -Wpedantic -Werror"
cc $warnings -O2 -o "$out/drive" tests/sims/drive.c lab/firmware/agent/frame.c
cc $warnings -O2 -o "$out/garbage" tests/sims/garbage.c lab/firmware/agent/frame.c
sanitize="-g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all"
native="lab/firmware/agent/agent.c lab/firmware/agent/frame.c lab/firmware/ports/native/port.c"

names() { # ALGORITHM VARIANT: the macros that the lab defines
    echo "-DAGENT_LIBRARY=\"test\" -DAGENT_VERSION=\"0\" -DAGENT_ALGORITHM=\"$1\" -DAGENT_VARIANT=\"$2\"" \
        "-DAGENT_VARIANT_${2^^}=1 -DAGENT_KEY_BYTES=16"
}

avr() { # IMAGE GLUE ALGORITHM VARIANT FLAG...
    local image=$out/$1.elf glue=$2 algorithm=$3 variant=$4
    shift 4
    avr-gcc -mmcu=atmega328p -DF_CPU=16000000UL -DPORT_BAUD=2000000UL -std=gnu11 -Os -Wall -Wextra -Werror \
        -ffunction-sections -fdata-sections -DAGENT_IO_BYTES=304 $(names "$algorithm" "$variant") "$@" \
        -I lab/firmware/agent -I lab/firmware/ports/avr -I src -I lab/libraries/common lab/firmware/agent/agent.c lab/firmware/agent/frame.c \
        lab/firmware/ports/avr/port.c "$glue" src/selo/aes/*.c src/selo/native/avr/aes_*.S src/selo/common/*.c -Wl,--gc-sections -o "$image"
}

avr aes lab/libraries/selo/block.c aes-128 fast -DSELO_CIPHER=selo_aes128_fast
for library in wrong leaky; do
    avr "$library" "lab/libraries/test-$library/glue.c" aes-128 fast
done
avr hog-frame lab/libraries/test-stack-hog/glue.c probe frame
avr hog-recursion lab/libraries/test-stack-hog/glue.c probe recursion
for library in frames hang crash; do
    avr "$library" "lab/libraries/test-$library/glue.c" probe "$library"
done

avr ends lab/libraries/test-hang/glue.c probe hang -DENDS=1

# on RUNNER IMAGE [OPTION...]: commands on standard input, answers on standard output
on() {
    local runner=$1 image=$out/$2.elf end
    shift 2
    end=$(avr-nm "$image" | awk '$3 == "_end" { print substr($1, 3) }')
    # A later --limit overrides this one.
    case $runner in
    simavr) set -- "$out/selo-simavr" --limit 100000000 "$@" ;;
    avr8js) set -- node lab/sims/avr8js/selo-avr8js.mjs --limit 100000000 "$@" ;;
    esac
    "$out/drive" "$@" --mcu atmega328p --frequency 16000000 --static-end "0x${end: -4}" "$image" 2>/dev/null
}

# ---- Both simulators, line for line ------------------------------------------------------

key=000102030405060708090a0b0c0d0e0f
plain=00112233445566778899aabbccddeeff
cipher=69c4e0d86a7b0430d8cdb78070b4c55a # [FIPS197, appendix C.1]

# Sends standard input to both runners, and puts simavr's answers into $answer.
both() {
    local image=$1 commands
    shift
    commands=$(cat)
    answer=$(on simavr "$image" "$@" <<<"$commands") || true
    other=$(on avr8js "$image" "$@" <<<"$commands") || true
    verdict "$image: simavr and avr8js differ:
$(diff <(echo "$answer") <(echo "$other") || true)" [ "$answer" = "$other" ]
}
says() { verdict "$1: no line with '$2' in:
$answer" grep -qE -- "$2" <<<"$answer"; }

both aes <<<"hello
run empty
run key-setup $key
run encrypt $plain
run decrypt $cipher
run encrypt ${plain:2}
run encrypt
run encrypt $plain $plain $plain $plain $plain"
says aes '^hello avr test 0 aes-128 fast: empty key-setup encrypt decrypt$'
says aes '^empty status=0 cycles=2 slept=0 stack=0 '
says aes "^encrypt status=0 .*out=$cipher\$"
says aes "^decrypt status=0 .*out=$plain\$"
says aes '^encrypt status=200 '
says aes '^encrypt refused=3$'
# The stack found by painting must equal the stack that the runner observed.
verdict "painted and watched stack differ: $answer" \
    awk -F'[ =]' '/cycles=[0-9][0-9][0-9]/ { n++; if ($9 != $11) bad = 1 } END { exit bad || n < 3 }' <<<"$answer"

both wrong <<<"hello
run key-setup $key
run encrypt $plain"
verdict "wrong: encrypts rightly" grep -qv "$cipher" <<<"$answer"
says wrong '^encrypt status=0 cycles=[0-9]+ .*out=[0-9a-f]{32}$'

both leaky <<<"hello
run key-setup $key
run encrypt $plain
run encrypt $cipher"
says leaky "out=$cipher"
verdict "leaky: no spread in $answer" \
    [ "$(grep '^encrypt' <<<"$answer" | grep -o 'cycles=[0-9]*' | sort -u | wc -l)" = 2 ]

both frames <<<"hello
run frame-400
run frame-800
run frame-torn"
says frames '^frame-400 .* stack=400 painted=400 '
says frames '^frame-800 .* stack=800 painted=800 '
says frames '^frame-torn '
torn=$(sed -n 's/^frame-torn .* stack=\([0-9]*\) .*out=\(..\)\(..\)$/\1 0x\3\2/p' <<<"$answer")
verdict "frames: torn frame reads ${torn% *} instead of ${torn#* }" [ "${torn% *}" -eq "$((${torn#* }))" ]

both hog-frame <<<"hello
run hog"
says hog-frame '^fault kind=stack-collision '
says hog-frame '^stopped reason=fault '
both hog-recursion <<<"hello
run hog"
says hog-recursion '^fault kind=stack-collision '

# The pc at the limit depends on how many cycles a simulator runs at once.
for runner in simavr avr8js; do
    answer=$(on "$runner" hang --limit 3000000 <<<"hello
run hang") || true
    says "hang on $runner" '^stopped reason=cycle-limit pc='
done

both ends <<<"hello
run hang"
says ends '^stopped reason=halted '

for case in invalid-read:invalid-read invalid-write:invalid-write invalid-opcode:invalid-opcode \
    read-past-flash:flash-read-out-of-bounds jump-past-flash:flash-read-out-of-bounds mark-order:mark-order; do
    both crash <<<"hello
run ${case%:*}"
    says "crash ${case%:*}" "^fault kind=${case#*:} pc=0x[0-9a-f]{4} address=0x[0-9a-f]{4}\$"
done
for runner in simavr avr8js; do
    answer=$(on "$runner" crash <<<"hello
run halt") || true
    says "halt on $runner" '^stopped reason=halted'
done

# ---- The agent and garbage ------------------------------------------------------------------

hello_reply=$(on simavr aes <<<"raw 000501011f3e00" | sed -n 's/^raw 1 //p')
for seed in 1 2 3; do
    "$out/garbage" "$seed" 40 | od -An -v -tx1 | tr -d ' \n' >"$out/garbage.hex"
    both aes <<<"raw $(cat "$out/garbage.hex")
raw 000501011f3e00"
    verdict "agent: no HELLO after garbage $seed" [ "$(sed -n '2s/^raw 1 //p' <<<"$answer")" = "$hello_reply" ]
done

for image in aes:lab/libraries/selo/block.c mode:lab/libraries/selo/mode.c; do
    algorithm=aes-128 extra=-DAGENT_ALGORITHM_AES_128=1
    [ "${image%%:*}" = aes ] || algorithm=aes-128-cbc extra=-DAGENT_ALGORITHM_AES_128_CBC=1
    cc $sanitize -std=gnu11 -Wall -Wextra -Werror -pthread -DAGENT_IO_BYTES=304 $(names "$algorithm" fast) "$extra" \
        -DSELO_CIPHER=selo_aes128_fast -I lab/firmware/agent -I lab/firmware/ports/native -I src -I lab/libraries/common $native "${image#*:}" \
        src/selo/aes/*.c src/selo/mode/*.c src/selo/common/*.c -o "$out/native-${image%%:*}"
    for seed in 1 2 3 4; do
        status=0
        "$out/garbage" "$seed" 5000 | "$out/native-${image%%:*}" >"$out/native.out" || status=$?
        # The last frame must be the reply to HELLO, sequence 0x5a.
        last=$(od -An -v -tx1 -w1 "$out/native.out" | awk '$1 != "00" { frame = frame $1; next } { last = frame; frame = "" } END { print last }')
        verdict "native ${image%%:*}: exit $status after garbage $seed, last frame $last" \
            eval '[ "$status" = 0 ] && [[ $last =~ ^[0-9a-f]{2}815a01 ]]'
    done
done

# ---- The runners themselves ----------------------------------------------------------------

: >"$out/empty"
head -c 60 "$out/aes.elf" >"$out/no-table.elf"
head -c 1000 "$out/aes.elf" >"$out/no-code.elf"
for runner in "$out/selo-simavr" "node lab/sims/avr8js/selo-avr8js.mjs"; do
    chip="--mcu atmega328p --frequency 16000000"
    refuses() { # WHAT PATTERN ARGUMENT...
        local what=$1 pattern=$2 text status=0
        shift 2
        text=$($runner "$@" </dev/null 2>/dev/null) || status=$?
        verdict "$runner: $what: exit $status, $text" eval '[ "$status" = 2 ] && [[ $text =~ ^error.*$pattern ]]'
    }
    refuses "no arguments" "needed"
    refuses "no such file" "cannot read" $chip "$out/none.elf"
    refuses "an empty file" "not an AVR ELF" $chip "$out/empty"
    refuses "a program of this PC" "not an AVR ELF" $chip "$out/drive"
    refuses "an image without its table" "truncated" $chip "$out/no-table.elf"
    refuses "an image without its code" "truncated" $chip "$out/no-code.elf"
    refuses "an unknown chip" "not know the chip z80" --mcu z80 --frequency 1 "$out/aes.elf"
    refuses "a bad number" "needs a number" --mcu atmega328p --frequency fast "$out/aes.elf"
    text=$(printf 'send 0g\n' | $runner $chip "$out/aes.elf" 2>/dev/null) && status=0 || status=$?
    verdict "$runner: bad hex: exit $status" eval '[ "$status" = 2 ] && [[ $text == *error* ]]'
    text=$($runner $chip "$out/aes.elf" </dev/null 2>/dev/null) && status=0 || status=$?
    verdict "$runner: end of input: exit $status" eval '[ "$status" = 0 ] && [[ $text == *"stopped reason=quit"* ]]'
    text=$(printf 'limit 100000000\nreset\nsend 000501011f3e00\nquit\n' | $runner $chip "$out/aes.elf" 2>/dev/null) && status=0 || status=$?
    verdict "$runner: reset: exit $status, $text" eval '[ "$status" = 0 ] && [[ $text == *"recv $hello_reply"* ]]'
done

. tests/sims/paced.sh
. tests/sims/wires.sh

echo "sims: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
