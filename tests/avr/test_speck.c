/* The Speck128 kernels: rounds under ready keys, and the steps of the schedule. */
/* sources: speck */
#include "kernel.h"

#include "selo/speck/speck.h"

KERNEL_BUFFER(round_keys, 34 * 8);
KERNEL_BUFFER(in, 16);
KERNEL_BUFFER(out, 16);
KERNEL_BUFFER(material, 16);

/* Of each number of rounds. */
enum { CASES = KERNEL_CASES / 3 + 1 };

static void blocks(uint8_t rounds, const char *name)
{
    for (uint16_t i = 0; i < CASES; i++) {
        kernel_fill(in.data, 16);
        if (i % 8 == 0)
            kernel_fill(round_keys.data, sizeof round_keys.data);
        KERNEL_CALL(selo_speck_encrypt_rounds, round_keys.data, out.data, in.data, rounds);
        kernel_fold(out.data, 16);
        KERNEL_CALL(selo_speck_decrypt_rounds, round_keys.data, out.data, in.data, rounds);
        kernel_fold(out.data, 16);
        if (i % 16 == 0) { /* in place, and the inputs as they were */
            kernel_fold(in.data, 16);
            KERNEL_CALL(selo_speck_encrypt_rounds, round_keys.data, in.data, in.data, rounds);
            kernel_fold(in.data, 16);
            KERNEL_CALL(selo_speck_decrypt_rounds, round_keys.data, in.data, in.data, rounds);
            kernel_fold(in.data, 16);
            kernel_fold(round_keys.data, sizeof round_keys.data);
        }
    }
    kernel_series(name, CASES);
}

static void schedules(void)
{
    for (uint16_t i = 0; i < KERNEL_CASES; i++) {
        kernel_fill(material.data, 16);
        if (i & 1)
            KERNEL_CALL(selo_speck_schedule, material.data, material.data + 8, i % 34);
        else
            KERNEL_CALL(selo_speck_schedule_back, material.data, material.data + 8, i % 34);
        kernel_fold(material.data, 16);
    }
    kernel_series("speck-schedule", KERNEL_CASES);
}

static void time_it(void)
{
    static const char *const names[5] = {"speck128-fast-encrypt", "speck128-fast-decrypt",
                                         "speck256-fast-encrypt", "speck-schedule",
                                         "speck-schedule-back"};
    for (uint8_t what = 0; what < 5; what++) {
        kernel_time_begin();
        for (uint8_t i = 0; i < KERNEL_TIMED; i++) {
            kernel_fill(round_keys.data, sizeof round_keys.data);
            kernel_fill(in.data, 16);
            kernel_fill(material.data, 16);
            switch (what) {
            case 0: KERNEL_CALL(selo_speck128_fast_encrypt, (void *)round_keys.data, out.data, in.data); break;
            case 1: KERNEL_CALL(selo_speck128_fast_decrypt, (void *)round_keys.data, out.data, in.data); break;
            case 2: KERNEL_CALL(selo_speck256_fast_encrypt, (void *)round_keys.data, out.data, in.data); break;
            case 3: KERNEL_CALL(selo_speck_schedule, material.data, material.data + 8, i); break;
            default: KERNEL_CALL(selo_speck_schedule_back, material.data, material.data + 8, i);
            }
        }
        kernel_time_end(names[what]);
    }
}

int main(void)
{
    KERNEL_GUARD(round_keys);
    KERNEL_GUARD(in);
    KERNEL_GUARD(out);
    KERNEL_GUARD(material);
    blocks(32, "speck128-rounds");
    blocks(33, "speck192-rounds");
    blocks(34, "speck256-rounds");
    schedules();
    time_it();
    kernel_end();
    return 0;
}
