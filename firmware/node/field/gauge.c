/*
 * A ring of entries in the EEPROM:
 *
 *     total (4, low byte first) || CRC-16 over it (2, low byte first)
 *
 * The entry of a total has its place: the total modulo the number of entries. The
 * highest total that stands in its place with its CRC counts. A tip overwrites the
 * oldest entry, so a power cut in any byte leaves the total before it, and each byte
 * is programmed once in 64 tips: its 100,000 times [ATMEGA328P, 8.4] are 6.4 million
 * tips, a thousand kilometres of rain.
 *
 * The interrupt counts edges and the main loop stores them, each in a variable of its
 * own. The contact closes for about a tenth of a second and bounces at both ends.
 * Buckets do not tip as fast as DEAD_MILLISECONDS in any rain.
 */
#include "gauge.h"
#include "eeprom.h"
#include "frame.h"

enum {
    ENTRIES = 64, /* a power of two: totals go round at 2^32 */
    FIRST_ENTRY = 208, /* above the record's slots */
    AT_CRC = 4,
    ENTRY_BYTES = AT_CRC + 2,
    DEAD_MILLISECONDS = 250
};

static uint32_t total;
static volatile uint8_t tips; /* since the start; the interrupt's */
static uint8_t stored;        /* of them; the main loop's */

static uint16_t address_of(uint32_t count)
{
    return (uint16_t)(FIRST_ENTRY + (uint8_t)(count % ENTRIES) * ENTRY_BYTES);
}

static uint8_t byte_of(uint32_t count, uint8_t at) { return (uint8_t)(count >> (8 * at)); }

static uint16_t crc_of(uint32_t count)
{
    uint16_t crc = FRAME_CRC_START;
    for (uint8_t i = 0; i < AT_CRC; i++)
        crc = frame_crc(crc, byte_of(count, i));
    return crc;
}

void gauge_begin(void)
{
    total = 0;
    stored = tips;
    for (uint8_t entry = 0; entry < ENTRIES; entry++) {
        uint16_t at = address_of(entry);
        uint32_t count = 0;
        for (uint8_t i = AT_CRC; i-- > 0;)
            count = count << 8 | eeprom_get((uint16_t)(at + i));
        uint16_t crc = crc_of(count);
        if (address_of(count) == at && count > total
            && eeprom_get((uint16_t)(at + AT_CRC)) == (uint8_t)crc
            && eeprom_get((uint16_t)(at + AT_CRC + 1)) == (uint8_t)(crc >> 8))
            total = count;
    }
}

void gauge_edge(uint32_t milliseconds)
{
    static uint32_t last;
    static uint8_t tipped;
    if (!tipped || milliseconds - last >= DEAD_MILLISECONDS) {
        tips++;
        last = milliseconds;
        tipped = 1;
    }
}

uint8_t gauge_waiting(void) { return tips != stored; }

void gauge_store(void)
{
    uint8_t more = (uint8_t)(tips - stored);
    if (more == 0)
        return;
    total += more;
    stored = (uint8_t)(stored + more);
    uint16_t at = address_of(total), crc = crc_of(total);
    for (uint8_t i = 0; i < AT_CRC; i++)
        eeprom_put((uint16_t)(at + i), byte_of(total, i));
    eeprom_put((uint16_t)(at + AT_CRC), (uint8_t)crc);
    eeprom_put((uint16_t)(at + AT_CRC + 1), (uint8_t)(crc >> 8));
}

uint32_t gauge_total(void) { return total; }
