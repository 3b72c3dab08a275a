/*
 * The names of the classes.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "classes.h"

const char *const class_names[CLASSES] = {
    [ALU] = "alu",
    [MULTIPLY] = "multiply",
    [ACCUMULATE] = "accumulate",
    [MULTIPLY_LONG] = "multiply-long",
    [ACCUMULATE_LONG] = "accumulate-long",
    [DIVIDE] = "divide",
    [LOAD] = "load",
    [LOAD_NEXT] = "load-next",
    [STORE] = "store",
    [STORE_INDEXED] = "store-indexed",
    [LOAD_MULTIPLE] = "load-multiple",
    [LOAD_REGISTER] = "load-register",
    [STORE_MULTIPLE] = "store-multiple",
    [STORE_REGISTER] = "store-register",
    [LOAD_PC] = "load-pc",
    [JUMP] = "jump",
    [CALL] = "call",
    [JUMP_REGISTER] = "jump-register",
    [BRANCH_TAKEN] = "branch-taken",
    [BRANCH_NOT_TAKEN] = "branch-not-taken",
    [FLOAT] = "float",
    [OTHER] = "other",
};
