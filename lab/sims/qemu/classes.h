/*
 * The classes of instructions in a span. They are as fine as the published timings of
 * in-order cores.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef SELO_QEMU_CLASSES_H
#define SELO_QEMU_CLASSES_H

enum class {
    ALU,           /* arithmetic, logic, moves, shifts */
    MULTIPLY,      /* a product of one word */
    ACCUMULATE,    /* multiply and add, one word */
    MULTIPLY_LONG, /* a product of two words, or its upper word */
    ACCUMULATE_LONG,
    DIVIDE,
    LOAD,
    LOAD_NEXT,      /* a load right after a load; a core can pipeline the two */
    STORE,          /* address: a register, or a register plus a constant */
    STORE_INDEXED,  /* address: the sum of two registers */
    LOAD_MULTIPLE,  /* the instruction; its registers are counted separately */
    LOAD_REGISTER,  /* no instruction */
    STORE_MULTIPLE,
    STORE_REGISTER, /* no instruction */
    LOAD_PC,        /* a load or pop that jumps, counted in addition to its load; no instruction */
    JUMP,           /* to a constant address */
    CALL,           /* to a constant address */
    JUMP_REGISTER,  /* to an address in a register: returns and calls through pointers */
    BRANCH_TAKEN,   /* conditional */
    BRANCH_NOT_TAKEN,
    FLOAT,          /* floating point and vectors */
    OTHER,          /* hints, barriers, system registers */
    CLASSES
};

/* The names of the classes in a report. */
extern const char *const class_names[CLASSES];

#endif
