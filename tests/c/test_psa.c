/* The PSA Crypto subset against Wycheproof's vectors, and its keys and policies. */
#include <psa/crypto.h>

#include "wycheproof.h"

enum { KEY, NONCE, AD, MESSAGE, CIPHERTEXT, TAG };
static const char *const aead_names[] = {"key", "iv", "aad", "msg", "ct", "tag", NULL};
static const char *const mac_names[] = {"key", "msg", "tag", NULL};
static const char *const agreement_names[] = {"public", "private", "shared", NULL};

static psa_key_type_t type;
static psa_algorithm_t algorithm;
static unsigned ran; /* vectors that the algorithm accepts */

psa_status_t selo_psa_random(uint8_t *output, size_t output_size)
{
    static uint8_t next, fails;
    memset(output, ++next, output_size);
    return fails++ == 2 ? PSA_ERROR_INSUFFICIENT_ENTROPY : PSA_SUCCESS; /* the third call fails */
}

static psa_status_t import(psa_key_usage_t usage, psa_algorithm_t alg, const uint8_t *bytes, size_t size,
                           psa_key_id_t *key)
{
    psa_key_attributes_t attributes = psa_key_attributes_init();
    psa_set_key_type(&attributes, type);
    psa_set_key_usage_flags(&attributes, usage);
    psa_set_key_algorithm(&attributes, alg);
    return psa_import_key(&attributes, bytes, size, key);
}

static void aead(const struct wycheproof *test)
{
    const struct wycheproof_field *field = test->field;
    const size_t size = field[MESSAGE].size, tag_size = field[TAG].size;
    const psa_algorithm_t alg = PSA_ALG_AEAD_WITH_SHORTENED_TAG(algorithm, tag_size);
    static uint8_t sealed[4096], expected[4096], opened[4096];
    psa_key_id_t key;
    size_t length;

    if (tag_size != test->tag_size / 8
        || import(PSA_KEY_USAGE_ENCRYPT | PSA_KEY_USAGE_DECRYPT, alg, field[KEY].data, field[KEY].size, &key)
               != PSA_SUCCESS)
        return;
    memcpy(expected, field[CIPHERTEXT].data, size);
    memcpy(expected + size, field[TAG].data, tag_size);
    psa_status_t status = psa_aead_decrypt(key, alg, field[NONCE].data, field[NONCE].size, field[AD].data, field[AD].size,
                                           expected, size + tag_size, opened, size, &length);
    if (status == PSA_ERROR_INVALID_ARGUMENT) {
        CHECK(psa_destroy_key(key) == PSA_SUCCESS);
        return; /* a size that the algorithm does not accept */
    }
    ran++;
    CHECK(status == (test->valid ? PSA_SUCCESS : PSA_ERROR_INVALID_SIGNATURE));
    CHECK(length == (test->valid ? size : 0));
    if (test->valid) {
        CHECK(memcmp(opened, field[MESSAGE].data, size) == 0);
        CHECK(psa_aead_encrypt(key, alg, field[NONCE].data, field[NONCE].size, field[AD].data, field[AD].size,
                               field[MESSAGE].data, size, sealed, size + tag_size, &length) == PSA_SUCCESS);
        CHECK(length == size + tag_size && memcmp(sealed, expected, length) == 0);
        CHECK(psa_aead_encrypt(key, alg, field[NONCE].data, field[NONCE].size, NULL, 0, field[MESSAGE].data, size,
                               sealed, size + tag_size - 1, &length) == PSA_ERROR_BUFFER_TOO_SMALL);
    }
    CHECK(psa_destroy_key(key) == PSA_SUCCESS);
}

static void mac(const struct wycheproof *test)
{
    enum { MAC_MESSAGE = 1, MAC_TAG };
    const struct wycheproof_field *field = test->field;
    const psa_algorithm_t alg = PSA_ALG_TRUNCATED_MAC(algorithm, field[MAC_TAG].size);
    uint8_t tag[64];
    psa_key_id_t key;
    size_t length;

    psa_status_t status = import(PSA_KEY_USAGE_SIGN_MESSAGE | PSA_KEY_USAGE_VERIFY_MESSAGE, alg, field[KEY].data,
                                 field[KEY].size, &key);
    if (field[KEY].size > SELO_PSA_KEY_MAX) {
        CHECK(status == PSA_ERROR_NOT_SUPPORTED && key == PSA_KEY_ID_NULL);
        return;
    }
    if (!CHECK(status == PSA_SUCCESS))
        return;
    ran++;
    status = psa_mac_verify(key, alg, field[MAC_MESSAGE].data, field[MAC_MESSAGE].size, field[MAC_TAG].data, field[MAC_TAG].size);
    CHECK(status == (test->valid ? PSA_SUCCESS : PSA_ERROR_INVALID_SIGNATURE));
    if (test->valid) {
        CHECK(psa_mac_compute(key, alg, field[MAC_MESSAGE].data, field[MAC_MESSAGE].size, tag, sizeof tag, &length) == PSA_SUCCESS);
        CHECK(length == field[MAC_TAG].size && memcmp(tag, field[MAC_TAG].data, length) == 0);
    }
    CHECK(psa_destroy_key(key) == PSA_SUCCESS);
}

static void agreement(const struct wycheproof *test)
{
    const struct wycheproof_field *peer = &test->field[0], *secret = &test->field[1], *shared = &test->field[2];
    static const uint8_t zeros[32];
    uint8_t out[32];
    psa_key_id_t key;
    size_t length;

    if (!CHECK(import(PSA_KEY_USAGE_DERIVE, PSA_ALG_ECDH, secret->data, secret->size, &key) == PSA_SUCCESS))
        return;
    psa_status_t status = psa_raw_key_agreement(PSA_ALG_ECDH, key, peer->data, peer->size, out, sizeof out, &length);
    if (shared->size == 32 && memcmp(shared->data, zeros, 32) == 0) {
        CHECK(status == PSA_ERROR_INVALID_ARGUMENT && length == 0);
    } else {
        ran++;
        CHECK(status == PSA_SUCCESS && length == 32 && memcmp(out, shared->data, 32) == 0);
    }
    CHECK(psa_destroy_key(key) == PSA_SUCCESS);
}

/* Runs a file of Wycheproof. At least `least` of its vectors must be of sizes that are accepted. */
static void file(const char *name, const char *const *names, void (*run)(const struct wycheproof *),
                 psa_key_type_t key_type, psa_algorithm_t alg, unsigned least)
{
    char path[256];
    snprintf(path, sizeof path, "%s/wycheproof/%s_test.json", VECTORS, name);
    type = key_type;
    algorithm = alg;
    ran = 0;
    wycheproof_each(path, names, run);
    if (!CHECK(ran >= least))
        fprintf(stderr, "  %s: %u\n", name, ran);
}

/* Digests of "abc" [FIPS180-4] [FIPS202]: their first four bytes. */
static void hashes(void)
{
    static const struct {
        psa_algorithm_t alg;
        uint8_t size, start[4];
    } cases[] = {{PSA_ALG_SHA_256, 32, {0xba, 0x78, 0x16, 0xbf}},  {PSA_ALG_SHA_384, 48, {0xcb, 0x00, 0x75, 0x3f}},
                 {PSA_ALG_SHA_512, 64, {0xdd, 0xaf, 0x35, 0xa1}},  {PSA_ALG_SHA3_256, 32, {0x3a, 0x98, 0x5d, 0xa7}},
                 {PSA_ALG_SHA3_512, 64, {0xb7, 0x51, 0x85, 0x0b}}};
    uint8_t hash[PSA_HASH_MAX_SIZE];
    size_t length;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK(psa_hash_compute(cases[i].alg, (const uint8_t *)"abc", 3, hash, sizeof hash, &length) == PSA_SUCCESS);
        CHECK(length == cases[i].size && memcmp(hash, cases[i].start, 4) == 0);
        CHECK(psa_hash_compute(cases[i].alg, NULL, 0, hash, cases[i].size - 1u, &length) == PSA_ERROR_BUFFER_TOO_SMALL);
    }
    CHECK(psa_hash_compute(0x02000005, NULL, 0, hash, sizeof hash, &length) == PSA_ERROR_NOT_SUPPORTED); /* SHA-1 */
}

static void keys(void)
{
    static const uint8_t bytes[64] = {1};
    psa_key_id_t key[SELO_PSA_SLOTS], extra;
    uint8_t out[32];
    size_t length;

    type = PSA_KEY_TYPE_AES;
    for (int i = 0; i < SELO_PSA_SLOTS; i++)
        CHECK(import(PSA_KEY_USAGE_ENCRYPT, PSA_ALG_GCM, bytes, 16, &key[i]) == PSA_SUCCESS);
    CHECK(import(PSA_KEY_USAGE_ENCRYPT, PSA_ALG_GCM, bytes, 16, &extra) == PSA_ERROR_INSUFFICIENT_MEMORY);
    CHECK(extra == PSA_KEY_ID_NULL);
    /* Policies */
    CHECK(psa_aead_decrypt(key[0], PSA_ALG_GCM, bytes, 12, NULL, 0, bytes, 16, out, 0, &length) == PSA_ERROR_NOT_PERMITTED);
    CHECK(psa_aead_encrypt(key[0], PSA_ALG_CCM, bytes, 12, NULL, 0, bytes, 0, out, 32, &length) == PSA_ERROR_NOT_PERMITTED);
    CHECK(psa_aead_encrypt(key[0], PSA_ALG_AEAD_WITH_SHORTENED_TAG(PSA_ALG_GCM, 8), bytes, 12, NULL, 0, bytes, 0, out, 32,
                           &length) == PSA_ERROR_NOT_PERMITTED);
    CHECK(psa_aead_encrypt(key[0], PSA_ALG_GCM | 0x8000, bytes, 12, NULL, 0, bytes, 0, out, 32, &length)
          == PSA_ERROR_INVALID_ARGUMENT);
    /* A destroyed key is not its successor. */
    CHECK(psa_destroy_key(key[3]) == PSA_SUCCESS);
    CHECK(psa_destroy_key(key[3]) == PSA_ERROR_INVALID_HANDLE);
    CHECK(import(PSA_KEY_USAGE_ENCRYPT, PSA_ALG_GCM, bytes, 16, &extra) == PSA_SUCCESS && extra != key[3]);
    CHECK(psa_aead_encrypt(key[3], PSA_ALG_GCM, bytes, 12, NULL, 0, bytes, 0, out, 32, &length) == PSA_ERROR_INVALID_HANDLE);
    key[3] = extra;
    for (int i = 0; i < SELO_PSA_SLOTS; i++)
        CHECK(psa_destroy_key(key[i]) == PSA_SUCCESS);
    CHECK(psa_destroy_key(PSA_KEY_ID_NULL) == PSA_SUCCESS);
    CHECK(import(PSA_KEY_USAGE_ENCRYPT, PSA_ALG_GCM, bytes, 17, &extra) == PSA_ERROR_INVALID_ARGUMENT);
    type = 0x7112; /* a key pair of P-256 */
    CHECK(import(PSA_KEY_USAGE_DERIVE, PSA_ALG_ECDH, bytes, 32, &extra) == PSA_ERROR_NOT_SUPPORTED);
}

static void random(void)
{
    psa_key_attributes_t attributes = PSA_KEY_ATTRIBUTES_INIT;
    uint8_t mine[32], yours[32], one[32], two[32];
    psa_key_id_t a, b;
    size_t length;

    psa_set_key_type(&attributes, PSA_KEY_TYPE_ECC_KEY_PAIR(PSA_ECC_FAMILY_MONTGOMERY));
    psa_set_key_bits(&attributes, 255);
    psa_set_key_usage_flags(&attributes, PSA_KEY_USAGE_DERIVE);
    psa_set_key_algorithm(&attributes, PSA_ALG_ECDH);
    CHECK(psa_generate_key(&attributes, &a) == PSA_SUCCESS);
    CHECK(psa_generate_key(&attributes, &b) == PSA_SUCCESS);
    CHECK(psa_export_public_key(a, mine, sizeof mine, &length) == PSA_SUCCESS && length == 32);
    CHECK(psa_export_public_key(b, yours, sizeof yours, &length) == PSA_SUCCESS && length == 32);
    CHECK(psa_raw_key_agreement(PSA_ALG_ECDH, a, yours, 32, one, 32, &length) == PSA_SUCCESS);
    CHECK(psa_raw_key_agreement(PSA_ALG_ECDH, b, mine, 32, two, 32, &length) == PSA_SUCCESS);
    CHECK(memcmp(one, two, 32) == 0 && memcmp(mine, yours, 32) != 0);
    CHECK(psa_generate_random(one, sizeof one) == PSA_ERROR_INSUFFICIENT_ENTROPY && one[0] == 0);
    CHECK(psa_destroy_key(a) == PSA_SUCCESS && psa_destroy_key(b) == PSA_SUCCESS);
    psa_set_key_lifetime(&attributes, 1);
    CHECK(psa_generate_key(&attributes, &a) == PSA_ERROR_NOT_SUPPORTED);
}

int main(void)
{
    psa_key_id_t key;
    uint8_t byte;

    CHECK(import(0, 0, (const uint8_t *)"0123456789abcdef", 16, &key) != PSA_SUCCESS);
    CHECK(psa_generate_random(&byte, 1) == PSA_ERROR_BAD_STATE); /* before psa_crypto_init */
    CHECK(psa_crypto_init() == PSA_SUCCESS);
    hashes();
    keys();
    random();
    file("chacha20_poly1305", aead_names, aead, PSA_KEY_TYPE_CHACHA20, PSA_ALG_CHACHA20_POLY1305, 290);
    file("xchacha20_poly1305", aead_names, aead, PSA_KEY_TYPE_XCHACHA20, PSA_ALG_XCHACHA20_POLY1305, 290);
    file("ascon_sp800_232_aead128", aead_names, aead, PSA_KEY_TYPE_ASCON, PSA_ALG_ASCON_AEAD128, 20);
    file("aes_gcm", aead_names, aead, PSA_KEY_TYPE_AES, PSA_ALG_GCM, 250);
    file("aes_ccm", aead_names, aead, PSA_KEY_TYPE_AES, PSA_ALG_CCM, 250);
    file("hmac_sha256", mac_names, mac, PSA_KEY_TYPE_HMAC, PSA_ALG_HMAC(PSA_ALG_SHA_256), 100);
    file("hmac_sha512", mac_names, mac, PSA_KEY_TYPE_HMAC, PSA_ALG_HMAC(PSA_ALG_SHA_512), 100);
    file("hmac_sha3_256", mac_names, mac, PSA_KEY_TYPE_HMAC, PSA_ALG_HMAC(PSA_ALG_SHA3_256), 100);
    file("x25519", agreement_names, agreement, PSA_KEY_TYPE_ECC_KEY_PAIR(PSA_ECC_FAMILY_MONTGOMERY), PSA_ALG_ECDH, 200);
    return check_report("psa");
}
