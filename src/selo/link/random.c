/* A hash chain: one hash makes an output, another the next state [docs/protocol.md]. */
#include "../common/compiler.h"
#include "../noise/suite.h"
#include "frame.h"
#include "random.h"

SELO_STACK_APART void selo_random_seed(uint8_t state[32], const uint8_t device_key[32],
                                       const uint8_t stored[32], uint32_t join_counter,
                                       const uint8_t entropy[32])
{
    struct selo_suite_hash hash;
    uint8_t counter[4];

    selo_link_put(counter, join_counter, sizeof counter);
    selo_suite_start(&hash);
    selo_suite_update_label(&hash, SELO_LABEL_SEED);
    selo_suite_update(&hash, device_key, 32);
    selo_suite_update(&hash, stored, 32);
    selo_suite_update(&hash, counter, sizeof counter);
    selo_suite_update(&hash, entropy, 32);
    selo_suite_finish(&hash, state);
}

void selo_random_draw(uint8_t state[32], uint8_t out[32])
{
    uint8_t what = 1;

    selo_suite_digest(out, state, &what, 1);
    what = 2;
    selo_suite_digest(state, state, &what, 1);
}
