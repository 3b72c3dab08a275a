/* The hash of LibTomCrypt that an algorithm of the lab uses. */
#ifndef LAB_HASH_H
#define LAB_HASH_H

#include <stdint.h>
#include <tomcrypt.h>

#if AGENT_ALGORITHM_SHA_256 || AGENT_ALGORITHM_HMAC_SHA_256 || AGENT_ALGORITHM_HKDF_SHA_256
#define LAB_HASH sha256_desc
enum { DIGEST_BYTES = 32 };
#elif AGENT_ALGORITHM_SHA_512 || AGENT_ALGORITHM_HMAC_SHA_512
#define LAB_HASH sha512_desc
enum { DIGEST_BYTES = 64 };
#elif AGENT_ALGORITHM_SHA3_256 || AGENT_ALGORITHM_HMAC_SHA3_256 || AGENT_ALGORITHM_HKDF_SHA3_256
#define LAB_HASH sha3_256_desc
enum { DIGEST_BYTES = 32 };
#elif AGENT_ALGORITHM_SHA3_512 || AGENT_ALGORITHM_HMAC_SHA3_512
#define LAB_HASH sha3_512_desc
enum { DIGEST_BYTES = 64 };
#else
#define LAB_HASH blake2s_256_desc
enum { DIGEST_BYTES = 32 };
#endif

#endif
