/*
 * ML-KEM-512 and ML-KEM-768 [FIPS203]: key encapsulation that quantum computers do not break.
 *
 * One side makes a key pair and sends the public key. The other side encapsulates: from the public
 * key and 32 random bytes it makes a ciphertext and a shared secret. The first side decapsulates the
 * ciphertext with its private key and has the same secret.
 *
 *     struct selo_mlkem512_public_key public_key;
 *     struct selo_mlkem512_private_key private_key;
 *     struct selo_mlkem512_ciphertext ciphertext;
 *
 *     selo_mlkem512_keygen(&public_key, &private_key, seed);
 *     status = selo_mlkem512_encapsulate(&ciphertext, secret, &public_key, random);
 *     selo_mlkem512_decapsulate(secret, &private_key, &ciphertext);
 *
 * Each key, ciphertext and state has its own type, so the compiler rejects one of the other size or
 * in another place. bytes holds what the standard defines, to be sent or stored.
 *
 * ML-KEM authenticates nobody. Mix the secret with that of X25519 or with a key that both sides have
 * (hybrid), through a KDF whose input also has both public keys and the ciphertext.
 *
 * The conventions of selo.h apply.
 * Constant time: on every CPU whose multiplier takes constant time. The time depends on the public
 * key, because the matrix comes from its last 32 bytes by rejection.
 */
#ifndef SELO_MLKEM_H
#define SELO_MLKEM_H

#include "selo.h"
#include "selo/mlkem/encapsulation.h" /* struct selo_mlkem_encapsulation */

#ifdef __cplusplus
extern "C" {
#endif

struct selo_mlkem512_public_key { uint8_t bytes[800]; };
struct selo_mlkem512_private_key { uint8_t bytes[1632]; };
struct selo_mlkem512_ciphertext { uint8_t bytes[768]; };
struct selo_mlkem768_public_key { uint8_t bytes[1184]; };
struct selo_mlkem768_private_key { uint8_t bytes[2400]; };
struct selo_mlkem768_ciphertext { uint8_t bytes[1088]; };

/* ---- Whole keys -----------------------------------------------------------------------------
 *
 * For devices with 8 KB of RAM and more. Stack: ML-KEM-512 2,526 bytes, ML-KEM-768 2,777 bytes.
 *
 * _keygen makes a key pair from a seed of 64 random bytes, d and z [FIPS203, algorithm 16]. The seed
 * can be stored in place of the private key. It cannot fail.
 *
 * _encapsulate takes 32 random bytes, which must be fresh for each call and remain secret.
 *   Returns: SELO_OK, or SELO_ERROR_KEY if the public key has a coefficient out of range [FIPS203,
 *   7.2]. Outputs on error: ciphertext and secret are zeroed.
 *
 * _decapsulate cannot fail. For an altered ciphertext it gives a secret that nobody else has
 * [FIPS203, algorithm 18]; nothing shows the difference, not even the time. The private key must
 * come from _keygen, or _check must have accepted it.
 *
 * _check tests a private key from elsewhere, once [FIPS203, 7.3].
 *   Returns: SELO_OK, or SELO_ERROR_KEY if its parts do not belong together.
 *
 * Aliasing: no argument may overlap another.
 */
void selo_mlkem512_keygen(struct selo_mlkem512_public_key *public_key,
                          struct selo_mlkem512_private_key *private_key, const uint8_t seed[64]);
enum selo_status selo_mlkem512_encapsulate(struct selo_mlkem512_ciphertext *ciphertext,
                                           uint8_t secret[32],
                                           const struct selo_mlkem512_public_key *public_key,
                                           const uint8_t random[32]);
void selo_mlkem512_decapsulate(uint8_t secret[32],
                               const struct selo_mlkem512_private_key *private_key,
                               const struct selo_mlkem512_ciphertext *ciphertext);
enum selo_status selo_mlkem512_check(const struct selo_mlkem512_private_key *private_key);

void selo_mlkem768_keygen(struct selo_mlkem768_public_key *public_key,
                          struct selo_mlkem768_private_key *private_key, const uint8_t seed[64]);
enum selo_status selo_mlkem768_encapsulate(struct selo_mlkem768_ciphertext *ciphertext,
                                           uint8_t secret[32],
                                           const struct selo_mlkem768_public_key *public_key,
                                           const uint8_t random[32]);
void selo_mlkem768_decapsulate(uint8_t secret[32],
                               const struct selo_mlkem768_private_key *private_key,
                               const struct selo_mlkem768_ciphertext *ciphertext);
enum selo_status selo_mlkem768_check(const struct selo_mlkem768_private_key *private_key);

/* ---- Encapsulation in pieces ----------------------------------------------------------------
 *
 * For devices with 2 KB of RAM. Neither the public key nor the ciphertext is in memory as a whole.
 * The key passes twice: once to be hashed, once to be used. In between the first part of the
 * ciphertext leaves, after the second pass its second part:
 *
 *     struct selo_mlkem512_encapsulation state;
 *
 *     selo_mlkem512_encapsulate_start(&state, random);
 *     status = selo_mlkem512_encapsulate_key(&state, piece, size);   // until the key is complete
 *     status = selo_mlkem512_encapsulate_read(&state, out, size);    // SELO_MLKEM512_U bytes
 *     status = selo_mlkem512_encapsulate_key(&state, piece, size);   // the whole key again
 *     status = selo_mlkem512_encapsulate_read(&state, out, size);    // SELO_MLKEM512_V bytes
 *     status = selo_mlkem512_encapsulate_finish(&state, secret);
 *
 * All pieces together are the ciphertext and the secret of selo_mlkem512_encapsulate. Pieces may
 * have any size, 0 too, but none may reach beyond the end of its step.
 *
 * The second pass must bring the same key. If it does not, its last piece fails, and neither the
 * second part of the ciphertext nor the secret comes out.
 *
 * _start begins with 32 random bytes, as _encapsulate. An encapsulation under way is lost.
 * _key takes the next bytes of the public key.
 * _read writes the next bytes of the ciphertext.
 * _finish writes the secret and wipes *state. To abandon an encapsulation, wipe *state.
 *   Returns: SELO_OK;
 *   SELO_ERROR_ARGUMENT if the piece reaches beyond the end of the step;
 *   SELO_ERROR_STATE if it is the turn of another function, or no encapsulation is under way;
 *   SELO_ERROR_KEY from _key, in the second pass, if the key has a coefficient out of range or
 *   differs from that of the first.
 *   On error: *state is zeroed, which ends the encapsulation, and the outputs are zeroed. What
 *   earlier calls have written must not be used, but it may have been sent.
 * Aliasing: *state must not overlap another argument.
 *
 * Time: _read computes a row of the ciphertext when its first byte is asked for, every
 * SELO_MLKEM512_ROW bytes. It and the first byte of the second pass take most of the time.
 * The state has 1,238 bytes on an Arduino Uno.
 */
#define SELO_MLKEM512_U 640
#define SELO_MLKEM512_V 128
#define SELO_MLKEM768_U 960
#define SELO_MLKEM768_V 128
#define SELO_MLKEM512_ROW 320
#define SELO_MLKEM768_ROW 320

/* The fields of these structs are internal. */
struct selo_mlkem512_encapsulation {
    struct selo_mlkem_encapsulation of;
    struct selo_shake sponge;
};
struct selo_mlkem768_encapsulation {
    struct selo_mlkem_encapsulation of;
    struct selo_shake sponge;
};

void selo_mlkem512_encapsulate_start(struct selo_mlkem512_encapsulation *state,
                                     const uint8_t random[32]);
enum selo_status selo_mlkem512_encapsulate_key(struct selo_mlkem512_encapsulation *state,
                                               const uint8_t *piece, size_t size);
enum selo_status selo_mlkem512_encapsulate_read(struct selo_mlkem512_encapsulation *state,
                                                uint8_t *out, size_t size);
enum selo_status selo_mlkem512_encapsulate_finish(struct selo_mlkem512_encapsulation *state,
                                                  uint8_t secret[32]);

void selo_mlkem768_encapsulate_start(struct selo_mlkem768_encapsulation *state,
                                     const uint8_t random[32]);
enum selo_status selo_mlkem768_encapsulate_key(struct selo_mlkem768_encapsulation *state,
                                               const uint8_t *piece, size_t size);
enum selo_status selo_mlkem768_encapsulate_read(struct selo_mlkem768_encapsulation *state,
                                                uint8_t *out, size_t size);
enum selo_status selo_mlkem768_encapsulate_finish(struct selo_mlkem768_encapsulation *state,
                                                  uint8_t secret[32]);

#ifdef __cplusplus
}
#endif

#endif
