#!/usr/bin/env bash
# Compares the kernels for Xtensa (src/selo/native/xtensa/) on an emulated LX106, the core of ESP8266,
# with the portable C on this machine (tests/avr/kernel.sh).
#
# usage: tests/xtensa/run.sh [--figures] [WHAT...]   (default: every kernel)
#        --figures prints what out/xtensa/kernels.txt always gets: instructions and stack of each
#        kernel, beside those of the C; and the flash of each kernel
# environment: SELO_KERNEL_CASES  the number of inputs of most functions (default: 1000)
#              SELO_KERNEL_C      nothing to leave the portable C out, lx106 (the default) to run it
set -euo pipefail
cd "$(dirname "$0")/../.."

target=xtensa
prefix=xtensa-lx106-elf
cc=$prefix-gcc
sets=(lx106)
flags_of() { echo "-mtext-section-literals"; }
link_flags="-Wl,--defsym=port_code=0x50000000 -Wl,--defsym=port_data=0x60000000"
port="lab/firmware/ports/bare/support.c lab/firmware/ports/lx106/core.c lab/firmware/ports/lx106/rom.c"
kernels=$(echo src/selo/native/xtensa/*.S)
machine="qemu-system-xtensa -M sim -cpu lx106 -display none -monitor none -serial none -semihosting -kernel {image}"
. tests/avr/kernel.sh

figures=0
if [ "${1:-}" = --figures ]; then
    figures=1
    shift
fi
[ $# -gt 0 ] || set -- aes aes_table ascon blake2s chacha20 ghash keccak mlkem poly1305 sha256 sha512 x25519 x25519_whole
compare_kernels $figures "$@"
