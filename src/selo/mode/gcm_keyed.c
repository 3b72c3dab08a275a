/*
 * GCM with H at hand [SP800-38D, 7.1, 7.2]. J0 and the first block of key stream are then encrypted
 * together, so a message of an odd number of blocks, such as one of up to 16 bytes, takes one call of
 * a cipher less that encrypts two blocks at a time.
 */
#include <string.h>

#include "../common/xor.h"
#include "fail.h"
#include "gcm.h"

#if SELO_CIPHER_TWO

void selo_gcm_hash_key(struct selo_cipher cipher, uint8_t hash_key[16])
{
    memset(hash_key, 0, 16);
    cipher.encrypt(cipher.key, hash_key, hash_key);
}

static void run(struct selo_gcm *gcm, const uint8_t stream[16], struct selo_cipher cipher,
                uint8_t *out, const uint8_t *in, size_t size)
{
    const uint8_t taken = (uint8_t)(size < 16 ? size : 16);

    selo_xor(&out, &in, stream, taken);
    if (size != taken) {
        selo_gcm_xor(gcm, cipher, out, in, size - taken);
    }
}

enum selo_status selo_gcm_keyed_seal(struct selo_cipher cipher, const uint8_t hash_key[16],
                                     const struct selo_header *header, uint8_t *out,
                                     const uint8_t *in, size_t size, uint8_t *tag)
{
    struct selo_gcm gcm;
    uint8_t stream[16], whole[16];
    enum selo_status status = selo_gcm_start_keyed(&gcm, stream, cipher, hash_key, header);

    if (status != SELO_OK) {
        selo_wipe(tag, header->tag_size);
        return selo_mode_fail(status, out, size);
    }
    run(&gcm, stream, cipher, out, in, size);
    selo_gcm_tag(&gcm, whole, header, out, size);
    memcpy(tag, whole, header->tag_size);
    selo_wipe(&gcm, sizeof gcm);
    selo_wipe(stream, sizeof stream);
    selo_wipe(whole, sizeof whole); /* the bytes cut from a short tag are secret */
    return SELO_OK;
}

enum selo_status selo_gcm_keyed_open(struct selo_cipher cipher, const uint8_t hash_key[16],
                                     const struct selo_header *header, uint8_t *out,
                                     const uint8_t *in, size_t size, const uint8_t *tag)
{
    struct selo_gcm gcm;
    uint8_t stream[16], whole[16];
    enum selo_status status = selo_gcm_start_keyed(&gcm, stream, cipher, hash_key, header);

    if (status != SELO_OK) {
        return selo_mode_fail(status, out, size);
    }
    selo_gcm_tag(&gcm, whole, header, in, size);
    if (selo_equal(whole, tag, header->tag_size)) {
        run(&gcm, stream, cipher, out, in, size);
    } else {
        status = selo_mode_fail(SELO_ERROR_TAG, out, size);
    }
    selo_wipe(&gcm, sizeof gcm);
    selo_wipe(stream, sizeof stream);
    selo_wipe(whole, sizeof whole);
    return status;
}

#endif
