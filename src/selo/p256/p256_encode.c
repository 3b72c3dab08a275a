/* Public keys: coordinates, big-endian, and the check that they are those of a point. */
#include <string.h>

#include "../common/flash.h"
#include "p256.h"

/* b of the curve's equation, in Montgomery form */
static const uint8_t curve_b[32] SELO_FLASH = {
    0xdf, 0xbd, 0xc4, 0x29, 0x62, 0xdf, 0x9c, 0xd8, 0x90, 0x30, 0x84, 0x78, 0xcd, 0x05, 0xf0, 0xac,
    0xd6, 0x2e, 0x21, 0xf7, 0xab, 0x20, 0xa2, 0xe5, 0x34, 0x48, 0x87, 0x04, 0x1d, 0x06, 0x30, 0xdc};

void selo_p256_swap(uint8_t out[32], const uint8_t in[32])
{
    for (uint8_t i = 0; i < 32; i++) {
        out[i] = in[31 - i];
    }
}

void selo_p256_encode(uint8_t bytes[32], uint8_t coordinate[32])
{
    selo_p256_leave(coordinate, coordinate);
    selo_p256_swap(bytes, coordinate);
}

/* A coordinate; 0 if it is not below p. */
static uint8_t decode(uint8_t coordinate[32], const uint8_t bytes[32], uint8_t scratch[32])
{
    selo_p256_swap(coordinate, bytes);
    memcpy(scratch, coordinate, 32);
    selo_p256_canonical(scratch);
    if (!selo_equal(scratch, coordinate, 32)) {
        return 0;
    }
    selo_p256_enter(coordinate, coordinate);
    return 1;
}

enum selo_status selo_p256_decode(struct selo_p256_affine *point, const uint8_t bytes[64],
                                  uint8_t scratch[2][32])
{
    uint8_t *const left = scratch[0], *const right = scratch[1];

    if (!decode(point->x, bytes, left) || !decode(point->y, bytes + 32, left)) {
        return SELO_ERROR_KEY;
    }
    /* y^2 = (x^2 - 3) x + b */
    selo_p256_one(left);
    selo_p256_square(right, point->x);
    selo_p256_add_times(right, right, left, -3);
    selo_p256_multiply(right, right, point->x);
    for (uint8_t i = 0; i < 32; i++) {
        left[i] = selo_flash_u8(curve_b + i);
    }
    selo_p256_add(right, right, left);
    selo_p256_square(left, point->y);
    selo_p256_subtract(left, left, right);
    return selo_p256_is_zero(left) ? SELO_OK : SELO_ERROR_KEY;
}

enum selo_status selo_p256_check(const uint8_t public_key[64])
{
    struct selo_p256_affine point;
    uint8_t scratch[2][32];

    return selo_p256_decode(&point, public_key, scratch);
}
