/*
 * AES inside: what the files of this directory share. Not public.
 *
 * Each core below serves the three key sizes; the public functions pass the key
 * and its number of rounds. `round_keys` is the schedule of [FIPS197, 5.2]: 16
 * bytes for each round and 16 more.
 *
 * An overlay of src/selo/native/ replaces a core: where its SELO_NATIVE_AES_* is 1
 * the C is left out.
 */
#ifndef SELO_AES_AES_H
#define SELO_AES_AES_H

#include "../../selo.h"
#include "../common/platform.h"
#include "../native/native.h"

#ifndef SELO_NATIVE_AES_FAST_SETUP
#define SELO_NATIVE_AES_FAST_SETUP SELO_NATIVE_AES
#endif
#ifndef SELO_NATIVE_AES_FAST_ENCRYPT
#define SELO_NATIVE_AES_FAST_ENCRYPT SELO_NATIVE_AES
#endif
#ifndef SELO_NATIVE_AES_FAST_DECRYPT
#define SELO_NATIVE_AES_FAST_DECRYPT SELO_NATIVE_AES
#endif
#ifndef SELO_NATIVE_AES_TINY_ENCRYPT
#define SELO_NATIVE_AES_TINY_ENCRYPT SELO_NATIVE_AES
#endif
#ifndef SELO_NATIVE_AES128_TINY_BLOCK
#define SELO_NATIVE_AES128_TINY_BLOCK SELO_NATIVE_AES
#endif
#ifndef SELO_NATIVE_AES_SMALL_DECRYPT
#define SELO_NATIVE_AES_SMALL_DECRYPT SELO_NATIVE_AES
#endif
#ifndef SELO_NATIVE_AES_SMALL_SETUP
#define SELO_NATIVE_AES_SMALL_SETUP SELO_NATIVE_AES
#endif
#ifndef SELO_NATIVE_AES_TINY_SETUP
#define SELO_NATIVE_AES_TINY_SETUP SELO_NATIVE_AES
#endif

void selo_aes_fast_encrypt(const uint8_t *round_keys, uint8_t out[16], const uint8_t in[16],
                           uint8_t rounds);
void selo_aes_fast_decrypt(const uint8_t *round_keys, uint8_t out[16], const uint8_t in[16],
                           uint8_t rounds);

/*
 * Without a schedule in RAM: a window of its last Nk words, w[i] in slot i modulo
 * Nk. It moves by half a round key, 2 words, because only there can a rotated
 * or substituted word stand, and only there does it wrap.
 */
struct aes_window {
    uint8_t key_size; /* 16, 24 or 32 */
    uint8_t position; /* in words[], of the next half */
    uint8_t fresh;    /* forwards: halves that stand in words[] and were not yet used */
    uint8_t constant; /* round constant of the next rotated word */
    uint8_t words[32];
};

/* Both return the 8 bytes of the next half, in the order of encryption or from the last back. */
const uint8_t *selo_aes_window_next(struct aes_window *window);
const uint8_t *selo_aes_window_previous(struct aes_window *window);

void selo_aes_tiny_encrypt(const uint8_t *key, uint8_t out[16], const uint8_t in[16],
                           uint8_t key_size);
/* The same for a key of 16 bytes, for which there may be a kernel. */
#if SELO_NATIVE_AES128_TINY_BLOCK
void selo_aes128_tiny_block(const uint8_t key[16], uint8_t out[16], const uint8_t in[16]);
#else
static inline void selo_aes128_tiny_block(const uint8_t key[16], uint8_t out[16],
                                          const uint8_t in[16])
{
    selo_aes_tiny_encrypt(key, out, in, 16);
}
#endif
/* first: the key; last: the Nk words after the schedule, w[i] in slot i modulo Nk. */
void selo_aes_small_setup(uint8_t *first, uint8_t *last, const uint8_t *raw, uint8_t key_size);
/* last_constant: the one used last to make `last`. */
void selo_aes_small_decrypt(const uint8_t *last, uint8_t out[16], const uint8_t in[16],
                            uint8_t key_size, uint8_t last_constant);

/* Inlined even for size: a call costs more than these, in flash as in time. */
#define AES_INLINE static inline __attribute__((always_inline))

/* The S-box and its inverse, each at a 256-byte boundary, for aes_lookup. */
extern const uint8_t selo_aes_sbox[256] __attribute__((aligned(256)));
extern const uint8_t selo_aes_inverse_sbox[256] __attribute__((aligned(256)));

/*
 * A table at a 256-byte boundary is read by putting the index into the low byte
 * of its address. `table` holds such an address; the call leaves it inside the
 * same table, so that on the AVR the pointer stays in Z and a look-up is one mov
 * and one lpm, 4 cycles for every index.
 */
typedef const uint8_t *aes_table;

AES_INLINE uint8_t aes_lookup(aes_table *table, uint8_t index)
{
#if SELO_FLASH_TABLES
    uint8_t value;
    __asm__("mov %A0, %2\n\t"
            "lpm %1, Z"
            : "+z"(*table), "=r"(value)
            : "r"(index));
    return value;
#else
    return (*table)[index];
#endif
}

/* On the AVR only Y and Z reach the bytes after a pointer cheaply, and Y is often
 * taken: says that this pointer should be in Z from here. It changes no value. */
#if SELO_FLASH_TABLES
#define AES_PREFER_Z(pointer) __asm__("" : "+z"(pointer))
#else
#define AES_PREFER_Z(pointer) ((void)0)
#endif

/* x times the polynomial x, modulo x^8 + x^4 + x^3 + x + 1, without a branch [FIPS197, 4.2.1]. */
AES_INLINE uint8_t aes_xtime(uint8_t x)
{
    return (uint8_t)((uint8_t)(x << 1) ^ (uint8_t)(-(x >> 7) & 0x1b));
}

#endif
