/*
 * Selo: cryptography for devices with 2 KB of RAM and up.
 *
 * This header is the manual of the device library: authenticated encryption, hashes, HMAC, HKDF,
 * X25519 and the node of the link. selo_unauthenticated.h has the modes of operation that do not
 * authenticate. selo_speck.h has the block cipher Speck, selo_mlkem.h the key encapsulation ML-KEM,
 * selo_ed25519.h the signatures of Ed25519, selo_p256.h ECDH and ECDSA on P-256,
 * selo_hmac_drbg.h random bytes from a seed, selo_siv.h encryption that a repeated nonce does not break.
 *
 * Conventions. They belong to the contract of every function, unless it says otherwise.
 *  - Language: C11. The code is correct where int has 16 bits. It uses no malloc, no recursion and
 *    no variable-length array.
 *  - Sizes: `const uint8_t key[16]` reads exactly 16 bytes, `uint8_t out[16]` writes exactly 16.
 *    A pointer with a size beside it covers that many bytes, and may be null if the size is 0.
 *    No other pointer may be null.
 *  - Return: a function that can fail returns enum selo_status. The caller must check it. A
 *    function that cannot fail returns void.
 *  - Failure: every output is zeroed.
 *  - Aliasing: `out` may equal `in`. An output must not overlap another argument in any other way.
 *  - State: call the _setup or _start of a struct before any other use. A struct may be copied,
 *    except struct selo_node: two copies would use one nonce twice. There is no global state. Two
 *    calls must not use one struct at the same time.
 *  - Secrets: the library wipes its own copies. The caller wipes each key after its last use, with
 *    selo_wipe(&key, sizeof key).
 *  - Stack: the deepest stack of a call on an Arduino Uno, in bytes, measured by the lab.
 *
 * Constant time
 *    No branch and no memory address depends on a secret, with one exception: on 8-bit CPUs, and
 *    elsewhere with SELO_AES_TABLES=1, AES uses secret bytes as indices into its S-box. Such a
 *    look-up takes constant time only where no cache stands between the core and the table, as on
 *    AVR. It does not take constant time on a Cortex-M that runs from cached flash (the XIP flash of
 *    RP2040, the ART accelerator of STM32F4), on ESP8266 and ESP32, or on a PC. With
 *    SELO_AES_SBOX_IN_RAM=1 as well the tables are in RAM, in front of which most
 *    microcontrollers have no cache. Without SELO_AES_TABLES=1 AES reads no table there: it
 *    computes a circuit, looks the S-box up in vector registers, or uses the instructions of the
 *    CPU. `selo lab check` measures it.
 *    X25519, Ed25519, P-256, ML-KEM, Poly1305 and, except on 8-bit CPUs, GHASH multiply secrets. They take
 *    constant time only if the multiplier of the CPU does. Cortex-M3 multiplies 32 bits in constant
 *    time, but not to 64 bits; GHASH needs that there, the others do without.
 *
 * docs/BIBLIOGRAPHY.md lists the references in brackets, such as [FIPS197, 5.1.1].
 */
#ifndef SELO_H
#define SELO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SELO_VERSION "0.1.0"

enum selo_status {
    SELO_OK = 0,
    SELO_ERROR_ARGUMENT = 1, /* the function does not accept this size or flag */
    SELO_ERROR_SPACE = 2,    /* the output buffer is too small */
    SELO_ERROR_PADDING = 3,  /* the decrypted padding is malformed: wrong key or altered data */
    SELO_ERROR_RANDOM = 4,   /* the random source failed */
    SELO_ERROR_KEY = 5,      /* the key is invalid: X25519 yields zero [RFC7748, 6.1], or its check fails */
    SELO_ERROR_TAG = 6,      /* the tag does not verify: altered data, wrong key, nonce or header */
    SELO_ERROR_STATE = 7,    /* the state of the node or of the message does not permit this call */
    SELO_ERROR_STORE = 8,    /* the record cannot be read or stored, or does not exist */
    SELO_ERROR_SEND = 9      /* the transport did not accept the frame */
};

/* Overwrites `size` bytes of data with zeros. The compiler cannot remove the stores. */
void selo_wipe(void *data, size_t size);

/* Compares `size` bytes.
 * Returns: 1 if a and b are equal, else 0.
 * Aliasing: a and b may overlap. Constant time: the time depends on `size` only. */
uint8_t selo_equal(const void *a, const void *b, size_t size);

/*
 * A random source that the caller provides. It fills out[0..size) with unpredictable bytes.
 * `source` is the caller's pointer, which the library passes through.
 * Returns: SELO_OK, or SELO_ERROR_RANDOM if it cannot fill all bytes.
 */
typedef enum selo_status selo_random_fn(void *source, uint8_t *out, size_t size);

/*
 * Encrypts or decrypts one block of a 128-bit block cipher, such as selo_aes128_fast_encrypt.
 *   key   the struct of the variant, after its _setup
 *   out   16 bytes; may equal in
 *   in    16 bytes
 */
typedef void selo_block_fn(const void *key, uint8_t out[16], const uint8_t in[16]);

/*
 * A block cipher under a key, for a mode of operation: the forward cipher function or the inverse
 * cipher function [SP800-38A, 5.1]. selo_aes128_fast_cipher(&key) makes the first and
 * selo_aes128_fast_inverse(&key) the second; every other variant has functions of the same form.
 * They pair each key with its own function. Both structs hold a pointer to the key, so the key
 * must outlive them.
 *
 * On CPUs with 32 bits or more AES fast encrypts or decrypts two blocks in the time of one. CTR, GCM
 * and CCM make use of encrypt_two, CBC decryption of decrypt_two. Both take 32 bytes, or are NULL.
 */
#define SELO_CIPHER_TWO (SIZE_MAX > 0xFFFF)
typedef void selo_two_blocks_fn(const void *key, uint8_t out[32], const uint8_t in[32]);
struct selo_cipher {
    selo_block_fn *encrypt;
    const void *key;
#if SELO_CIPHER_TWO
    selo_two_blocks_fn *encrypt_two;
#endif
};
struct selo_inverse_cipher {
    selo_block_fn *decrypt;
    const void *key;
#if SELO_CIPHER_TWO
    selo_two_blocks_fn *decrypt_two;
#endif
};

#if SELO_CIPHER_TWO
#define SELO_CIPHER_WITH(type, two)                                     \
    static inline struct selo_cipher type##_cipher(const struct type *key) \
    {                                                                   \
        struct selo_cipher cipher = {type##_encrypt, key, two};         \
        return cipher;                                                  \
    }
#define SELO_CIPHER_OF_TWO(type) SELO_CIPHER_WITH(type, type##_encrypt_two)
#define SELO_CIPHER_OF(type) SELO_CIPHER_WITH(type, NULL)
#define SELO_INVERSE_WITH(type, two)                                             \
    static inline struct selo_inverse_cipher type##_inverse(const struct type *key) \
    {                                                                            \
        struct selo_inverse_cipher cipher = {type##_decrypt, key, two};          \
        return cipher;                                                           \
    }
#define SELO_INVERSE_OF_TWO(type) SELO_INVERSE_WITH(type, type##_decrypt_two)
#define SELO_INVERSE_OF(type) SELO_INVERSE_WITH(type, NULL)
#else
#define SELO_CIPHER_OF(type)                                            \
    static inline struct selo_cipher type##_cipher(const struct type *key) \
    {                                                                   \
        struct selo_cipher cipher = {type##_encrypt, key};              \
        return cipher;                                                  \
    }
#define SELO_INVERSE_OF(type)                                                    \
    static inline struct selo_inverse_cipher type##_inverse(const struct type *key) \
    {                                                                            \
        struct selo_inverse_cipher cipher = {type##_decrypt, key};               \
        return cipher;                                                           \
    }
#define SELO_CIPHER_OF_TWO(type) SELO_CIPHER_OF(type)
#define SELO_INVERSE_OF_TWO(type) SELO_INVERSE_OF(type)
#endif

/* ---- AES [FIPS197] ------------------------------------------------------------
 *
 * variant  key schedule  operations       struct: AES-128, AES-192, AES-256   stack of a block
 * fast     in RAM        both directions  176, 208, 240 bytes                 at most 20 bytes
 * small    on the fly    both directions  32, 48, 64 bytes                    at most 59 bytes
 * tiny     on the fly    encryption only  16, 24, 32 bytes                    at most 56 bytes
 *
 * small and tiny save RAM and take more time for each block. Their code is about as large as that
 * of fast. With words of 64 bits they compute the whole schedule for each block, on the stack.
 *
 * _setup copies or expands the raw key into *key. The raw key is not needed afterwards, and must
 * not overlap *key. _encrypt and _decrypt take one block, as selo_block_fn says. None of them can
 * fail.
 * Without tables, on CPUs with words of 32 bits, small and tiny make the schedule on the stack for
 * each block, 240 bytes, and small keeps the key twice.
 * Constant time: on 8-bit CPUs and with SELO_AES_TABLES=1 without a cache only, as explained above;
 * else on every CPU.
 *
 * A block cipher alone protects no message. Use authenticated encryption.
 */
struct selo_aes128_fast { uint8_t round_keys[176]; };
struct selo_aes192_fast { uint8_t round_keys[208]; };
struct selo_aes256_fast { uint8_t round_keys[240]; };
struct selo_aes128_small { uint8_t first[16], last[16]; };
struct selo_aes192_small { uint8_t first[24], last[24]; };
struct selo_aes256_small { uint8_t first[32], last[32]; };
struct selo_aes128_tiny { uint8_t key[16]; };
struct selo_aes192_tiny { uint8_t key[24]; };
struct selo_aes256_tiny { uint8_t key[32]; };

void selo_aes128_fast_setup(struct selo_aes128_fast *key, const uint8_t raw[16]);
void selo_aes192_fast_setup(struct selo_aes192_fast *key, const uint8_t raw[24]);
void selo_aes256_fast_setup(struct selo_aes256_fast *key, const uint8_t raw[32]);
selo_block_fn selo_aes128_fast_encrypt, selo_aes128_fast_decrypt;
selo_block_fn selo_aes192_fast_encrypt, selo_aes192_fast_decrypt;
selo_block_fn selo_aes256_fast_encrypt, selo_aes256_fast_decrypt;
#if SELO_CIPHER_TWO
selo_two_blocks_fn selo_aes128_fast_encrypt_two, selo_aes192_fast_encrypt_two;
selo_two_blocks_fn selo_aes256_fast_encrypt_two;
selo_two_blocks_fn selo_aes128_fast_decrypt_two, selo_aes192_fast_decrypt_two;
selo_two_blocks_fn selo_aes256_fast_decrypt_two;
#endif

void selo_aes128_small_setup(struct selo_aes128_small *key, const uint8_t raw[16]);
void selo_aes192_small_setup(struct selo_aes192_small *key, const uint8_t raw[24]);
void selo_aes256_small_setup(struct selo_aes256_small *key, const uint8_t raw[32]);
selo_block_fn selo_aes128_small_encrypt, selo_aes128_small_decrypt;
selo_block_fn selo_aes192_small_encrypt, selo_aes192_small_decrypt;
selo_block_fn selo_aes256_small_encrypt, selo_aes256_small_decrypt;

void selo_aes128_tiny_setup(struct selo_aes128_tiny *key, const uint8_t raw[16]);
void selo_aes192_tiny_setup(struct selo_aes192_tiny *key, const uint8_t raw[24]);
void selo_aes256_tiny_setup(struct selo_aes256_tiny *key, const uint8_t raw[32]);
selo_block_fn selo_aes128_tiny_encrypt, selo_aes192_tiny_encrypt, selo_aes256_tiny_encrypt;

SELO_CIPHER_OF_TWO(selo_aes128_fast)
SELO_CIPHER_OF_TWO(selo_aes192_fast)
SELO_CIPHER_OF_TWO(selo_aes256_fast)
SELO_CIPHER_OF(selo_aes128_small)
SELO_CIPHER_OF(selo_aes192_small)
SELO_CIPHER_OF(selo_aes256_small)
SELO_CIPHER_OF(selo_aes128_tiny)
SELO_CIPHER_OF(selo_aes192_tiny)
SELO_CIPHER_OF(selo_aes256_tiny)
SELO_INVERSE_OF_TWO(selo_aes128_fast)
SELO_INVERSE_OF_TWO(selo_aes192_fast)
SELO_INVERSE_OF_TWO(selo_aes256_fast)
SELO_INVERSE_OF(selo_aes128_small)
SELO_INVERSE_OF(selo_aes192_small)
SELO_INVERSE_OF(selo_aes256_small)

/* ---- Authenticated encryption ----------------------------------------------------------------
 *
 *     struct selo_chacha20_poly1305_key key;
 *     struct selo_header header = {nonce, sizeof nonce, station, sizeof station, 16};
 *
 *     selo_chacha20_poly1305_setup(&key, raw);
 *     status = selo_chacha20_poly1305_seal(&key, &header, sealed, reading, sizeof reading, tag);
 *     status = selo_chacha20_poly1305_open(&key, &header, reading, sealed, sizeof sealed, tag);
 *
 * Each algorithm has its own key type, so the compiler rejects the key of another algorithm.
 *
 * The contract of every _setup, _seal and _open. The algorithm's comment adds the sizes.
 *
 * _setup prepares *key from the raw key. It cannot fail. The raw key is not needed afterwards, and
 * must not overlap *key.
 *
 * _seal encrypts `size` bytes from in to out. It writes header->tag_size bytes to tag, computed
 * over the ciphertext and the associated data.
 * _open verifies the tag and decrypts `size` bytes from in to out.
 *   Returns: SELO_OK; SELO_ERROR_ARGUMENT if the algorithm does not accept a size; and, from _open,
 *   SELO_ERROR_TAG if the tag does not verify.
 *   Outputs on error: out[0..size) is zeroed; _seal also zeroes tag[0..header->tag_size).
 *   Aliasing: out may equal in, and must not overlap it in any other way. out and tag must not
 *   overlap each other, nonce, ad or the key.
 *   Constant time: the time depends on the sizes and on the result of the verification only.
 *   Exceptions are listed with the algorithm.
 *
 * Unverified plaintext: GCM and ChaCha20-Poly1305 verify before they decrypt. CCM and Ascon-AEAD128
 * decrypt first, and zero out if the tag does not verify. Nothing else may read out until _open
 * returns.
 *
 * Nonces: never seal two messages with one nonce under one key. A repeated nonce reveals how the
 * two texts differ. With GCM and ChaCha20-Poly1305 it also reveals the authentication key.
 *
 * Short tags: a tag may be shorter than 16 bytes where packets are small. A forgery succeeds with
 * probability 2^-(8 tag_size), so limit the number of attempts.
 */

/* The inputs of a message other than its text: nonce, associated data and size of the tag. */
struct selo_header {
    const uint8_t *nonce;
    size_t nonce_size;
    const void *ad; /* associated data: authenticated, not encrypted */
    size_t ad_size; /* 0 if there is none */
    size_t tag_size;
};

/* ChaCha20-Poly1305 [RFC8439, 2.8]
 * Sizes: nonce_size 12, tag_size 8..16 (16 in the RFC), size up to 2^32 - 1.
 * Constant time: on every CPU whose multiplier takes constant time. Stack: 267. */
struct selo_chacha20_poly1305_key { uint8_t bytes[32]; };
void selo_chacha20_poly1305_setup(struct selo_chacha20_poly1305_key *key, const uint8_t raw[32]);
enum selo_status selo_chacha20_poly1305_seal(const struct selo_chacha20_poly1305_key *key,
                                             const struct selo_header *header, uint8_t *out,
                                             const uint8_t *in, size_t size, uint8_t *tag);
enum selo_status selo_chacha20_poly1305_open(const struct selo_chacha20_poly1305_key *key,
                                             const struct selo_header *header, uint8_t *out,
                                             const uint8_t *in, size_t size, const uint8_t *tag);

/* XChaCha20-Poly1305 [XCHACHA]: ChaCha20-Poly1305 under a key that it derives from the first 16 bytes
 * of the nonce. Nonces are long enough to be drawn at random.
 * Sizes: nonce_size 24, tag_size 8..16 (16 in the draft), size up to 2^32 - 1.
 * Constant time: as ChaCha20-Poly1305. Stack: 355. */
struct selo_xchacha20_poly1305_key { uint8_t bytes[32]; };
void selo_xchacha20_poly1305_setup(struct selo_xchacha20_poly1305_key *key, const uint8_t raw[32]);
enum selo_status selo_xchacha20_poly1305_seal(const struct selo_xchacha20_poly1305_key *key,
                                              const struct selo_header *header, uint8_t *out,
                                              const uint8_t *in, size_t size, uint8_t *tag);
enum selo_status selo_xchacha20_poly1305_open(const struct selo_xchacha20_poly1305_key *key,
                                              const struct selo_header *header, uint8_t *out,
                                              const uint8_t *in, size_t size, const uint8_t *tag);

/* Ascon-AEAD128 [SP800-232, 4]
 * Sizes: nonce_size 16, tag_size 4..16, size up to 2^32 - 1.
 * Constant time: on every CPU. Stack: 114. */
struct selo_ascon_aead128_key { uint8_t bytes[16]; };
void selo_ascon_aead128_setup(struct selo_ascon_aead128_key *key, const uint8_t raw[16]);
enum selo_status selo_ascon_aead128_seal(const struct selo_ascon_aead128_key *key,
                                         const struct selo_header *header, uint8_t *out,
                                         const uint8_t *in, size_t size, uint8_t *tag);
enum selo_status selo_ascon_aead128_open(const struct selo_ascon_aead128_key *key,
                                         const struct selo_header *header, uint8_t *out,
                                         const uint8_t *in, size_t size, const uint8_t *tag);

/* GCM [SP800-38D] over any cipher
 * Sizes: nonce_size at least 1 (12 is recommended), tag_size 4, 8 or 12..16, size up to
 * 2^32 - 1.
 * Constant time: where the cipher takes constant time and the CPU either has 8 bits or a multiplier
 * of constant time. Stack: 181. */
enum selo_status selo_gcm_seal(struct selo_cipher cipher, const struct selo_header *header,
                               uint8_t *out, const uint8_t *in, size_t size, uint8_t *tag);
enum selo_status selo_gcm_open(struct selo_cipher cipher, const struct selo_header *header,
                               uint8_t *out, const uint8_t *in, size_t size, const uint8_t *tag);

#if SELO_CIPHER_TWO
/* The same where many messages have one key: hash_key, 16 bytes, is what selo_gcm_hash_key writes, and
 * as secret as the key. A message of up to 16 bytes then takes two blocks of the cipher in place of
 * three. On CPUs with 32 bits or more selo_aes128_gcm_seal and the like do so. */
void selo_gcm_hash_key(struct selo_cipher cipher, uint8_t hash_key[16]);
enum selo_status selo_gcm_keyed_seal(struct selo_cipher cipher, const uint8_t hash_key[16],
                                     const struct selo_header *header, uint8_t *out,
                                     const uint8_t *in, size_t size, uint8_t *tag);
enum selo_status selo_gcm_keyed_open(struct selo_cipher cipher, const uint8_t hash_key[16],
                                     const struct selo_header *header, uint8_t *out,
                                     const uint8_t *in, size_t size, const uint8_t *tag);
#endif

/* CCM [SP800-38C] over any cipher
 * Sizes: nonce_size 7..13, tag_size even and 4..16, size below 2^(8 (15 - nonce_size)), ad_size
 * below 65,280.
 * Constant time: where the cipher takes constant time. Stack: 155. */
enum selo_status selo_ccm_seal(struct selo_cipher cipher, const struct selo_header *header,
                               uint8_t *out, const uint8_t *in, size_t size, uint8_t *tag);
enum selo_status selo_ccm_open(struct selo_cipher cipher, const struct selo_header *header,
                               uint8_t *out, const uint8_t *in, size_t size, const uint8_t *tag);

/* AES-GCM and AES-CCM over AES fast, with keys of 128, 192 and 256 bits
 * The key struct holds the key schedule, 176, 208 or 240 bytes; on CPUs with 32 bits or more that of
 * GCM also holds its hash key, 16 bytes. To save RAM, pass the cipher of another variant to
 * selo_gcm_seal or selo_ccm_seal. */
#define SELO_AES_AEAD_OF(name, bits, mode, ...)                                                 \
    static inline enum selo_status name##_seal(const struct name##_key *key,                    \
                                               const struct selo_header *header, uint8_t *out,  \
                                               const uint8_t *in, size_t size, uint8_t *tag)    \
    {                                                                                           \
        return mode##_seal(selo_aes##bits##_fast_cipher(&key->aes), __VA_ARGS__, out, in, size, tag); \
    }                                                                                           \
    static inline enum selo_status name##_open(const struct name##_key *key,                    \
                                               const struct selo_header *header, uint8_t *out,  \
                                               const uint8_t *in, size_t size,                  \
                                               const uint8_t *tag)                              \
    {                                                                                           \
        return mode##_open(selo_aes##bits##_fast_cipher(&key->aes), __VA_ARGS__, out, in, size, tag); \
    }
#define SELO_AES_AEAD(name, mode, bits)                                                         \
    struct name##_key { struct selo_aes##bits##_fast aes; };                                    \
    static inline void name##_setup(struct name##_key *key, const uint8_t raw[bits / 8])        \
    {                                                                                           \
        selo_aes##bits##_fast_setup(&key->aes, raw);                                            \
    }                                                                                           \
    SELO_AES_AEAD_OF(name, bits, mode, header)
#if SELO_CIPHER_TWO
#define SELO_AES_GCM(name, bits)                                                                \
    struct name##_key { struct selo_aes##bits##_fast aes; uint8_t hash_key[16]; };              \
    static inline void name##_setup(struct name##_key *key, const uint8_t raw[bits / 8])        \
    {                                                                                           \
        selo_aes##bits##_fast_setup(&key->aes, raw);                                            \
        selo_gcm_hash_key(selo_aes##bits##_fast_cipher(&key->aes), key->hash_key);              \
    }                                                                                           \
    SELO_AES_AEAD_OF(name, bits, selo_gcm_keyed, key->hash_key, header)
#else
#define SELO_AES_GCM(name, bits)                                                                \
    SELO_AES_AEAD(name, selo_gcm, bits)
#endif
SELO_AES_GCM(selo_aes128_gcm, 128)
SELO_AES_GCM(selo_aes192_gcm, 192)
SELO_AES_GCM(selo_aes256_gcm, 256)
SELO_AES_AEAD(selo_aes128_ccm, selo_ccm, 128)
SELO_AES_AEAD(selo_aes192_ccm, selo_ccm, 192)
SELO_AES_AEAD(selo_aes256_ccm, selo_ccm, 256)

/*
 * An algorithm chosen at run time. A key stores its algorithm, so key and algorithm always agree.
 * struct selo_aead_key has room for the largest key schedule. A program links only the algorithms
 * that it names.
 */
struct selo_aead_key;
struct selo_aead {
    uint8_t key_size;   /* bytes of the raw key */
    uint8_t nonce_size; /* recommended size, in bytes */
    uint8_t tag_size;   /* longest tag, in bytes */
    void (*setup)(struct selo_aead_key *key, const uint8_t *raw);
    enum selo_status (*seal)(const struct selo_aead_key *key, const struct selo_header *header,
                             uint8_t *out, const uint8_t *in, size_t size, uint8_t *tag);
    enum selo_status (*open)(const struct selo_aead_key *key, const struct selo_header *header,
                             uint8_t *out, const uint8_t *in, size_t size, const uint8_t *tag);
};
extern const struct selo_aead selo_aead_aes128_gcm, selo_aead_aes192_gcm, selo_aead_aes256_gcm;
extern const struct selo_aead selo_aead_aes128_ccm, selo_aead_aes192_ccm, selo_aead_aes256_ccm;
extern const struct selo_aead selo_aead_chacha20_poly1305, selo_aead_ascon_aead128;

struct selo_aead_key {
    const struct selo_aead *aead;
    union {
        struct selo_aes128_gcm_key aes128_gcm;
        struct selo_aes192_gcm_key aes192_gcm;
        struct selo_aes256_gcm_key aes256_gcm;
        struct selo_aes128_ccm_key aes128_ccm;
        struct selo_aes192_ccm_key aes192_ccm;
        struct selo_aes256_ccm_key aes256_ccm;
        struct selo_chacha20_poly1305_key chacha20_poly1305;
        struct selo_ascon_aead128_key ascon_aead128;
    } of;
};

/* Prepares *key for the algorithm `aead`, which must outlive it.
 * Returns: SELO_OK, or SELO_ERROR_ARGUMENT if raw_size is not aead->key_size.
 * Output on error: *key is zeroed, and must not be used. Aliasing: raw must not overlap *key. */
enum selo_status selo_aead_setup(struct selo_aead_key *key, const struct selo_aead *aead,
                                 const uint8_t *raw, size_t raw_size);
/* The _seal and _open of the key's algorithm, with the same contract. */
static inline enum selo_status selo_aead_seal(const struct selo_aead_key *key,
                                              const struct selo_header *header, uint8_t *out,
                                              const uint8_t *in, size_t size, uint8_t *tag)
{
    return key->aead->seal(key, header, out, in, size, tag);
}
static inline enum selo_status selo_aead_open(const struct selo_aead_key *key,
                                              const struct selo_header *header, uint8_t *out,
                                              const uint8_t *in, size_t size, const uint8_t *tag)
{
    return key->aead->open(key, header, out, in, size, tag);
}

/* ---- Authenticated encryption in pieces ------------------------------------------------------
 *
 * These functions seal or open a message that does not fit into memory, or that arrives in pieces.
 * Any division into pieces gives the same result as _seal and _open:
 *
 *     struct selo_ascon_aead128_sealing state;
 *
 *     status = selo_ascon_aead128_seal_start(&state, &key, &header);
 *     status = selo_ascon_aead128_seal_update(&state, sealed, piece, size); // for each piece
 *     status = selo_ascon_aead128_seal_finish(&state, tag);
 *
 * _open_start, _open_update and _open_finish open a message. Sealing and opening have states of
 * different types, so the compiler rejects a call with the wrong one.
 *
 * DO NOT USE OPENED BYTES BEFORE _open_finish HAS RETURNED SELO_OK. Until then nobody has verified
 * them, and an attacker may have written them. Do not act on them, parse them, show them or answer
 * them. If _open_finish fails, erase all of them. A device can do this in two ways:
 *  - It stores the opened bytes where nothing reads them, such as a spare page of flash. It marks
 *    the page as valid after _open_finish has returned SELO_OK, or else erases the page.
 *  - It stores the sealed message and opens it twice. In the first pass each piece overwrites the
 *    piece before. The device uses the pieces of the second pass only if the first _open_finish
 *    has returned SELO_OK, and if nobody can have altered the stored message since.
 *
 * The contract of every call. That of _seal and _open also applies, except where it differs.
 *
 * _start begins a message. The header and its associated data are not needed afterwards. The key
 * must outlive the message. CCM also takes the size of the whole message here, because its first
 * block contains it [SP800-38C, A.2.1].
 * _update encrypts or decrypts `size` bytes from in to out. Call it any number of times. The pieces
 * may have any size, including 0.
 * _seal_finish writes the tag, with the tag_size of the header. _open_finish verifies the tag. Both
 * wipe *state. To abandon a message, wipe *state with selo_wipe. Its nonce is used up all the same.
 *   Returns: SELO_OK;
 *   SELO_ERROR_ARGUMENT: from _start if the algorithm does not accept a size; from _update if the
 *   message gets longer than the size given to CCM, or than 2^32 - 1 bytes with GCM and
 *   ChaCha20-Poly1305;
 *   SELO_ERROR_STATE: from _update and _finish if no message is in progress, because it has ended
 *   or an earlier call has failed; from _finish of CCM if bytes of the message are missing;
 *   SELO_ERROR_TAG: from _open_finish if the tag does not verify.
 *   On error: *state is zeroed, which ends the message. _update zeroes out[0..size). _seal_finish
 *   zeroes tag; it does not write to tag if no message is in progress, because the size of the tag
 *   is not known then. The outputs of earlier calls stay, and the caller must not use them.
 *   Sizes: as for _seal and _open. ad_size is at most 2^32 - 1.
 *   Aliasing: as for _seal and _open. *state must not overlap another argument.
 *   Constant time: as for _seal and _open. The sizes of the pieces are public.
 *
 * Bytes on an Arduino Uno, as `tests/avr/run.sh --cycles incremental` measures the stack:
 *   algorithm           state   stack
 *   ChaCha20-Poly1305     193     116
 *   Ascon-AEAD128          44      53
 *   GCM over AES fast      93      97
 *   CCM over AES fast      58      55
 */

/* The fields of these structs are internal. A state with tag_size 0 has no message in progress. */
struct selo_chacha20_poly1305_message {
    uint32_t chacha20[16];                        /* the state of ChaCha20 */
    uint32_t poly1305[sizeof(int) == 2 ? 14 : 19]; /* that of Poly1305, in its longest form */
    uint32_t stream[16];                          /* ciphertext, then unused key stream */
    uint32_t ad_size, size;
    uint8_t tag_size;
};
struct selo_ascon_aead128_message {
    uint64_t state[5];
    const struct selo_ascon_aead128_key *key;
    uint8_t at; /* the position in the block */
    uint8_t tag_size;
};
struct selo_gcm {
    uint8_t hash_key[16]; /* H */
    uint8_t mask[16];     /* the encrypted J0, added to the hash to make the tag */
    uint8_t counter[16];  /* the counter block encrypted last; J0 at the start */
};
struct selo_gcm_message {
    struct selo_cipher cipher;
    struct selo_gcm gcm;
    uint8_t hash[16], stream[16];
    uint32_t ad_size, size;
    uint8_t tag_size;
};
struct selo_ccm_message {
    struct selo_cipher cipher;
    uint8_t mac[16], counter[16], stream[16];
    uint32_t left; /* bytes that the message still lacks */
    uint8_t at;    /* the position in the block */
    uint8_t tag_size;
};

/* ChaCha20-Poly1305 */
struct selo_chacha20_poly1305_sealing { struct selo_chacha20_poly1305_message message; };
struct selo_chacha20_poly1305_opening { struct selo_chacha20_poly1305_message message; };
enum selo_status selo_chacha20_poly1305_seal_start(struct selo_chacha20_poly1305_sealing *state,
                                                   const struct selo_chacha20_poly1305_key *key,
                                                   const struct selo_header *header);
enum selo_status selo_chacha20_poly1305_seal_update(struct selo_chacha20_poly1305_sealing *state,
                                                    uint8_t *out, const uint8_t *in, size_t size);
enum selo_status selo_chacha20_poly1305_seal_finish(struct selo_chacha20_poly1305_sealing *state,
                                                    uint8_t *tag);
enum selo_status selo_chacha20_poly1305_open_start(struct selo_chacha20_poly1305_opening *state,
                                                   const struct selo_chacha20_poly1305_key *key,
                                                   const struct selo_header *header);
enum selo_status selo_chacha20_poly1305_open_update(struct selo_chacha20_poly1305_opening *state,
                                                    uint8_t *out, const uint8_t *in, size_t size);
enum selo_status selo_chacha20_poly1305_open_finish(struct selo_chacha20_poly1305_opening *state,
                                                    const uint8_t *tag);

/* Ascon-AEAD128 */
struct selo_ascon_aead128_sealing { struct selo_ascon_aead128_message message; };
struct selo_ascon_aead128_opening { struct selo_ascon_aead128_message message; };
enum selo_status selo_ascon_aead128_seal_start(struct selo_ascon_aead128_sealing *state,
                                               const struct selo_ascon_aead128_key *key,
                                               const struct selo_header *header);
enum selo_status selo_ascon_aead128_seal_update(struct selo_ascon_aead128_sealing *state,
                                                uint8_t *out, const uint8_t *in, size_t size);
enum selo_status selo_ascon_aead128_seal_finish(struct selo_ascon_aead128_sealing *state,
                                                uint8_t *tag);
enum selo_status selo_ascon_aead128_open_start(struct selo_ascon_aead128_opening *state,
                                               const struct selo_ascon_aead128_key *key,
                                               const struct selo_header *header);
enum selo_status selo_ascon_aead128_open_update(struct selo_ascon_aead128_opening *state,
                                                uint8_t *out, const uint8_t *in, size_t size);
enum selo_status selo_ascon_aead128_open_finish(struct selo_ascon_aead128_opening *state,
                                                const uint8_t *tag);

/* GCM over any cipher */
struct selo_gcm_sealing { struct selo_gcm_message message; };
struct selo_gcm_opening { struct selo_gcm_message message; };
enum selo_status selo_gcm_seal_start(struct selo_gcm_sealing *state, struct selo_cipher cipher,
                                     const struct selo_header *header);
enum selo_status selo_gcm_seal_update(struct selo_gcm_sealing *state, uint8_t *out,
                                      const uint8_t *in, size_t size);
enum selo_status selo_gcm_seal_finish(struct selo_gcm_sealing *state, uint8_t *tag);
enum selo_status selo_gcm_open_start(struct selo_gcm_opening *state, struct selo_cipher cipher,
                                     const struct selo_header *header);
enum selo_status selo_gcm_open_update(struct selo_gcm_opening *state, uint8_t *out,
                                      const uint8_t *in, size_t size);
enum selo_status selo_gcm_open_finish(struct selo_gcm_opening *state, const uint8_t *tag);

/* CCM over any cipher. `size` is that of the whole message. */
struct selo_ccm_sealing { struct selo_ccm_message message; };
struct selo_ccm_opening { struct selo_ccm_message message; };
enum selo_status selo_ccm_seal_start(struct selo_ccm_sealing *state, struct selo_cipher cipher,
                                     const struct selo_header *header, uint32_t size);
enum selo_status selo_ccm_seal_update(struct selo_ccm_sealing *state, uint8_t *out,
                                      const uint8_t *in, size_t size);
enum selo_status selo_ccm_seal_finish(struct selo_ccm_sealing *state, uint8_t *tag);
enum selo_status selo_ccm_open_start(struct selo_ccm_opening *state, struct selo_cipher cipher,
                                     const struct selo_header *header, uint32_t size);
enum selo_status selo_ccm_open_update(struct selo_ccm_opening *state, uint8_t *out,
                                      const uint8_t *in, size_t size);
enum selo_status selo_ccm_open_finish(struct selo_ccm_opening *state, const uint8_t *tag);

/* AES-GCM and AES-CCM over AES fast: selo_aes128_gcm_seal_start and so on, with the key structs of
 * selo_aes128_gcm_seal. Their states are those of GCM and CCM, with a type for each size of key. */
#define SELO_AES_PIECES(name, mode, verb, noun, tag_pointer)                                    \
    struct name##_##noun { struct mode##_##noun of; };                                          \
    static inline enum selo_status name##_##verb##_update(struct name##_##noun *state,          \
                                                          uint8_t *out, const uint8_t *in,      \
                                                          size_t size)                          \
    {                                                                                           \
        return mode##_##verb##_update(&state->of, out, in, size);                               \
    }                                                                                           \
    static inline enum selo_status name##_##verb##_finish(struct name##_##noun *state,          \
                                                          tag_pointer tag)                      \
    {                                                                                           \
        return mode##_##verb##_finish(&state->of, tag);                                         \
    }
#define SELO_AES_GCM_START(name, bits, verb, noun)                                              \
    static inline enum selo_status name##_##verb##_start(struct name##_##noun *state,           \
                                                         const struct name##_key *key,          \
                                                         const struct selo_header *header)      \
    {                                                                                           \
        return selo_gcm_##verb##_start(&state->of, selo_aes##bits##_fast_cipher(&key->aes),     \
                                       header);                                                 \
    }
#define SELO_AES_CCM_START(name, bits, verb, noun)                                              \
    static inline enum selo_status name##_##verb##_start(struct name##_##noun *state,           \
                                                         const struct name##_key *key,          \
                                                         const struct selo_header *header,      \
                                                         uint32_t size)                         \
    {                                                                                           \
        return selo_ccm_##verb##_start(&state->of, selo_aes##bits##_fast_cipher(&key->aes),     \
                                       header, size);                                           \
    }
#define SELO_AES_IN_PIECES(name, mode, bits, START)                                             \
    SELO_AES_PIECES(name, mode, seal, sealing, uint8_t *)                                       \
    SELO_AES_PIECES(name, mode, open, opening, const uint8_t *)                                 \
    START(name, bits, seal, sealing)                                                            \
    START(name, bits, open, opening)
SELO_AES_IN_PIECES(selo_aes128_gcm, selo_gcm, 128, SELO_AES_GCM_START)
SELO_AES_IN_PIECES(selo_aes192_gcm, selo_gcm, 192, SELO_AES_GCM_START)
SELO_AES_IN_PIECES(selo_aes256_gcm, selo_gcm, 256, SELO_AES_GCM_START)
SELO_AES_IN_PIECES(selo_aes128_ccm, selo_ccm, 128, SELO_AES_CCM_START)
SELO_AES_IN_PIECES(selo_aes192_ccm, selo_ccm, 192, SELO_AES_CCM_START)
SELO_AES_IN_PIECES(selo_aes256_ccm, selo_ccm, 256, SELO_AES_CCM_START)

/*
 * An algorithm chosen at run time, in pieces. A program links the pieces only of the algorithms whose
 * table of pieces it names:
 *
 *     struct selo_aead_sealing state;
 *
 *     status = selo_aead_seal_start(&state, &selo_aead_aes128_ccm_pieces, &key, &header, size);
 *     status = selo_aead_seal_update(&state, sealed, piece, piece_size); // for each piece
 *     status = selo_aead_seal_finish(&state, tag);
 *
 * The contract above applies, except for this: _start takes the size of the whole message for every
 * algorithm, not only for CCM. A program that works with one algorithm then works with all.
 *   Returns: SELO_ERROR_ARGUMENT from _start also if the key is of another algorithm than the table;
 *   SELO_ERROR_ARGUMENT from _update if the message gets longer than that size;
 *   SELO_ERROR_STATE from _finish if bytes of the message are missing.
 */
#define SELO_AEAD_STATE(noun)                                                                   \
    struct selo_aead_##noun {                                                                   \
        const struct selo_aead_pieces *pieces; /* null: no message is in progress */            \
        uint32_t left;                         /* bytes that the message still lacks */         \
        uint8_t tag_size;                                                                       \
        union {                                                                                 \
            struct selo_aes128_gcm_##noun aes128_gcm;                                           \
            struct selo_aes192_gcm_##noun aes192_gcm;                                           \
            struct selo_aes256_gcm_##noun aes256_gcm;                                           \
            struct selo_aes128_ccm_##noun aes128_ccm;                                           \
            struct selo_aes192_ccm_##noun aes192_ccm;                                           \
            struct selo_aes256_ccm_##noun aes256_ccm;                                           \
            struct selo_chacha20_poly1305_##noun chacha20_poly1305;                             \
            struct selo_ascon_aead128_##noun ascon_aead128;                                     \
        } of;                                                                                   \
    };
SELO_AEAD_STATE(sealing)
SELO_AEAD_STATE(opening)

struct selo_aead_pieces {
    const struct selo_aead *aead;
    enum selo_status (*seal_start)(struct selo_aead_sealing *state,
                                   const struct selo_aead_key *key,
                                   const struct selo_header *header, uint32_t size);
    enum selo_status (*seal_update)(struct selo_aead_sealing *state, uint8_t *out,
                                    const uint8_t *in, size_t size);
    enum selo_status (*seal_finish)(struct selo_aead_sealing *state, uint8_t *tag);
    enum selo_status (*open_start)(struct selo_aead_opening *state,
                                   const struct selo_aead_key *key,
                                   const struct selo_header *header, uint32_t size);
    enum selo_status (*open_update)(struct selo_aead_opening *state, uint8_t *out,
                                    const uint8_t *in, size_t size);
    enum selo_status (*open_finish)(struct selo_aead_opening *state, const uint8_t *tag);
};
extern const struct selo_aead_pieces selo_aead_aes128_gcm_pieces, selo_aead_aes192_gcm_pieces,
    selo_aead_aes256_gcm_pieces, selo_aead_aes128_ccm_pieces, selo_aead_aes192_ccm_pieces,
    selo_aead_aes256_ccm_pieces, selo_aead_chacha20_poly1305_pieces,
    selo_aead_ascon_aead128_pieces;
enum selo_status selo_aead_seal_start(struct selo_aead_sealing *state,
                                      const struct selo_aead_pieces *pieces,
                                      const struct selo_aead_key *key,
                                      const struct selo_header *header, uint32_t size);
enum selo_status selo_aead_seal_update(struct selo_aead_sealing *state, uint8_t *out,
                                       const uint8_t *in, size_t size);
enum selo_status selo_aead_seal_finish(struct selo_aead_sealing *state, uint8_t *tag);
enum selo_status selo_aead_open_start(struct selo_aead_opening *state,
                                      const struct selo_aead_pieces *pieces,
                                      const struct selo_aead_key *key,
                                      const struct selo_header *header, uint32_t size);
enum selo_status selo_aead_open_update(struct selo_aead_opening *state, uint8_t *out,
                                       const uint8_t *in, size_t size);
enum selo_status selo_aead_open_finish(struct selo_aead_opening *state, const uint8_t *tag);

/* ---- Hashes [FIPS180-4] [FIPS202] [RFC7693] [SP800-232] ------------------------------------
 *
 * Call _start, then _update any number of times with pieces of any size, then _finish. A message
 * has at most 2^32 - 1 bytes. _finish writes the digest and wipes *hash; call _start to use it
 * again. No function can fail.
 * Aliasing: data and digest must not overlap *hash.
 * Constant time: on every CPU. The time depends on the sizes only.
 * Stack: SHA-256 135, SHA-384 300, SHA-512 233, SHA-3 85 (114 with SELO_KECCAK_SMALL=1), BLAKE2s 114,
 * Ascon-Hash256 28.
 * On AVR, SELO_SHA256_SMALL=1, SELO_SHA512_SMALL=1 and SELO_KECCAK_SMALL=1 choose smaller and
 * slower code (native/api.h).
 */
struct selo_sha256 { uint32_t state[8], block[16]; uint32_t size; };
struct selo_sha512 { uint64_t state[8], block[16]; uint32_t size; };
/* SHA-384 [FIPS180-4, 6.5]: SHA-512 from another initial value, cut off. */
struct selo_sha384 { struct selo_sha512 of; };
/* The Keccak-f[1600] state, as 25 little-endian lanes. */
struct selo_sha3 { uint64_t lanes[25]; uint8_t position, rate; };

void selo_sha256_start(struct selo_sha256 *hash);
void selo_sha256_update(struct selo_sha256 *hash, const void *data, size_t size);
void selo_sha256_finish(struct selo_sha256 *hash, uint8_t digest[32]);

void selo_sha512_start(struct selo_sha512 *hash);
void selo_sha512_update(struct selo_sha512 *hash, const void *data, size_t size);
void selo_sha512_finish(struct selo_sha512 *hash, uint8_t digest[64]);

void selo_sha384_start(struct selo_sha384 *hash);
void selo_sha384_update(struct selo_sha384 *hash, const void *data, size_t size);
void selo_sha384_finish(struct selo_sha384 *hash, uint8_t digest[48]);

void selo_sha3_256_start(struct selo_sha3 *hash);
void selo_sha3_512_start(struct selo_sha3 *hash);
void selo_sha3_update(struct selo_sha3 *hash, const void *data, size_t size);
/* Writes 32 bytes after selo_sha3_256_start, and 64 bytes after selo_sha3_512_start. */
void selo_sha3_finish(struct selo_sha3 *hash, uint8_t *digest);

/* SHAKE128 and SHAKE256 [FIPS202, 6.2]: a hash whose output has any size. Call _start, then _update
 * for the input, then _read any number of times; each call goes on in the output. Wipe *xof after the
 * last, if the input was secret.
 * Returns: SELO_OK; SELO_ERROR_STATE from _update after a _read. *xof is then zeroed, and _read
 * returns SELO_ERROR_STATE and zeros. Stack: 85. */
struct selo_shake { struct selo_sha3 sponge; uint8_t reading; };
void selo_shake128_start(struct selo_shake *xof);
void selo_shake256_start(struct selo_shake *xof);
enum selo_status selo_shake_update(struct selo_shake *xof, const void *data, size_t size);
enum selo_status selo_shake_read(struct selo_shake *xof, uint8_t *out, size_t size);

/* BLAKE2s with a digest of 32 bytes, without a key [RFC7693]. */
struct selo_blake2s { uint32_t state[8]; uint8_t block[64]; uint32_t size; };
void selo_blake2s_start(struct selo_blake2s *hash);
void selo_blake2s_update(struct selo_blake2s *hash, const void *data, size_t size);
void selo_blake2s_finish(struct selo_blake2s *hash, uint8_t digest[32]);

/* Ascon-Hash256 [SP800-232, 5.1]. */
struct selo_ascon_hash256 { uint64_t state[5]; uint8_t position; };
void selo_ascon_hash256_start(struct selo_ascon_hash256 *hash);
void selo_ascon_hash256_update(struct selo_ascon_hash256 *hash, const void *data, size_t size);
void selo_ascon_hash256_finish(struct selo_ascon_hash256 *hash, uint8_t digest[32]);

/* ---- HMAC [FIPS198-1] ------------------------------------------------------------------
 *
 * Call _start, then _update any number of times, then _finish. A key of any size is accepted; one
 * longer than the hash's block is hashed first. _finish writes the tag and wipes *mac. No function
 * can fail. Verify a tag with selo_equal.
 * Aliasing: key, data and tag must not overlap *mac.
 * Constant time: on every CPU. The time depends on the sizes only.
 * Stack: HMAC-SHA-256 145, HMAC-SHA-512 241, HMAC-SHA3 95, HMAC-BLAKE2s 120.
 */
struct selo_hmac_sha256 { struct selo_sha256 hash; uint8_t outer_key[64]; };
struct selo_hmac_sha512 { struct selo_sha512 hash; uint8_t outer_key[128]; };
struct selo_hmac_sha3_256 { struct selo_sha3 hash; uint8_t outer_key[136]; };
struct selo_hmac_sha3_512 { struct selo_sha3 hash; uint8_t outer_key[72]; };

void selo_hmac_sha256_start(struct selo_hmac_sha256 *mac, const uint8_t *key, size_t key_size);
void selo_hmac_sha256_update(struct selo_hmac_sha256 *mac, const void *data, size_t size);
void selo_hmac_sha256_finish(struct selo_hmac_sha256 *mac, uint8_t tag[32]);

void selo_hmac_sha512_start(struct selo_hmac_sha512 *mac, const uint8_t *key, size_t key_size);
void selo_hmac_sha512_update(struct selo_hmac_sha512 *mac, const void *data, size_t size);
void selo_hmac_sha512_finish(struct selo_hmac_sha512 *mac, uint8_t tag[64]);

void selo_hmac_sha3_256_start(struct selo_hmac_sha3_256 *mac, const uint8_t *key, size_t key_size);
void selo_hmac_sha3_256_update(struct selo_hmac_sha3_256 *mac, const void *data, size_t size);
void selo_hmac_sha3_256_finish(struct selo_hmac_sha3_256 *mac, uint8_t tag[32]);

void selo_hmac_sha3_512_start(struct selo_hmac_sha3_512 *mac, const uint8_t *key, size_t key_size);
void selo_hmac_sha3_512_update(struct selo_hmac_sha3_512 *mac, const void *data, size_t size);
void selo_hmac_sha3_512_finish(struct selo_hmac_sha3_512 *mac, uint8_t tag[64]);

struct selo_hmac_blake2s { struct selo_blake2s hash; uint8_t outer_key[64]; };
void selo_hmac_blake2s_start(struct selo_hmac_blake2s *mac, const uint8_t *key, size_t key_size);
void selo_hmac_blake2s_update(struct selo_hmac_blake2s *mac, const void *data, size_t size);
void selo_hmac_blake2s_finish(struct selo_hmac_blake2s *mac, uint8_t tag[32]);

/* HMAC-Ascon-Hash256 follows no standard. HMAC requires a block that is at least as long as the
 * digest, but the rate of Ascon-Hash256 is 8 bytes and its digest has 32. Selo uses a block of
 * 32 bytes, the shortest that holds a digest. */
struct selo_hmac_ascon_hash256 { struct selo_ascon_hash256 hash; uint8_t outer_key[32]; };
void selo_hmac_ascon_hash256_start(struct selo_hmac_ascon_hash256 *mac,
                                   const uint8_t *key, size_t key_size);
void selo_hmac_ascon_hash256_update(struct selo_hmac_ascon_hash256 *mac,
                                    const void *data, size_t size);
void selo_hmac_ascon_hash256_finish(struct selo_hmac_ascon_hash256 *mac, uint8_t tag[32]);

/* ---- CMAC [SP800-38B] ------------------------------------------------------------------
 *
 * A tag of 16 bytes over any cipher, such as selo_aes128_small_cipher(&key), which must outlive *mac.
 * Call _start, then _update any number of times, then _finish, which wipes *mac. No function can fail.
 * Verify a tag with selo_equal. A tag may be cut off; a forgery of n bytes succeeds with probability
 * 2^-(8 n).
 * Aliasing: data and tag must not overlap *mac.
 * Constant time: where the cipher takes constant time. The time depends on the sizes only.
 * Stack: 57 with AES small.
 */
struct selo_cmac { struct selo_cipher cipher; uint8_t mac[16]; uint8_t at; };
void selo_cmac_start(struct selo_cmac *mac, struct selo_cipher cipher);
void selo_cmac_update(struct selo_cmac *mac, const void *data, size_t size);
void selo_cmac_finish(struct selo_cmac *mac, uint8_t tag[16]);

/* ---- HKDF [RFC5869] ------------------------------------------------------------------
 *
 * Extracts and expands in one call. Derives out_size bytes from input keying material (ikm), salt
 * and info. If there is no salt, pass salt_size 0.
 * Sizes: out_size up to 8,160, which is 255 digests of 32 bytes.
 * Returns: SELO_OK, or SELO_ERROR_ARGUMENT if out_size is larger.
 * Output on error: out[0..out_size) is zeroed.
 * Aliasing: out must not overlap salt, ikm or info.
 * Constant time: on every CPU. The time depends on the sizes only.
 * Stack: HKDF-SHA-256 390, HKDF-SHA3-256 514, HKDF-BLAKE2s 365.
 */
enum selo_status selo_hkdf_sha256(uint8_t *out, size_t out_size,
                                  const uint8_t *salt, size_t salt_size,
                                  const uint8_t *ikm, size_t ikm_size,
                                  const uint8_t *info, size_t info_size);
enum selo_status selo_hkdf_sha3_256(uint8_t *out, size_t out_size,
                                    const uint8_t *salt, size_t salt_size,
                                    const uint8_t *ikm, size_t ikm_size,
                                    const uint8_t *info, size_t info_size);
enum selo_status selo_hkdf_blake2s(uint8_t *out, size_t out_size,
                                   const uint8_t *salt, size_t salt_size,
                                   const uint8_t *ikm, size_t ikm_size,
                                   const uint8_t *info, size_t info_size);
enum selo_status selo_hkdf_ascon_hash256(uint8_t *out, size_t out_size,
                                         const uint8_t *salt, size_t salt_size,
                                         const uint8_t *ikm, size_t ikm_size,
                                         const uint8_t *info, size_t info_size);

/* ---- PBKDF2 [RFC8018] --------------------------------------------------------------------
 *
 * Derives out_size bytes from a password, which may have little entropy, with HMAC-SHA-256. An attacker
 * computes `iterations` HMACs for each guess, and so does the device for each call: two compressions of
 * SHA-256 for each iteration and each 32 bytes of output.
 * Returns: SELO_OK, or SELO_ERROR_ARGUMENT if iterations is 0. Output on error: out is zeroed.
 * Aliasing: out must not overlap the password or the salt.
 * Constant time: on every CPU. The time depends on the sizes and on iterations.
 * Stack: 450.
 */
enum selo_status selo_pbkdf2_sha256(uint8_t *out, size_t out_size, const uint8_t *password,
                                    size_t password_size, const uint8_t *salt, size_t salt_size,
                                    uint32_t iterations);

/* ---- X25519 [RFC7748] ---------------------------------------------------------------------
 *
 * A secret is 32 random bytes. The functions clamp a copy of it [RFC7748, 5].
 * Aliasing: the output must not overlap an input.
 * Constant time: on every CPU whose multiplier takes constant time.
 *
 * Key generation uses a table of 1.5 KB in flash. SELO_X25519_TEETH=4 halves the table, and
 * SELO_X25519_TEETH=3 quarters it. SELO_X25519_TABLE=0 removes it. SELO_X25519_SMALL=1 removes it
 * and, on AVR, chooses smaller and slower code (native/api.h).
 */

/* Computes the public key of `secret`. It cannot fail.
 * The Arduino Cryptography Library calls this dh1, and there it also generates the secret.
 * Stack: 532, or 537 with SELO_X25519_SMALL=1. */
void selo_x25519_keygen(uint8_t public_key[32], const uint8_t secret[32]);

/* Computes the secret shared with a peer. Hash it before you use it as a key.
 * The Arduino Cryptography Library calls this dh2.
 * Returns: SELO_OK, or SELO_ERROR_KEY if the shared secret is all-zero; shared is then all zeros.
 * Stack: 503, or 505 with SELO_X25519_SMALL=1. */
enum selo_status selo_x25519_shared_secret(uint8_t shared[32], const uint8_t secret[32],
                                           const uint8_t peer_public_key[32]);

/* ---- The link: a node [docs/protocol.md] -------------------------------------------
 *
 * A node pairs once, joins a gateway in two messages, and sends sealed packets:
 *
 *     static struct selo_node node;
 *     selo_node_begin(&node, &hal);
 *     if (!selo_node_is_paired(&node))
 *         selo_node_pair(&node);
 *     else
 *         selo_node_join(&node);
 *     for (;;) {
 *         switch (selo_node_poll(&node)) {
 *         case SELO_NODE_DIGITS:   show(selo_node_digits(&node)); break;
 *         case SELO_NODE_PAIRED:   selo_node_join(&node); break;
 *         case SELO_NODE_RECEIVED: act(node.received, node.received_size); break;
 *         default: break;
 *         }
 *         if (time_for_a_reading() && selo_node_is_joined(&node))
 *             selo_node_send(&node, reading, sizeof reading, 0);
 *     }
 *
 * SELO_LINK_SUITE chooses the suite when the library is compiled. No call waits for the peer or
 * for time to pass. A pairing or a join computes two scalar multiplications, which take more
 * than a second on an 8-bit CPU.
 *
 * Call selo_node_begin first. If it fails, the node is zeroed, and the other functions only return
 * SELO_ERROR_STATE, SELO_NODE_NOTHING or 0. A function that fails keeps the session and the keys,
 * unless its comment says otherwise.
 */
#define SELO_LINK_AESGCM_SHA3_256 1
#define SELO_LINK_CHACHAPOLY_BLAKE2S 2
#define SELO_LINK_AESGCM_SHA256 3
#define SELO_LINK_ASCON 4
#ifndef SELO_LINK_SUITE
#define SELO_LINK_SUITE SELO_LINK_CHACHAPOLY_BLAKE2S
#endif

/* Set SELO_LINK_HYBRID to 512 or 768 to pair with X25519 and ML-KEM-512 or ML-KEM-768. See
 * selo_node_lend. */
#ifndef SELO_LINK_HYBRID
#define SELO_LINK_HYBRID 0
#endif

#define SELO_LINK_FRAME_MAX 58   /* bytes of the longest frame */
#define SELO_LINK_PAYLOAD_MAX 43 /* longest payload in bytes; 33 with wide ids and long tags */
#define SELO_LINK_RECORD_BYTES 76

/* The functions that a node calls on its device. The library passes `context` through. */
struct selo_hal {
    void *context;
    /* Sends one frame without waiting for an answer.
     * Returns: SELO_OK, or SELO_ERROR_SEND if the transport does not accept the frame. */
    enum selo_status (*send)(void *context, const uint8_t *frame, uint8_t size);
    /* Writes the next received frame to `frame`, without waiting for one. It drops a frame
     * longer than SELO_LINK_FRAME_MAX.
     * Returns: the size of the frame, or 0 if there is none. */
    uint8_t (*receive)(void *context, uint8_t frame[SELO_LINK_FRAME_MAX]);
    /* Returns: milliseconds since any fixed moment. The value wraps at 2^32. */
    uint32_t (*milliseconds)(void *context);
    /* The best entropy that the device has. docs/protocol.md explains the risk of a poor source. */
    selo_random_fn *entropy;
    /* One record that survives power cuts. `store` is atomic. `load` reads the record that the
     * last successful `store` wrote.
     * Returns: SELO_OK; SELO_ERROR_STORE from `load` if there is no record, and from `store` if
     * the record cannot be written. */
    enum selo_status (*load)(void *context, uint8_t record[SELO_LINK_RECORD_BYTES]);
    enum selo_status (*store)(void *context, const uint8_t record[SELO_LINK_RECORD_BYTES]);
};

enum selo_node_event {
    SELO_NODE_NOTHING = 0,
    SELO_NODE_DIGITS,      /* compare selo_node_digits, then call selo_node_confirm */
    SELO_NODE_PAIRED,      /* the device key is stored */
    SELO_NODE_PAIR_FAILED, /* rejected, timed out, or the peer's key is invalid */
    SELO_NODE_JOINED,      /* a new session has begun */
    SELO_NODE_RECEIVED,    /* node.received[0..received_size), valid until the next poll */
    SELO_NODE_DELIVERED,   /* the gateway has acknowledged the confirmed payload */
    SELO_NODE_UNDELIVERED, /* no acknowledgement after four transmissions, or no session */
    SELO_NODE_LOST         /* the gateway does not answer; the node joins again by itself */
};

/* Flag of selo_node_send: request an acknowledgement, and repeat the frame until it arrives. */
#define SELO_NODE_CONFIRMED 1

#include "selo/link/node.h" /* struct selo_node */

/* Initialises the node from its stored record. Without a record it draws a random device id. It
 * draws a new seed and stores the record once. *hal must outlive the node.
 * Returns: SELO_OK; SELO_ERROR_RANDOM if there is neither entropy nor a stored seed;
 * SELO_ERROR_STORE if the record cannot be read or stored, or belongs to another suite.
 * Output on error: *node is zeroed. */
enum selo_status selo_node_begin(struct selo_node *node, const struct selo_hal *hal);

/* Sets the node's id and device key by hand, as an alternative to pairing, and stores them. Ends
 * any session, pairing or join.
 * Returns: SELO_OK; SELO_ERROR_STATE before selo_node_begin; SELO_ERROR_STORE if the record cannot
 * be stored. */
enum selo_status selo_node_provision(struct selo_node *node, uint32_t id, const uint8_t key[32]);

/* Starts a pairing and sends its first message. Cancels a pairing or a join under way. The old
 * key, if any, stays valid until both sides have confirmed the new one.
 * Returns: SELO_OK, or SELO_ERROR_STATE before selo_node_begin. */
enum selo_status selo_node_pair(struct selo_node *node);
/* Returns: the six digits to compare, 0..999999, after SELO_NODE_DIGITS; 0 at any other time. */
uint32_t selo_node_digits(const struct selo_node *node);
/* Reports the operator's answer: `same` is 1 if the digits agree, else 0. 0 ends the pairing with
 * SELO_NODE_PAIR_FAILED, and is also allowed before the digits are known. After 1, the node waits
 * for the gateway's confirmation and then reports SELO_NODE_PAIRED.
 * Returns: SELO_OK; SELO_ERROR_STATE if no pairing waits for an answer; SELO_ERROR_STORE if the new
 * key cannot be stored yet. The node then tries again from selo_node_poll. */
enum selo_status selo_node_confirm(struct selo_node *node, uint8_t same);

#if SELO_LINK_HYBRID
/* Hybrid pairing. selo_node_pair first exchanges a secret by ML-KEM with the gateway, in about a hundred
 * frames, and ends the session, if there is one. This part needs a workspace of the program: lend it at
 * any time after selo_node_begin, and lend null to take it back. If it is taken back too early, the pairing fails. The node
 * waits until it has one, and wipes it after use.
 *
 * On a chip with 2 KB of RAM the workspace must be on the stack, because the second part of a pairing
 * needs that memory for its own computations:
 *
 *     struct selo_node_workspace workspace;      // in a function of its own
 *     selo_node_lend(&node, &workspace);
 *     while (selo_node_needs_workspace(&node))
 *         selo_node_poll(&node);                 // and whatever else there is to do
 *     selo_node_lend(&node, NULL);
 *
 * There is no room for other computations meanwhile. To pair anew, to forget or to provision, end the
 * pairing with selo_node_confirm(&node, 0) and do it after the loop.
 */
void selo_node_lend(struct selo_node *node, struct selo_node_workspace *workspace);
/* Returns: 1 from selo_node_pair until the workspace is no longer needed, else 0. */
uint8_t selo_node_needs_workspace(const struct selo_node *node);
#endif

/* Starts a join. Does nothing if a request is already under way.
 * Returns: SELO_OK; SELO_ERROR_STATE without a device key or during a pairing; SELO_ERROR_STORE if
 * the join counters cannot be reserved in the record. */
enum selo_status selo_node_join(struct selo_node *node);

/* Seals a payload of `size` bytes, 0..SELO_LINK_PAYLOAD_MAX, and sends it.
 * flags: 0 or SELO_NODE_CONFIRMED. At most one confirmed payload can be under way.
 * Returns: SELO_OK; SELO_ERROR_ARGUMENT for any other flag; SELO_ERROR_STATE without a session, if
 * its counters are exhausted, or for a second confirmed payload; SELO_ERROR_SPACE if the payload
 * does not fit into a frame; SELO_ERROR_SEND if the transport does not accept the frame.
 * After SELO_ERROR_SEND the frame's counter is used up and the node does not repeat the frame. */
enum selo_status selo_node_send(struct selo_node *node, const void *payload, uint8_t size,
                                uint8_t flags);

/* Processes at most one received frame, sends repetitions that are due, and reports one event. Call
 * it often. Call it again at once until it returns SELO_NODE_NOTHING.
 * Returns: the event; always SELO_NODE_NOTHING before selo_node_begin. */
enum selo_node_event selo_node_poll(struct selo_node *node);

/* Returns: 1 if the node has a device key, else 0. */
uint8_t selo_node_is_paired(const struct selo_node *node);
/* Returns: 1 if the node has a session, else 0. */
uint8_t selo_node_is_joined(const struct selo_node *node);
/* Returns: 1 while the node waits for an answer or has work to do, else 0. While it is 1, keep
 * the radio listening and poll often. While it is 0, the radio may sleep and the next poll may come
 * at any later time. */
uint8_t selo_node_is_waiting(const struct selo_node *node);
/* Returns: the node's id. */
uint32_t selo_node_id(const struct selo_node *node);

/* Wipes the keys in RAM and in the stored record, and ends any session, pairing or join. The id and
 * the join counter stay, so the same key can be provisioned again.
 * Returns: SELO_OK; SELO_ERROR_STATE before selo_node_begin; SELO_ERROR_STORE if the record cannot
 * be stored. The keys in RAM are wiped even then. */
enum selo_status selo_node_forget(struct selo_node *node);

#ifdef __cplusplus
}
#endif

#endif
