/*
 * Constant tables in flash. Declare static const uint8_t name[n] SELO_FLASH = {...} and read it
 * with selo_flash_*(). Where flash is ordinary memory (SELO_FLASH_TABLES 0), these are plain reads.
 */
#ifndef SELO_COMMON_FLASH_H
#define SELO_COMMON_FLASH_H

#include <stdint.h>

#include "compiler.h"

#if SELO_FLASH_TABLES
#include <avr/pgmspace.h>
#define SELO_FLASH PROGMEM
static inline uint8_t selo_flash_u8(const uint8_t *address) { return pgm_read_byte(address); }
static inline uint16_t selo_flash_u16(const uint16_t *address) { return pgm_read_word(address); }
static inline uint32_t selo_flash_u32(const uint32_t *address) { return pgm_read_dword(address); }
static inline uint64_t selo_flash_u64(const uint64_t *address)
{
    const uint32_t *half = (const uint32_t *)(const void *)address;
    return (uint64_t)pgm_read_dword(half) | (uint64_t)pgm_read_dword(half + 1) << 32;
}
#else
#define SELO_FLASH
static inline uint8_t selo_flash_u8(const uint8_t *address) { return *address; }
static inline uint16_t selo_flash_u16(const uint16_t *address) { return *address; }
static inline uint32_t selo_flash_u32(const uint32_t *address) { return *address; }
static inline uint64_t selo_flash_u64(const uint64_t *address) { return *address; }
#endif

/*
 * Reads byte `index` of a table of 256 bytes in flash at a 256-byte boundary (SELO_ALIGNED_256).
 * The index replaces the low byte of the table's address. The address stays inside the table, so
 * on AVR the pointer stays in Z. A look-up is one mov and one lpm: 4 cycles for every index.
 */
SELO_INLINE uint8_t selo_flash_lookup(const uint8_t **table, uint8_t index)
{
#if SELO_FLASH_TABLES
    uint8_t value;
    __asm__("mov %A0, %2\n\t"
            "lpm %1, Z"
            : "+z"(*table), "=r"(value)
            : "r"(index));
    return value;
#else
    return (*table)[index];
#endif
}

#endif
