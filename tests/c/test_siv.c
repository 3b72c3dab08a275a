/*
 * AES-SIV with the examples of [RFC5297, A] and Wycheproof's vectors, in place and with each variant of AES.
 */
#include "selo_siv.h"

#include "wycheproof.h"

enum { KEY, NONCE, AAD, MESSAGE, CIPHERTEXT, TAG };
static const char *const names[] = {"key", "iv", "aad", "msg", "ct", "tag", NULL};

static union {
    struct selo_aes128_fast fast128;
    struct selo_aes192_fast fast192;
    struct selo_aes256_fast fast256;
    struct selo_aes128_small small128;
    struct selo_aes192_small small192;
    struct selo_aes256_small small256;
    struct selo_aes128_tiny tiny128;
    struct selo_aes192_tiny tiny192;
    struct selo_aes256_tiny tiny256;
} keys[2];

#define CIPHER(variant, bits)                                                                       \
    (selo_aes##bits##_##variant##_setup(&keys[half].variant##bits, raw),                            \
     selo_aes##bits##_##variant##_cipher(&keys[half].variant##bits))
#define WITH(variant)                                                                               \
    (size == 16 ? CIPHER(variant, 128) : size == 24 ? CIPHER(variant, 192) : CIPHER(variant, 256))

static struct selo_cipher cipher_of(int variant, int half, const uint8_t *raw, size_t size)
{
    return variant == 0 ? WITH(fast) : variant == 1 ? WITH(small) : WITH(tiny);
}

static struct selo_siv siv_of(int variant, const uint8_t *key, size_t size)
{
    struct selo_siv siv = {cipher_of(variant, 0, key, size / 2),
                           cipher_of(variant, 1, key + size / 2, size / 2)};
    return siv;
}

/* Opens, and refuses each altered part. The vector's own verdict is `valid`. */
static void opens(const struct selo_siv *siv, const struct selo_siv_header *header, const uint8_t *iv,
                  const uint8_t *message, const uint8_t *sealed, size_t size, int valid)
{
    static uint8_t out[2048];
    uint8_t other[16];

    memset(out, 1, sizeof out);
    CHECK(selo_siv_open(siv, header, iv, out, sealed, size) == (valid ? SELO_OK : SELO_ERROR_TAG));
    CHECK(valid ? size == 0 || memcmp(out, message, size) == 0 : check_is_zero(out, size));
    CHECK(out[size] == 1);
    memcpy(other, iv, 16);
    other[check_random() % 16] ^= (uint8_t)(1 << check_random() % 8);
    CHECK(selo_siv_open(siv, header, other, out, sealed, size) == SELO_ERROR_TAG || !valid);
    CHECK(!valid || check_is_zero(out, size));
}

static void run(const struct wycheproof *test)
{
    const struct wycheproof_field *field = test->field;
    const struct selo_siv_part parts[] = {{field[AAD].data, field[AAD].size},
                                          {field[NONCE].data, field[NONCE].size}};
    const struct selo_siv_header header = {parts, 2};
    const size_t size = field[MESSAGE].size;
    static uint8_t out[2048];
    uint8_t iv[16];

    for (int variant = 0; variant < 3; variant++) {
        const struct selo_siv siv = siv_of(variant, field[KEY].data, field[KEY].size);
        if (test->valid) {
            memcpy(out, field[MESSAGE].data, size);
            CHECK(selo_siv_seal(&siv, &header, iv, out, out, size) == SELO_OK);
            CHECK_BYTES(iv, field[TAG].data, 16);
            CHECK_BYTES(out, field[CIPHERTEXT].data, size);
        }
        opens(&siv, &header, field[TAG].data, field[MESSAGE].data, field[CIPHERTEXT].data,
              field[CIPHERTEXT].size, test->valid);
    }
}

/* [RFC5297, A.1] and [RFC5297, A.2]: one part, and three of which the last is a nonce. */
static void examples(void)
{
    static const struct { const char *key, *parts[3], *message, *iv, *sealed; } example[] = {
        {"fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
         {"101112131415161718191a1b1c1d1e1f2021222324252627"},
         "112233445566778899aabbccddee", "85632d07c6e8f37f950acd320a2ecc93",
         "40c02b9690c4dc04daef7f6afe5c"},
        {"7f7e7d7c7b7a79787776757473727170404142434445464748494a4b4c4d4e4f",
         {"00112233445566778899aabbccddeeffdeaddadadeaddadaffeeddccbbaa99887766554433221100",
          "102030405060708090a0", "09f911029d74e35bd84156c5635688c0"},
         "7468697320697320736f6d6520706c61696e7465787420746f20656e6372797074207573696e67205349562d414553",
         "7bdb6e3b432667eb06f4d14bff2fbd0f",
         "cb900f2fddbe404326601965c889bf17dba77ceb094fa663b7a3f748ba8af829ea64ad544a272e9c485b62a3fd5c0d"},
    };

    for (int i = 0; i < 2; i++) {
        uint8_t key[32], data[3][64], message[64], iv[16], own[16], sealed[64], out[64];
        struct selo_siv_part parts[3];
        uint8_t count = 0;
        check_hex(key, 32, example[i].key);
        for (; count < 3 && example[i].parts[count] != NULL; count++) {
            parts[count].data = data[count];
            parts[count].size = check_hex(data[count], 64, example[i].parts[count]);
        }
        const struct selo_siv_header header = {parts, count};
        const size_t size = check_hex(message, 64, example[i].message);
        check_hex(iv, 16, example[i].iv);
        check_hex(sealed, 64, example[i].sealed);
        const struct selo_siv siv = siv_of(0, key, 32);
        CHECK(selo_siv_seal(&siv, &header, own, out, message, size) == SELO_OK);
        CHECK_BYTES(own, iv, 16);
        CHECK_BYTES(out, sealed, size);
        opens(&siv, &header, iv, message, sealed, size, 1);
        /* the border between two parts counts */
        if (count > 1) {
            parts[0].size--;
            CHECK(selo_siv_open(&siv, &header, iv, out, sealed, size) == SELO_ERROR_TAG);
        }
    }
}

static void too_many_parts(void)
{
    static struct selo_siv_part parts[127];
    struct selo_siv_header header = {parts, 126};
    const uint8_t key[32] = {1}, message[3] = {1, 2, 3};
    uint8_t iv[16], out[3];
    const struct selo_siv siv = siv_of(0, key, 32);

    CHECK(selo_siv_seal(&siv, &header, iv, out, message, 3) == SELO_OK);
    CHECK(selo_siv_open(&siv, &header, iv, out, out, 3) == SELO_OK);
    header.count = 127;
    CHECK(selo_siv_seal(&siv, &header, iv, out, message, 3) == SELO_ERROR_ARGUMENT);
    CHECK(check_is_zero(iv, 16) && check_is_zero(out, 3));
    memset(out, 1, 3);
    CHECK(selo_siv_open(&siv, &header, iv, out, message, 3) == SELO_ERROR_ARGUMENT);
    CHECK(check_is_zero(out, 3));
    header.count = 0;
    CHECK(selo_siv_seal(&siv, &header, iv, NULL, NULL, 0) == SELO_OK);
    CHECK(selo_siv_open(&siv, &header, iv, NULL, NULL, 0) == SELO_OK);
}

int main(void)
{
    examples();
    CHECK(wycheproof_each(VECTORS "/wycheproof/aead_aes_siv_cmac_test.json", names, run) > 500);
    too_many_parts();
    return check_report("siv");
}
