/* CCM: CBC-MAC and CTR in one pass [SP800-38C, 6, A]. */
#include <string.h>

#include "../common/wide.h"
#include "ccm.h"

enum selo_status selo_ccm_run(struct selo_cipher cipher, const struct selo_header *header,
                              uint8_t *out, const uint8_t *in, size_t size, uint8_t tag[16],
                              uint8_t opening)
{
    _Alignas(uint32_t) uint8_t counter[16], stream[16];
    const uint8_t *bytes = header->ad;
    size_t nonce_size = header->nonce_size, ad_size = header->ad_size, tag_size = header->tag_size;
    uint8_t *mac = tag;
    uint8_t size_bytes, at;
    size_t rest = size;

    if (nonce_size < 7 || nonce_size > 13 || tag_size < 4 || tag_size > 16 || tag_size % 2 != 0 ||
        ad_size >= 0xff00) {
        return SELO_ERROR_ARGUMENT;
    }
    size_bytes = (uint8_t)(15 - nonce_size);

    memset(counter, 0, sizeof counter);
    counter[0] = (uint8_t)(size_bytes - 1);
    memcpy(counter + 1, header->nonce, nonce_size);

    memcpy(mac, counter, 16); /* B0 [SP800-38C, A.2.1] */
    mac[0] = (uint8_t)(mac[0] | (tag_size - 2) / 2 << 3 | (ad_size != 0 ? 0x40 : 0));
    for (uint8_t i = 16; i-- != 16 - size_bytes;) {
        mac[i] = (uint8_t)rest;
        rest >>= 8;
    }
    if (rest != 0) {
        return SELO_ERROR_ARGUMENT;
    }
    cipher.encrypt(cipher.key, mac, mac);

    if (ad_size != 0) { /* its size in two bytes, then the data [SP800-38C, A.2.2] */
        mac[0] = (uint8_t)(mac[0] ^ ad_size >> 8);
        mac[1] = (uint8_t)(mac[1] ^ ad_size);
        for (at = 2; ad_size != 0; ad_size--) {
            if (at == 16) {
                cipher.encrypt(cipher.key, mac, mac);
                at = 0;
            }
            mac[at++] ^= *bytes++;
        }
        cipher.encrypt(cipher.key, mac, mac);
    }

#if SELO_CIPHER_TWO && !SELO_WIDE
    /* A block of CBC-MAC and the key stream of the next one at once. */
    if (size != 0 && cipher.encrypt_two != NULL) {
        _Alignas(uint32_t) uint8_t two[32];
        memcpy(two, mac, 16);
        selo_ccm_advance(counter, size_bytes);
        cipher.encrypt(cipher.key, two + 16, counter);
        while (size != 0) {
            uint8_t taken = (uint8_t)(size < 16 ? size : 16);
            if (taken == 16) {
                /* The plaintext counts. `out` may be `in`. */
                if (opening == 0) {
                    selo_xor_16(two, two, in);
                }
                selo_xor_16(out, in, two + 16);
                if (opening != 0) {
                    selo_xor_16(two, two, out);
                }
                in += 16;
                out += 16;
            } else {
                for (at = 0; at < taken; at++) {
                    uint8_t byte = *in++;
                    two[at] ^= (uint8_t)(byte ^ (two[16 + at] & opening));
                    *out++ = byte ^ two[16 + at];
                }
            }
            size -= taken;
            if (size == 0) {
                memset(counter + 16 - size_bytes, 0, size_bytes);
            } else {
                selo_ccm_advance(counter, size_bytes);
            }
            memcpy(two + 16, counter, 16);
            cipher.encrypt_two(cipher.key, two, two);
        }
        selo_xor_16(mac, two, two + 16); /* block 0 encrypts the tag [SP800-38C, 6.1] */
        selo_wipe(two, sizeof two);
        return SELO_OK;
    }
#endif
    while (size != 0) {
        uint8_t taken = (uint8_t)(size < 16 ? size : 16);
        selo_ccm_advance(counter, size_bytes);
        cipher.encrypt(cipher.key, stream, counter);
#if SELO_WIDE
        if (taken == 16) {
            uint8_t text[16];
            memcpy(text, in, 16);
            selo_xor_16(out, in, stream);
            selo_xor_16(mac, mac, opening ? out : text);
            in += 16;
            out += 16;
            taken = 0;
            size -= 16;
        }
#endif
        for (at = 0; at < taken; at++) {
            uint8_t byte = *in++;
            mac[at] ^= (uint8_t)(byte ^ (stream[at] & opening));
            *out++ = byte ^ stream[at];
        }
        size -= taken;
        cipher.encrypt(cipher.key, mac, mac);
    }

    memset(counter + 16 - size_bytes, 0, size_bytes); /* block 0 encrypts the tag [SP800-38C, 6.1] */
    cipher.encrypt(cipher.key, stream, counter);
    for (at = 0; at < 16; at++) {
        mac[at] ^= stream[at];
    }
    selo_wipe(stream, sizeof stream);
    return SELO_OK;
}
