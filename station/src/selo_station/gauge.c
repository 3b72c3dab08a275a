/*
 * A ring of entries in the EEPROM:
 *
 *     total (4, low byte first) || CRC-16 over it (2, low byte first)
 *
 * The place of an entry is its total modulo the number of entries. Of the entries that are in their
 * place and have a correct CRC, the highest total is valid. A tip overwrites the oldest entry, so a power cut in
 * any byte leaves the previous total. Each byte is programmed once in 64 tips. Its endurance of
 * 100,000 writes [ATMEGA328P, 8.4] is therefore 6.4 million tips, a thousand kilometres of rain.
 *
 * The interrupt counts edges. The EEPROM's interrupt stores the count, one byte at a time. It is
 * stored 20 ms after an edge, even while the main loop computes. The contact closes for about a
 * tenth of a second and bounces at both ends. No rain tips a bucket twice within
 * DEAD_MILLISECONDS.
 */
#include "chip.h"

#if SELO_EEPROM

#include "gauge.h"
#include "eeprom.h"
#include "crc16.h"

enum {
    ENTRIES = 64, /* a power of two, because totals wrap at 2^32 */
    FIRST_ENTRY = 208, /* between the slots of the record */
    AT_CRC = 4,
    ENTRY_BYTES = AT_CRC + 2,
    DEAD_MILLISECONDS = 250
};

/* Used by interrupts, or with interrupts off. */
static uint32_t counted;
static uint32_t stored;
static uint32_t storing; /* the total of the entry that is being stored */
static uint8_t next = ENTRY_BYTES; /* the index of its next byte */

static uint16_t address_of(uint32_t count)
{
    return (uint16_t)(FIRST_ENTRY + (uint8_t)(count % ENTRIES) * ENTRY_BYTES);
}

static uint8_t byte_of(uint32_t count, uint8_t at) { return (uint8_t)(count >> (8 * at)); }

static __attribute__((noinline)) uint16_t crc_of(uint32_t count)
{
    uint16_t crc = SELO_CRC16_START;
    for (uint8_t i = 0; i < AT_CRC; i++)
        crc = selo_crc16(crc, byte_of(count, i));
    return crc;
}

/* Returns byte `i` of the entry with this total and CRC. */
static uint8_t entry_byte(uint32_t count, uint16_t crc, uint8_t i)
{
    return (uint8_t)(i < AT_CRC ? byte_of(count, i) : crc >> (8 * (i - AT_CRC)));
}

void selo_gauge_begin(void)
{
    uint32_t total = 0;
    for (uint8_t entry = 0; entry < ENTRIES; entry++) {
        uint16_t address = address_of(entry);
        uint32_t count = 0;
        for (uint8_t i = AT_CRC; i-- > 0;)
            count = count << 8 | selo_eeprom_get((uint16_t)(address + i));
        uint16_t crc = crc_of(count);
        if (address_of(count) == address && count > total
            && selo_eeprom_get((uint16_t)(address + AT_CRC)) == (uint8_t)crc
            && selo_eeprom_get((uint16_t)(address + AT_CRC + 1)) == (uint8_t)(crc >> 8))
            total = count;
    }
    counted = stored = storing = total;
    next = ENTRY_BYTES;
}

uint8_t selo_gauge_edge(uint32_t milliseconds)
{
    static uint32_t last;
    static uint8_t tipped;
    if (tipped && milliseconds - last < DEAD_MILLISECONDS)
        return 0;
    counted++;
    last = milliseconds;
    tipped = 1;
    return 1;
}

uint8_t selo_gauge_byte(uint16_t *address, uint8_t *value)
{
    for (;;) {
        uint16_t crc = crc_of(storing);
        while (next < ENTRY_BYTES) {
            *address = (uint16_t)(address_of(storing) + next);
            *value = entry_byte(storing, crc, next);
            next++;
            if (selo_eeprom_get(*address) != *value)
                return 1;
        }
        stored = storing;
        if (counted == stored)
            return 0;
        storing = counted;
        next = 0;
    }
}

uint8_t selo_gauge_is_storing(void) { return counted != stored; }

uint32_t selo_gauge_total(void) { return stored; }

#endif
