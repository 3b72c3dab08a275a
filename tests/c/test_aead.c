/*
 * The typed keys of AES-GCM and AES-CCM, and the tables of algorithms. Each must give the same results
 * as the functions that it calls, with the key's own size. Those functions have their own tests.
 */
#include "check_aead.h"

static const struct selo_aead *const tables[] = {
    &selo_aead_aes128_gcm,        &selo_aead_aes256_gcm,    &selo_aead_aes128_ccm,
    &selo_aead_aes256_ccm,        &selo_aead_chacha20_poly1305, &selo_aead_ascon_aead128,
    &selo_aead_aes192_gcm,        &selo_aead_aes192_ccm,
};
enum { TABLES = sizeof tables / sizeof tables[0], SIZE = 50 };

static enum selo_status seal(const void *key, const struct selo_header *header, uint8_t *out,
                             const uint8_t *in, size_t size, uint8_t *tag)
{
    return selo_aead_seal(key, header, out, in, size, tag);
}

static enum selo_status open(const void *key, const struct selo_header *header, uint8_t *out,
                             const uint8_t *in, size_t size, const uint8_t *tag)
{
    return selo_aead_open(key, header, out, in, size, tag);
}

static const struct check_aead by_table = {seal, open};

/* Seals by the functions under the table. */
static void directly(size_t table, const uint8_t *raw, const struct selo_header *header,
                     uint8_t *out, const uint8_t *in, uint8_t *tag)
{
    struct selo_aes128_small aes128;
    struct selo_aes192_small aes192;
    struct selo_aes256_small aes256;
    struct selo_chacha20_poly1305_key chacha;
    struct selo_ascon_aead128_key ascon;

    selo_aes128_small_setup(&aes128, raw);
    selo_aes192_small_setup(&aes192, raw);
    selo_aes256_small_setup(&aes256, raw);
    selo_chacha20_poly1305_setup(&chacha, raw);
    selo_ascon_aead128_setup(&ascon, raw);
    switch (table) {
    case 0: selo_gcm_seal(selo_aes128_small_cipher(&aes128), header, out, in, SIZE, tag); break;
    case 1: selo_gcm_seal(selo_aes256_small_cipher(&aes256), header, out, in, SIZE, tag); break;
    case 2: selo_ccm_seal(selo_aes128_small_cipher(&aes128), header, out, in, SIZE, tag); break;
    case 3: selo_ccm_seal(selo_aes256_small_cipher(&aes256), header, out, in, SIZE, tag); break;
    case 4: selo_chacha20_poly1305_seal(&chacha, header, out, in, SIZE, tag); break;
    case 5: selo_ascon_aead128_seal(&ascon, header, out, in, SIZE, tag); break;
    case 6: selo_gcm_seal(selo_aes192_small_cipher(&aes192), header, out, in, SIZE, tag); break;
    default: selo_ccm_seal(selo_aes192_small_cipher(&aes192), header, out, in, SIZE, tag); break;
    }
}

static void table(size_t i)
{
    uint8_t raw[32], nonce[16], ad[20], text[SIZE], ciphertext[SIZE], tag[16];
    const struct selo_aead *aead = tables[i];
    const struct selo_header header = {nonce, aead->nonce_size, ad, sizeof ad, aead->tag_size};
    const struct check_packet p = {nonce, ad, text, aead->nonce_size, sizeof ad, SIZE};
    struct selo_aead_key key;

    check_random_bytes(raw, sizeof raw);
    check_random_bytes(nonce, sizeof nonce);
    check_random_bytes(ad, sizeof ad);
    check_random_bytes(text, sizeof text);
    directly(i, raw, &header, ciphertext, text, tag);
    CHECK(selo_aead_setup(&key, aead, raw, aead->key_size) == SELO_OK);
    check_aead_packet(&by_table, &key, &p, ciphertext, tag, aead->tag_size);
    check_aead_refused(&by_table, &key, aead->nonce_size, sizeof ad, 17);

    for (size_t size = 0; size < 40; size++) {
        if (size != aead->key_size) {
            memset(&key, 0xee, sizeof key);
            CHECK(selo_aead_setup(&key, aead, raw, size) == SELO_ERROR_ARGUMENT);
            CHECK(check_is_zero(&key, sizeof key));
        }
    }
}

/* The typed keys, against the tables. */
#define TYPED(name, number)                                                                 \
    do {                                                                                    \
        struct selo_##name##_key key;                                                       \
        const struct selo_header header = {nonce, tables[number]->nonce_size, ad, sizeof ad, 12}; \
        selo_##name##_setup(&key, raw);                                                     \
        CHECK(selo_##name##_seal(&key, &header, out, text, SIZE, tag) == SELO_OK);          \
        directly(number, raw, &header, want, text, want_tag);                               \
        CHECK_BYTES(out, want, SIZE);                                                       \
        CHECK_BYTES(tag, want_tag, 12);                                                     \
        CHECK(selo_##name##_open(&key, &header, out, out, SIZE, tag) == SELO_OK);           \
        CHECK_BYTES(out, text, SIZE);                                                       \
        tag[11] ^= 1;                                                                       \
        CHECK(selo_##name##_open(&key, &header, out, want, SIZE, tag) == SELO_ERROR_TAG);   \
        CHECK(check_is_zero(out, SIZE));                                                    \
    } while (0)

static void typed(void)
{
    uint8_t raw[32], nonce[16], ad[20], text[SIZE], out[SIZE], want[SIZE], tag[16], want_tag[16];

    check_random_bytes(raw, sizeof raw);
    check_random_bytes(nonce, sizeof nonce);
    check_random_bytes(ad, sizeof ad);
    check_random_bytes(text, sizeof text);
    TYPED(aes128_gcm, 0);
    TYPED(aes256_gcm, 1);
    TYPED(aes128_ccm, 2);
    TYPED(aes256_ccm, 3);
    TYPED(chacha20_poly1305, 4);
    TYPED(ascon_aead128, 5);
    TYPED(aes192_gcm, 6);
    TYPED(aes192_ccm, 7);
}

int main(void)
{
    for (size_t i = 0; i < TABLES; i++) {
        table(i);
    }
    typed();
    return check_report("aead");
}
