/* GCM: authenticated encryption [SP800-38D, 7.1]. */
#include <string.h>

#include "fail.h"
#include "gcm.h"

enum selo_status selo_gcm_seal(selo_block_fn *encrypt, const void *key, const uint8_t *nonce,
                               size_t nonce_size, const void *ad, size_t ad_size, uint8_t *out,
                               const uint8_t *in, size_t size, uint8_t *tag, size_t tag_size)
{
    struct selo_gcm gcm;
    uint8_t whole[16];
    enum selo_status status = selo_gcm_start(&gcm, encrypt, key, nonce, nonce_size, tag_size);

    if (status != SELO_OK) {
        selo_wipe(tag, tag_size);
        return selo_mode_fail(status, out, size);
    }
    selo_gcm_xor(&gcm, encrypt, key, out, in, size);
    selo_gcm_tag(&gcm, whole, ad, ad_size, out, size);
    memcpy(tag, whole, tag_size);
    selo_wipe(&gcm, sizeof gcm);
    selo_wipe(whole, sizeof whole); /* a tag cut short keeps its other bytes secret */
    return SELO_OK;
}
