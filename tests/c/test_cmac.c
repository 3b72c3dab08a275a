/*
 * AES-CMAC with Wycheproof's vectors and the examples of [SP800-38B, D], in random pieces and with each
 * variant of AES.
 */
#include "selo.h"

#include "wycheproof.h"

enum { KEY, MESSAGE, TAG };
static const char *const names[] = {"key", "msg", "tag", NULL};

static void tag_of(uint8_t tag[16], struct selo_cipher cipher, const uint8_t *message, size_t size)
{
    struct selo_cmac mac;

    selo_cmac_start(&mac, cipher);
    while (size != 0) {
        const size_t part = check_random() % (size + 1);
        selo_cmac_update(&mac, message, part);
        message += part;
        size -= part;
    }
    selo_cmac_finish(&mac, tag);
    CHECK(check_is_zero(&mac, sizeof mac));
}

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
} key;

#define CIPHER(variant, bits)                                                                       \
    (selo_aes##bits##_##variant##_setup(&key.variant##bits, raw),                                   \
     selo_aes##bits##_##variant##_cipher(&key.variant##bits))
#define WITH(variant)                                                                               \
    (size == 16 ? CIPHER(variant, 128) : size == 24 ? CIPHER(variant, 192) : CIPHER(variant, 256))

static struct selo_cipher cipher_of(int variant, const uint8_t *raw, size_t size)
{
    return variant == 0 ? WITH(fast) : variant == 1 ? WITH(small) : WITH(tiny);
}

static void run(const struct wycheproof *test)
{
    const size_t size = test->field[KEY].size;

    if (size != 16 && size != 24 && size != 32) { /* no cipher has such a key */
        CHECK(!test->valid);
        return;
    }
    for (int variant = 0; variant < 3; variant++) {
        uint8_t tag[16];
        tag_of(tag, cipher_of(variant, test->field[KEY].data, size), test->field[MESSAGE].data,
               test->field[MESSAGE].size);
        CHECK(selo_equal(tag, test->field[TAG].data, test->tag_size / 8) == test->valid);
    }
}

static void examples(void)
{
    static const char *const tags[] = {
        "bb1d6929e95937287fa37d129b756746", "070a16b46b4d4144f79bdd9dd04a287c",
        "dfa66747de9ae63030ca32611497c827", "51f0bebf7e3b9d92fc49741779363cfe"};
    static const size_t sizes[] = {0, 16, 40, 64};
    uint8_t raw[16], message[64], tag[16], want[16];

    check_hex(raw, sizeof raw, "2b7e151628aed2a6abf7158809cf4f3c");
    check_hex(message, sizeof message,
              "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
              "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710");
    for (int i = 0; i < 4; i++) {
        tag_of(tag, cipher_of(1, raw, 16), message, sizes[i]);
        check_hex(want, sizeof want, tags[i]);
        CHECK_BYTES(tag, want, 16);
    }
}

int main(void)
{
    examples();
    CHECK(wycheproof_each(VECTORS "/wycheproof/aes_cmac_test.json", names, run) == 311);
    return check_report("cmac");
}
