/*
 * ML-KEM of a library in Rust, whose functions RUST_KEM(keygen), RUST_KEM(encapsulate) and
 * RUST_KEM(decapsulate) names.
 */
#ifndef GLUE_RUST_KEM_H
#define GLUE_RUST_KEM_H

#include <stdint.h>

#if AGENT_ALGORITHM_ML_KEM_512
enum { PUBLIC_BYTES = 800, PRIVATE_BYTES = 1632, CIPHERTEXT_BYTES = 768 };
#elif AGENT_ALGORITHM_ML_KEM_768
enum { PUBLIC_BYTES = 1184, PRIVATE_BYTES = 2400, CIPHERTEXT_BYTES = 1088 };
#else
enum { PUBLIC_BYTES = 1568, PRIVATE_BYTES = 3168, CIPHERTEXT_BYTES = 1568 };
#endif

int RUST_KEM(keygen)(uint8_t *public_key, uint8_t *private_key, const uint8_t *seed);
int RUST_KEM(encapsulate)(uint8_t *ciphertext, uint8_t *secret, const uint8_t *public_key,
                          const uint8_t *random);
int RUST_KEM(decapsulate)(uint8_t *secret, const uint8_t *private_key, const uint8_t *ciphertext);

#define lib_keygen RUST_KEM(keygen)
#define lib_encapsulate RUST_KEM(encapsulate)
#define lib_decapsulate RUST_KEM(decapsulate)

#include "glue_kem.h"

#endif
