/*
 * CRC-16/CCITT-FALSE: polynomial 0x1021, starts from SELO_CRC16_START.
 */
#ifndef SELO_STATION_CRC16_H
#define SELO_STATION_CRC16_H

#include <stdint.h>

#define SELO_CRC16_START 0xFFFFu

/* The eight steps of the bitwise CRC at once. With this polynomial the bits of
 * the top byte affect only shifts by 4, 5 and 12. */
static inline uint16_t selo_crc16(uint16_t crc, uint8_t byte)
{
    uint8_t x = (uint8_t)((crc >> 8) ^ byte);
    x ^= (uint8_t)(x >> 4);
    return (uint16_t)((uint16_t)(crc << 8) ^ (uint16_t)((uint16_t)x << 12)
                      ^ (uint16_t)((uint16_t)x << 5) ^ x);
}

#endif
