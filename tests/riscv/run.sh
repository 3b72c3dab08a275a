#!/usr/bin/env bash
# Compares the kernels for RV32 (src/selo/native/riscv32/) on an emulated core with the portable C on
# this machine (tests/avr/kernel.sh).
#
# usage: tests/riscv/run.sh [--figures] [WHAT...]   (default: every kernel)
#        --figures prints what out/riscv/kernels.txt always gets: instructions and stack of each
#        kernel for each instruction set, beside those of the C; and the flash of each kernel
# environment: SELO_RISCV_SETS  the instruction sets (default: rv32imc rv32imc_zbb)
#              SELO_RISCV_CC    the compiler (default: riscv64-unknown-elf-gcc)
#              SELO_KERNEL_CASES  the number of inputs of most functions (default: 1000)
#              SELO_KERNEL_C    the instruction sets that also run the portable C (default: all)
set -euo pipefail
cd "$(dirname "$0")/../.."

target=riscv
prefix=riscv64-unknown-elf
cc=${SELO_RISCV_CC:-$prefix-gcc}
read -ra sets <<<"${SELO_RISCV_SETS:-rv32imc rv32imc_zbb}"
flags_of() { echo "-march=$1 -mabi=ilp32 -specs=picolibc.specs"; }
# The C library has no folder for each extension, so the linker gets the set without them.
link_flags="-march=rv32imc -mabi=ilp32 -specs=picolibc.specs -Wl,--defsym=port_code=0x80000000 -Wl,--defsym=port_data=0x80420000"
port="lab/firmware/ports/bare/semihosting.c lab/firmware/ports/bare/support.c lab/firmware/ports/riscv32/core.c"
kernels=$(echo src/selo/native/riscv32/*.S)
machine="qemu-system-riscv32 -M virt -bios none -display none -monitor none -serial none -semihosting-config enable=on,target=native -kernel {image}"
. tests/avr/kernel.sh

figures=0
if [ "${1:-}" = --figures ]; then
    figures=1
    shift
fi
[ $# -gt 0 ] || set -- aes aes_table ascon blake2s chacha20 chacha20_poly1305 ghash keccak mlkem poly1305 sha256 sha512 x25519 x25519_whole
compare_kernels $figures "$@"
