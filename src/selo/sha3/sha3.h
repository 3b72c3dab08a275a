/*
 * Internal declarations shared by the files of SHA-3 [FIPS202].
 *
 * native/api.h declares the functions that kernels may replace.
 */
#ifndef SELO_SHA3_H
#define SELO_SHA3_H

#include "../../selo.h"
#include "../native/api.h"

#endif
