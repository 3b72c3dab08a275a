/*
 * Prints COUNT frames for an agent, most of them damaged, with stray bytes between them and an intact
 * HELLO at the end. Half of the damage is done before the CRC is computed, so that it reaches the
 * parser of the commands.
 *
 * usage: garbage SEED COUNT
 */
#include "../../lab/firmware/agent/frame.h"

#include <stdio.h>
#include <stdlib.h>

static uint32_t state;

static uint32_t random_bits(void)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

static uint8_t encoded[2048];
static size_t size;
static void keep(uint8_t byte) { encoded[size++] = byte; }

/* Makes a RUN command with up to five fields. One size in ten is wrong. */
static uint16_t random_run(uint8_t *body)
{
    uint16_t length = 0;
    uint8_t fields = (uint8_t)(random_bits() % 6);
    body[length++] = random_bits() % 8 == 0 ? (uint8_t)random_bits() : 2;
    body[length++] = (uint8_t)random_bits();
    body[length++] = (uint8_t)(random_bits() % 5);
    body[length++] = (uint8_t)(random_bits() % 8 == 0);
    body[length++] = (uint8_t)(random_bits() % 3);
    body[length++] = 0;
    body[length++] = fields;
    for (uint8_t i = 0; i < fields; i++) {
        uint16_t bytes = random_bits() % 2 ? 16 : (uint16_t)(random_bits() % 90);
        uint16_t stated = random_bits() % 10 == 0 ? (uint16_t)random_bits() : bytes;
        body[length++] = (uint8_t)stated;
        body[length++] = (uint8_t)(stated >> 8);
        while (bytes-- != 0)
            body[length++] = (uint8_t)random_bits();
    }
    return length;
}

int main(int argc, char **argv)
{
    static uint8_t body[1024];
    if (argc != 3)
        return 2;
    state = (uint32_t)strtoul(argv[1], NULL, 10) * 2654435761u + 1;
    for (unsigned long left = strtoul(argv[2], NULL, 10); left != 0; left--) {
        uint16_t length = random_run(body);
        if (random_bits() % 4 == 0)
            body[random_bits() % length] ^= (uint8_t)(1u << random_bits() % 8);
        size = 0;
        frame_encode(body, length, keep);
        if (random_bits() % 4 == 0)
            encoded[random_bits() % size] = (uint8_t)random_bits();
        fwrite(encoded, 1, size, stdout);
        if (random_bits() % 16 == 0)
            for (uint32_t stray = random_bits() % 64; stray != 0; stray--)
                putchar((int)(random_bits() & 0xFF));
    }
    body[0] = 1;
    body[1] = 0x5A;
    size = 0;
    keep(0);
    frame_encode(body, 2, keep);
    fwrite(encoded, 1, size, stdout);
    return 0;
}
