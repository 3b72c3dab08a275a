/*
 * Authenticated encryption in pieces: all divisions of short messages, the typed keys, every misuse
 * that the contract of selo.h names, and long messages. test_gcm.c and its like have the official vectors.
 */
#include "check_pieces.h"
#include "selo/mode/ghash.h"

/* The one-shot calls and those in pieces of one typed key. */
#define ALGORITHM(x, WITH)                                                                      \
    static enum selo_status x##_whole_seal(const void *key, const struct selo_header *header,   \
                                           uint8_t *out, const uint8_t *in, size_t size,        \
                                           uint8_t *tag)                                        \
    {                                                                                           \
        return selo_##x##_seal(key, header, out, in, size, tag);                                \
    }                                                                                           \
    static enum selo_status x##_whole_open(const void *key, const struct selo_header *header,   \
                                           uint8_t *out, const uint8_t *in, size_t size,        \
                                           const uint8_t *tag)                                  \
    {                                                                                           \
        return selo_##x##_open(key, header, out, in, size, tag);                                \
    }                                                                                           \
    static const struct check_aead x##_whole = {x##_whole_seal, x##_whole_open};                \
    CHECK_IN_PIECES(x##_pieces, x, const struct selo_##x##_key, key, WITH)                      \
    static void x##_setup(void *key, const uint8_t *raw)                                        \
    {                                                                                           \
        selo_##x##_setup(key, raw);                                                             \
    }                                                                                           \
    /* Calls in a wrong order. Every one must leave a state of zeros. */                        \
    static void x##_misuse(const void *any_key)                                                 \
    {                                                                                           \
        MISUSE_OF(x, seal, sealing, WITH)                                                       \
        MISUSE_OF(x, open, opening, WITH)                                                       \
    }

#define MISUSE_OF(x, verb, noun, WITH)                                                          \
    {                                                                                           \
        const struct selo_##x##_key *key = any_key;                                             \
        struct selo_##x##_##noun state = {0};                                                   \
        struct selo_header header = {bytes, nonce_size_of(#x), bytes, 5, 8};                    \
        uint8_t out[21], tag[17];                                                               \
                                                                                                \
        /* without a start */                                                                   \
        memset(out, 0xee, sizeof out);                                                          \
        memset(tag, 0xee, sizeof tag);                                                          \
        CHECK(selo_##x##_##verb##_update(&state, out, bytes, 20) == SELO_ERROR_STATE);          \
        CHECK(check_is_zero(out, 20) && out[20] == 0xee);                                       \
        CHECK(selo_##x##_##verb##_update(&state, NULL, NULL, 0) == SELO_ERROR_STATE);           \
        CHECK(selo_##x##_##verb##_finish(&state, tag) == SELO_ERROR_STATE);                     \
        CHECK(tag[0] == 0xee && check_is_zero(&state, sizeof state));                           \
        /* after a start that failed */                                                         \
        header.tag_size = 17;                                                                   \
        memset(&state, 0xee, sizeof state);                                                     \
        CHECK(selo_##x##_##verb##_start(&state, key, &header WITH(20)) == SELO_ERROR_ARGUMENT); \
        CHECK(check_is_zero(&state, sizeof state));                                             \
        CHECK(selo_##x##_##verb##_update(&state, out, bytes, 20) == SELO_ERROR_STATE);          \
        CHECK(selo_##x##_##verb##_finish(&state, tag) == SELO_ERROR_STATE);                     \
        header.tag_size = 8;                                                                    \
        header.nonce_size = 0;                                                                  \
        CHECK(selo_##x##_##verb##_start(&state, key, &header WITH(20)) == SELO_ERROR_ARGUMENT); \
        header.nonce_size = nonce_size_of(#x);                                                  \
        /* after a finish, with a tag that verifies or not */                                   \
        CHECK(selo_##x##_##verb##_start(&state, key, &header WITH(20)) == SELO_OK);             \
        CHECK(selo_##x##_##verb##_update(&state, NULL, NULL, 0) == SELO_OK);                    \
        CHECK(selo_##x##_##verb##_update(&state, out, bytes, 20) == SELO_OK);                   \
        (void)selo_##x##_##verb##_finish(&state, tag);                                          \
        CHECK(check_is_zero(&state, sizeof state));                                             \
        memset(tag, 0xee, sizeof tag);                                                          \
        memset(out, 0xee, sizeof out);                                                          \
        CHECK(selo_##x##_##verb##_update(&state, out, bytes, 20) == SELO_ERROR_STATE);          \
        CHECK(check_is_zero(out, 20) && out[20] == 0xee);                                       \
        CHECK(selo_##x##_##verb##_finish(&state, tag) == SELO_ERROR_STATE);                     \
        CHECK(tag[0] == 0xee && check_is_zero(&state, sizeof state));                           \
    }

static uint8_t bytes[64];

static size_t nonce_size_of(const char *algorithm)
{
    return strcmp(algorithm, "ascon_aead128") == 0 ? 16 : 12;
}

ALGORITHM(aes128_gcm, CHECK_WITHOUT_SIZE)
ALGORITHM(aes192_gcm, CHECK_WITHOUT_SIZE)
ALGORITHM(aes256_gcm, CHECK_WITHOUT_SIZE)
ALGORITHM(aes128_ccm, CHECK_WITH_SIZE)
ALGORITHM(aes192_ccm, CHECK_WITH_SIZE)
ALGORITHM(aes256_ccm, CHECK_WITH_SIZE)
ALGORITHM(chacha20_poly1305, CHECK_WITHOUT_SIZE)
ALGORITHM(ascon_aead128, CHECK_WITHOUT_SIZE)

#define ENTRY(x) {#x, x##_setup, &x##_whole, &x##_pieces, x##_misuse}
static const struct algorithm {
    const char *name;
    void (*setup)(void *key, const uint8_t *raw);
    const struct check_aead *whole, *pieces;
    void (*misuse)(const void *key);
} algorithms[] = {
    ENTRY(aes128_gcm), ENTRY(aes192_gcm), ENTRY(aes256_gcm), ENTRY(aes128_ccm),
    ENTRY(aes192_ccm), ENTRY(aes256_ccm), ENTRY(chacha20_poly1305), ENTRY(ascon_aead128),
};

/* Sizes around the blocks of 16 and 64 bytes. AES-192 and AES-256 differ from AES-128 in the cipher
 * only, so few sizes are enough for them. */
static void divisions(const struct algorithm *a, const void *key)
{
    static const size_t longer[] = {12, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65, 70, 129};
    const size_t few = strstr(a->name, "192") || strstr(a->name, "256") ? 4 : sizeof longer / sizeof longer[0];
    struct selo_header header = {bytes, nonce_size_of(a->name), bytes + 16, 0, 16};

    for (size_t size = 0; size < 12; size++) {
        header.ad_size = size * 3;
        header.tag_size = size % 2 != 0 ? 16 : 8;
        check_all_divisions(a->whole, a->pieces, key, &header, size);
    }
    for (size_t i = 0; i < CHECK_SAMPLE(few, (few + 1) / 2); i++) {
        header.ad_size = i;
        check_all_divisions(a->whole, a->pieces, key, &header, longer[i]);
    }
}

/* Beyond 16 bits of size, where the library must not count in a size_t of 16 bits. */
static void long_message(const struct algorithm *a, const void *key)
{
    static uint8_t text[70001], out[70001], want[70001];
    const struct selo_header header = {bytes, nonce_size_of(a->name), text, 300, 16};
    uint8_t tag[16], want_tag[16];

    check_random_bytes(text, sizeof text);
    CHECK(a->whole->seal(key, &header, want, text, sizeof text, want_tag) == SELO_OK);
    CHECK(a->pieces->seal(key, &header, out, text, sizeof text, tag) == SELO_OK);
    CHECK_BYTES(out, want, sizeof text);
    CHECK_BYTES(tag, want_tag, 16);
    CHECK(a->pieces->open(key, &header, out, out, sizeof text, tag) == SELO_OK);
    CHECK_BYTES(out, text, sizeof text);
}

/* CCM with too many or too few bytes. */
static void ccm_sizes(void)
{
    const struct selo_header header = {bytes, 13, NULL, 0, 8};
    struct selo_aes128_ccm_sealing sealing;
    struct selo_aes128_ccm_opening opening;
    struct selo_aes128_ccm_key key;
    uint8_t out[21], tag[9];

    selo_aes128_ccm_setup(&key, bytes);
    for (uint32_t size = 0; size < 20; size++) {
        memset(out, 0xee, sizeof out);
        memset(tag, 0xee, sizeof tag);
        CHECK(selo_aes128_ccm_seal_start(&sealing, &key, &header, size) == SELO_OK);
        CHECK(selo_aes128_ccm_seal_update(&sealing, out, bytes, size) == SELO_OK);
        CHECK(selo_aes128_ccm_seal_update(&sealing, out, bytes, 1) == SELO_ERROR_ARGUMENT);
        CHECK(out[0] == 0 && check_is_zero(&sealing, sizeof sealing));
        CHECK(selo_aes128_ccm_seal_finish(&sealing, tag) == SELO_ERROR_STATE && tag[0] == 0xee);

        CHECK(selo_aes128_ccm_seal_start(&sealing, &key, &header, size + 1) == SELO_OK);
        CHECK(selo_aes128_ccm_seal_update(&sealing, out, bytes, size) == SELO_OK);
        CHECK(selo_aes128_ccm_seal_finish(&sealing, tag) == SELO_ERROR_STATE);
        CHECK(check_is_zero(tag, 8) && tag[8] == 0xee && check_is_zero(&sealing, sizeof sealing));

        CHECK(selo_aes128_ccm_open_start(&opening, &key, &header, size) == SELO_OK);
        CHECK(selo_aes128_ccm_open_update(&opening, out, bytes, size + 1) == SELO_ERROR_ARGUMENT);
        CHECK(check_is_zero(out, size + 1) && check_is_zero(&opening, sizeof opening));
        CHECK(selo_aes128_ccm_open_start(&opening, &key, &header, size + 1) == SELO_OK);
        CHECK(selo_aes128_ccm_open_update(&opening, out, bytes, size) == SELO_OK);
        CHECK(selo_aes128_ccm_open_finish(&opening, tag) == SELO_ERROR_STATE);
        CHECK(check_is_zero(&opening, sizeof opening));
    }
    /* 13 bytes of nonce leave two for the size, and 12 leave three */
    CHECK(selo_aes128_ccm_seal_start(&sealing, &key, &header, 0xffff) == SELO_OK);
    CHECK(selo_aes128_ccm_seal_start(&sealing, &key, &header, 0x10000) == SELO_ERROR_ARGUMENT);
    CHECK(check_is_zero(&sealing, sizeof sealing));
}

/* The longest message has 2^32 - 1 bytes. The test moves the count, because so many take too long. */
static void limits(void)
{
    struct selo_header header = {bytes, 12, NULL, 0, 16};
    struct selo_aes128_gcm_key gcm;
    struct selo_aes128_gcm_sealing gcm_state;
    struct selo_chacha20_poly1305_key chacha;
    struct selo_chacha20_poly1305_opening chacha_state;
    uint8_t out[2];

    selo_aes128_gcm_setup(&gcm, bytes);
    selo_chacha20_poly1305_setup(&chacha, bytes);
    CHECK(selo_aes128_gcm_seal_start(&gcm_state, &gcm, &header) == SELO_OK);
    gcm_state.of.message.size = UINT32_MAX - 1;
    CHECK(selo_aes128_gcm_seal_update(&gcm_state, out, bytes, 1) == SELO_OK);
    CHECK(selo_aes128_gcm_seal_update(&gcm_state, out, bytes, 2) == SELO_ERROR_ARGUMENT);
    CHECK(check_is_zero(out, 2) && check_is_zero(&gcm_state, sizeof gcm_state));
    CHECK(selo_chacha20_poly1305_open_start(&chacha_state, &chacha, &header) == SELO_OK);
    chacha_state.message.size = UINT32_MAX - 1;
    CHECK(selo_chacha20_poly1305_open_update(&chacha_state, out, bytes, 1) == SELO_OK);
    CHECK(selo_chacha20_poly1305_open_update(&chacha_state, out, bytes, 2) == SELO_ERROR_ARGUMENT);
    CHECK(check_is_zero(out, 2) && check_is_zero(&chacha_state, sizeof chacha_state));
#if SIZE_MAX > UINT32_MAX /* refused before a byte of it is read */
    header.ad_size = (size_t)UINT32_MAX + 1;
    CHECK(selo_aes128_gcm_seal_start(&gcm_state, &gcm, &header) == SELO_ERROR_ARGUMENT);
    CHECK(selo_chacha20_poly1305_open_start(&chacha_state, &chacha, &header) == SELO_ERROR_ARGUMENT);
#endif
}

/* The last block of GHASH has all bits of a size [SP800-38D, 7.1]. The test moves the count here too. */
static void gcm_size_field(void)
{
    const struct selo_header header = {bytes, 12, NULL, 0, 16};
    struct selo_aes128_fast aes;
    struct selo_gcm_sealing state;
    uint8_t tag[16], want[16];

    selo_aes128_fast_setup(&aes, bytes);
    for (uint8_t bit = 4; bit < 32; bit++) {
        CHECK(selo_gcm_seal_start(&state, selo_aes128_fast_cipher(&aes), &header) == SELO_OK);
        state.message.size = (uint32_t)1 << bit;
        memset(want, 0, 16);
        want[15 - (bit + 3) / 8] = (uint8_t)(1 << (bit + 3) % 8);
        selo_ghash_multiply(want, state.message.gcm.hash_key);
        for (uint8_t i = 0; i < 16; i++) {
            want[i] ^= state.message.gcm.mask[i];
        }
        CHECK(selo_gcm_seal_finish(&state, tag) == SELO_OK);
        CHECK_BYTES(tag, want, 16);
    }
}

/* A state may be copied: both copies give the same tag. */
static void copies(void)
{
    const struct selo_header header = {bytes, 12, bytes, 7, 16};
    struct selo_chacha20_poly1305_sealing one, two;
    struct selo_chacha20_poly1305_key key;
    uint8_t out[50], tag[16], again[16];

    selo_chacha20_poly1305_setup(&key, bytes);
    CHECK(selo_chacha20_poly1305_seal_start(&one, &key, &header) == SELO_OK);
    CHECK(selo_chacha20_poly1305_seal_update(&one, out, bytes, 37) == SELO_OK);
    two = one;
    CHECK(selo_chacha20_poly1305_seal_finish(&one, tag) == SELO_OK);
    CHECK(selo_chacha20_poly1305_seal_finish(&two, again) == SELO_OK);
    CHECK_BYTES(tag, again, 16);
}

int main(void)
{
    check_random_bytes(bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof algorithms / sizeof algorithms[0]; i++) {
        struct selo_aes256_gcm_key key; /* the largest */
        algorithms[i].setup(&key, bytes);
        divisions(&algorithms[i], &key);
        long_message(&algorithms[i], &key);
        algorithms[i].misuse(&key);
    }
    ccm_sizes();
    limits();
    gcm_size_field();
    copies();
    return check_report("incremental");
}
