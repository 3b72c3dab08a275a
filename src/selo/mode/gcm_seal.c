/* GCM: authenticated encryption [SP800-38D, 7.1]. */
#include <string.h>

#include "fail.h"
#include "gcm.h"

enum selo_status selo_gcm_seal(struct selo_cipher cipher, const struct selo_header *header,
                               uint8_t *out, const uint8_t *in, size_t size, uint8_t *tag)
{
    struct selo_gcm gcm;
    uint8_t whole[16];
    enum selo_status status = selo_gcm_start(&gcm, cipher, header);

    if (status != SELO_OK) {
        selo_wipe(tag, header->tag_size);
        return selo_mode_fail(status, out, size);
    }
    selo_gcm_xor(&gcm, cipher, out, in, size);
    selo_gcm_tag(&gcm, whole, header, out, size);
    memcpy(tag, whole, header->tag_size);
    selo_wipe(&gcm, sizeof gcm);
    selo_wipe(whole, sizeof whole); /* the bytes cut from a short tag are secret */
    return SELO_OK;
}
