/* CCM: authenticated encryption [SP800-38C, 6.1]. */
#include <string.h>

#include "ccm.h"
#include "fail.h"

enum selo_status selo_ccm_seal(selo_block_fn *encrypt, const void *key, const uint8_t *nonce,
                               size_t nonce_size, const void *ad, size_t ad_size, uint8_t *out,
                               const uint8_t *in, size_t size, uint8_t *tag, size_t tag_size)
{
    uint8_t whole[16];
    enum selo_status status = selo_ccm_run(encrypt, key, nonce, nonce_size, ad, ad_size, out, in,
                                           size, whole, tag_size, 0);

    if (status != SELO_OK) {
        selo_wipe(tag, tag_size);
        return selo_mode_fail(status, out, size);
    }
    memcpy(tag, whole, tag_size);
    selo_wipe(whole, sizeof whole); /* a tag cut short keeps its other bytes secret */
    return SELO_OK;
}
