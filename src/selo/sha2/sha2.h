/*
 * What the files of SHA-2 share [FIPS180-4].
 *
 * An overlay of src/selo/native/ replaces a compression function where its
 * SELO_NATIVE_ name is 1: then the C is left out.
 */
#ifndef SELO_SHA2_H
#define SELO_SHA2_H

#include "../../selo.h"
#include "../native/native.h"

#ifndef SELO_NATIVE_SHA256_COMPRESS
#define SELO_NATIVE_SHA256_COMPRESS SELO_NATIVE_SHA256
#endif
#ifndef SELO_NATIVE_SHA512_COMPRESS
#define SELO_NATIVE_SHA512_COMPRESS SELO_NATIVE_SHA512
#endif

/* Takes one block, big-endian bytes as they came, into the hash value
 * [FIPS180-4, 6.2.2]. The block serves as the ring of the message schedule and is
 * destroyed. */
void selo_sha256_compress(uint32_t state[8], uint32_t block[16]);
/* The same for SHA-512 [FIPS180-4, 6.4.2]. */
void selo_sha512_compress(uint64_t state[8], uint64_t block[16]);

/* The constants K [FIPS180-4, 4.2.2, 4.2.3], in flash. */
extern const uint32_t selo_sha256_constants[64];
extern const uint64_t selo_sha512_constants[80];

#endif
