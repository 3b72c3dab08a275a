/*
 * The scalar multiplication behind both public functions of X25519.
 */
#ifndef SELO_X25519_LADDER_H
#define SELO_X25519_LADDER_H

#include <stdint.h>

/*
 * out = X25519(scalar, u) [RFC7748, 5]: the scalar is clamped, bit 255 of u is
 * ignored, u need not be below p; out is. out may be scalar or u.
 */
void selo_x25519_ladder(uint8_t out[32], const uint8_t scalar[32], const uint8_t u[32]);

#endif
