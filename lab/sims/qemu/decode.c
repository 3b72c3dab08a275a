/*
 * Decodes the class of an instruction from its bytes: Thumb [ARMV7M, A5],
 * AArch64 [ARMV8A, C4], RISC-V [RISCV, 16 and 24] and Xtensa [XTENSA, 7].
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "decode.h"

#include <string.h>

static struct decoded plain(enum class class) { return (struct decoded){.class = class}; }

static struct decoded several(enum class class, unsigned registers)
{
    return (struct decoded){.class = class, .registers = (uint8_t)registers};
}

static struct decoded conditional(void)
{
    return (struct decoded){.class = BRANCH_TAKEN, .conditional = 1};
}

static unsigned ones(unsigned bits)
{
    unsigned count = 0;
    for (; bits != 0; bits &= bits - 1)
        count++;
    return count;
}

static struct decoded pop(unsigned registers, int with_pc)
{
    struct decoded out = several(LOAD_MULTIPLE, registers);
    out.loads_pc = (uint8_t)with_pc;
    return out;
}

/* ---- Thumb ----------------------------------------------------------------------------- */

static struct decoded thumb_it(unsigned mask)
{
    struct decoded out = plain(ALU);
    unsigned lowest = 0;
    while (!(mask >> lowest & 1))
        lowest++;
    out.guards = (uint8_t)(4 - lowest);
    return out;
}

static struct decoded thumb16(unsigned h)
{
    unsigned top = h >> 12;
    if (top < 4)
        return plain(ALU);
    if (top == 4) {
        if ((h & 0xFFC0) == 0x4340)
            return plain(MULTIPLY);
        if (h < 0x4400)
            return plain(ALU);
        if (h >= 0x4800)
            return plain(LOAD);
        if (h >= 0x4700)
            return plain(JUMP_REGISTER);
        /* ADD and MOV may write the program counter; CMP (0x45) does not. */
        int to_pc = (h & 0xFF00) != 0x4500 && (h & 0x87) == 0x87;
        return plain(to_pc ? JUMP_REGISTER : ALU);
    }
    if (top == 5)
        return plain((h >> 9 & 7) < 3 ? STORE_INDEXED : LOAD);
    if (top < 0xA)
        return plain(h & 0x0800 ? LOAD : STORE);
    if (top == 0xA)
        return plain(ALU);
    if (top == 0xB) {
        if ((h & 0xF500) == 0xB100)
            return conditional();
        if ((h & 0xFE00) == 0xB400)
            return several(STORE_MULTIPLE, ones(h & 0x1FF));
        if ((h & 0xFE00) == 0xBC00)
            return pop(ones(h & 0x1FF), (h & 0x100) != 0);
        if ((h & 0xFF00) == 0xBF00)
            return h & 0xF ? thumb_it(h & 0xF) : plain(OTHER);
        if ((h & 0xFF00) == 0xBE00 || (h & 0xFFE0) == 0xB660)
            return plain(OTHER);
        return plain(ALU);
    }
    if (top == 0xC)
        return several(h & 0x0800 ? LOAD_MULTIPLE : STORE_MULTIPLE, ones(h & 0xFF));
    if (top == 0xD)
        return (h >> 8 & 0xF) < 14 ? conditional() : plain(OTHER);
    return plain(JUMP);
}

static struct decoded thumb_multiply(unsigned h, unsigned g)
{
    unsigned op = h >> 4 & 7;
    if (!(h & 0x80))
        return plain(op == 0 && (g & 0xF0) == 0 && g >> 12 == 15 ? MULTIPLY : ACCUMULATE);
    if (op == 1 || op == 3)
        return plain(DIVIDE);
    return plain(op >= 4 ? ACCUMULATE_LONG : MULTIPLY_LONG);
}

static struct decoded thumb32(unsigned h, unsigned g)
{
    if ((h & 0xFE00) == 0xE800) {
        int load = (h & 0x10) != 0;
        if (!(h & 0x40))
            return load ? pop(ones(g), (g & 0x8000) != 0) : several(STORE_MULTIPLE, ones(g));
        if (h & 0x120)
            return several(load ? LOAD_MULTIPLE : STORE_MULTIPLE, 2);
        if ((h & 0xFFF0) == 0xE8D0 && (g & 0xE0) == 0)
            return plain(JUMP_REGISTER);
        return plain(load ? LOAD : STORE);
    }
    if ((h & 0xFE00) == 0xEA00)
        return plain(ALU);
    if ((h & 0xEC00) == 0xEC00)
        return plain(FLOAT);
    if ((h & 0xF800) == 0xF000) {
        if (!(g & 0x8000))
            return plain(ALU);
        if (g & 0x4000)
            return plain(CALL);
        if (g & 0x1000)
            return plain(JUMP);
        return (h >> 7 & 7) == 7 ? plain(OTHER) : conditional();
    }
    if ((h & 0xFE00) == 0xF800) {
        if (!(h & 0x10)) {
            /* The offset is a register: neither a 12-bit constant nor a 1 in bit 11. */
            return plain(!(h & 0x80) && !(g & 0x800) ? STORE_INDEXED : STORE);
        }
        struct decoded load = plain(LOAD);
        if (g >> 12 == 15) {
            if ((h & 0x70) != 0x50)
                return plain(OTHER); /* a preload */
            load.loads_pc = 1;
        }
        return load;
    }
    if ((h & 0xFF00) == 0xFB00)
        return thumb_multiply(h, g);
    return plain(ALU);
}

static struct decoded sized(struct decoded decoded, uint8_t size)
{
    decoded.size = size;
    return decoded;
}

static struct decoded thumb(const uint8_t bytes[4])
{
    unsigned first = bytes[0] | (unsigned)bytes[1] << 8;
    if (first >> 11 < 0x1D)
        return sized(thumb16(first), 2);
    return sized(thumb32(first, bytes[2] | (unsigned)bytes[3] << 8), 4);
}

/* ---- RISC-V ------------------------------------------------------------------------------ */

static struct decoded riscv_compressed(unsigned h)
{
    unsigned function = h >> 13;
    switch (h & 3) {
    case 0:
        if (function == 0)
            return plain(ALU);
        if (function == 1 || function == 3 || function == 5 || function == 7)
            return plain(FLOAT);
        return plain(function < 4 ? LOAD : STORE);
    case 1:
        if (function == 1)
            return plain(CALL);
        if (function == 5)
            return plain(JUMP);
        return function >= 6 ? conditional() : plain(ALU);
    default:
        if (function == 0)
            return plain(ALU);
        if (function == 4) {
            if (h & 0x7C)
                return plain(ALU); /* a second register: C.MV, C.ADD */
            return plain(h & 0xF80 ? JUMP_REGISTER : OTHER);
        }
        if (function == 2)
            return plain(LOAD);
        return plain(function == 6 ? STORE : FLOAT);
    }
}

static struct decoded riscv_whole(uint32_t i)
{
    switch (i & 0x7F) {
    case 0x03:
        return plain(LOAD);
    case 0x23:
        return plain(STORE);
    case 0x63:
        return conditional();
    case 0x6F:
        return plain(i >> 7 & 31 ? CALL : JUMP);
    case 0x67:
        return plain(JUMP_REGISTER);
    case 0x13:
    case 0x17:
    case 0x37:
        return plain(ALU);
    case 0x33:
        if (i >> 25 != 1)
            return plain(ALU);
        if ((i >> 12 & 7) == 0)
            return plain(MULTIPLY);
        return plain((i >> 12 & 7) < 4 ? MULTIPLY_LONG : DIVIDE);
    case 0x07:
    case 0x27:
    case 0x43:
    case 0x47:
    case 0x4B:
    case 0x4F:
    case 0x53:
        return plain(FLOAT);
    default:
        return plain(OTHER);
    }
}

static struct decoded riscv(const uint8_t bytes[4])
{
    unsigned low = bytes[0] | (unsigned)bytes[1] << 8;
    if ((low & 3) != 3)
        return sized(riscv_compressed(low), 2);
    return sized(riscv_whole(low | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24), 4);
}

/* ---- Xtensa ------------------------------------------------------------------------------ */

static struct decoded xtensa_registers(unsigned t, unsigned r, unsigned op1, unsigned op2)
{
    switch (op1) {
    case 0:
        if (op2 == 0 && r == 0)
            return plain(t >> 2 >= 2 ? JUMP_REGISTER : OTHER);
        return plain(op2 == 0 ? OTHER : ALU);
    case 1:
        return plain(op2 == 12 || op2 == 13 ? MULTIPLY : ALU);
    case 2:
        if (op2 == 8)
            return plain(MULTIPLY);
        if (op2 == 10 || op2 == 11)
            return plain(MULTIPLY_LONG);
        return plain(op2 >= 12 ? DIVIDE : ALU);
    case 3:
        return plain(op2 < 2 ? OTHER : ALU); /* special registers; MIN, MAX, conditional moves */
    case 4:
    case 5:
        return plain(ALU);
    default:
        return plain(OTHER);
    }
}

static struct decoded xtensa_any(const uint8_t bytes[4])
{
    unsigned op0 = bytes[0] & 15, t = bytes[0] >> 4, r = bytes[1] >> 4;
    switch (op0) {
    case 0:
        return xtensa_registers(t, r, bytes[2] & 15, bytes[2] >> 4);
    case 1:
        return plain(LOAD);
    case 2:
        if (r <= 2 || r == 9 || r == 11)
            return plain(LOAD);
        if ((r >= 4 && r <= 6) || r >= 14)
            return plain(STORE);
        return plain(r == 10 || r == 12 || r == 13 ? ALU : OTHER);
    case 4:
        return plain(ACCUMULATE);
    case 5:
        return plain(CALL);
    case 6:
        if ((t & 3) == 0)
            return plain(JUMP);
        return t == 3 || (t == 7 && r >= 8) ? plain(OTHER) : conditional();
    case 7:
        return conditional();
    case 8:
        return plain(LOAD);
    case 9:
        return plain(STORE);
    case 10:
    case 11:
        return plain(ALU);
    case 12:
        return t & 8 ? conditional() : plain(ALU);
    case 13:
        if (r != 15)
            return plain(ALU);
        return plain(t < 2 ? JUMP_REGISTER : OTHER);
    default:
        return plain(OTHER);
    }
}

static struct decoded xtensa(const uint8_t bytes[4])
{
    return sized(xtensa_any(bytes), (bytes[0] & 15) < 8 ? 3 : 2);
}

/* ---- AArch64 ----------------------------------------------------------------------------- */

static struct decoded a64_memory(uint32_t i)
{
    int load = (i & 0x00400000) != 0;
    if ((i & 0x3A000000) == 0x28000000)
        return several(load ? LOAD_MULTIPLE : STORE_MULTIPLE, 2);
    if ((i & 0x3B000000) == 0x18000000)
        return plain(LOAD);
    if ((i & 0x38000000) == 0x38000000) {
        int vector = (i & 0x04000000) != 0;
        unsigned operation = i >> 22 & 3;
        return plain((vector ? (operation & 1) != 0 : operation != 0) ? LOAD : STORE);
    }
    return plain(load ? LOAD : STORE);
}

static struct decoded a64_any(uint32_t i)
{
    if ((i & 0x1C000000) == 0x10000000)
        return plain(ALU);
    if ((i & 0x1C000000) == 0x14000000) {
        if ((i & 0x7C000000) == 0x14000000)
            return plain(i >> 31 ? CALL : JUMP);
        if ((i & 0x7C000000) == 0x34000000 || (i & 0xFE000000) == 0x54000000)
            return conditional();
        return plain((i & 0xFE000000) == 0xD6000000 ? JUMP_REGISTER : OTHER);
    }
    if ((i & 0x0A000000) == 0x08000000)
        return a64_memory(i);
    if ((i & 0x0E000000) == 0x0A000000) {
        if ((i & 0x1F000000) == 0x1B000000) {
            int alone = (i >> 10 & 31) == 31;
            if (i & 0x00E00000)
                return plain(alone ? MULTIPLY_LONG : ACCUMULATE_LONG);
            return plain(alone ? MULTIPLY : ACCUMULATE);
        }
        return plain((i & 0x5FE0F800) == 0x1AC00800 ? DIVIDE : ALU);
    }
    if ((i & 0x0E000000) == 0x0E000000)
        return plain(FLOAT);
    return plain(OTHER);
}

static struct decoded a64(const uint8_t bytes[4])
{
    return sized(a64_any(bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16
                         | (uint32_t)bytes[3] << 24), 4);
}

decoder *decoder_of(const char *target)
{
    static const struct { const char *target; decoder *decoder; } known[] = {
        {"arm", thumb}, {"aarch64", a64}, {"riscv32", riscv}, {"xtensa", xtensa},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(target, known[i].target) == 0)
            return known[i].decoder;
    return NULL;
}
