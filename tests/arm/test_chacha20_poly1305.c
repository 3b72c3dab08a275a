/* ChaCha20-Poly1305. No kernel of its own; the time of a message with those of its parts. */
/* sources: chacha20 poly1305 chacha20_poly1305 */
/* figures: messages */
#include "kernel.h"

#include <string.h>

#include "selo.h"
#include "selo/poly1305/poly1305.h"

enum { SIZE = 200 };

KERNEL_BUFFER(key, 32);
KERNEL_BUFFER(nonce, 12);
KERNEL_BUFFER(in, SIZE);
KERNEL_BUFFER(out, SIZE);
KERNEL_BUFFER(tag, 16);

static void seal(uint8_t *to, const uint8_t *from, kernel_word size, kernel_word ad_size)
{
    struct selo_chacha20_poly1305_key aead;
    const struct selo_header header = {nonce.data, 12, in.data, ad_size, 16};
    selo_chacha20_poly1305_setup(&aead, key.data);
    (void)selo_chacha20_poly1305_seal(&aead, &header, to, from, size, tag.data);
}

static void fill(void)
{
    kernel_fill(key.data, 32);
    kernel_fill(nonce.data, 12);
    kernel_fill(in.data, SIZE);
}

static void time(const char *name, kernel_word size)
{
    kernel_time_begin();
    for (uint8_t i = 0; i < 20; i++) {
        fill();
        KERNEL_CALL(seal, out.data, in.data, size, 0);
    }
    kernel_time_end(name);
}

int main(void)
{
    KERNEL_GUARD(key);
    KERNEL_GUARD(nonce);
    KERNEL_GUARD(in);
    KERNEL_GUARD(out);
    KERNEL_GUARD(tag);
    for (uint16_t i = 0; i < SIZE; i++) {
        fill();
        memset(out.data, 0, SIZE);
        KERNEL_CALL(seal, out.data, in.data, i, i % 40);
        kernel_fold(out.data, SIZE);
        kernel_fold(tag.data, 16);
    }
    kernel_series("chacha20-poly1305", SIZE);
    struct selo_poly1305 mac;
    selo_poly1305_start(&mac, key.data);
    kernel_time_begin();
    for (uint8_t i = 0; i < 20; i++) {
        kernel_fill(in.data, 192);
        KERNEL_CALL(selo_poly1305_padded, &mac, in.data, 192);
    }
    kernel_time_end("poly1305-192");
    time("chacha20-poly1305-seal-16", 16);
    time("chacha20-poly1305-seal-128", 128);
    kernel_end();
    return 0;
}
