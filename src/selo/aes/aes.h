/*
 * Internal declarations shared by the files of AES.
 *
 * Each core function below serves all three key sizes. The public functions pass the key and its
 * number of rounds. `round_keys` is the schedule of [FIPS197, 5.2]: 16 bytes for each round and 16
 * more.
 *
 * native/api.h declares the cores, which kernels may replace.
 */
#ifndef SELO_AES_AES_H
#define SELO_AES_AES_H

#include "../../selo.h"
#include "../common/flash.h"
#include "../native/api.h"

/*
 * A key schedule computed on the fly: a window of its last Nk words, with w[i] in slot i modulo
 * Nk. The window moves by half a round key, 2 words. A rotated or substituted word can stand only
 * at the start of such a half, and the window can wrap only there.
 */
struct aes_window {
    uint8_t key_size; /* 16, 24 or 32 */
    uint8_t position; /* index in words[] of the next half */
    uint8_t fresh;    /* forwards: halves in words[] that are not yet used */
    uint8_t constant; /* round constant of the next rotated word */
    uint8_t words[32];
};

/* Both return the 8 bytes of the next half, in the order of encryption or from the end back. */
const uint8_t *selo_aes_window_next(struct aes_window *window);
const uint8_t *selo_aes_window_previous(struct aes_window *window);

/* The functions of native/api.h, for a CPU with words of 64 bits (aes_wide.c). */
#if SELO_AES_WIDE
void selo_aes_wide_setup(uint8_t *round_keys, const uint8_t *raw, uint8_t key_size);
void selo_aes_wide_encrypt(const uint8_t *round_keys, uint8_t out[16], const uint8_t in[16],
                           uint8_t rounds);
void selo_aes_wide_decrypt(const uint8_t *round_keys, uint8_t out[16], const uint8_t in[16],
                           uint8_t rounds);
void selo_aes_wide_small_setup(uint8_t *first, uint8_t *last, const uint8_t *raw,
                               uint8_t key_size);
/* One block with the key instead of its schedule. key_size is 16, 24 or 32. */
void selo_aes_wide_encrypt_with_key(const uint8_t *key, uint8_t out[16], const uint8_t in[16],
                                    uint8_t key_size);
void selo_aes_wide_decrypt_with_key(const uint8_t *key, uint8_t out[16], const uint8_t in[16],
                                    uint8_t key_size);
#define aes_encrypt selo_aes_wide_encrypt
#define aes_decrypt selo_aes_wide_decrypt
#define aes_encrypt_with_key selo_aes_wide_encrypt_with_key
#define aes_small_setup selo_aes_wide_small_setup
#else
#define aes_encrypt selo_aes_fast_encrypt
#define aes_decrypt selo_aes_fast_decrypt
#define aes_encrypt_with_key selo_aes_tiny_encrypt
#define aes_small_setup selo_aes_small_setup
#endif

/* selo_aes_tiny_encrypt for a key of 16 bytes. A kernel for AVR may replace it. */
#if !SELO_NATIVE_AES || !SELO_BACKEND_AVR
static inline void selo_aes128_tiny_block(const uint8_t key[16], uint8_t out[16],
                                          const uint8_t in[16])
{
    aes_encrypt_with_key(key, out, in, 16);
}
#endif

/* The S-box and its inverse. In flash each starts at a 256-byte boundary, for selo_flash_lookup.
 * On AVR constants without SELO_FLASH are in RAM, elsewhere what is not const. */
#if SELO_AES_SBOX_IN_RAM
#define SELO_AES_SBOX
#else
#define SELO_AES_SBOX SELO_FLASH
#endif
#if SELO_AES_SBOX_IN_RAM && !SELO_BACKEND_AVR
#define SELO_AES_TABLE
#define SELO_AES_ALIGNED /* the boundary would cost up to 255 bytes of RAM */
#else
#define SELO_AES_TABLE const
#define SELO_AES_ALIGNED SELO_ALIGNED_256
#endif
extern SELO_AES_TABLE uint8_t selo_aes_sbox[256] SELO_AES_ALIGNED;
extern SELO_AES_TABLE uint8_t selo_aes_inverse_sbox[256] SELO_AES_ALIGNED;

SELO_INLINE uint32_t aes_load32(const uint8_t from[4])
{
    return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

SELO_INLINE void aes_store32(uint8_t to[4], uint32_t word)
{
    to[0] = (uint8_t)word, to[1] = (uint8_t)(word >> 8);
    to[2] = (uint8_t)(word >> 16), to[3] = (uint8_t)(word >> 24);
}

/* x times the polynomial x, modulo x^8 + x^4 + x^3 + x + 1, without a branch [FIPS197, 4.2.1]. */
SELO_INLINE uint8_t aes_xtime(uint8_t x)
{
    return (uint8_t)((uint8_t)(x << 1) ^ (uint8_t)(-(x >> 7) & 0x1b));
}

#endif
