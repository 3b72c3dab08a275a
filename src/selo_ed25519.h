/*
 * Ed25519 [RFC8032, 5.1]: signatures.
 *
 *     struct selo_ed25519_key key;
 *
 *     selo_ed25519_keygen(&key, seed);
 *     selo_ed25519_sign(signature, &key, message, size);
 *     status = selo_ed25519_verify(signature, key.public_key, message, size);
 *
 * The conventions of selo.h apply.
 * Aliasing: no argument may overlap another.
 */
#ifndef SELO_ED25519_H
#define SELO_ED25519_H

#include "selo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A key pair. Both halves are in one struct, because a signature with the public key of another pair
 * reveals the secret. Wipe it after its last use. */
struct selo_ed25519_key { uint8_t seed[32], public_key[32]; };

/* Makes the key pair of a seed of 32 random bytes. It cannot fail.
 * Constant time: on every CPU whose multiplier takes constant time. Stack: 606. */
void selo_ed25519_keygen(struct selo_ed25519_key *key, const uint8_t seed[32]);

/* Signs a message of `size` bytes. The signature depends on nothing else, so no random numbers are
 * needed. It cannot fail.
 * Constant time: on every CPU whose multiplier takes constant time. Stack: 678. */
void selo_ed25519_sign(uint8_t signature[64], const struct selo_ed25519_key *key,
                       const void *message, size_t size);

/* Verifies a signature of a message of `size` bytes.
 *   Returns: SELO_OK; SELO_ERROR_TAG if the signature is not one of this message by this key;
 *   SELO_ERROR_KEY if the public key is not a point, or one of small order.
 * Verification is strict. S must be below the order of the base point, which no second S of the same
 * signature is. Coordinates must be below p. The equation is R = S B - k A, without the cofactor
 * [RFC8032, 5.1.7]. A public key of small order, under which one signature is valid for many messages,
 * is refused.
 * Constant time: no; nothing here is secret. Stack: 1,248. */
enum selo_status selo_ed25519_verify(const uint8_t signature[64], const uint8_t public_key[32],
                                     const void *message, size_t size);

/* The same for a message in pieces of any size, such as a firmware image as it arrives:
 *
 *     struct selo_ed25519_verification state;
 *
 *     selo_ed25519_verify_start(&state, signature, public_key);
 *     selo_ed25519_verify_update(&state, piece, size);          // for each piece
 *     status = selo_ed25519_verify_finish(&state);
 *
 * DO NOT USE THE MESSAGE BEFORE _finish HAS RETURNED SELO_OK. _finish wipes *state; without a new
 * _start it returns SELO_ERROR_STATE. */
struct selo_ed25519_verification {
    struct selo_sha512 hash;
    uint8_t signature[64], public_key[32];
    uint8_t started;
};
void selo_ed25519_verify_start(struct selo_ed25519_verification *state, const uint8_t signature[64],
                               const uint8_t public_key[32]);
void selo_ed25519_verify_update(struct selo_ed25519_verification *state, const void *data,
                                size_t size);
enum selo_status selo_ed25519_verify_finish(struct selo_ed25519_verification *state);

#ifdef __cplusplus
}
#endif

#endif
