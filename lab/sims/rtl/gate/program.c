/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program that every build of a simulated core runs in its gate: a few thousand cycles of known
 * work between marks. It ends with status 0 if the results are right.
 *
 * A Verilog simulator runs it too, so it uses the host only at its end.
 */
#include <selo.h>
#include <string.h>

#include "core.h"
#include "mark.h"

int main(void);

/* [FIPS197, appendix C.1] */
static const uint8_t KEY[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const uint8_t PLAIN[16] = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                                  0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};
static const uint8_t CIPHER[16] = {0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30,
                                   0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a};

/* The result of mixture(), computed in another language. */
enum { MIXTURE = 0x06ff76c9 };

static struct selo_aes128_fast key;
static uint8_t block[16];
static volatile uint32_t seed = 0x12345678;

/* Multiplications, divisions, shifts by a variable, branches both ways, bytes and halves. */
static uint32_t mixture(void)
{
    static volatile uint16_t halves[16];
    uint32_t x = seed, sum = 0;
    for (uint32_t i = 1; i <= 24; i++) {
        x = x * 1664525u + 1013904223u;
        sum += x / (i * 977u) + x % (i + 5u);
        sum ^= (uint32_t)((uint64_t)x * sum >> 32) + (uint32_t)((int32_t)x >> (x & 31));
        halves[x >> 28] = (uint16_t)sum;
        if ((x & 0x300) == 0x100)
            sum += halves[i & 15];
    }
    return sum;
}

int main(void)
{
#ifdef PORT_EMPTY_CACHES
    PORT_EMPTY_CACHES(); /* may be what switches a cache on */
#endif
    PORT_MARK(1);
    PORT_MARK(2);

    PORT_MARK(1);
    selo_aes128_fast_setup(&key, KEY);
    PORT_MARK(2);

    PORT_MARK(1);
    selo_aes128_fast_encrypt(&key, block, PLAIN);
    PORT_MARK(2);
    int wrong = memcmp(block, CIPHER, sizeof block) != 0;

    PORT_MARK(1);
    selo_aes128_fast_decrypt(&key, block, block);
    PORT_MARK(2);
    wrong |= memcmp(block, PLAIN, sizeof block) != 0;

    PORT_MARK(1);
    seed = mixture();
    PORT_MARK(2);

    PORT_MARK(1);
    wrong |= 2 * (seed != MIXTURE);
    PORT_MARK(2);
    core_exit((uint8_t)wrong);
}
