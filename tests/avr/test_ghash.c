/* The multiplication of GHASH. */
/* sources: mode */
#include "kernel.h"

#include "selo/mode/ghash.h"

KERNEL_BUFFER(product, 16);
KERNEL_BUFFER(key, 16);

static void multiply(void)
{
    kernel_fill(product.data, 16);
    kernel_fill(key.data, 16);
    KERNEL_CALL(selo_ghash_multiply, product.data, key.data);
}

int main(void)
{
    KERNEL_GUARD(product);
    KERNEL_GUARD(key);
    for (uint16_t i = 0; i < KERNEL_CASES; i++) {
        multiply();
        kernel_fold(product.data, 16);
        kernel_fold(key.data, 4);
    }
    kernel_series("ghash-multiply", KERNEL_CASES);
    kernel_time_begin();
    for (uint8_t i = 0; i < KERNEL_TIMED; i++)
        multiply();
    kernel_time_end("ghash-multiply");
    kernel_end();
    return 0;
}
