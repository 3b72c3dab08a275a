/* The failure of a mode of operation: zeroes the whole output buffer. */
#ifndef SELO_MODE_FAIL_H
#define SELO_MODE_FAIL_H

#include "../../selo.h"

static inline enum selo_status selo_mode_fail(enum selo_status status, uint8_t *out,
                                              size_t out_capacity)
{
    selo_wipe(out, out_capacity);
    return status;
}

#endif
