# Tests the paced mode, the EEPROM and the pins of selo-simavr, with the program paced.c.
# run.sh sources this file, and provides `verdict` and $out.

avr-gcc -mmcu=atmega328p -DF_CPU=16000000UL -std=gnu11 -Os -Wall -Wextra -Wpedantic -Werror \
    tests/sims/paced.c -o "$out/paced.elf"

# paced LINE...: sends the lines to the runner, and puts its answers into $answer. The program's
# set-up takes the first millisecond, which passes before the lines.
paced_options=""
paced() {
    answer=$(printf '%s\n' 'advance 16000' "$@" quit |
        "$out/selo-simavr" --mcu atmega328p --frequency 16000000 --static-end 0x300 --paced $paced_options \
            "$out/paced.elf" 2>/dev/null | tail -n +3) || true
}
received() { sed -n 's/^recv //p' <<<"$answer" | tr -d '\n'; }
cycle_of() { sed -n "s/^$1 cycle=\([0-9]*\) .*/\1/p" <<<"$answer" | tail -n 1; }
answers() { verdict "paced: $1: $(received) instead of $2 in:
$answer" [ "$(received)" = "$2" ]; }

# Nothing happens without advance. Sleeping counts simulated time: 1,000 ticks, 0x03e8.
paced 'send 74' 'save'
verdict "paced: runs without advance: $answer" grep -q '^error save needs --eeprom' <<<"$answer"
paced 'advance 16000000' 'send 74' 'advance 16000'
answers "ticks in a second" e803
verdict "paced: a second and two milliseconds are not at $(cycle_of paused)" \
    eval '[ "$(cycle_of paused)" -ge 16032000 ] && [ "$(cycle_of paused)" -le 16032020 ]'

# Without its timer only a byte wakes the chip, but time passes.
paced 'send 71' 'advance 16000' 'advance 1000000000000' 'send 41' 'advance 16000'
answers "a byte after an idle day" 41
verdict "paced: not idle: $answer" [ "$(grep -c '^idle ' <<<"$answer")" = 3 ]
verdict "paced: idle time did not pass: $answer" [ "$(cycle_of idle)" -gt 1000000000000 ]

# A byte takes 10 bits at 115,200 baud (1,360 cycles; the program's divider gives 117,647).
paced 'send 4142' 'advance 1300' 'advance 200' 'advance 1300' 'advance 300'
verdict "paced: bytes do not take their time: $answer" \
    [ "$(grep -o '^[a-z]*' <<<"$answer" | tr '\n' ' ')" = "paused recv paused paused recv paused stopped " ]

# While the chip computes, no byte is lost and none is late.
bytes=$(for i in $(seq 128 187); do printf '%02x' "$i"; done)
paced "send 6308$bytes" 'advance 160000' 'advance 160000'
answers "bytes during a computation" "3c$bytes"
whole=$(sed -n 's/^span cycles=\([0-9]*\) .*/\1/p' <<<"$answer")
mapfile -t slices < <(for i in $(seq 320); do echo 'advance 1000'; done)
paced "send 6308$bytes" "${slices[@]}"
answers "the same in slices" "3c$bytes"
sliced=$(sed -n 's/^span cycles=\([0-9]*\) .*/\1/p' <<<"$answer")
verdict "paced: $whole cycles at once, $sliced in slices" \
    eval '[ -n "$whole" ] && [ $((whole - sliced)) -le 40 ] && [ $((sliced - whole)) -le 40 ]'

# A reset empties the UART, and restarts the measurement of the deepest stack.
paced "send 4142434445464748" 'advance 4500' reset 'advance 160000'
answers "bytes in flight at a reset" 414243
paced 'send 64' 'advance 16000' reset 'advance 16000'
verdict "paced: stack depth: $answer" [ "$(grep -o 'stack=[0-9]*' <<<"$answer" | tr '\n' ' ')" = "stack=306 stack=4 " ]
paced 'send 68' 'advance 16000'
verdict "paced: no stack collision: $answer" grep -q '^fault kind=stack-collision ' <<<"$answer"

# A reset between the halves of a store is not a stack collision.
resets=()
for cycle in {0..15}; do
    resets+=('send 73' "advance $((16000 + cycle))" reset)
done
paced "${resets[@]}" 'send 41' 'advance 16000'
answers "resets while the stack pointer is stored" 41

# A button: the pull-up, a press while the program writes the port, the release, and a reset.
paced 'send 70' 'advance 16000' 'pin B 0 0' 'advance 16000' 'send 70' 'advance 16000' \
    reset 'advance 16000' 'send 70' 'advance 16000' 'pin B 0 1' 'advance 16000'
answers "a pin" 0100000001
paced 'send 71' 'advance 16000' 'pin B 0 0' 'advance 16000'
answers "a pin wakes the chip" 00

# A low level interrupts again and again: if the pin is low before, if it becomes low later, a second
# time, and never while it is high.
paced 'pin D 2 0' 'advance 16000' 'send 6c' 'advance 16000' 'send 6c' 'advance 16000'
answers "a level that was low" 6c4c6c4c
paced 'pin D 2 1' 'send 6c' 'advance 160000' 'pin D 2 0' 'advance 16000' 'send 74' 'advance 16000'
answers "a level that becomes low" 6c4c0b00
paced 'pin D 2 1' 'send 6c' 'advance 160000'
answers "a high level" 6c
paced 'pin D 2 0' reset 'advance 16000' 'send 6c' 'advance 16000'
answers "a level that is low through a reset" 6c4c

# The EEPROM: a missing file means erased; programming takes 3.4 ms (54,400 cycles); a power cut
# meanwhile corrupts the byte; the file has the content of an interrupted chip, and is read again.
ee=$out/eeprom.bin
rm -f "$ee" "$ee".*
paced_options="--eeprom $ee"
paced 'send 7201' 'advance 16000'
answers "an erased EEPROM" ff
paced 'send 650142' 'advance 58000' 'advance 2000' 'send 770243' 'advance 8000' save
verdict "paced: EEPROM written too soon: $answer" \
    [ "$(grep -o '^[a-z]*' <<<"$answer" | tr '\n' ' ')" = "paused recv paused recv paused saved stopped " ]
verdict "paced: file is $(od -An -tx1 -N4 "$ee")" [ "$(od -An -tx1 -N4 "$ee")" = " ff 42 ff ff" ]
paced 'send 72017702447202' 'advance 80000'
answers "an EEPROM that was kept" 425744
paced 'send 770244' 'advance 8000'
verdict "paced: interrupted file is $(od -An -tx1 -N4 "$ee")" [ "$(od -An -tx1 -N4 "$ee")" = " ff 42 ff ff" ]
paced 'send 650244' 'advance 80000'
paced 'send 770245' 'advance 16000' reset 'advance 16000' 'send 72017202' 'advance 16000'
answers "a byte torn by a reset" 5742ff
verdict "paced: left a temporary file" eval '[ -z "$(ls "$ee".* 2>/dev/null)" ]'
verdict "paced: EEPROM has $(stat -c %s "$ee") bytes" [ "$(stat -c %s "$ee")" = 1024 ]
head -c 100 "$ee" >"$out/short.bin"
paced_options="--eeprom $out/short.bin"
answer=$("$out/selo-simavr" --mcu atmega328p --frequency 16000000 --eeprom "$out/short.bin" "$out/paced.elf" </dev/null 2>/dev/null) || true
verdict "paced: accepted a short EEPROM: $answer" grep -q '^error .*not the contents of an EEPROM of 1024 bytes' <<<"$answer"
paced_options="--eeprom $out/none/eeprom.bin"
paced save
verdict "paced: saved into a missing folder: $answer" grep -q '^error cannot write' <<<"$answer"
paced_options=""

# Invalid lines and options.
for line in 'limit 5' 'pin Z 0 1' 'pin B 8 1' 'pin B 0 2' 'advance' 'advance -1'; do
    paced "$line"
    verdict "paced: accepted '$line': $answer" grep -q '^error ' <<<"$answer"
done
answer=$(printf 'advance 5\n' | "$out/selo-simavr" --mcu atmega328p --frequency 16000000 "$out/aes.elf" 2>/dev/null) || true
verdict "advance without --paced: $answer" grep -q '^error advance needs --paced' <<<"$answer"
answer=$("$out/selo-simavr" --mcu atmega328p --frequency 16000000 --paced --limit 5 "$out/aes.elf" </dev/null 2>/dev/null) || true
verdict "--limit with --paced: $answer" grep -q '^error --limit means nothing' <<<"$answer"
