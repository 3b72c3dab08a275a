/* The initialization vector of BLAKE2s, the same as that of SHA-256 [RFC7693, 2.6]. */
#include "../common/flash.h"
#include "blake2s.h"

const uint32_t selo_blake2s_iv[8] SELO_FLASH = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};
