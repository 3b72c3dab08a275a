/*
 * Selo: cryptography for devices with 2 KB of RAM and up.
 *
 * This header is the front door, and its manual: authenticated encryption, hashes, HMAC, HKDF,
 * X25519 and the link's node. Modes that do not authenticate stand in selo_unauthenticated.h,
 * Speck in selo_speck.h.
 *
 * Conventions, which are part of every function's contract unless it says otherwise
 *  - C11; correct where int has 16 bits; no malloc, no recursion, no VLA.
 *  - Sizes: `const uint8_t key[16]` reads exactly 16 bytes. A pointer with a size beside it
 *    covers that many bytes, and may be null where the size is 0. Other pointers are not null.
 *  - Return: functions that can fail return enum selo_status, and must be asked. Functions that
 *    cannot fail return void.
 *  - Failure: every output is zeroed.
 *  - Aliasing: out may be in. No other overlap of an output with another argument.
 *  - State: a struct is initialised by its _setup or _start before any other use. Structs may be
 *    copied; there is no global state, and no function may be called twice at once on one struct.
 *  - Secrets: the library wipes its own copies. Keys are wiped by the caller, with
 *    selo_wipe(&key, sizeof key), when no longer needed.
 *  - Stack: figures are the deepest stack of a call on an Arduino Uno, measured by the lab.
 *
 * Constant time
 *    No branch and no memory address depends on a secret, with one exception: AES looks its
 *    S-box up by secret bytes. A look-up takes constant time only where no cache stands between
 *    core and table: on AVR. It does not on a Cortex-M that runs from cached flash (RP2040's
 *    XIP, STM32F4's ART accelerator), on ESP8266 and ESP32, or on a PC. There use
 *    ChaCha20-Poly1305 or Ascon-AEAD128, which have no tables. `selo lab check` measures it.
 *    Multiplications must take constant time too: they do not on Cortex-M3.
 *
 * References in brackets, [FIPS197, 5.1.1], are resolved in docs/BIBLIOGRAPHY.md.
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
    SELO_ERROR_ARGUMENT = 1, /* a size that the function does not take */
    SELO_ERROR_SPACE = 2,    /* the output buffer is too small */
    SELO_ERROR_PADDING = 3,  /* decrypted padding is malformed: wrong key or altered data */
    SELO_ERROR_RANDOM = 4,   /* the random source failed */
    SELO_ERROR_KEY = 5,      /* the peer's public key yields the all-zero secret [RFC7748, 6.1] */
    SELO_ERROR_TAG = 6,      /* the tag does not verify: altered data, wrong key, nonce or header */
    SELO_ERROR_STATE = 7,    /* the node is not in a state for this call */
    SELO_ERROR_STORE = 8,    /* the record cannot be stored, or there is none */
    SELO_ERROR_SEND = 9      /* the transport did not take the frame */
};

/* Overwrites `size` bytes with zeros; the compiler cannot remove it. */
void selo_wipe(void *data, size_t size);

/* 1 if the `size` bytes of a and b are equal, else 0, in time that depends on `size` only. */
uint8_t selo_equal(const void *a, const void *b, size_t size);

/*
 * Fills out[0..size) with unpredictable bytes; returns SELO_OK, or
 * SELO_ERROR_RANDOM if it cannot. `source` is the caller's, passed through.
 */
typedef enum selo_status selo_random_fn(void *source, uint8_t *out, size_t size);

/*
 * One block of a 128-bit block cipher: the library's own functions of this type are
 * selo_aes128_fast_encrypt and its like. `key` points to the struct of the variant, set up.
 */
typedef void selo_block_fn(const void *key, uint8_t out[16], const uint8_t in[16]);

/*
 * A block cipher under a key, for the modes of operation: the forward cipher function and the
 * inverse cipher function [SP800-38A, 5.1]. selo_aes128_fast_cipher(&key) and
 * selo_aes128_fast_inverse(&key), and their like for every variant, make them, so that function
 * and key always agree. They hold a pointer to the key, which must outlive them.
 */
struct selo_cipher { selo_block_fn *encrypt; const void *key; };
struct selo_inverse_cipher { selo_block_fn *decrypt; const void *key; };

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

/* ---- AES [FIPS197] ------------------------------------------------------------
 *
 * fast   key schedule computed once (176/208/240 bytes); encrypts and decrypts
 * small  key schedule on the fly, both ways; keeps the first and the last round
 *        key material (32/48/64 bytes)
 * tiny   key schedule on the fly, encrypts only; keeps the key (16/24/32 bytes)
 *
 * small and tiny save RAM, and pay in time per block; their code is about as large
 * as that of fast. Not constant time behind a cache, see above. Stack: at most 20 (fast), 59
 * (small) and 56 bytes (tiny) a block.
 *
 * A block alone protects no message: use an authenticated mode below.
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

SELO_CIPHER_OF(selo_aes128_fast)
SELO_CIPHER_OF(selo_aes192_fast)
SELO_CIPHER_OF(selo_aes256_fast)
SELO_CIPHER_OF(selo_aes128_small)
SELO_CIPHER_OF(selo_aes192_small)
SELO_CIPHER_OF(selo_aes256_small)
SELO_CIPHER_OF(selo_aes128_tiny)
SELO_CIPHER_OF(selo_aes192_tiny)
SELO_CIPHER_OF(selo_aes256_tiny)
SELO_INVERSE_OF(selo_aes128_fast)
SELO_INVERSE_OF(selo_aes192_fast)
SELO_INVERSE_OF(selo_aes256_fast)
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
 * A key has a type of its own, so the compiler refuses the key of another algorithm.
 *
 * seal encrypts `size` bytes from in to out and writes header->tag_size bytes of tag, over
 * ciphertext and associated data. open does the reverse: it verifies the tag in constant time
 * and returns SELO_ERROR_TAG, with out zeroed, if it is wrong. Nothing unverified leaves it:
 * GCM and ChaCha20-Poly1305 verify first; CCM and Ascon-AEAD128 write out on the way, so until
 * open returns nobody else may read it. SELO_ERROR_ARGUMENT for a size that the algorithm does
 * not take; out, and a sealed tag, are zeroed then. `out` may be `in`; tag, nonce and ad must be
 * apart from out.
 *
 * A nonce must never serve two messages under one key. With GCM and ChaCha20-Poly1305 a
 * repetition gives the attacker the authentication key, too.
 *
 * Tags may be shorter than 16 bytes where a packet is small: who guesses has a chance of
 * 2^-(8 tag_size) a try, so bound the tries.
 */

/* Everything about a message but its text and its tag. */
struct selo_header {
    const uint8_t *nonce;
    size_t nonce_size;
    const void *ad; /* associated data: authenticated, not encrypted */
    size_t ad_size; /* 0: there is none */
    size_t tag_size;
};

/* ChaCha20-Poly1305 [RFC8439, 2.8]. nonce_size 12, tag_size 8..16 (the RFC's is 16). Messages up
 * to 2^32 - 1 bytes. Constant time on every CPU whose multiplier is. Stack: 267 bytes. */
struct selo_chacha20_poly1305_key { uint8_t bytes[32]; };
void selo_chacha20_poly1305_setup(struct selo_chacha20_poly1305_key *key, const uint8_t raw[32]);
enum selo_status selo_chacha20_poly1305_seal(const struct selo_chacha20_poly1305_key *key,
                                             const struct selo_header *header, uint8_t *out,
                                             const uint8_t *in, size_t size, uint8_t *tag);
enum selo_status selo_chacha20_poly1305_open(const struct selo_chacha20_poly1305_key *key,
                                             const struct selo_header *header, uint8_t *out,
                                             const uint8_t *in, size_t size, const uint8_t *tag);

/* Ascon-AEAD128 [SP800-232, 4]. nonce_size 16, tag_size 4..16. Constant time on every CPU.
 * Stack: 114 bytes. */
struct selo_ascon_aead128_key { uint8_t bytes[16]; };
void selo_ascon_aead128_setup(struct selo_ascon_aead128_key *key, const uint8_t raw[16]);
enum selo_status selo_ascon_aead128_seal(const struct selo_ascon_aead128_key *key,
                                         const struct selo_header *header, uint8_t *out,
                                         const uint8_t *in, size_t size, uint8_t *tag);
enum selo_status selo_ascon_aead128_open(const struct selo_ascon_aead128_key *key,
                                         const struct selo_header *header, uint8_t *out,
                                         const uint8_t *in, size_t size, const uint8_t *tag);

/* GCM [SP800-38D] over any cipher. nonce_size from 1 byte, 12 recommended; tag_size 4, 8 or
 * 12..16. Messages up to 2^32 - 1 bytes. Beside what the cipher takes, constant time on an
 * 8-bit CPU, and on every other whose multiplier is. Stack: 181 bytes. */
enum selo_status selo_gcm_seal(struct selo_cipher cipher, const struct selo_header *header,
                               uint8_t *out, const uint8_t *in, size_t size, uint8_t *tag);
enum selo_status selo_gcm_open(struct selo_cipher cipher, const struct selo_header *header,
                               uint8_t *out, const uint8_t *in, size_t size, const uint8_t *tag);

/* CCM [SP800-38C] over any cipher. nonce_size 7..13; tag_size even, 4..16; size below
 * 2^(8 (15 - nonce_size)); ad_size below 65,280. Stack: 155 bytes. */
enum selo_status selo_ccm_seal(struct selo_cipher cipher, const struct selo_header *header,
                               uint8_t *out, const uint8_t *in, size_t size, uint8_t *tag);
enum selo_status selo_ccm_open(struct selo_cipher cipher, const struct selo_header *header,
                               uint8_t *out, const uint8_t *in, size_t size, const uint8_t *tag);

/* AES-128-GCM, AES-256-GCM, AES-128-CCM and AES-256-CCM by AES fast: a key schedule of 176 or
 * 240 bytes. For less RAM, or AES-192, give selo_gcm_seal the cipher of another variant. */
#define SELO_AES_AEAD(name, mode, bits)                                                         \
    struct name##_key { struct selo_aes##bits##_fast aes; };                                    \
    static inline void name##_setup(struct name##_key *key, const uint8_t raw[bits / 8])        \
    {                                                                                           \
        selo_aes##bits##_fast_setup(&key->aes, raw);                                            \
    }                                                                                           \
    static inline enum selo_status name##_seal(const struct name##_key *key,                    \
                                               const struct selo_header *header, uint8_t *out,  \
                                               const uint8_t *in, size_t size, uint8_t *tag)    \
    {                                                                                           \
        return mode##_seal(selo_aes##bits##_fast_cipher(&key->aes), header, out, in, size, tag); \
    }                                                                                           \
    static inline enum selo_status name##_open(const struct name##_key *key,                    \
                                               const struct selo_header *header, uint8_t *out,  \
                                               const uint8_t *in, size_t size,                  \
                                               const uint8_t *tag)                              \
    {                                                                                           \
        return mode##_open(selo_aes##bits##_fast_cipher(&key->aes), header, out, in, size, tag); \
    }
SELO_AES_AEAD(selo_aes128_gcm, selo_gcm, 128)
SELO_AES_AEAD(selo_aes256_gcm, selo_gcm, 256)
SELO_AES_AEAD(selo_aes128_ccm, selo_ccm, 128)
SELO_AES_AEAD(selo_aes256_ccm, selo_ccm, 256)

/*
 * An algorithm that is chosen while the program runs. A key remembers its algorithm, so they
 * always agree, and has room for the largest key schedule. Only the algorithms that a program
 * names are linked.
 */
struct selo_aead_key;
struct selo_aead {
    uint8_t key_size;   /* bytes of the raw key */
    uint8_t nonce_size; /* the recommended one */
    uint8_t tag_size;   /* the longest one */
    void (*setup)(struct selo_aead_key *key, const uint8_t *raw);
    enum selo_status (*seal)(const struct selo_aead_key *key, const struct selo_header *header,
                             uint8_t *out, const uint8_t *in, size_t size, uint8_t *tag);
    enum selo_status (*open)(const struct selo_aead_key *key, const struct selo_header *header,
                             uint8_t *out, const uint8_t *in, size_t size, const uint8_t *tag);
};
extern const struct selo_aead selo_aead_aes128_gcm, selo_aead_aes256_gcm;
extern const struct selo_aead selo_aead_aes128_ccm, selo_aead_aes256_ccm;
extern const struct selo_aead selo_aead_chacha20_poly1305, selo_aead_ascon_aead128;

struct selo_aead_key {
    const struct selo_aead *aead;
    union {
        struct selo_aes128_gcm_key aes128_gcm;
        struct selo_aes256_gcm_key aes256_gcm;
        struct selo_aes128_ccm_key aes128_ccm;
        struct selo_aes256_ccm_key aes256_ccm;
        struct selo_chacha20_poly1305_key chacha20_poly1305;
        struct selo_ascon_aead128_key ascon_aead128;
    } of;
};

/* SELO_ERROR_ARGUMENT, and an all-zero key, if raw_size is not aead->key_size. */
enum selo_status selo_aead_setup(struct selo_aead_key *key, const struct selo_aead *aead,
                                 const uint8_t *raw, size_t raw_size);
/* As the functions of the algorithm. */
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

/* ---- Hashes [FIPS180-4] [FIPS202] [RFC7693] [SP800-232] ---------------------------------------------------
 *
 * start, update any number of times with any sizes, finish. Messages up to
 * 2^32 - 1 bytes. finish wipes the state. Where there is assembly, SELO_SHA256_SMALL=1,
 * SELO_SHA512_SMALL=1 and SELO_KECCAK_SMALL=1 choose smaller code (native/api.h).
 */
struct selo_sha256 { uint32_t state[8], block[16]; uint32_t size; };
struct selo_sha512 { uint64_t state[8], block[16]; uint32_t size; };
/* The Keccak-f[1600] state, as 25 little-endian lanes. */
struct selo_sha3 { uint64_t lanes[25]; uint8_t position, rate; };

void selo_sha256_start(struct selo_sha256 *hash);
void selo_sha256_update(struct selo_sha256 *hash, const void *data, size_t size);
void selo_sha256_finish(struct selo_sha256 *hash, uint8_t digest[32]);

void selo_sha512_start(struct selo_sha512 *hash);
void selo_sha512_update(struct selo_sha512 *hash, const void *data, size_t size);
void selo_sha512_finish(struct selo_sha512 *hash, uint8_t digest[64]);

void selo_sha3_256_start(struct selo_sha3 *hash);
void selo_sha3_512_start(struct selo_sha3 *hash);
void selo_sha3_update(struct selo_sha3 *hash, const void *data, size_t size);
/* digest has 32 bytes after selo_sha3_256_start, 64 after selo_sha3_512_start. */
void selo_sha3_finish(struct selo_sha3 *hash, uint8_t *digest);

/* BLAKE2s with a 32-byte digest, without a key [RFC7693]. */
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
 * A key longer than the hash's block is hashed first. finish wipes the state.
 * Compare tags with selo_equal.
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

/* No standard says how HMAC uses Ascon-Hash256. Its rate, 8 bytes, is shorter
 * than its digest, which HMAC forbids; here the block is 32 bytes, the shortest
 * that holds a digest. */
struct selo_hmac_ascon_hash256 { struct selo_ascon_hash256 hash; uint8_t outer_key[32]; };
void selo_hmac_ascon_hash256_start(struct selo_hmac_ascon_hash256 *mac,
                                   const uint8_t *key, size_t key_size);
void selo_hmac_ascon_hash256_update(struct selo_hmac_ascon_hash256 *mac,
                                    const void *data, size_t size);
void selo_hmac_ascon_hash256_finish(struct selo_hmac_ascon_hash256 *mac, uint8_t tag[32]);

/* ---- HKDF [RFC5869] ------------------------------------------------------------------
 *
 * Extract and expand in one call: out_size bytes of key from input keying
 * material, salt (absent: size 0) and info. out_size up to 8,160 (255 digests of
 * 32 bytes), else SELO_ERROR_ARGUMENT.
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

/* ---- X25519 [RFC7748] ---------------------------------------------------------------------
 *
 * Constant time on every CPU whose multiplier is. Secrets are 32 random bytes,
 * clamped inside. Key generation has a table of 1.5 KB in flash, half of it with
 * SELO_X25519_TEETH=4, a quarter with 3; SELO_X25519_TABLE=0 does without, SELO_X25519_SMALL=1
 * moreover chooses smaller code where there is assembly (native/api.h).
 */

/* The public key of `secret`; the dh1 of the Arduino Cryptography Library
 * without its random generation. */
void selo_x25519_keygen(uint8_t public_key[32], const uint8_t secret[32]);

/* The shared secret with a peer; dh2. SELO_ERROR_KEY if it is all-zero. Hash it
 * before use as a key. */
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
 * The suite is chosen when the library is compiled, with SELO_LINK_SUITE. No call
 * blocks, except that those that compute do: a pairing or a join takes two scalar
 * multiplications.
 */
#define SELO_LINK_AESGCM_SHA3_256 1
#define SELO_LINK_CHACHAPOLY_BLAKE2S 2
#define SELO_LINK_AESGCM_SHA256 3
#define SELO_LINK_ASCON 4
#ifndef SELO_LINK_SUITE
#define SELO_LINK_SUITE SELO_LINK_CHACHAPOLY_BLAKE2S
#endif

#define SELO_LINK_FRAME_MAX 58   /* bytes of the longest frame */
#define SELO_LINK_PAYLOAD_MAX 43 /* bytes of the longest payload; 33 with wide ids and long tags */
#define SELO_LINK_RECORD_BYTES 76

/* What a node asks of its device. `context` is passed through. */
struct selo_hal {
    void *context;
    /* Sends one frame: SELO_OK, or SELO_ERROR_SEND if it could not be taken. */
    enum selo_status (*send)(void *context, const uint8_t *frame, uint8_t size);
    /* The next frame received and its size, 0 if there is none. Does not wait.
     * Frames longer than SELO_LINK_FRAME_MAX are dropped here. */
    uint8_t (*receive)(void *context, uint8_t frame[SELO_LINK_FRAME_MAX]);
    /* Milliseconds from any start; wraps. */
    uint32_t (*milliseconds)(void *context);
    /* Whatever entropy the device has; see docs/protocol.md for what a poor source costs. */
    selo_random_fn *entropy;
    /* One record that survives power cuts: load gives the last one that store
     * completed, or SELO_ERROR_STORE if there is none; store is atomic. */
    enum selo_status (*load)(void *context, uint8_t record[SELO_LINK_RECORD_BYTES]);
    enum selo_status (*store)(void *context, const uint8_t record[SELO_LINK_RECORD_BYTES]);
};

enum selo_node_event {
    SELO_NODE_NOTHING = 0,
    SELO_NODE_DIGITS,      /* compare selo_node_digits with the gateway's, then selo_node_confirm */
    SELO_NODE_PAIRED,      /* the device key is stored */
    SELO_NODE_PAIR_FAILED, /* rejected, timed out, or the peer misbehaved */
    SELO_NODE_JOINED,      /* a new session */
    SELO_NODE_RECEIVED,    /* node.received[0..received_size), valid until the next poll */
    SELO_NODE_DELIVERED,   /* the gateway has acknowledged the confirmed payload */
    SELO_NODE_UNDELIVERED, /* it has not, after four transmissions or because its session ended */
    SELO_NODE_LOST         /* the session has ended or is not answered; the node joins again by itself */
};

/* For selo_node_send: ask for an acknowledgement and repeat until it comes. */
#define SELO_NODE_CONFIRMED 1

#include "selo/link/node.h" /* struct selo_node */

/* Loads the record, or makes one with a random device id; draws a new seed; stores
 * once. SELO_ERROR_RANDOM without entropy and without a stored seed;
 * SELO_ERROR_STORE if the record cannot be stored or is of another suite. */
enum selo_status selo_node_begin(struct selo_node *node, const struct selo_hal *hal);

/* Gives the node its id and key by hand, instead of pairing. Stores them. */
enum selo_status selo_node_provision(struct selo_node *node, uint32_t id, const uint8_t key[32]);

/* Starts pairing; the old key, if any, is kept until the new one is confirmed. */
enum selo_status selo_node_pair(struct selo_node *node);
/* The digits to compare, 0..999999, once SELO_NODE_DIGITS has come. */
uint32_t selo_node_digits(const struct selo_node *node);
/* The operator's word: 1, the digits are the same; 0, they are not. */
enum selo_status selo_node_confirm(struct selo_node *node, uint8_t same);

/* Starts a join, unless a request is on its way; SELO_ERROR_STATE if there is no device key or
 * a pairing is under way. */
enum selo_status selo_node_join(struct selo_node *node);

/* Seals and sends 0..SELO_LINK_PAYLOAD_MAX bytes. flags: 0 or SELO_NODE_CONFIRMED.
 * SELO_ERROR_STATE without a session, or while a confirmed payload is on its way
 * and this one is confirmed too; SELO_ERROR_SPACE if it does not fit a frame. */
enum selo_status selo_node_send(struct selo_node *node, const void *payload, uint8_t size,
                                uint8_t flags);

/* Takes in at most one frame, repeats what is due, and says what happened. Call it
 * often; call it again at once while it returns anything but SELO_NODE_NOTHING. */
enum selo_node_event selo_node_poll(struct selo_node *node);

uint8_t selo_node_is_paired(const struct selo_node *node);
uint8_t selo_node_is_joined(const struct selo_node *node);
/* 1 while the node must hear and be polled often: it awaits an answer, or has something to say
 * or to do. Else a radio may sleep, and the next poll may be as late as the device likes. */
uint8_t selo_node_is_waiting(const struct selo_node *node);
uint32_t selo_node_id(const struct selo_node *node);

/* Wipes keys, here and in the stored record; the id and the join counter stay, so that the
 * same key may come again by hand. */
enum selo_status selo_node_forget(struct selo_node *node);

#ifdef __cplusplus
}
#endif

#endif
