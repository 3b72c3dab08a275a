/*
 * The requirements on every algorithm of authenticated encryption. It must seal as expected, and open,
 * both apart and in place. It must write nothing outside its outputs. It must fail with zeros if one
 * bit is altered or a size is not accepted.
 */
#ifndef CHECK_AEAD_H
#define CHECK_AEAD_H

#include "check.h"
#include "selo.h"

/* An algorithm behind functions of one type, and the `key` for them. */
struct check_aead {
    enum selo_status (*seal)(const void *key, const struct selo_header *header, uint8_t *out,
                             const uint8_t *in, size_t size, uint8_t *tag);
    enum selo_status (*open)(const void *key, const struct selo_header *header, uint8_t *out,
                             const uint8_t *in, size_t size, const uint8_t *tag);
};

struct check_packet {
    const uint8_t *nonce, *ad, *text;
    size_t nonce_size, ad_size, size;
};

enum { CHECK_AEAD_MOST = 1024 }; /* bytes of a text */

/* The change that opening must refuse: one bit is flipped in a copy of one part. */
static inline void check_aead_altered(const struct check_aead *aead, const void *key,
                                      const struct check_packet *sealed, const uint8_t *tag,
                                      size_t tag_size)
{
    uint8_t parts[4][CHECK_AEAD_MOST] = {{0}};
    const size_t sizes[4] = {sealed->nonce_size, sealed->ad_size, sealed->size, tag_size};
    const uint8_t *from[4] = {sealed->nonce, sealed->ad, sealed->text, tag};
    const struct selo_header header = {parts[0], sizes[0], parts[1], sizes[1], tag_size};

    for (int part = 0; part < 4; part++) {
        if (sizes[part] != 0) {
            memcpy(parts[part], from[part], sizes[part]);
        }
    }
    for (int part = 0; part < 4; part++) {
        for (size_t i = 0; i < sizes[part]; i++) {
            uint8_t out[CHECK_AEAD_MOST];
            uint8_t bit = (uint8_t)(1 << (check_random() >> 29));

            parts[part][i] ^= bit;
            memset(out, 0xee, sizeof out);
            CHECK(aead->open(key, &header, out, parts[2], sizes[2], parts[3]) == SELO_ERROR_TAG);
            CHECK(check_is_zero(out, sealed->size) && out[sealed->size] == 0xee);
            memcpy(out, parts[2], sealed->size);
            CHECK(aead->open(key, &header, out, out, sizes[2], parts[3]) == SELO_ERROR_TAG);
            CHECK(check_is_zero(out, sealed->size) && out[sealed->size] == 0xee);
            parts[part][i] ^= bit;
        }
    }
}

static inline void check_aead_packet(const struct check_aead *aead, const void *key,
                                     const struct check_packet *plain, const uint8_t *ciphertext,
                                     const uint8_t *tag, size_t tag_size)
{
    const struct check_packet p = *plain;
    const struct selo_header header = {p.nonce, p.nonce_size, p.ad, p.ad_size, tag_size};
    struct check_packet sealed = *plain;
    uint8_t out[CHECK_AEAD_MOST + 1], own[17];

    if (p.size >= CHECK_AEAD_MOST || p.nonce_size > CHECK_AEAD_MOST ||
        p.ad_size > CHECK_AEAD_MOST) {
        fprintf(stderr, "check_aead_packet: too large for its buffers\n");
        exit(2);
    }
    memset(out, 0xee, sizeof out);
    memset(own, 0xee, sizeof own);
    CHECK(aead->seal(key, &header, out, p.text, p.size, own) == SELO_OK);
    CHECK_BYTES(out, ciphertext, p.size);
    CHECK_BYTES(own, tag, tag_size);
    CHECK(out[p.size] == 0xee && own[tag_size] == 0xee);

    memset(out, 0xee, sizeof out);
    if (p.size != 0) {
        memcpy(out, p.text, p.size);
    }
    CHECK(aead->seal(key, &header, out, out, p.size, own) == SELO_OK);
    CHECK_BYTES(out, ciphertext, p.size);
    CHECK_BYTES(own, tag, tag_size);
    CHECK(out[p.size] == 0xee);

    CHECK(aead->open(key, &header, out, out, p.size, tag) == SELO_OK);
    CHECK_BYTES(out, p.text, p.size);
    CHECK(out[p.size] == 0xee);
    memset(out, 0xee, sizeof out);
    CHECK(aead->open(key, &header, out, ciphertext, p.size, tag) == SELO_OK);
    CHECK_BYTES(out, p.text, p.size);
    CHECK(out[p.size] == 0xee);

    sealed.text = ciphertext;
    check_aead_altered(aead, key, &sealed, tag, tag_size);
}

/* Checks that a size that the algorithm does not accept is refused. */
static inline void check_aead_refused(const struct check_aead *aead, const void *key,
                                      size_t nonce_size, size_t ad_size, size_t tag_size)
{
    static const uint8_t bytes[0x10000];
    const struct selo_header header = {bytes, nonce_size, bytes, ad_size, tag_size};
    uint8_t out[41], tag[300];

    memset(out, 0xee, sizeof out);
    memset(tag, 0xee, sizeof tag);
    CHECK(aead->seal(key, &header, out, bytes, 40, tag) == SELO_ERROR_ARGUMENT);
    CHECK(check_is_zero(out, 40) && out[40] == 0xee);
    CHECK(check_is_zero(tag, tag_size) && tag[tag_size] == 0xee);
    memset(out, 0xee, sizeof out);
    CHECK(aead->open(key, &header, out, bytes, 40, tag) == SELO_ERROR_ARGUMENT);
    CHECK(check_is_zero(out, 40) && out[40] == 0xee);
}

#endif
