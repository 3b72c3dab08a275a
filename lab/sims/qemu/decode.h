/*
 * Decodes the class of an instruction from its bytes, for the instruction sets of the
 * lab's boards.
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
    uint8_t guards;      /* number of conditional instructions after it (Thumb's IT) */
};

/* Takes four bytes; the instruction may be shorter. The size does not come from QEMU: for the last
 * instruction but one of a page, QEMU reports the size of both. */
typedef struct decoded decoder(const uint8_t bytes[4]);

/* Returns the decoder of a QEMU target ("arm", "aarch64", "riscv32", "xtensa"), or NULL. For
 * arm it only knows Thumb, because Cortex-M has nothing else. */
decoder *decoder_of(const char *target);

#endif
