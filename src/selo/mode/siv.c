/* SIV [RFC5297]. */
#include <string.h>

#include "../../selo_siv.h"
#include "../../selo_unauthenticated.h"
#include "../common/compiler.h"
#include "cmac.h"

static void mix(uint8_t block[16], const uint8_t *other, uint8_t size)
{
    for (uint8_t i = 0; i < size; i++) {
        block[i] ^= other[i];
    }
}

/* tag = CMAC of the data. */
static void cmac(uint8_t tag[16], struct selo_cipher cipher, const void *data, size_t size)
{
    struct selo_cmac mac;

    selo_cmac_start(&mac, cipher);
    selo_cmac_update(&mac, data, size);
    selo_cmac_finish(&mac, tag);
}

/* iv = S2V of the parts and the message [RFC5297, 2.4]. */
static SELO_STACK_APART void synthesise(uint8_t iv[16], const struct selo_siv *siv,
                                        const struct selo_siv_header *header, const uint8_t *message,
                                        size_t size)
{
    struct selo_cmac mac;
    uint8_t sum[16] = {0}, block[16];

    cmac(sum, siv->mac, sum, 16);
    for (uint8_t i = 0; i < header->count; i++) {
        cmac(block, siv->mac, header->parts[i].data, header->parts[i].size);
        selo_cmac_twice(sum);
        mix(sum, block, 16);
    }
    selo_cmac_start(&mac, siv->mac);
    if (size >= 16) { /* the sum goes to the end of the message */
        selo_cmac_update(&mac, message, size - 16);
        mix(sum, message + (size - 16), 16);
    } else { /* or it is doubled, and to the padded message */
        selo_cmac_twice(sum);
        mix(sum, message, (uint8_t)size);
        sum[size] ^= 0x80;
    }
    selo_cmac_update(&mac, sum, 16);
    selo_cmac_finish(&mac, iv);
    selo_wipe(sum, sizeof sum);
    selo_wipe(block, sizeof block);
}

/* CTR from the IV without two bits, so that a counter of 32 or 64 bits does [RFC5297, 2.6]. */
static SELO_STACK_APART void encrypt(const struct selo_siv *siv, const uint8_t iv[16], uint8_t *out,
                                     const uint8_t *in, size_t size)
{
    uint8_t counter[16];

    memcpy(counter, iv, 16);
    counter[8] &= 0x7f;
    counter[12] &= 0x7f;
    selo_ctr(siv->encryption, counter, out, in, size);
}

enum selo_status selo_siv_seal(const struct selo_siv *siv, const struct selo_siv_header *header,
                               uint8_t iv[16], uint8_t *out, const uint8_t *in, size_t size)
{
    if (header->count > SELO_SIV_PARTS) {
        memset(iv, 0, 16);
        if (size != 0) {
            memset(out, 0, size);
        }
        return SELO_ERROR_ARGUMENT;
    }
    synthesise(iv, siv, header, in, size);
    encrypt(siv, iv, out, in, size);
    return SELO_OK;
}

enum selo_status selo_siv_open(const struct selo_siv *siv, const struct selo_siv_header *header,
                               const uint8_t iv[16], uint8_t *out, const uint8_t *in, size_t size)
{
    enum selo_status status = SELO_ERROR_ARGUMENT;
    uint8_t own[16];

    if (header->count <= SELO_SIV_PARTS) {
        encrypt(siv, iv, out, in, size);
        synthesise(own, siv, header, out, size);
        status = selo_equal(own, iv, 16) ? SELO_OK : SELO_ERROR_TAG;
        selo_wipe(own, sizeof own);
    }
    if (status != SELO_OK && size != 0) {
        memset(out, 0, size);
    }
    return status;
}
