/* The transforms of ML-KEM, and the functions in C around them that have a secret. */
/* sources: mlkem sha3 */
#include "kernel.h"

#include "selo/mlkem/mlkem.h"

KERNEL_BUFFER(poly, 512);
KERNEL_BUFFER(a, 6);
KERNEL_BUFFER(b, 6);
KERNEL_BUFFER(sum, 8);

/* Coefficients within `bound` multiples of q, and at the bounds. */
static void fill(uint8_t bound)
{
    int16_t *coefficients = (int16_t *)(void *)poly.data;
    const uint16_t most = (uint16_t)(bound * SELO_MLKEM_Q);

    kernel_fill(poly.data, 512);
    for (uint16_t i = 0; i < 256; i++)
        coefficients[i] = (int16_t)((int32_t)((uint16_t)coefficients[i] % (2ul * most + 1)) - most);
}

static void fill_small(void)
{
    kernel_fill(poly.data, 512);
    for (uint16_t i = 0; i < 256; i++)
        ((int16_t *)(void *)poly.data)[i] = (int16_t)(poly.data[2 * i] % 7 - 3);
}

int main(void)
{
    int16_t *coefficients = (int16_t *)(void *)poly.data;
    const uint16_t transforms = KERNEL_CASES / 20;

    KERNEL_GUARD(poly);
    KERNEL_GUARD(a);
    KERNEL_GUARD(b);
    KERNEL_GUARD(sum);
    for (uint16_t i = 0; i < transforms; i++) {
        fill(1);
        KERNEL_CALL(selo_mlkem_ntt, coefficients);
        kernel_fold(poly.data, 512);
    }
    kernel_series("mlkem-ntt", transforms);
    for (uint16_t i = 0; i < transforms; i++) {
        fill(3);
        KERNEL_CALL(selo_mlkem_inverse_ntt, coefficients);
        kernel_fold(poly.data, 512);
    }
    kernel_series("mlkem-inverse-ntt", transforms);
    for (uint16_t i = 0; i < KERNEL_CASES; i++) {
        kernel_fill(a.data, 6);
        kernel_fill(b.data, 6);
        kernel_fill(sum.data, 8);
        KERNEL_CALL(selo_mlkem_multiply_add, (int16_t *)(void *)sum.data, a.data, b.data, (uint8_t)(i & 63));
        kernel_fold(sum.data, 8);
    }
    kernel_series("mlkem-multiply-add", KERNEL_CASES);

    kernel_time_begin();
    for (uint8_t i = 0; i < KERNEL_TIMED; i++) {
        fill_small();
        KERNEL_CALL(selo_mlkem_ntt, coefficients);
    }
    kernel_time_end("mlkem-ntt");
    kernel_time_begin();
    for (uint8_t i = 0; i < KERNEL_TIMED; i++) {
        fill(3);
        KERNEL_CALL(selo_mlkem_inverse_ntt, coefficients);
    }
    kernel_time_end("mlkem-inverse-ntt");
    kernel_time_begin();
    for (uint8_t i = 0; i < KERNEL_TIMED; i++) {
        kernel_fill(a.data, 6);
        kernel_fill(b.data, 6);
        KERNEL_CALL(selo_mlkem_multiply_add, (int16_t *)(void *)sum.data, a.data, b.data, (uint8_t)(i & 63));
    }
    kernel_time_end("mlkem-multiply-add");
    kernel_end();
    return 0;
}
