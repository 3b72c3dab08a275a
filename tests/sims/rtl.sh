#!/usr/bin/env bash
# Builds one simulated core and compares it with Icarus Verilog, which has a memory of its own. Then
# breaks that memory's clock: the comparison must fail. `make rtl` does all comparisons of all cores.
#
# usage: tests/sims/rtl.sh      (needs verilator, iverilog, riscv64-unknown-elf-gcc, pip)
set -euo pipefail
cd "$(dirname "$0")/../.."
board=vexriscv-min
passed=0 failed=0
verdict() { # NAME STATUS
    if [ "$2" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "failed: $1" >&2
    fi
}

lab/sims/rtl/build.py "$board"
status=0
lab/sims/rtl/gate.py --quick "$board" || status=1
verdict "equal to Icarus Verilog" $status

broken=$(mktemp -d)
trap 'rm -rf "$broken"' EXIT
mkdir -p "$broken/lab/sims"
cp -r lab/sims/rtl "$broken/lab/sims"
ln -s "$PWD/target" "$PWD/src" "$broken/"
ln -s "$PWD/lab/firmware" "$PWD/lab/boards" "$broken/lab/"
sed -i 's/cycle <= cycle + 1;/cycle <= cycle + 2;/' "$broken/lab/sims/rtl/gate/bench.v"
status=1
"$broken/lab/sims/rtl/gate.py" --lab none --quick "$board" >"$broken/said" && status=2
grep -q 'icarus: FAILED: spans' "$broken/said" && [ $status -eq 1 ] && status=0
verdict "another clock is seen" $status

# The runner says what it cannot do.
lines=$(target/sims/selo-rtl-$board --mcu gate --frequency 0 nothing.elf || true)
status=0
[ "$lines" = "error cannot read nothing.elf" ] || status=1
verdict "a missing image is an error" $status

echo "rtl: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
