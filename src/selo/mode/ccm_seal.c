/* CCM: authenticated encryption [SP800-38C, 6.1]. */
#include <string.h>

#include "ccm.h"
#include "fail.h"

enum selo_status selo_ccm_seal(struct selo_cipher cipher, const struct selo_header *header,
                               uint8_t *out, const uint8_t *in, size_t size, uint8_t *tag)
{
    uint8_t whole[16];
    enum selo_status status = selo_ccm_run(cipher, header, out, in, size, whole, 0);

    if (status != SELO_OK) {
        selo_wipe(tag, header->tag_size);
        return selo_mode_fail(status, out, size);
    }
    memcpy(tag, whole, header->tag_size);
    selo_wipe(whole, sizeof whole); /* the bytes cut from a short tag are secret */
    return SELO_OK;
}
