/* ChaCha20: its state, and encryption [RFC8439, 2.3, 2.4]. */
#include "../common/flash.h"
#include "../common/xor.h"
#include "chacha20.h"

/* "expand 32-byte k" */
static const uint32_t constants[4] SELO_FLASH = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};

static uint32_t word(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

void selo_chacha20_start(uint32_t state[16], const uint8_t key[32], const uint8_t nonce[12])
{
    for (uint8_t i = 0; i < 4; i++) {
        state[i] = selo_flash_u32(constants + i);
    }
    for (uint8_t i = 0; i < 8; i++) {
        state[4 + i] = word(key + 4 * i);
    }
    state[12] = 0;
    for (uint8_t i = 0; i < 3; i++) {
        state[13 + i] = word(nonce + 4 * i);
    }
}

void selo_chacha20_xor(uint32_t state[16], uint8_t *out, const uint8_t *in, size_t size)
{
    uint32_t stream[16];

    while (size != 0) {
        uint8_t taken = (uint8_t)(size < 64 ? size : 64);

        selo_chacha20_block(stream, state);
        state[12]++;
        selo_xor(&out, &in, (const uint8_t *)stream, taken);
        size -= taken;
    }
    selo_wipe(stream, sizeof stream);
}
