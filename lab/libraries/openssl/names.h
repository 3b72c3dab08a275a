/* OpenSSL's names of the lab's algorithms. */
#ifndef LAB_NAMES_H
#define LAB_NAMES_H

#include <openssl/evp.h>

#define LAB_JOIN_(a, b, c) a##b##c
#define LAB_JOIN(a, b, c) LAB_JOIN_(a, b, c)

#if AGENT_KEY_BYTES == 16
#define LAB_AES(mode) EVP_aes_128_##mode()
#elif AGENT_KEY_BYTES == 24
#define LAB_AES(mode) EVP_aes_192_##mode()
#else
#define LAB_AES(mode) EVP_aes_256_##mode()
#endif

#if AGENT_ALGORITHM_SHA_512 || AGENT_ALGORITHM_HMAC_SHA_512
#define LAB_HASH EVP_sha512()
#define LAB_HASH_NAME "SHA512"
enum { LAB_DIGEST = 64 };
#elif AGENT_ALGORITHM_SHA3_256 || AGENT_ALGORITHM_HMAC_SHA3_256 || AGENT_ALGORITHM_HKDF_SHA3_256
#define LAB_HASH EVP_sha3_256()
#define LAB_HASH_NAME "SHA3-256"
enum { LAB_DIGEST = 32 };
#elif AGENT_ALGORITHM_SHA3_512 || AGENT_ALGORITHM_HMAC_SHA3_512
#define LAB_HASH EVP_sha3_512()
#define LAB_HASH_NAME "SHA3-512"
enum { LAB_DIGEST = 64 };
#elif AGENT_ALGORITHM_BLAKE2S || AGENT_ALGORITHM_HMAC_BLAKE2S || AGENT_ALGORITHM_HKDF_BLAKE2S
#define LAB_HASH EVP_blake2s256()
#define LAB_HASH_NAME "BLAKE2S-256"
enum { LAB_DIGEST = 32 };
#else
#define LAB_HASH EVP_sha256()
#define LAB_HASH_NAME "SHA256"
enum { LAB_DIGEST = 32 };
#endif

#endif
