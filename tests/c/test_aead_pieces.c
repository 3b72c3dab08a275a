/*
 * Pieces with an algorithm chosen at run time: all divisions of short messages against selo_aead_seal,
 * and every misuse that the contract of selo.h names. test_incremental_vectors.c has the vectors.
 */
#include "check_pieces.h"

static const struct selo_aead_pieces *const tables[] = {
    &selo_aead_aes128_gcm_pieces,        &selo_aead_aes192_gcm_pieces,
    &selo_aead_aes256_gcm_pieces,        &selo_aead_aes128_ccm_pieces,
    &selo_aead_aes192_ccm_pieces,        &selo_aead_aes256_ccm_pieces,
    &selo_aead_chacha20_poly1305_pieces, &selo_aead_ascon_aead128_pieces,
};
enum { TABLES = sizeof tables / sizeof tables[0] };

static uint8_t bytes[64];

static enum selo_status whole_seal(const void *key, const struct selo_header *header, uint8_t *out,
                                   const uint8_t *in, size_t size, uint8_t *tag)
{
    const struct check_table_key *table_key = key;

    return selo_aead_seal(&table_key->key, header, out, in, size, tag);
}

static enum selo_status whole_open(const void *key, const struct selo_header *header, uint8_t *out,
                                   const uint8_t *in, size_t size, const uint8_t *tag)
{
    const struct check_table_key *table_key = key;

    return selo_aead_open(&table_key->key, header, out, in, size, tag);
}

static const struct check_aead whole = {whole_seal, whole_open};
CHECK_IN_PIECES(in_pieces, table, const struct check_table_key, key, CHECK_WITH_SIZE)

static void divisions(const struct check_table_key *key)
{
    struct selo_header header = {bytes, key->pieces->aead->nonce_size, bytes + 16, 0, 16};

    for (size_t size = 0; size < CHECK_SAMPLE(12, 8); size++) {
        header.ad_size = size * 3;
        header.tag_size = size % 2 != 0 ? 16 : 8;
        check_all_divisions(&whole, &in_pieces, key, &header, size);
    }
    header.ad_size = 33;
    check_all_divisions(&whole, &in_pieces, key, &header, 33);
}

/* Calls in a wrong order, and with the table of another algorithm. Each leaves a state of zeros. */
#define MISUSE_OF(verb, noun)                                                                    \
    static void verb##_misuse(const struct check_table_key *key,                                 \
                              const struct selo_aead_pieces *other)                              \
    {                                                                                            \
        struct selo_header header = {bytes, key->pieces->aead->nonce_size, bytes, 5, 8};         \
        struct selo_aead_##noun state = {0};                                                     \
        uint8_t out[21], tag[17];                                                                \
                                                                                                 \
        memset(out, 0xee, sizeof out);                                                           \
        memset(tag, 0xee, sizeof tag);                                                           \
        CHECK(selo_aead_##verb##_update(&state, out, bytes, 20) == SELO_ERROR_STATE);            \
        CHECK(check_is_zero(out, 20) && out[20] == 0xee);                                        \
        CHECK(selo_aead_##verb##_finish(&state, tag) == SELO_ERROR_STATE && tag[0] == 0xee);     \
        /* a table that is not the key's */                                                      \
        memset(&state, 0xee, sizeof state);                                                      \
        CHECK(selo_aead_##verb##_start(&state, other, &key->key, &header, 20) ==                 \
              SELO_ERROR_ARGUMENT);                                                              \
        CHECK(check_is_zero(&state, sizeof state));                                              \
        /* a size that the algorithm does not accept */                                          \
        header.tag_size = 17;                                                                    \
        memset(&state, 0xee, sizeof state);                                                      \
        CHECK(selo_aead_##verb##_start(&state, key->pieces, &key->key, &header, 20) ==           \
              SELO_ERROR_ARGUMENT);                                                              \
        CHECK(check_is_zero(&state, sizeof state));                                              \
        CHECK(selo_aead_##verb##_update(&state, NULL, NULL, 0) == SELO_ERROR_STATE);             \
        header.tag_size = 8;                                                                     \
        /* too many bytes */                                                                     \
        CHECK(selo_aead_##verb##_start(&state, key->pieces, &key->key, &header, 19) == SELO_OK); \
        CHECK(selo_aead_##verb##_update(&state, out, bytes, 10) == SELO_OK);                     \
        memset(out, 0xee, sizeof out);                                                           \
        CHECK(selo_aead_##verb##_update(&state, out, bytes, 10) == SELO_ERROR_ARGUMENT);         \
        CHECK(check_is_zero(out, 10) && out[10] == 0xee);                                        \
        CHECK(check_is_zero(&state, sizeof state));                                              \
        /* too few */                                                                            \
        CHECK(selo_aead_##verb##_start(&state, key->pieces, &key->key, &header, 20) == SELO_OK); \
        CHECK(selo_aead_##verb##_update(&state, out, bytes, 19) == SELO_OK);                     \
        memset(tag, 0xee, sizeof tag);                                                           \
        CHECK(selo_aead_##verb##_finish(&state, tag) == SELO_ERROR_STATE);                       \
        CHECK(tag[8] == 0xee && check_is_zero(&state, sizeof state));                            \
        CHECK(tag[0] == SHORT_TAG_##verb && tag[7] == SHORT_TAG_##verb);                         \
        /* after a finish */                                                                     \
        CHECK(selo_aead_##verb##_start(&state, key->pieces, &key->key, &header, 20) == SELO_OK); \
        CHECK(selo_aead_##verb##_update(&state, NULL, NULL, 0) == SELO_OK);                      \
        CHECK(selo_aead_##verb##_update(&state, out, bytes, 20) == SELO_OK);                     \
        (void)selo_aead_##verb##_finish(&state, tag);                                            \
        CHECK(check_is_zero(&state, sizeof state));                                              \
        CHECK(selo_aead_##verb##_update(&state, out, bytes, 20) == SELO_ERROR_STATE);            \
    }
/* The tag after a message that is too short: sealing zeroes it, opening only reads it. */
#define SHORT_TAG_seal 0
#define SHORT_TAG_open 0xee
MISUSE_OF(seal, sealing)
MISUSE_OF(open, opening)

int main(void)
{
    check_random_bytes(bytes, sizeof bytes);
    for (size_t i = 0; i < TABLES; i++) {
        struct check_table_key key = {.pieces = tables[i]};

        CHECK(selo_aead_setup(&key.key, tables[i]->aead, bytes, tables[i]->aead->key_size) ==
              SELO_OK);
        divisions(&key);
        seal_misuse(&key, tables[(i + 1) % TABLES]);
        open_misuse(&key, tables[(i + 1) % TABLES]);
    }
    return check_report("aead in pieces");
}
