/*
 * Rotations of the four words of a vector to the left (SELO_VECTORS). The operators of the
 * compiler's vectors become NEON and SSE2; compilers do not find the shortest rotations of NEON.
 */
#ifndef SELO_COMMON_VECTOR_H
#define SELO_COMMON_VECTOR_H

#include "compiler.h"

#if SELO_NEON

#include <arm_neon.h>

/* sri inserts the upper bits below the lower ones; a rotation by 16 swaps halves. */
#define SELO_ROTATE_4(x, n) \
    (selo_u32x4)vsriq_n_u32(vshlq_n_u32((uint32x4_t)(x), n), (uint32x4_t)(x), 32 - (n))
#define SELO_ROTATE_4_16(x) (selo_u32x4)vrev32q_u16((uint16x8_t)(x))

#elif SELO_VECTORS

#define SELO_ROTATE_4(x, n) ((x) << (n) | (x) >> (32 - (n)))
#define SELO_ROTATE_4_16(x) SELO_ROTATE_4(x, 16)

#endif

#endif
