/* CCM: decryption and verification [SP800-38C, 6.2]. */
#include "ccm.h"
#include "fail.h"

enum selo_status selo_ccm_open(selo_block_fn *encrypt, const void *key, const uint8_t *nonce,
                               size_t nonce_size, const void *ad, size_t ad_size, uint8_t *out,
                               const uint8_t *in, size_t size, const uint8_t *tag,
                               size_t tag_size)
{
    uint8_t whole[16];
    enum selo_status status = selo_ccm_run(encrypt, key, nonce, nonce_size, ad, ad_size, out, in,
                                           size, whole, tag_size, 0xff);

    if (status == SELO_OK && !selo_equal(whole, tag, tag_size)) {
        status = SELO_ERROR_TAG;
    }
    selo_wipe(whole, sizeof whole);
    if (status != SELO_OK) {
        return selo_mode_fail(status, out, size);
    }
    return SELO_OK;
}
