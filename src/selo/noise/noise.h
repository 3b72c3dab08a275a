/*
 * The symmetric state of Noise [NOISE, 5.2], reduced to what the initiator of NNpsk0 needs. Every
 * key of that pattern seals one message, so its number n is always 0 and a CipherState is only a
 * key.
 */
#ifndef SELO_NOISE_NOISE_H
#define SELO_NOISE_NOISE_H

#include "../../selo.h"

/* InitializeSymmetric with the suite's name, then MixHash(prologue): the label and the first
 * five bytes of JOIN-REQUEST. */
void selo_noise_start(struct selo_noise *noise, const uint8_t header[5]);

/* Token psk: MixKeyAndHash. A later token replaces its cipher key before any use. */
void selo_noise_mix_psk(struct selo_noise *noise, const uint8_t psk[32]);

/* Own token e: MixHash, then MixKey, as patterns with a psk require [NOISE, 9.2]. */
void selo_noise_write_e(struct selo_noise *noise, const uint8_t e[32], uint8_t key[32]);

/* The same for the peer's e, without the cipher key, which ee replaces before any use. If h, after
 * the peer's e, does not begin with `check`, this returns 0 and changes nothing. */
uint8_t selo_noise_read_e(struct selo_noise *noise, const uint8_t e[32], const uint8_t check[4]);

/* Token ee: MixKey(shared). key may be shared. */
void selo_noise_mix_key(struct selo_noise *noise, const uint8_t shared[32], uint8_t key[32]);

/* EncryptAndHash in place. Writes the tag of 16 bytes after the data. */
void selo_noise_encrypt(struct selo_noise *noise, const uint8_t key[32], uint8_t *data,
                        uint8_t size);

/* DecryptAndHash of the last message, in place. It never changes the state: only Split follows the
 * last message, and Split does not need h. Returns SELO_ERROR_TAG if the tag does not verify. */
enum selo_status selo_noise_decrypt(const struct selo_noise *noise, const uint8_t key[32],
                                    uint8_t *data, uint8_t size);

/* Split: the keys of the initiator's and of the responder's messages. Wipes the state. */
void selo_noise_split(struct selo_noise *noise, uint8_t send_key[32], uint8_t receive_key[32]);

#endif
