/* What CMAC [SP800-38B] and SIV [RFC5297] share. */
#ifndef SELO_MODE_CMAC_H
#define SELO_MODE_CMAC_H

#include <stdint.h>

/* block = block * x in GF(2^128) [SP800-38B, 6.1]; the bit that leaves becomes 0x87. */
void selo_cmac_twice(uint8_t block[16]);

#endif
