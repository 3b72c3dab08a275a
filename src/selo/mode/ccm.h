/* What sealing and opening with CCM share [SP800-38C, 6, A]. */
#ifndef SELO_MODE_CCM_H
#define SELO_MODE_CCM_H

#include "../../selo.h"

/* Runs CBC-MAC over B0 and the associated data and CTR over the message, and leaves the
 * encrypted tag in tag[0..16). The message is what comes in if `opening` is 0, what goes out if
 * it is 0xff. SELO_ERROR_ARGUMENT for sizes that CCM does not take; nothing is written then. */
enum selo_status selo_ccm_run(struct selo_cipher cipher, const struct selo_header *header,
                              uint8_t *out, const uint8_t *in, size_t size, uint8_t tag[16],
                              uint8_t opening);

#endif
