/* SEAL and its reverse: which cipher, and the nonce that it makes of n [docs/protocol.md, suites]. */
#include <string.h>

#include "../common/compiler.h"
#include "suite.h"

#if SELO_LINK_SUITE == SELO_LINK_ASCON

/* Little-endian n, masked with the second half of the key [SP800-232, 4.2]. */
static void nonce_of(uint8_t nonce[16], const uint8_t key[32], uint32_t n)
{
    for (uint8_t i = 0; i < 16; i++) {
        nonce[i] = key[16 + i] ^ (uint8_t)n;
        n >>= 8;
    }
}

SELO_STACK_APART void selo_suite_seal(const uint8_t key[32], uint32_t n, const void *ad,
                                      uint8_t ad_size, uint8_t *data, uint8_t size,
                                      uint8_t tag_size)
{
    uint8_t nonce[16];

    nonce_of(nonce, key, n);
    (void)selo_ascon_aead128_seal(key, nonce, ad, ad_size, data, data, size, data + size,
                                  tag_size);
    selo_wipe(nonce, sizeof nonce); /* it tells half of the key */
}

SELO_STACK_APART enum selo_status selo_suite_open(const uint8_t key[32], uint32_t n,
                                                  const void *ad, uint8_t ad_size, uint8_t *data,
                                                  uint8_t size, uint8_t tag_size)
{
    uint8_t nonce[16];
    enum selo_status status;

    nonce_of(nonce, key, n);
    status = selo_ascon_aead128_open(key, nonce, ad, ad_size, data, data, size, data + size,
                                     tag_size);
    selo_wipe(nonce, sizeof nonce);
    return status;
}

#elif SELO_LINK_SUITE == SELO_LINK_CHACHAPOLY_BLAKE2S

/* Four zeros and little-endian n [NOISE, 12.3]. */
static void nonce_of(uint8_t nonce[12], uint32_t n)
{
    memset(nonce, 0, 12);
    for (uint8_t i = 4; i < 8; i++) {
        nonce[i] = (uint8_t)n;
        n >>= 8;
    }
}

SELO_STACK_APART void selo_suite_seal(const uint8_t key[32], uint32_t n, const void *ad,
                                      uint8_t ad_size, uint8_t *data, uint8_t size,
                                      uint8_t tag_size)
{
    uint8_t nonce[12];

    nonce_of(nonce, n);
    (void)selo_chacha20_poly1305_seal(key, nonce, ad, ad_size, data, data, size, data + size,
                                      tag_size);
}

SELO_STACK_APART enum selo_status selo_suite_open(const uint8_t key[32], uint32_t n,
                                                  const void *ad, uint8_t ad_size, uint8_t *data,
                                                  uint8_t size, uint8_t tag_size)
{
    uint8_t nonce[12];

    nonce_of(nonce, n);
    return selo_chacha20_poly1305_open(key, nonce, ad, ad_size, data, data, size, data + size,
                                       tag_size);
}

#else

/* Four zeros and big-endian n [NOISE, 12.4]. */
static void nonce_of(uint8_t nonce[12], uint32_t n)
{
    memset(nonce, 0, 12);
    for (uint8_t i = 12; i-- != 8;) {
        nonce[i] = (uint8_t)n;
        n >>= 8;
    }
}

/* AES `tiny`: a frame has so few blocks that `fast` would save little time, and its round keys
 * would make this the deepest stack of a node. */
SELO_STACK_APART void selo_suite_seal(const uint8_t key[32], uint32_t n, const void *ad,
                                      uint8_t ad_size, uint8_t *data, uint8_t size,
                                      uint8_t tag_size)
{
    struct selo_aes256_tiny aes;
    uint8_t nonce[12];

    nonce_of(nonce, n);
    selo_aes256_tiny_setup(&aes, key);
    (void)selo_gcm_seal(selo_aes256_tiny_encrypt, &aes, nonce, sizeof nonce, ad, ad_size, data,
                        data, size, data + size, tag_size);
    selo_wipe(&aes, sizeof aes);
}

SELO_STACK_APART enum selo_status selo_suite_open(const uint8_t key[32], uint32_t n,
                                                  const void *ad, uint8_t ad_size, uint8_t *data,
                                                  uint8_t size, uint8_t tag_size)
{
    struct selo_aes256_tiny aes;
    uint8_t nonce[12];
    enum selo_status status;

    nonce_of(nonce, n);
    selo_aes256_tiny_setup(&aes, key);
    status = selo_gcm_open(selo_aes256_tiny_encrypt, &aes, nonce, sizeof nonce, ad, ad_size, data,
                           data, size, data + size, tag_size);
    selo_wipe(&aes, sizeof aes);
    return status;
}

#endif
