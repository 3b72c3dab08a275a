/*
 * What the files of SHA-3 share [FIPS202].
 *
 * An overlay of src/selo/native/ replaces the permutation where
 * SELO_NATIVE_KECCAK_F1600 is 1: then the C is left out.
 */
#ifndef SELO_SHA3_H
#define SELO_SHA3_H

#include "../../selo.h"
#include "../native/native.h"

#ifndef SELO_NATIVE_KECCAK_F1600
#define SELO_NATIVE_KECCAK_F1600 SELO_NATIVE_KECCAK
#endif

/* The permutation Keccak-f[1600] [FIPS202, 3.3, 3.4]; lane (x, y) is lanes[x + 5 * y]. */
void selo_keccak_f1600(uint64_t lanes[25]);

#endif
