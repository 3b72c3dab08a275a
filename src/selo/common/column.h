/*
 * The accumulator of a column of products of bytes.
 *
 * A column of n products, with the carry of the column before, stays below
 * n * 255 * 255 + 2^16: 24 bits are enough where the compiler has such an
 * integer, and spare an 8-bit machine an addition per product. It is signed
 * because the compiler keeps the order of a signed sum; it pairs the terms of an
 * unsigned one up first and runs out of registers.
 */
#ifndef SELO_COMMON_COLUMN_H
#define SELO_COMMON_COLUMN_H

#include "compiler.h"

/* The carry of a column that is not negative into the next. */
#define SELO_COLUMN_CARRY(column) (selo_column)((selo_column_bits)(column) >> 8)

#endif
