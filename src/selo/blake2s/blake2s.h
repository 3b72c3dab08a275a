/*
 * Internal declarations shared by the files of BLAKE2s [RFC7693].
 *
 * native/api.h declares the functions that kernels may replace.
 */
#ifndef SELO_BLAKE2S_H
#define SELO_BLAKE2S_H

#include "../../selo.h"
#include "../native/api.h"

/* The initialization vector [RFC7693, 2.6], in flash. */
extern const uint32_t selo_blake2s_iv[8];

#endif
