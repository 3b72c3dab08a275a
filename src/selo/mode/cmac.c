/* CMAC [SP800-38B]. */
#include <string.h>

#include "../../selo.h"
#include "cmac.h"

void selo_cmac_start(struct selo_cmac *mac, struct selo_cipher cipher)
{
    memset(mac, 0, sizeof *mac);
    mac->cipher = cipher;
}

/* A block is encrypted when a byte behind it comes, because the last block is not like the others. */
void selo_cmac_update(struct selo_cmac *mac, const void *data, size_t size)
{
    const uint8_t *bytes = data;

    for (; size != 0; size--) {
        if (mac->at == 16) {
            mac->cipher.encrypt(mac->cipher.key, mac->mac, mac->mac);
            mac->at = 0;
        }
        mac->mac[mac->at++] ^= *bytes++;
    }
}

void selo_cmac_twice(uint8_t block[16])
{
    uint8_t carry = (uint8_t)(0x87 & (0u - (block[0] >> 7)));

    for (uint8_t i = 16; i-- != 0;) {
        const uint8_t byte = block[i];
        block[i] = (uint8_t)((uint8_t)(byte << 1) ^ carry);
        carry = byte >> 7;
    }
}

void selo_cmac_finish(struct selo_cmac *mac, uint8_t tag[16])
{
    uint8_t subkey[16] = {0};

    mac->cipher.encrypt(mac->cipher.key, subkey, subkey);
    selo_cmac_twice(subkey);
    if (mac->at != 16) { /* incomplete: padded, and the other subkey */
        mac->mac[mac->at] ^= 0x80;
        selo_cmac_twice(subkey);
    }
    for (uint8_t i = 0; i < 16; i++) {
        mac->mac[i] ^= subkey[i];
    }
    mac->cipher.encrypt(mac->cipher.key, tag, mac->mac);
    selo_wipe(subkey, sizeof subkey);
    selo_wipe(mac, sizeof *mac);
}
