/* The permutation Keccak-f[1600]. */
/* sources: sha3 */
/* settings: -DSELO_KECCAK_SMALL=1 */
#include "kernel.h"

#include "selo/sha3/sha3.h"

KERNEL_BUFFER(lanes, 200);

/* The kernel's form of the lanes may be another than that of the C (sha3.h). */
static void permute(void)
{
    uint64_t *lane = (uint64_t *)(void *)lanes.data;
    for (uint8_t i = 0; i < 25; i++)
        lane[i] = selo_keccak_to_lane(lane[i]);
    KERNEL_CALL(selo_keccak_f1600, lane);
    for (uint8_t i = 0; i < 25; i++)
        lane[i] = selo_keccak_from_lane(lane[i]);
}

int main(void)
{
    KERNEL_GUARD(lanes);
    /* Every eighth input is new. The others are outputs of the permutation. */
    for (uint16_t i = 0; i < KERNEL_CASES; i++) {
        if (i % 8 == 0)
            kernel_fill(lanes.data, 200);
        permute();
        if (i % 8 == 7)
            kernel_fold(lanes.data, 200);
    }
    kernel_series("keccak-f1600", KERNEL_CASES);
    kernel_time_begin();
    for (uint8_t i = 0; i < KERNEL_TIMED; i++) {
        kernel_fill(lanes.data, 200);
        permute();
    }
    kernel_time_end("keccak-f1600");
    kernel_end();
    return 0;
}
