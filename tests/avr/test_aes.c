/* The AES kernels: key schedules, encryption, decryption, for each key size. */
/* sources: aes */
/* settings: -DSELO_AES_SBOX_IN_RAM=1 */
#include "kernel.h"

#include "selo/aes/aes.h"

#include <string.h>

/* Inputs for each key size. */
enum { CASES = KERNEL_CASES / 3 + 1 };

KERNEL_BUFFER(raw, 32);
KERNEL_BUFFER(round_keys, 240);
KERNEL_BUFFER(in, 16);
KERNEL_BUFFER(out, 16);

static void inputs(uint8_t key_size)
{
    kernel_fill(raw.data, key_size);
    kernel_fill(in.data, 16);
}

#define OF_SIZE(key_size, of128, of192, of256, ...) \
    do {                                            \
        if ((key_size) == 16)                       \
            KERNEL_CALL(of128, __VA_ARGS__);        \
        else if ((key_size) == 24)                  \
            KERNEL_CALL(of192, __VA_ARGS__);        \
        else                                        \
            KERNEL_CALL(of256, __VA_ARGS__);        \
    } while (0)

/* "aes128" and so on, one text at a time, because constant texts take RAM on the chip. */
static const char *named(uint8_t key_size, const char *rest)
{
    static char text[24] = "aes";
    memcpy(text + 3, key_size == 16 ? "128" : key_size == 24 ? "192" : "256", 3);
    strcpy(text + 6, rest);
    return text;
}

static void fast_setup(uint8_t key_size)
{
    OF_SIZE(key_size, selo_aes128_fast_setup, selo_aes192_fast_setup, selo_aes256_fast_setup,
            (void *)round_keys.data, raw.data);
}

static void schedules(uint8_t key_size)
{
    for (uint16_t i = 0; i < KERNEL_CASES; i++) {
        kernel_fill(raw.data, key_size);
        fast_setup(key_size);
        kernel_fold(round_keys.data, (uint8_t)(4 * key_size + 112));
    }
    kernel_fold(raw.data, key_size);
    kernel_series(named(key_size, "-schedule"), KERNEL_CASES);
}

static void fast(uint8_t key_size)
{
    uint8_t rounds = (uint8_t)(key_size / 4 + 6);
    for (uint16_t i = 0; i < CASES; i++) {
        inputs(key_size);
        if (i % 8 == 0)
            fast_setup(key_size);
        KERNEL_CALL(selo_aes_fast_encrypt, round_keys.data, out.data, in.data, rounds);
        kernel_fold(out.data, 16);
        KERNEL_CALL(selo_aes_fast_decrypt, round_keys.data, out.data, in.data, rounds);
        kernel_fold(out.data, 16);
        if (i % 16 == 0) { /* in place, and with unchanged inputs */
            kernel_fold(in.data, 16);
            kernel_fold(round_keys.data, (uint8_t)(16 * rounds + 16));
            KERNEL_CALL(selo_aes_fast_encrypt, round_keys.data, in.data, in.data, rounds);
            kernel_fold(in.data, 16);
            KERNEL_CALL(selo_aes_fast_decrypt, round_keys.data, in.data, in.data, rounds);
            kernel_fold(in.data, 16);
        }
    }
    kernel_series(named(key_size, "-fast"), CASES);
}

static void time_fast(void (*setup)(void), void (*encrypt)(void), void (*decrypt)(void),
                      uint8_t key_size)
{
#ifdef __AVR__
    for (uint8_t what = 0; what < 3; what++) {
        kernel_time_begin();
        for (uint16_t i = 0; i < KERNEL_TIMED; i++) {
            inputs(key_size);
            if (what == 0)
                KERNEL_CALL(setup, round_keys.data, raw.data);
            else
                KERNEL_CALL(what == 1 ? encrypt : decrypt, round_keys.data, out.data, in.data);
            kernel_fill(round_keys.data, 240);
        }
        kernel_time_end(named(key_size, what == 0 ? "-fast-setup"
                                        : what == 1 ? "-fast-encrypt" : "-fast-decrypt"));
    }
#else
    (void)setup, (void)encrypt, (void)decrypt, (void)key_size;
#endif
}

#define TIME_FAST(bits)                                            \
    time_fast((void (*)(void))selo_aes##bits##_fast_setup,         \
              (void (*)(void))selo_aes##bits##_fast_encrypt,       \
              (void (*)(void))selo_aes##bits##_fast_decrypt, (bits) / 8)

/* tiny and small keep their material at the start of round_keys. */
typedef void operation(uint8_t key_size, uint8_t *to, const uint8_t *from);

static void tiny_setup(uint8_t key_size)
{
    OF_SIZE(key_size, selo_aes128_tiny_setup, selo_aes192_tiny_setup, selo_aes256_tiny_setup,
            (void *)round_keys.data, raw.data);
}

static void tiny_encrypt(uint8_t key_size, uint8_t *to, const uint8_t *from)
{
    OF_SIZE(key_size, selo_aes128_tiny_encrypt, selo_aes192_tiny_encrypt, selo_aes256_tiny_encrypt,
            (const void *)round_keys.data, to, from);
}

static void small_setup(uint8_t key_size)
{
    OF_SIZE(key_size, selo_aes128_small_setup, selo_aes192_small_setup, selo_aes256_small_setup,
            (void *)round_keys.data, raw.data);
}

static void small_encrypt(uint8_t key_size, uint8_t *to, const uint8_t *from)
{
    OF_SIZE(key_size, selo_aes128_small_encrypt, selo_aes192_small_encrypt,
            selo_aes256_small_encrypt, (const void *)round_keys.data, to, from);
}

static void small_decrypt(uint8_t key_size, uint8_t *to, const uint8_t *from)
{
    OF_SIZE(key_size, selo_aes128_small_decrypt, selo_aes192_small_decrypt,
            selo_aes256_small_decrypt, (const void *)round_keys.data, to, from);
}

/* As many keys as blocks. `kept`: bytes that set-up writes. */
static void on_the_fly(uint8_t key_size, uint8_t kept, void (*setup)(uint8_t), operation *encrypt,
                       operation *decrypt)
{
    const char *const variant = decrypt != NULL ? "-small" : "-tiny";
    char rest[16];
    for (uint16_t i = 0; i < KERNEL_CASES; i++) {
        inputs(key_size);
        setup(key_size);
        kernel_fold(round_keys.data, kept);
        encrypt(key_size, out.data, in.data);
        kernel_fold(out.data, 16);
        if (decrypt != NULL) {
            decrypt(key_size, out.data, in.data);
            kernel_fold(out.data, 16);
        }
        if (i % 16 == 0) { /* in place, and with unchanged inputs */
            kernel_fold(in.data, 16);
            kernel_fold(raw.data, key_size);
            kernel_fold(round_keys.data, kept);
            encrypt(key_size, in.data, in.data);
            kernel_fold(in.data, 16);
            if (decrypt != NULL) {
                decrypt(key_size, in.data, in.data);
                kernel_fold(in.data, 16);
            }
        }
    }
    kernel_series(named(key_size, variant), KERNEL_CASES);
    for (uint8_t what = 0; what < (decrypt != NULL ? 3 : 2); what++) {
        kernel_time_begin();
        for (uint8_t i = 0; i < KERNEL_TIMED; i++) {
            inputs(key_size);
            kernel_fill(round_keys.data, kept);
            if (what == 0)
                setup(key_size);
            else
                (what == 1 ? encrypt : decrypt)(key_size, out.data, in.data);
        }
        strcpy(rest, variant);
        strcat(rest, what == 0 ? "-setup" : what == 1 ? "-encrypt" : "-decrypt");
        kernel_time_end(named(key_size, rest));
    }
}

int main(void)
{
    KERNEL_GUARD(raw);
    KERNEL_GUARD(round_keys);
    KERNEL_GUARD(in);
    KERNEL_GUARD(out);
    for (uint8_t key_size = 16; key_size <= 32; key_size = (uint8_t)(key_size + 8)) {
        schedules(key_size);
        fast(key_size);
        on_the_fly(key_size, key_size, tiny_setup, tiny_encrypt, NULL);
        on_the_fly(key_size, (uint8_t)(2 * key_size), small_setup, small_encrypt, small_decrypt);
    }
    TIME_FAST(128);
    TIME_FAST(192);
    TIME_FAST(256);
    kernel_end();
    return 0;
}
