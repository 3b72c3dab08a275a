/*
 * The accumulator of a column of byte products.
 *
 * A column of n products, with the carry of the column before, stays below n * 255 * 255 + 2^16.
 * 24 bits are enough. Where the compiler has a 24-bit integer, an 8-bit CPU saves one addition for
 * each product. The integer is signed because the compiler keeps the order of a signed sum. It
 * regroups the terms of an unsigned sum and then runs out of registers.
 */
#ifndef SELO_COMMON_COLUMN_H
#define SELO_COMMON_COLUMN_H

#include "compiler.h"

/* The carry of a non-negative column into the next column. */
#define SELO_COLUMN_CARRY(column) (selo_column)((selo_column_bits)(column) >> 8)

#endif
