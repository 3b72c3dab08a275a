/* The element below p, and numbers from and to their Montgomery form. */
#include <string.h>

#include "../common/flash.h"
#include "../../selo.h"
#include "field.h"

/* 2^512 modulo p */
static const uint8_t square_of_radix[32] SELO_FLASH = {
    0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xfb, 0xff, 0xff, 0xff,
    0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfd, 0xff, 0xff, 0xff, 0x04, 0x00, 0x00, 0x00};

void selo_p256_canonical(uint8_t a[32])
{
    uint8_t less[32];
    uint16_t borrow = 0;

    for (uint8_t i = 0; i < 32; i++) {
        const uint8_t of_p = i < 12 || i > 27 ? 0xff : i == 24;
        const uint16_t difference = (uint16_t)((uint16_t)a[i] - of_p - borrow);
        less[i] = (uint8_t)difference;
        borrow = difference >> 15;
    }
    const uint8_t keep = (uint8_t)(0u - borrow);
    for (uint8_t i = 0; i < 32; i++) {
        a[i] = (uint8_t)((a[i] & keep) | (less[i] & (uint8_t)~keep));
    }
}

uint8_t selo_p256_is_zero(const uint8_t a[32])
{
    uint8_t copy[32];
    uint8_t any = 0;

    memcpy(copy, a, 32);
    selo_p256_canonical(copy);
    for (uint8_t i = 0; i < 32; i++) {
        any |= copy[i];
    }
    return (uint8_t)((uint16_t)(any - 1u) >> 8 & 1);
}

void selo_p256_enter(uint8_t r[32], const uint8_t a[32])
{
    uint8_t factor[32];

    for (uint8_t i = 0; i < 32; i++) {
        factor[i] = selo_flash_u8(square_of_radix + i);
    }
    selo_p256_multiply(r, a, factor);
}

void selo_p256_leave(uint8_t r[32], const uint8_t a[32])
{
    const uint8_t one[32] = {1};

    selo_p256_multiply(r, a, one);
    selo_p256_canonical(r);
}
