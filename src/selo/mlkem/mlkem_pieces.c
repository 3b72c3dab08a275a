/*
 * Encapsulation in pieces [FIPS203, algorithms 14 and 17], in the memory of two polynomials.
 *
 * u depends on rho and the noise only, so it is complete before the key comes again. v takes each
 * coefficient of t when it comes, and the standard's order of rho behind t does not matter then.
 *
 * The noise is made again for each row. area.bytes has:
 *   0 to 384    a polynomial of y, transformed and packed
 *   384 to 896  the sum of a row, as int16_t; at the end the row of the ciphertext
 * and while a polynomial of y is made:
 *   0 to 512    that polynomial
 *   512 to 896  the sum, packed
 * While its noise is sampled, the first 256 bytes are the noise and the second 256 the sponge that
 * hashes the key. Between rows and passes its first bytes are free, for seeds and a hash.
 */
#include <string.h>

#include "mlkem.h"
#include "mlkem_pieces.h"

enum { IDLE, FIRST_PASS, FIRST_PART, SECOND_PASS, SECOND_PART, SECRET };

#define SUM(state) ((state)->area.words + SELO_MLKEM_PACKED / 2)

static enum selo_status fail(struct selo_mlkem_encapsulation *state, struct selo_shake *sponge,
                             enum selo_status status)
{
    selo_wipe(state, sizeof *state);
    selo_wipe(sponge, sizeof *sponge);
    return status;
}

static void next_step(struct selo_mlkem_encapsulation *state, struct selo_shake *sponge)
{
    state->step++;
    state->rank = 0;
    memset(SUM(state), 0, 512);
    selo_sha3_256_start(&sponge->sponge);
}

/* G(message || H(key)): the secret and the seed of the noise. */
static void derive(struct selo_mlkem_encapsulation *state, struct selo_shake *sponge,
                   uint8_t seeds[64])
{
    selo_mlkem_g(seeds, sponge, state->message, state->key_hash, 32);
}

/* The hash of the key is known: the first part of the ciphertext comes next. */
static void begin_first_part(struct selo_mlkem_encapsulation *state, struct selo_shake *sponge)
{
    uint8_t *seeds = state->area.bytes;

    derive(state, sponge, seeds);
    memcpy(state->seed, seeds + 32, 32);
    selo_wipe(seeds, 64);
    next_step(state, sponge);
}

void selo_mlkem_pieces_start(struct selo_mlkem_encapsulation *state, struct selo_shake *sponge,
                             const uint8_t random[32])
{
    memset(state, 0, sizeof *state);
    memcpy(state->message, random, 32);
    next_step(state, sponge);
}

void selo_mlkem_pieces_start_hashed(struct selo_mlkem_encapsulation *state,
                                    struct selo_shake *sponge)
{
    state->step = FIRST_PASS;
    state->at = 0;
    state->quad = 0;
    begin_first_part(state, sponge);
}

/* Polynomial `rank` of y. The sum and the sponge stay what they are. */
static void make_y(struct selo_mlkem_encapsulation *state, struct selo_shake *sponge, uint8_t rank,
                   uint8_t ranks)
{
    uint8_t *bytes = state->area.bytes, *sum = bytes + SELO_MLKEM_PACKED, *packed_sum = bytes + 512;

    selo_mlkem_pack(sum, SUM(state));
    SELO_BARRIER();
    memmove(packed_sum, sum, SELO_MLKEM_PACKED);
    memcpy(bytes + 256, sponge, sizeof *sponge);
    selo_mlkem_noise(bytes, sponge, state->seed, rank, SELO_MLKEM_ETA1(ranks));
    memcpy(sponge, bytes + 256, sizeof *sponge);
    SELO_BARRIER();
    selo_mlkem_expand(state->area.words, bytes, SELO_MLKEM_ETA1(ranks));
    selo_mlkem_ntt(state->area.words);
    selo_mlkem_pack(bytes, state->area.words);
    SELO_BARRIER();
    for (uint8_t i = 0; i < 128; i++) { /* a pair of the sum is written behind what is unread */
        const uint8_t *three = packed_sum + 3 * i;
        const int16_t even = (int16_t)(three[0] | (three[1] & 15) << 8);
        const int16_t odd = (int16_t)(three[1] >> 4 | three[2] << 4);
        SUM(state)[2 * i] = even;
        SUM(state)[2 * i + 1] = odd;
    }
}

static void make_row(struct selo_mlkem_encapsulation *state, struct selo_shake *sponge, uint8_t row,
                     uint8_t ranks)
{
    memset(SUM(state), 0, 512);
    for (uint8_t rank = 0; rank < ranks; rank++) {
        make_y(state, sponge, rank, ranks);
        selo_mlkem_add_matrix(SUM(state), sponge, state->rho, row, rank, state->area.bytes);
    }
    selo_mlkem_finish_u(SUM(state), state->area.bytes, sponge, state->seed,
                        (uint8_t)(ranks + row));
}

/* The second pass: v grows with every six bytes of t, which are four coefficients. Returns 0 if one of
 * them is out of range. */
static uint8_t add_to_v(struct selo_mlkem_encapsulation *state, struct selo_shake *sponge,
                        const uint8_t *piece, uint16_t size, uint8_t ranks)
{
    uint8_t filled = (uint8_t)(state->at - 6u * state->quad);

    if (state->at == 0) {
        make_y(state, sponge, state->rank, ranks);
    }
    for (uint16_t i = 0; i < size; i++) {
        state->bytes[filled++] = piece[i];
        if (filled == sizeof state->bytes) {
            if (!selo_mlkem_in_range(state->bytes, sizeof state->bytes)) {
                return 0;
            }
            selo_mlkem_multiply_add(SUM(state) + 4 * state->quad, state->bytes,
                                    state->area.bytes + 6 * state->quad, state->quad);
            state->quad++;
            filled = 0;
        }
    }
    return 1;
}

/* Moves on by `size` bytes of a part of `whole` bytes. */
static void advance(struct selo_mlkem_encapsulation *state, uint16_t size, uint16_t whole)
{
    state->at = (uint16_t)(state->at + size);
    if (state->at == whole) {
        state->at = 0;
        state->quad = 0;
        state->rank++;
    }
}

static inline uint16_t smaller(size_t a, uint16_t b)
{
    return a < b ? (uint16_t)a : b;
}

static enum selo_status end_pass(struct selo_mlkem_encapsulation *state, struct selo_shake *sponge,
                                 uint8_t ranks)
{
    if (state->step == FIRST_PASS) {
        selo_sha3_finish(&sponge->sponge, state->key_hash);
        begin_first_part(state, sponge);
    } else {
        uint8_t *hash = state->area.bytes; /* y is no longer needed */
        selo_sha3_finish(&sponge->sponge, hash);
        if (!selo_equal(hash, state->key_hash, 32)) {
            return fail(state, sponge, SELO_ERROR_KEY);
        }
        selo_mlkem_finish_v(SUM(state), state->area.bytes, sponge, state->seed,
                            (uint8_t)(2 * ranks), state->message);
        state->step++;
        state->rank = 0;
    }
    return SELO_OK;
}

/* A polynomial of t after the other, then rho, which the first pass keeps. In the second pass the hash
 * shows that it is the same. */
enum selo_status selo_mlkem_pieces_key(struct selo_mlkem_encapsulation *state,
                                       struct selo_shake *sponge, const uint8_t *piece, size_t size,
                                       uint8_t ranks)
{
    if (state->step != FIRST_PASS && state->step != SECOND_PASS) {
        return fail(state, sponge, SELO_ERROR_STATE);
    }
    if (size > SELO_MLKEM_PACKED * (size_t)(ranks - state->rank) + 32 - state->at) {
        return fail(state, sponge, SELO_ERROR_ARGUMENT);
    }
    selo_sha3_update(&sponge->sponge, piece, size);
    while (size != 0) {
        const uint16_t whole = state->rank < ranks ? SELO_MLKEM_PACKED : 32;
        const uint16_t part = smaller(size, (uint16_t)(whole - state->at));
        if (state->step == FIRST_PASS && state->rank == ranks) {
            memcpy(state->rho + state->at, piece, part);
        } else if (state->step == SECOND_PASS && state->rank < ranks
                   && !add_to_v(state, sponge, piece, part, ranks)) {
            return fail(state, sponge, SELO_ERROR_KEY);
        }
        advance(state, part, whole);
        piece += part;
        size -= part;
    }
    return state->rank > ranks ? end_pass(state, sponge, ranks) : SELO_OK;
}

enum selo_status selo_mlkem_pieces_read(struct selo_mlkem_encapsulation *state,
                                        struct selo_shake *sponge, uint8_t *out, size_t size,
                                        uint8_t ranks)
{
    const uint8_t rows = state->step == FIRST_PART ? ranks : 1;
    const uint16_t whole = state->step == FIRST_PART ? SELO_MLKEM_U : SELO_MLKEM_V;
    enum selo_status status = SELO_OK;

    if (state->step != FIRST_PART && state->step != SECOND_PART) {
        status = SELO_ERROR_STATE;
    } else if (size > whole * (size_t)(rows - state->rank) - state->at) {
        status = SELO_ERROR_ARGUMENT;
    }
    if (status != SELO_OK) {
        selo_wipe(out, size);
        return fail(state, sponge, status);
    }
    while (size != 0) {
        const uint16_t part = smaller(size, (uint16_t)(whole - state->at));
        if (state->step == FIRST_PART && state->at == 0) {
            make_row(state, sponge, state->rank, ranks);
        }
        memcpy(out, (const uint8_t *)SUM(state) + state->at, part);
        advance(state, part, whole);
        out += part;
        size -= part;
    }
    if (state->rank == rows) {
        next_step(state, sponge);
    }
    return SELO_OK;
}

enum selo_status selo_mlkem_pieces_finish(struct selo_mlkem_encapsulation *state,
                                          struct selo_shake *sponge, uint8_t secret[32])
{
    uint8_t *seeds = state->area.bytes;

    if (state->step != SECRET) {
        memset(secret, 0, 32);
        return fail(state, sponge, SELO_ERROR_STATE);
    }
    derive(state, sponge, seeds);
    memcpy(secret, seeds, 32);
    return fail(state, sponge, SELO_OK);
}
