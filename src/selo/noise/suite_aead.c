/* SEAL and its reverse: the cipher, and the nonce made from n [docs/protocol.md, suites]. */
#include <string.h>

#include "../common/compiler.h"
#include "suite.h"

#if SELO_LINK_SUITE == SELO_LINK_ASCON

enum { NONCE_SIZE = 16 };

/* Little-endian n, masked with the second half of the key [SP800-232, 4.2]. */
static void nonce_of(uint8_t nonce[NONCE_SIZE], const uint8_t key[32], uint32_t n)
{
    for (uint8_t i = 0; i < NONCE_SIZE; i++) {
        nonce[i] = key[16 + i] ^ (uint8_t)n;
        n >>= 8;
    }
}

/* The first half of a key of the link, viewed as the cipher's key: that struct has only these
 * bytes. */
static enum selo_status run(const uint8_t key[32], const struct selo_header *header,
                            uint8_t *data, uint8_t size, uint8_t opening)
{
    const struct selo_ascon_aead128_key *ascon = (const void *)key;

    return opening ? selo_ascon_aead128_open(ascon, header, data, data, size, data + size)
                   : selo_ascon_aead128_seal(ascon, header, data, data, size, data + size);
}

#elif SELO_LINK_SUITE == SELO_LINK_CHACHAPOLY_BLAKE2S

enum { NONCE_SIZE = 12 };

/* Four zeros and little-endian n [NOISE, 12.3]. */
static void nonce_of(uint8_t nonce[NONCE_SIZE], const uint8_t key[32], uint32_t n)
{
    (void)key;
    memset(nonce, 0, NONCE_SIZE);
    for (uint8_t i = 4; i < 8; i++) {
        nonce[i] = (uint8_t)n;
        n >>= 8;
    }
}

/* A key of the link, viewed as the cipher's key: that struct has only these bytes. */
static enum selo_status run(const uint8_t key[32], const struct selo_header *header,
                            uint8_t *data, uint8_t size, uint8_t opening)
{
    const struct selo_chacha20_poly1305_key *chacha = (const void *)key;

    return opening ? selo_chacha20_poly1305_open(chacha, header, data, data, size, data + size)
                   : selo_chacha20_poly1305_seal(chacha, header, data, data, size, data + size);
}

#else

enum { NONCE_SIZE = 12 };

/* Four zeros and big-endian n [NOISE, 12.4]. */
static void nonce_of(uint8_t nonce[NONCE_SIZE], const uint8_t key[32], uint32_t n)
{
    (void)key;
    memset(nonce, 0, NONCE_SIZE);
    for (uint8_t i = NONCE_SIZE; i-- != 8;) {
        nonce[i] = (uint8_t)n;
        n >>= 8;
    }
}

/* AES `tiny`: a frame has few blocks, so `fast` would save little time. Its round keys would make
 * this the deepest stack of a node. */
static enum selo_status run(const uint8_t key[32], const struct selo_header *header,
                            uint8_t *data, uint8_t size, uint8_t opening)
{
    struct selo_aes256_tiny aes;
    const struct selo_cipher cipher = selo_aes256_tiny_cipher(&aes);
    enum selo_status status;

    selo_aes256_tiny_setup(&aes, key);
    status = opening ? selo_gcm_open(cipher, header, data, data, size, data + size)
                     : selo_gcm_seal(cipher, header, data, data, size, data + size);
    selo_wipe(&aes, sizeof aes);
    return status;
}

#endif

SELO_STACK_APART enum selo_status selo_suite_run(const uint8_t key[32], uint32_t n,
                                                 const void *ad, uint8_t ad_size, uint8_t *data,
                                                 uint8_t size, uint8_t tag_size)
{
    const uint8_t opening = tag_size & SELO_SUITE_OPENING;
    uint8_t nonce[NONCE_SIZE];
    const struct selo_header header = {nonce, NONCE_SIZE, ad, ad_size, (uint8_t)(tag_size ^ opening)};
    enum selo_status status;

    nonce_of(nonce, key, n);
    status = run(key, &header, data, size, opening);
    selo_wipe(nonce, sizeof nonce); /* in the suite with Ascon the nonce reveals half of the key */
    return status;
}
