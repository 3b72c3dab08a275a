/* CCM: decryption and verification [SP800-38C, 6.2]. */
#include "ccm.h"
#include "fail.h"

enum selo_status selo_ccm_open(struct selo_cipher cipher, const struct selo_header *header,
                               uint8_t *out, const uint8_t *in, size_t size, const uint8_t *tag)
{
    uint8_t whole[16];
    enum selo_status status = selo_ccm_run(cipher, header, out, in, size, whole, 0xff);

    if (status == SELO_OK && !selo_equal(whole, tag, header->tag_size)) {
        status = SELO_ERROR_TAG;
    }
    selo_wipe(whole, sizeof whole);
    if (status != SELO_OK) {
        return selo_mode_fail(status, out, size);
    }
    return SELO_OK;
}
