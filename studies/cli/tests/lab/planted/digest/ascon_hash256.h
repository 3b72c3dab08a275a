/* Ascon-Hash256 [SP800-232] in pieces. */
#ifndef ASCON_HASH256_H
#define ASCON_HASH256_H

#include <stddef.h>
#include <stdint.h>

typedef uint16_t hash_size;

typedef struct {
    uint64_t x[5];
    uint8_t used;
} ascon_hash256_state;

void ascon_hash256_init(ascon_hash256_state *state);
void ascon_hash256_update(ascon_hash256_state *state, const uint8_t *data, hash_size size);
void ascon_hash256_final(ascon_hash256_state *state, uint8_t *digest);

#endif
