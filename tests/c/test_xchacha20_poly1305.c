/* XChaCha20-Poly1305 with Wycheproof's vectors, and sizes that it does not accept. */
#include "selo.h"

#include "wycheproof.h"

enum { KEY, NONCE, AD, MESSAGE, CIPHERTEXT, TAG };
static const char *const names[] = {"key", "iv", "aad", "msg", "ct", "tag", NULL};

static void run(const struct wycheproof *test)
{
    struct selo_xchacha20_poly1305_key key;
    const struct wycheproof_field *field = test->field;
    const size_t size = field[CIPHERTEXT].size;
    const struct selo_header header = {field[NONCE].data, field[NONCE].size, field[AD].data,
                                       field[AD].size, field[TAG].size};
    uint8_t out[2048], tag[16];
    const int takes = field[NONCE].size == 24;

    selo_xchacha20_poly1305_setup(&key, field[KEY].data);
    memset(out, 0xee, sizeof out);
    CHECK(selo_xchacha20_poly1305_open(&key, &header, out, field[CIPHERTEXT].data, size,
                                       field[TAG].data) ==
          (test->valid ? SELO_OK : takes ? SELO_ERROR_TAG : SELO_ERROR_ARGUMENT));
    if (!test->valid) {
        CHECK(check_is_zero(out, size));
        return;
    }
    CHECK_BYTES(out, field[MESSAGE].data, size);
    CHECK(selo_xchacha20_poly1305_seal(&key, &header, out, out, size, tag) == SELO_OK);
    CHECK_BYTES(out, field[CIPHERTEXT].data, size);
    CHECK_BYTES(tag, field[TAG].data, 16);
}

static void sizes(void)
{
    static const uint8_t raw[32], nonce[32];
    struct selo_xchacha20_poly1305_key key;

    selo_xchacha20_poly1305_setup(&key, raw);
    for (size_t nonce_size = 0; nonce_size <= 32; nonce_size++) {
        uint8_t out[5] = {1, 2, 3, 4, 5}, tag[16] = {9};
        const struct selo_header header = {nonce, nonce_size, NULL, 0, 16};
        const enum selo_status expected = nonce_size == 24 ? SELO_OK : SELO_ERROR_ARGUMENT;
        CHECK(selo_xchacha20_poly1305_seal(&key, &header, out, out, 5, tag) == expected);
        CHECK(check_is_zero(out, 5) == (expected != SELO_OK));
        CHECK(check_is_zero(tag, 16) == (expected != SELO_OK));
    }
}

int main(void)
{
    CHECK(wycheproof_each(VECTORS "/wycheproof/xchacha20_poly1305_test.json", names, run) == 315);
    sizes();
    return check_report("xchacha20-poly1305");
}
