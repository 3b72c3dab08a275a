/* SHAKE128 and SHAKE256 [FIPS202, 6.2]: the sponge of SHA-3 with an output of any size. */
#include <string.h>

#include "../common/bytewise.h"
#include "sha3.h"

static void start(struct selo_shake *xof, uint8_t rate)
{
    memset(xof, 0, sizeof *xof);
    xof->sponge.rate = rate;
}

void selo_shake128_start(struct selo_shake *xof)
{
    start(xof, 168);
}

void selo_shake256_start(struct selo_shake *xof)
{
    start(xof, 136);
}

enum selo_status selo_shake_update(struct selo_shake *xof, const void *data, size_t size)
{
    if (xof->reading || xof->sponge.rate == 0) {
        selo_wipe(xof, sizeof *xof);
        return SELO_ERROR_STATE;
    }
    selo_sha3_update(&xof->sponge, data, size);
    return SELO_OK;
}

/* A byte of the state. The first byte of a lane is the least significant one [FIPS202, B.1]. */
#if SELO_BYTEWISE
static inline void add_byte(struct selo_sha3 *sponge, uint8_t position, uint8_t byte)
{
    ((uint8_t *)sponge->lanes)[position] ^= byte;
}

static inline uint8_t byte_at(const struct selo_sha3 *sponge, uint8_t position)
{
    return ((const uint8_t *)sponge->lanes)[position];
}
#else
static inline void add_byte(struct selo_sha3 *sponge, uint8_t position, uint8_t byte)
{
    sponge->lanes[position / 8] ^= selo_keccak_to_lane((uint64_t)byte << 8 * (position % 8));
}

static inline uint8_t byte_at(const struct selo_sha3 *sponge, uint8_t position)
{
    return (uint8_t)(selo_keccak_from_lane(sponge->lanes[position / 8]) >> 8 * (position % 8));
}
#endif

enum selo_status selo_shake_read(struct selo_shake *xof, uint8_t *out, size_t size)
{
    struct selo_sha3 *sponge = &xof->sponge;

    if (sponge->rate == 0) {
        memset(out, 0, size);
        return SELO_ERROR_STATE;
    }
    if (!xof->reading) {
        add_byte(sponge, sponge->position, 0x1f); /* the suffix 1111 and the first bit of pad10*1 */
        add_byte(sponge, (uint8_t)(sponge->rate - 1), 0x80);
        sponge->position = sponge->rate;
        xof->reading = 1;
    }
    while (size != 0) {
        if (sponge->position == sponge->rate) {
            keccak_f1600(sponge->lanes);
            sponge->position = 0;
        }
#if !SELO_BYTEWISE
        if (sponge->position % 8 == 0 && size >= 8) { /* the rate is a multiple of 8 */
            const size_t left = (size_t)(sponge->rate - sponge->position);
            const size_t part = (size < left ? size : left) & ~(size_t)7;
            selo_keccak_take_lanes(out, sponge->lanes + sponge->position / 8, part / 8);
            out += part;
            size -= part;
            sponge->position = (uint8_t)(sponge->position + part);
            continue;
        }
#endif
        *out++ = byte_at(sponge, sponge->position);
        sponge->position++;
        size--;
    }
    return SELO_OK;
}
