/* GCM: verification, then decryption [SP800-38D, 7.2]. */
#include "fail.h"
#include "gcm.h"

enum selo_status selo_gcm_open(struct selo_cipher cipher, const struct selo_header *header,
                               uint8_t *out, const uint8_t *in, size_t size, const uint8_t *tag)
{
    struct selo_gcm gcm;
    uint8_t whole[16];
    enum selo_status status = selo_gcm_start(&gcm, cipher, header);

    if (status != SELO_OK) {
        return selo_mode_fail(status, out, size);
    }
    selo_gcm_tag(&gcm, whole, header, in, size);
    if (selo_equal(whole, tag, header->tag_size)) {
        selo_gcm_xor(&gcm, cipher, out, in, size);
    } else {
        status = selo_mode_fail(SELO_ERROR_TAG, out, size);
    }
    selo_wipe(&gcm, sizeof gcm);
    selo_wipe(whole, sizeof whole);
    return status;
}
