/* X25519: a whole scalar multiplication, with the steps of the ladder and the inversion. */
/* sources: x25519 */
/* figures: messages */
#include "kernel.h"

#include <string.h>

#include "selo.h"
#include "selo/x25519/x25519_ladder.h"

KERNEL_BUFFER(scalar, 32);
KERNEL_BUFFER(u, 32);
KERNEL_BUFFER(out, 32);

/* [RFC7748, 5.2] */
static void vector(void)
{
    static const uint8_t k[32] = {
        0xa5, 0x46, 0xe3, 0x6b, 0xf0, 0x52, 0x7c, 0x9d, 0x3b, 0x16, 0x15, 0x4b, 0x82, 0x46, 0x5e, 0xdd,
        0x62, 0x14, 0x4c, 0x0a, 0xc1, 0xfc, 0x5a, 0x18, 0x50, 0x6a, 0x22, 0x44, 0xba, 0x44, 0x9a, 0xc4};
    static const uint8_t in[32] = {
        0xe6, 0xdb, 0x68, 0x67, 0x58, 0x30, 0x30, 0xdb, 0x35, 0x94, 0xc1, 0xa4, 0x24, 0xb1, 0x5f, 0x7c,
        0x72, 0x66, 0x24, 0xec, 0x26, 0xb3, 0x35, 0x3b, 0x10, 0xa9, 0x03, 0xa6, 0xd0, 0xab, 0x1c, 0x4c};
    static const uint8_t expected[32] = {
        0xc3, 0xda, 0x55, 0x37, 0x9d, 0xe9, 0xc6, 0x90, 0x8e, 0x94, 0xea, 0x4d, 0xf2, 0x8d, 0x08, 0x4f,
        0x32, 0xec, 0xcf, 0x03, 0x49, 0x1c, 0x71, 0xf7, 0x54, 0xb4, 0x07, 0x55, 0x77, 0xa2, 0x85, 0x52};
    memcpy(scalar.data, k, 32);
    memcpy(u.data, in, 32);
    KERNEL_CALL(selo_x25519_ladder, out.data, scalar.data, u.data);
    kernel_series(memcmp(out.data, expected, 32) == 0 ? "vector" : "vector-WRONG", 1);
}

/* Random u, and u near 0 and near the multiples of p. */
static void ladder(uint8_t i)
{
    kernel_fill(scalar.data, 32);
    kernel_fill(u.data, 32);
    if (i % 2 != 0) {
        memset(u.data + 1, i & 2 ? 0xff : 0, 31);
        u.data[0] = (uint8_t)(i & 4 ? 0xe8 + i : i);
    }
    KERNEL_CALL(selo_x25519_ladder, out.data, scalar.data, u.data);
    kernel_fold(out.data, 32);
}

int main(void)
{
    KERNEL_GUARD(scalar);
    KERNEL_GUARD(u);
    KERNEL_GUARD(out);
    vector();
    for (uint8_t i = 0; i < 24; i++)
        ladder(i);
    kernel_series("ladder", 24);
    kernel_time_begin();
    for (uint8_t i = 0; i < 4; i++)
        ladder(i);
    kernel_time_end("x25519-ladder");
    kernel_end();
    return 0;
}
