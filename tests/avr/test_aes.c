/* The AES kernels: key schedules, encryption, decryption, for each key size. */
/* sources: aes */
#include "kernel.h"

#include "selo/aes/aes.h"

/* Of each key size; the rounds are the same ones. */
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

static void fast_setup(uint8_t key_size)
{
    if (key_size == 16)
        KERNEL_CALL(selo_aes128_fast_setup, (void *)round_keys.data, raw.data);
    else if (key_size == 24)
        KERNEL_CALL(selo_aes192_fast_setup, (void *)round_keys.data, raw.data);
    else
        KERNEL_CALL(selo_aes256_fast_setup, (void *)round_keys.data, raw.data);
}

static void schedules(uint8_t key_size, const char *name)
{
    for (uint16_t i = 0; i < KERNEL_CASES; i++) {
        kernel_fill(raw.data, key_size);
        fast_setup(key_size);
        kernel_fold(round_keys.data, (uint8_t)(4 * key_size + 112));
    }
    kernel_fold(raw.data, key_size);
    kernel_series(name, KERNEL_CASES);
}

static void fast(uint8_t key_size, const char *name)
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
        if (i % 16 == 0) { /* in place, and the inputs as they were */
            kernel_fold(in.data, 16);
            kernel_fold(round_keys.data, (uint8_t)(16 * rounds + 16));
            KERNEL_CALL(selo_aes_fast_encrypt, round_keys.data, in.data, in.data, rounds);
            kernel_fold(in.data, 16);
            KERNEL_CALL(selo_aes_fast_decrypt, round_keys.data, in.data, in.data, rounds);
            kernel_fold(in.data, 16);
        }
    }
    kernel_series(name, CASES);
}

static void time_fast(void (*setup)(void), void (*encrypt)(void), void (*decrypt)(void),
                      uint8_t key_size, const char *const names[3])
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
        kernel_time_end(names[what]);
    }
#else
    (void)setup, (void)encrypt, (void)decrypt, (void)key_size, (void)names;
#endif
}

#define TIME_FAST(bits)                                                               \
    do {                                                                              \
        static const char *const names[3] = {"aes" #bits "-fast-setup",               \
                                             "aes" #bits "-fast-encrypt",             \
                                             "aes" #bits "-fast-decrypt"};            \
        time_fast((void (*)(void))selo_aes##bits##_fast_setup,                        \
                  (void (*)(void))selo_aes##bits##_fast_encrypt,                      \
                  (void (*)(void))selo_aes##bits##_fast_decrypt, (bits) / 8, names);  \
    } while (0)

static void tiny_encrypt(uint8_t key_size, uint8_t *to, const uint8_t *from)
{
    if (key_size == 16)
        KERNEL_CALL(selo_aes128_tiny_encrypt, (const void *)raw.data, to, from);
    else if (key_size == 24)
        KERNEL_CALL(selo_aes192_tiny_encrypt, (const void *)raw.data, to, from);
    else
        KERNEL_CALL(selo_aes256_tiny_encrypt, (const void *)raw.data, to, from);
}

static void tiny(uint8_t key_size, const char *name, const char *timed)
{
    for (uint16_t i = 0; i < KERNEL_CASES; i++) {
        inputs(key_size);
        tiny_encrypt(key_size, out.data, in.data);
        kernel_fold(out.data, 16);
        if (i % 16 == 0) { /* in place, and the inputs as they were */
            kernel_fold(in.data, 16);
            kernel_fold(raw.data, key_size);
            tiny_encrypt(key_size, in.data, in.data);
            kernel_fold(in.data, 16);
        }
    }
    kernel_series(name, KERNEL_CASES);
    kernel_time_begin();
    for (uint8_t i = 0; i < KERNEL_TIMED; i++) {
        inputs(key_size);
        tiny_encrypt(key_size, out.data, in.data);
    }
    kernel_time_end(timed);
}

int main(void)
{
    KERNEL_GUARD(raw);
    KERNEL_GUARD(round_keys);
    KERNEL_GUARD(in);
    KERNEL_GUARD(out);
    schedules(16, "aes-128-schedule");
    schedules(24, "aes-192-schedule");
    schedules(32, "aes-256-schedule");
    fast(16, "aes-128-fast");
    fast(24, "aes-192-fast");
    fast(32, "aes-256-fast");
    tiny(16, "aes-128-tiny", "aes128-tiny-encrypt");
    tiny(24, "aes-192-tiny", "aes192-tiny-encrypt");
    tiny(32, "aes-256-tiny", "aes256-tiny-encrypt");
    TIME_FAST(128);
    TIME_FAST(192);
    TIME_FAST(256);
    kernel_end();
    return 0;
}
