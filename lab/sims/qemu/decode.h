/*
 * From the bytes of an instruction to its class, for the instruction sets of the lab's
 * boards.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef SELO_QEMU_DECODE_H
#define SELO_QEMU_DECODE_H

#include <stddef.h>
#include <stdint.h>

#include "classes.h"

struct decoded {
    enum class class;
    uint8_t size;        /* bytes, by the instruction itself */
    uint8_t registers;   /* of a load or store of several */
    uint8_t conditional; /* a conditional branch: class is BRANCH_TAKEN */
    uint8_t loads_pc;
    uint8_t guards;      /* so many instructions after it are conditional (Thumb's IT) */
};

/* Four bytes, of which an instruction may have fewer. How many is not taken from QEMU: of the
 * one before the last on a page it tells both together. */
typedef struct decoded decoder(const uint8_t bytes[4]);

/* The decoder of a QEMU target ("arm", "aarch64", "riscv32", "xtensa"), or NULL. Of arm
 * only Thumb is known: it is all that Cortex-M has. */
decoder *decoder_of(const char *target);

#endif
