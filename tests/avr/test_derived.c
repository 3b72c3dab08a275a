/* Algorithms that have no kernels of their own: SHA-384, CMAC, XChaCha20-Poly1305, PBKDF2, SHAKE. */
/* sources: aes mode sha2 sha3 blake2s ascon hmac pbkdf2 chacha20 chacha20_poly1305 poly1305 */
#include "kernel.h"

#include "selo.h"

KERNEL_BUFFER(in, 256);
KERNEL_BUFFER(out, 80);

static void sha384(uint16_t size)
{
    static struct selo_sha384 hash;
    selo_sha384_start(&hash);
    selo_sha384_update(&hash, in.data, size);
    selo_sha384_finish(&hash, out.data);
}

static void shake128(uint16_t size)
{
    static struct selo_shake xof;
    selo_shake128_start(&xof);
    selo_shake_update(&xof, in.data, size);
    selo_shake_read(&xof, out.data, 80);
}

static void cmac(uint16_t size)
{
    static struct selo_aes128_small key;
    static struct selo_cmac mac;
    selo_aes128_small_setup(&key, in.data);
    selo_cmac_start(&mac, selo_aes128_small_cipher(&key));
    selo_cmac_update(&mac, in.data + 16, size);
    selo_cmac_finish(&mac, out.data);
}

static void xchacha20_poly1305(uint16_t size)
{
    (void)size;
    const struct selo_header header = {in.data + 32, 24, in.data + 56, 8, 16};
    static struct selo_xchacha20_poly1305_key key;
    selo_xchacha20_poly1305_setup(&key, in.data);
    selo_xchacha20_poly1305_seal(&key, &header, out.data, in.data + 64, 64, out.data + 64);
}

static void pbkdf2_sha256(uint16_t size)
{
    (void)size;
    selo_pbkdf2_sha256(out.data, 32, in.data, 16, in.data + 16, 16, 2);
}

static const struct { const char *name; void (*function)(uint16_t size); } functions[] = {
    {"sha-384", sha384}, {"shake128", shake128}, {"cmac-aes-128-small", cmac},
    {"xchacha20-poly1305-64", xchacha20_poly1305}, {"pbkdf2-sha-256-2", pbkdf2_sha256},
};

int main(void)
{
    KERNEL_GUARD(in);
    KERNEL_GUARD(out);
    for (uint8_t f = 0; f < 5; f++) {
        for (uint16_t i = 0; i < KERNEL_CASES / 200; i++) {
            kernel_fill(in.data, 256);
            functions[f].function(in.data[255] % 200);
            kernel_fold(out.data, 80);
        }
        kernel_series(functions[f].name, KERNEL_CASES / 200);
        kernel_time_begin();
        for (uint8_t i = 0; i < 20; i++) {
            kernel_fill(in.data, 256);
            KERNEL_CALL(functions[f].function, 100);
        }
        kernel_time_end(functions[f].name);
    }
    kernel_end();
    return 0;
}
