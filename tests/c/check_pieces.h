/*
 * Sealing and opening in pieces, behind the functions of check_aead.h. CHECK_IN_PIECES makes them for
 * one algorithm. check_division selects the division of a message.
 */
#ifndef CHECK_PIECES_H
#define CHECK_PIECES_H

#include "check_aead.h"

/* One way to divide a message. */
static struct {
    enum {
        CHECK_AT_RANDOM, /* pieces of 0 to 40 bytes */
        CHECK_AT_BITS,   /* a cut after byte i for each bit i of `bits` */
        CHECK_AT_TWO     /* cuts before the bytes first and second */
    } kind;
    uint32_t bits;
    size_t first, second;
} check_division;

/* The size of the piece that begins at byte `at`. */
static inline size_t check_piece(size_t at, size_t size)
{
    size_t piece = 1;

    switch (check_division.kind) {
    case CHECK_AT_BITS:
        while (at + piece < size && !(check_division.bits >> (at + piece - 1) & 1)) {
            piece++;
        }
        return piece;
    case CHECK_AT_TWO:
        return (at < check_division.first    ? check_division.first
                : at < check_division.second ? check_division.second
                                             : size) - at;
    default:
        piece = check_random() % 41;
        return piece < size - at ? piece : size - at;
    }
}

/* CHECK_IN_PIECES(name, algorithm, type of the key, expression of the key's argument): the adapter
 * `name`. CHECK_WITH_SIZE replaces CHECK_WITHOUT_SIZE for CCM. After a failure the adapter erases
 * what was opened, as a device must. */
#define CHECK_WITHOUT_SIZE(size)
#define CHECK_WITH_SIZE(size) , (uint32_t)(size)
#define CHECK_IN_PIECES(name, x, KEY, key_argument, WITH)                                       \
    CHECK_PIECES_OF(name##_seal, x, seal, sealing, KEY, key_argument, WITH, uint8_t *)          \
    CHECK_PIECES_OF(name##_open, x, open, opening, KEY, key_argument, WITH, const uint8_t *)    \
    static const struct check_aead name = {name##_seal, name##_open};
#define CHECK_PIECES_OF(name, x, verb, noun, KEY, key_argument, WITH, tag_pointer)              \
    static enum selo_status name(const void *any_key, const struct selo_header *header,         \
                                 uint8_t *out, const uint8_t *in, size_t size, tag_pointer tag) \
    {                                                                                           \
        KEY *key = any_key;                                                                     \
        struct selo_##x##_##noun state;                                                         \
        struct selo_header gone = *header; /* must not be needed after _start */                \
        enum selo_status status;                                                                \
                                                                                                \
        memset(&state, 0xee, sizeof state);                                                     \
        status = selo_##x##_##verb##_start(&state, key_argument, &gone WITH(size));             \
        memset(&gone, 0xee, sizeof gone);                                                       \
        for (size_t at = 0, piece; status == SELO_OK && at < size; at += piece) {               \
            piece = check_piece(at, size);                                                      \
            CHECK(selo_##x##_##verb##_update(&state, out + at, in + at, piece) == SELO_OK);     \
        }                                                                                       \
        if (status == SELO_OK) {                                                                \
            status = selo_##x##_##verb##_finish(&state, tag);                                   \
        }                                                                                       \
        CHECK(check_is_zero(&state, sizeof state));                                             \
        if (status != SELO_OK) {                                                                \
            selo_wipe(out, size);                                                               \
        }                                                                                       \
        return status;                                                                          \
    }

/* An algorithm chosen at run time, with its table of pieces: CHECK_IN_PIECES(name, table,
 * const struct check_table_key, key, CHECK_WITH_SIZE) makes the adapter. */
struct check_table_key {
    const struct selo_aead_pieces *pieces;
    struct selo_aead_key key;
};
#define selo_table_sealing selo_aead_sealing
#define selo_table_opening selo_aead_opening
#define selo_table_seal_update selo_aead_seal_update
#define selo_table_open_update selo_aead_open_update
#define selo_table_seal_finish selo_aead_seal_finish
#define selo_table_open_finish selo_aead_open_finish

static inline enum selo_status selo_table_seal_start(struct selo_aead_sealing *state,
                                                     const struct check_table_key *key,
                                                     const struct selo_header *header, uint32_t size)
{
    return selo_aead_seal_start(state, key->pieces, &key->key, header, size);
}
static inline enum selo_status selo_table_open_start(struct selo_aead_opening *state,
                                                     const struct check_table_key *key,
                                                     const struct selo_header *header, uint32_t size)
{
    return selo_aead_open_start(state, key->pieces, &key->key, header, size);
}

/* Checks a message against _seal and _open, for all divisions of a short one, and into three pieces of
 * a longer one. The tag is whole. */
static inline void check_all_divisions(const struct check_aead *whole,
                                       const struct check_aead *pieces, const void *key,
                                       const struct selo_header *header, size_t size)
{
    uint8_t text[150], want[150], out[150], want_tag[16], tag[16];
    size_t last = size < 12 ? (size_t)1 << (size != 0 ? size - 1 : 0) : (size + 1) * (size + 1);

    check_random_bytes(text, sizeof text);
    CHECK(whole->seal(key, header, want, text, size, want_tag) == SELO_OK);
    for (size_t i = 0; i < last; i++) {
        check_division.kind = size < 12 ? CHECK_AT_BITS : CHECK_AT_TWO;
        check_division.bits = (uint32_t)i;
        check_division.first = i / (size + 1);
        check_division.second = i % (size + 1);
        if (check_division.first > check_division.second) {
            continue; /* the same as with the cuts exchanged */
        }
        memset(out, 0xee, sizeof out);
        CHECK(pieces->seal(key, header, out, text, size, tag) == SELO_OK);
        CHECK_BYTES(out, want, size);
        CHECK_BYTES(tag, want_tag, header->tag_size);
        CHECK(out[size] == 0xee);
        CHECK(pieces->open(key, header, out, out, size, want_tag) == SELO_OK);
        CHECK_BYTES(out, text, size);
        CHECK(out[size] == 0xee);
        tag[i % header->tag_size] ^= (uint8_t)(1 << i % 8);
        CHECK(pieces->open(key, header, out, want, size, tag) == SELO_ERROR_TAG);
    }
    check_division.kind = CHECK_AT_RANDOM;
}

#endif
