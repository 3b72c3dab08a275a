/* The hashes of the link: of two pieces, or of a label and data. */
#include "../common/flash.h"
#include "suite.h"

enum { LABEL_SIZE = 11 };
static const uint8_t labels[] SELO_FLASH = "Selo link 1" "Selo pair 1" "Selo seed 1";

void selo_suite_update_label(struct selo_suite_hash *hash, enum selo_suite_label label)
{
    const uint8_t *at = labels + label;

    for (uint8_t left = LABEL_SIZE; left != 0; left--) {
        uint8_t byte = selo_flash_u8(at++);
        selo_suite_update(hash, &byte, 1);
    }
}

SELO_STACK_APART void selo_suite_digest(uint8_t digest[32], const uint8_t first[32],
                                        const void *second, uint8_t size)
{
    struct selo_suite_hash hash;

    selo_suite_start(&hash);
    selo_suite_update(&hash, first, 32);
    selo_suite_update(&hash, second, size);
    selo_suite_finish(&hash, digest);
}
