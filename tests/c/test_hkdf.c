/*
 * HKDF: the examples of [RFC5869] for SHA-256. For every hash, all lengths of key against the
 * definition, written out over its HMAC.
 */
#include "check.h"
#include "selo.h"

typedef enum selo_status hkdf_fn(uint8_t *out, size_t out_size, const uint8_t *salt,
                                 size_t salt_size, const uint8_t *ikm, size_t ikm_size,
                                 const uint8_t *info, size_t info_size);

/* HMAC over three pieces: T(i - 1), info and i [RFC5869, 2.3]. */
#define MAC(name)                                                                              \
    static void mac_##name(uint8_t tag[32], const uint8_t *key, size_t key_size,               \
                           const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,   \
                           const uint8_t *c, size_t c_size)                                    \
    {                                                                                          \
        struct selo_hmac_##name mac;                                                           \
        selo_hmac_##name##_start(&mac, key, key_size);                                         \
        selo_hmac_##name##_update(&mac, a, a_size);                                            \
        selo_hmac_##name##_update(&mac, b, b_size);                                            \
        selo_hmac_##name##_update(&mac, c, c_size);                                            \
        selo_hmac_##name##_finish(&mac, tag);                                                  \
    }
MAC(sha256)
MAC(sha3_256)
MAC(blake2s)
MAC(ascon_hash256)

static const struct {
    hkdf_fn *hkdf;
    void (*mac)(uint8_t tag[32], const uint8_t *key, size_t key_size, const uint8_t *a,
                size_t a_size, const uint8_t *b, size_t b_size, const uint8_t *c, size_t c_size);
} hashes[] = {
    {selo_hkdf_sha256, mac_sha256},
    {selo_hkdf_sha3_256, mac_sha3_256},
    {selo_hkdf_blake2s, mac_blake2s},
    {selo_hkdf_ascon_hash256, mac_ascon_hash256},
};
enum { HASHES = sizeof hashes / sizeof hashes[0] };

static void rfc5869_cases(void)
{
    static const struct {
        const char *ikm, *salt, *info, *okm;
    } cases[] = {
        /* A.1 */
        {"0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "000102030405060708090a0b0c",
         "f0f1f2f3f4f5f6f7f8f9",
         "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"
         "34007208d5b887185865"},
        /* A.2 */
        {"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
         "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f"
         "404142434445464748494a4b4c4d4e4f",
         "606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f"
         "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f"
         "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf",
         "b0b1b2b3b4b5b6b7b8b9babbbcbdbebfc0c1c2c3c4c5c6c7c8c9cacbcccdcecf"
         "d0d1d2d3d4d5d6d7d8d9dadbdcdddedfe0e1e2e3e4e5e6e7e8e9eaebecedeeef"
         "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
         "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c"
         "59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71"
         "cc30c58179ec3e87c14c01d5c1f3434f1d87"},
        /* A.3 */
        {"0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "", "",
         "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d"
         "9d201395faa4b61a96c8"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t ikm[80], salt[80], info[80], okm[82], out[83];
        size_t ikm_size = check_hex(ikm, sizeof ikm, cases[i].ikm);
        size_t salt_size = check_hex(salt, sizeof salt, cases[i].salt);
        size_t info_size = check_hex(info, sizeof info, cases[i].info);
        size_t size = check_hex(okm, sizeof okm, cases[i].okm);

        memset(out, 0xee, sizeof out);
        CHECK(selo_hkdf_sha256(out, size, salt, salt_size, ikm, ikm_size, info, info_size) ==
              SELO_OK);
        CHECK_BYTES(out, okm, size);
        CHECK(out[size] == 0xee);
    }
    { /* absent is empty */
        uint8_t ikm[22], okm[42], out[42];
        check_hex(ikm, sizeof ikm, cases[2].ikm);
        check_hex(okm, sizeof okm, cases[2].okm);
        CHECK(selo_hkdf_sha256(out, 42, NULL, 0, ikm, 22, NULL, 0) == SELO_OK);
        CHECK_BYTES(out, okm, 42);
    }
}

/* The definition, for the largest possible output. */
static void expand(uint8_t okm[255 * 32], int hash, const uint8_t *salt, size_t salt_size,
                   const uint8_t *ikm, size_t ikm_size, const uint8_t *info, size_t info_size)
{
    uint8_t prk[32];

    hashes[hash].mac(prk, salt, salt_size, ikm, ikm_size, NULL, 0, NULL, 0);
    for (int i = 1; i <= 255; i++) {
        uint8_t count = (uint8_t)i;
        const uint8_t *before = i == 1 ? NULL : okm + (i - 2) * 32;
        hashes[hash].mac(okm + (i - 1) * 32, prk, 32, before, i == 1 ? 0 : 32, info, info_size,
                         &count, 1);
    }
}

static void lengths(void)
{
    static uint8_t okm[255 * 32], out[255 * 32 + 1];
    uint8_t salt[100], ikm[100], info[100];

    for (int hash = 0; hash < HASHES; hash++) {
        check_random_bytes(salt, sizeof salt);
        check_random_bytes(ikm, sizeof ikm);
        check_random_bytes(info, sizeof info);
        expand(okm, hash, salt, sizeof salt, ikm, sizeof ikm, info, sizeof info);
        for (size_t size = 0; size <= 255 * 32; size += size < 200 ? 1 : 1990) {
            memset(out, 0xee, sizeof out);
            CHECK(hashes[hash].hkdf(out, size, salt, sizeof salt, ikm, sizeof ikm, info,
                                    sizeof info) == SELO_OK);
            CHECK_BYTES(out, okm, size);
            CHECK(out[size] == 0xee);
        }
        CHECK(hashes[hash].hkdf(out, 255 * 32, salt, sizeof salt, ikm, sizeof ikm, info,
                                sizeof info) == SELO_OK);
        CHECK_BYTES(out, okm, 255 * 32);
        /* a key that overwrites its own input */
        CHECK(hashes[hash].hkdf(ikm, sizeof ikm, salt, sizeof salt, ikm, sizeof ikm, info,
                                sizeof info) == SELO_OK);
        CHECK_BYTES(ikm, okm, sizeof ikm);
        /* one byte more than the maximum */
        memset(out, 0xee, sizeof out);
        CHECK(hashes[hash].hkdf(out, 255 * 32 + 1, salt, sizeof salt, ikm, sizeof ikm, info,
                                sizeof info) == SELO_ERROR_ARGUMENT);
        CHECK(check_is_zero(out, sizeof out));
    }
}

int main(void)
{
    rfc5869_cases();
    lengths();
    return check_report("hkdf");
}
