# Tests the clock, the console pin, watched pins and the supply of selo-simavr, with the program
# wires.c. run.sh sources this file, and provides `verdict` and $out.

avr-gcc -mmcu=atmega328p -DF_CPU=16000000UL -std=gnu11 -Os -Wall -Wextra -Wpedantic -Werror \
    tests/sims/wires.c -o "$out/wires.elf"

# wires OPTIONS LINE...: puts the answers into $answer.
wires() {
    local options=$1
    shift
    # shellcheck disable=SC2086 # options are words
    answer=$(printf '%s\n' "$@" quit | "$out/selo-simavr" --mcu atmega328p --frequency 16000000 --paced \
        $options "$out/wires.elf" 2>/dev/null) || true
}
heard() { sed -n "s/^$1 //p" <<<"$answer" | tr -d '\n'; }

# 2026-11-22 09:06:51, a Sunday; 25 degrees; 1.1 V of 5 V are 225 steps.
wires "--ds3231 1795338411 --watch D4 --console D7:9600" 'advance 300000'
verdict "wires: the clock says $(heard recv)" [ "$(heard recv)" = 51060901221126001900e10000 ]
verdict "wires: the console says $(heard console)" [ "$(heard console)" = 4162 ]
verdict "wires: the pin says $(heard pin)" \
    grep -qE '^D 4 1 cycle=[0-9]+D 4 0 cycle=[0-9]+$' <<<"$(heard pin)"

# Time passes with the chip's cycles. The program sets a time shortly before midnight of a year's end,
# and clears the flag of a stopped oscillator.
wires "--ds3231 0" 'temperature -475' 'supply 3300' 'advance 300000' 'send 00' 'advance 48000000' \
    reset 'advance 300000'
verdict "wires: a clock without power says $(heard recv)" \
    [ "$(heard recv)" = 00000007010100''80fb405501005859230331123000fb405501000100000401013100fb40550100 ]

# A driven pin keeps its level over a reset.
wires "--ds3231 0" 'pin D 2 1' 'advance 300000' reset 'advance 300000' 'pin D 2 0' reset 'advance 300000'
verdict "wires: D2 and a reset: $(heard recv)" grep -qE '^.{24}04.{24}04.{24}00$' <<<"$(heard recv)"

# At another rate there is no text.
wires "--console D7:115200" 'advance 300000'
verdict "wires: text at another rate: $(heard console)" [ "$(heard console)" != 4162 ]

for options in "--watch" "--watch D8" "--watch d4" "--watch D4x" "--console D7" "--console D7:0" \
    "--console D7:9600x" "--watch Z0" "--ds3231 now"; do
    wires "$options" 'advance 10'
    verdict "wires: accepted '$options': $answer" grep -q '^error ' <<<"$answer"
done
for line in 'temperature 20000' 'temperature' 'temperature --5' 'supply 900' 'supply x'; do
    wires "--ds3231 5" "$line"
    verdict "wires: accepted '$line': $answer" grep -q '^error ' <<<"$answer"
done
wires "" 'temperature 100'
verdict "wires: a temperature without a clock: $answer" grep -q '^error temperature needs' <<<"$answer"
