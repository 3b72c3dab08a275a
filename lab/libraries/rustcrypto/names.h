/* The names of the functions of crate/src: RC(what) is the one of this image's algorithm. */
#ifndef RC_NAMES_H
#define RC_NAMES_H

#include <stdint.h>

#define RC_JOIN_(a, b, c) a##b##_##c
#define RC_JOIN(a, b, c) RC_JOIN_(a, b, c)

#if AGENT_KEY_BYTES == 16
#define RC_BITS 128
#elif AGENT_KEY_BYTES == 24
#define RC_BITS 192
#elif AGENT_KEY_BYTES == 32
#define RC_BITS 256
#endif
/* rc_aes128_encrypt */
#define RC_KEYED(family, what) RC_JOIN(rc_##family, RC_BITS, what)

#if AGENT_ALGORITHM_SHA_256 || AGENT_ALGORITHM_HMAC_SHA_256 || AGENT_ALGORITHM_HKDF_SHA_256
#define RC_HASH sha256
enum { RC_DIGEST = 32 };
#elif AGENT_ALGORITHM_SHA_512 || AGENT_ALGORITHM_HMAC_SHA_512
#define RC_HASH sha512
enum { RC_DIGEST = 64 };
#elif AGENT_ALGORITHM_SHA3_256 || AGENT_ALGORITHM_HMAC_SHA3_256 || AGENT_ALGORITHM_HKDF_SHA3_256
#define RC_HASH sha3_256
enum { RC_DIGEST = 32 };
#elif AGENT_ALGORITHM_SHA3_512 || AGENT_ALGORITHM_HMAC_SHA3_512
#define RC_HASH sha3_512
enum { RC_DIGEST = 64 };
#elif AGENT_ALGORITHM_ASCON_HASH256
#define RC_HASH ascon_hash256
enum { RC_DIGEST = 32 };
#else
#define RC_HASH blake2s
enum { RC_DIGEST = 32 };
#endif
/* rc_hmac_sha256_start */
#define RC_HASHED(kind, what) RC_JOIN(kind, RC_HASH, what)

#endif
