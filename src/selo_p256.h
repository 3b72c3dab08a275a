/*
 * P-256 [SP800-186, 3.2.1.3]: ECDH and ECDSA with SHA-256.
 *
 *     status = selo_p256_keygen(public_key, secret);
 *     status = selo_p256_shared_secret(shared, secret, peer_public_key);
 *     status = selo_p256_sign(signature, secret, message, size);
 *     status = selo_p256_verify(signature, peer_public_key, message, size);
 *
 * X25519 and Ed25519 are faster and smaller. P-256 is for peers that have nothing else: X.509
 * certificates, TLS, the device identities of cloud services, secure elements.
 *
 * Encodings are big-endian. A secret is a number from 1 to n - 1, where n is the order of the base
 * point. A public key is a point: its coordinates x and y, which SEC 1 writes with a byte 04 before them
 * [SEC1, 2.3.3]. A signature is r and s, as in IEEE P1363; X.509 and TLS wrap the same two numbers in
 * DER.
 *
 * The conventions of selo.h apply.
 * Aliasing: no argument may overlap another.
 */
#ifndef SELO_P256_H
#define SELO_P256_H

#include "selo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Computes the public key of a secret of 32 random bytes.
 *   Returns: SELO_OK; SELO_ERROR_KEY if the secret is not a number from 1 to n - 1, which random
 *   bytes are once in 2^32 tries. Draw again then.
 * Constant time: on every CPU whose multiplier takes constant time. Stack: 511. */
enum selo_status selo_p256_keygen(uint8_t public_key[64], const uint8_t secret[32]);

/* Checks a public key [SP800-56A, 5.6.2.3.3]. selo_p256_shared_secret and selo_p256_verify do so
 * themselves.
 *   Returns: SELO_OK; SELO_ERROR_KEY if a coordinate is not below the field's prime, or the point is
 *   not on the curve. The group has no points of small order.
 * Constant time: no; nothing here is secret. Stack: 343. */
enum selo_status selo_p256_check(const uint8_t public_key[64]);

/* Computes the secret shared with a peer: the x coordinate of the product [SP800-56A, 5.7.1.2]. Hash it
 * before you use it as a key.
 *   Returns: SELO_OK; SELO_ERROR_KEY if the secret is not a number from 1 to n - 1, or the public key
 *   fails selo_p256_check.
 * Constant time: on every CPU whose multiplier takes constant time. Stack: 1,025. */
enum selo_status selo_p256_shared_secret(uint8_t shared[32], const uint8_t secret[32],
                                         const uint8_t peer_public_key[64]);

/* Signs a message of `size` bytes with SHA-256. The signature depends on nothing else [RFC6979], so no
 * random numbers are needed.
 *   Returns: SELO_OK; SELO_ERROR_KEY if the secret is not a number from 1 to n - 1.
 * Constant time: on every CPU whose multiplier takes constant time. Stack: 771. */
enum selo_status selo_p256_sign(uint8_t signature[64], const uint8_t secret[32], const void *message,
                                size_t size);

/* Verifies a signature of a message of `size` bytes [FIPS186-5, 6.4.2].
 *   Returns: SELO_OK; SELO_ERROR_TAG if the signature is not one of this message by this key;
 *   SELO_ERROR_KEY if the public key fails selo_p256_check.
 * r and s must be from 1 to n - 1. If (r, s) is valid, so is (r, n - s): the standard has it so, and
 * X.509 depends on it. Do not use a signature as the identifier of a message.
 * Constant time: no; nothing here is secret. Stack: 1,161. */
enum selo_status selo_p256_verify(const uint8_t signature[64], const uint8_t public_key[64],
                                  const void *message, size_t size);

/* The same for a message whose digest is known, such as a firmware image that was hashed as it
 * arrived. The digest must be that of a hash, SHA-256: one that a stranger chooses freely is not
 * safe to verify. */
enum selo_status selo_p256_sign_digest(uint8_t signature[64], const uint8_t secret[32],
                                       const uint8_t digest[32]);
enum selo_status selo_p256_verify_digest(const uint8_t signature[64], const uint8_t public_key[64],
                                         const uint8_t digest[32]);

#ifdef __cplusplus
}
#endif

#endif
