/* The field of P-256. */
/* sources: p256 hmac_drbg hmac sha2 sha3 blake2s ascon */
#include "kernel.h"

#include <string.h>

#include "selo/p256/field.h"

KERNEL_BUFFER(a, 32);
KERNEL_BUFFER(b, 32);
KERNEL_BUFFER(r, 32);

/* Adds an element to the digest. Kernel and C may take different forms of it. */
static void fold(const uint8_t element[32])
{
    uint8_t form[32];

    memcpy(form, element, 32);
    selo_p256_canonical(form);
    kernel_fold(form, 32);
}

/* Some are near 0, p and 2^256. */
static void fill(uint16_t round)
{
    kernel_fill(a.data, 32);
    kernel_fill(b.data, 32);
    if (round % 4 == 1) {
        memset(a.data + 4, round & 4 ? 0xff : 0, 28);
    }
    if (round % 8 == 2) {
        memset(b.data + 4, round & 8 ? 0xff : 0, 28);
    }
}

static void multiply(uint16_t round)
{
    fill(round);
    KERNEL_CALL(selo_p256_multiply, r.data, a.data, b.data);
    fold(r.data);
}

static void multiply_in_place(uint16_t round)
{
    fill(round);
    KERNEL_CALL(selo_p256_multiply, a.data, a.data, b.data);
    fold(a.data);
    KERNEL_CALL(selo_p256_multiply, b.data, a.data, b.data);
    fold(b.data);
    KERNEL_CALL(selo_p256_multiply, b.data, b.data, b.data);
    fold(b.data);
}

static void add_times(uint16_t round)
{
    fill(round);
    KERNEL_CALL(selo_p256_add_times, r.data, a.data, b.data, (int8_t)(round / 16 % 17 - 8));
    fold(r.data);
}

/* For the time, which may depend on `times`: it is no secret. */
static void subtract_eight_times(uint16_t round)
{
    fill(round);
    KERNEL_CALL(selo_p256_add_times, r.data, a.data, b.data, (int8_t)-8);
    fold(r.data);
}

static void add_times_in_place(uint16_t round)
{
    const int8_t times = (int8_t)(round / 16 % 17 - 8);

    fill(round);
    KERNEL_CALL(selo_p256_add_times, a.data, a.data, b.data, times);
    fold(a.data);
    KERNEL_CALL(selo_p256_add_times, b.data, a.data, b.data, times);
    fold(b.data);
}

static void series(const char *name, void (*run)(uint16_t))
{
    for (uint16_t round = 0; round < KERNEL_CASES; round++) {
        run(round);
    }
    kernel_series(name, KERNEL_CASES);
}

static void timed(const char *name, void (*run)(uint16_t))
{
    kernel_time_begin();
    for (uint16_t round = 0; round < KERNEL_TIMED; round++) {
        run(round);
    }
    kernel_time_end(name);
}

int main(void)
{
    KERNEL_GUARD(a);
    KERNEL_GUARD(b);
    KERNEL_GUARD(r);
    series("p256-multiply", multiply);
    series("p256-multiply, in place", multiply_in_place);
    series("p256-add-times", add_times);
    series("p256-add-times, in place", add_times_in_place);
    timed("p256-multiply", multiply);
    timed("p256-add-times", subtract_eight_times);
    kernel_end();
    return 0;
}
