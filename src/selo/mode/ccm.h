/* Internal declarations shared by the files of CCM [SP800-38C, 6, A]. */
#ifndef SELO_MODE_CCM_H
#define SELO_MODE_CCM_H

#include "../../selo.h"

/* Advances the counter block [SP800-38C, A.3]. The bytes before the counter are the nonce. The
 * counter cannot overflow, because the size of the message is limited. */
static inline void selo_ccm_advance(uint8_t counter[16], uint8_t counter_size)
{
    uint16_t carry = 1;
    for (uint8_t i = 16; counter_size-- != 0;) {
        carry = (uint16_t)(carry + counter[--i]);
        counter[i] = (uint8_t)carry;
        carry >>= 8;
    }
}

/* Runs CBC-MAC over B0, the associated data and the plaintext, and CTR over the message. Writes the
 * encrypted tag to tag[0..16). The plaintext is `in` if `opening` is 0, and `out` if it is 0xff.
 * SELO_ERROR_ARGUMENT if CCM does not accept a size; nothing is written to out then. */
enum selo_status selo_ccm_run(struct selo_cipher cipher, const struct selo_header *header,
                              uint8_t *out, const uint8_t *in, size_t size, uint8_t tag[16],
                              uint8_t opening);

#endif
