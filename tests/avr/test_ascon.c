/* The Ascon permutation. */
/* sources: ascon */
#include "kernel.h"

#include "selo/ascon/ascon.h"

KERNEL_BUFFER(state, 40);

static void permute(uint8_t rounds)
{
    kernel_fill(state.data, 40);
    KERNEL_CALL(selo_ascon_permute, (uint64_t *)(void *)state.data, rounds);
}

int main(void)
{
    KERNEL_GUARD(state);
    for (uint16_t i = 0; i < KERNEL_CASES; i++) {
        permute(i & 1 ? 8 : 12);
        kernel_fold(state.data, 40);
    }
    kernel_series("ascon-permute", KERNEL_CASES);
    kernel_time_begin();
    for (uint8_t i = 0; i < KERNEL_TIMED; i++)
        permute(8);
    kernel_time_end("ascon-permute-8");
    kernel_time_begin();
    for (uint8_t i = 0; i < KERNEL_TIMED; i++)
        permute(12);
    kernel_time_end("ascon-permute-12");
    kernel_end();
    return 0;
}
