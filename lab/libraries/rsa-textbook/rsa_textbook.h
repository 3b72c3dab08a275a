/*
 * RSA-2048 as in a textbook, to measure its cost on a small device.
 *
 * NOT part of the device library, NOT constant time, NOT for use: its random bytes and its padding
 * come from a seeded generator, and its time reveals the private key.
 *
 * There is one key and one set of working numbers, all static. Nothing is allocated, and the linker
 * reports all the memory.
 */
#ifndef RSA_TEXTBOOK_H
#define RSA_TEXTBOOK_H

#include "bignum.h"

#define RSA_EXPONENT UINT32_C(65537)

enum rsa_status {
    RSA_OK = 0,
    RSA_ERROR_SIZE = 1,   /* the message is longer than RSA_MESSAGE_BYTES */
    RSA_ERROR_PADDING = 2 /* the ciphertext belongs to another key, or was altered */
};

/* The longest message: 11 bytes go to the padding [RFC8017, 7.2.1]. */
enum { RSA_MESSAGE_BYTES = RSA_BYTES - 11 };

struct rsa_public_key { rsa_limb n[RSA_LIMBS]; };
/* The private key in the form for the Chinese remainder theorem [RFC8017, 3.2]. */
struct rsa_private_key {
    rsa_limb p[RSA_HALF_LIMBS], q[RSA_HALF_LIMBS];     /* p > q */
    rsa_limb dp[RSA_HALF_LIMBS], dq[RSA_HALF_LIMBS];   /* 1 / 65537 mod p - 1, mod q - 1 */
    rsa_limb q_inverse[RSA_HALF_LIMBS];                /* 1 / q mod p */
};
extern struct rsa_public_key rsa_public;
extern struct rsa_private_key rsa_private;

/* Makes the key pair; the same seed makes the same pair. Reseeds the generator. */
void rsa_keygen(const uint8_t *seed, uint16_t seed_size);

/* Makes all of the key pair from the primes in rsa_private.p and .q. */
void rsa_complete_key(void);

/* out = block^65537 mod n, for block < n. out may be block. */
void rsa_public_operation(uint8_t out[RSA_BYTES], const uint8_t block[RSA_BYTES]);

/* Pads the message (up to RSA_MESSAGE_BYTES) and encrypts it. */
enum rsa_status rsa_encrypt(uint8_t out[RSA_BYTES], const uint8_t *message, uint16_t size);

/* Decrypts into out, which has RSA_BYTES of room. The message is at its start, *size bytes long.
 * On failure out is zeroed and *size is 0. */
enum rsa_status rsa_decrypt(uint8_t out[RSA_BYTES], uint16_t *size, const uint8_t in[RSA_BYTES]);

#endif
