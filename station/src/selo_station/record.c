/*
 * The record store: a ring of five slots, written in turn, so that each takes a fifth of the wear.
 *
 *     marker (1) || record (76) || CRC-16 over marker and record (2)
 *
 * The marker is a sequence number modulo 3; 0xFF is an erased slot. Five is not a multiple of three,
 * so exactly one valid slot of the ring is not followed by its successor: the newest. A store writes
 * the record and the CRC to the next slot, and the marker last. Until the marker is written, that
 * slot is invalid, or, if the CRCs happen to agree, still the oldest; the newest slot is unchanged.
 * A ring of two, as an older version wrote it, can also be read: the first slot that qualifies is the
 * newest.
 *
 * The byte after each slot counts starts in quick succession, as record.h explains. It is at most
 * 15; a higher value is an erased byte. The highest of the five bytes is valid. A start writes the
 * byte before the slot, so a start that loses power while it writes the record is counted.
 *
 * The first 16 bytes of the EEPROM are not used. A brown-out at the wrong moment writes to address
 * 0, where the address register is after a reset.
 */
#include "chip.h"

#if SELO_EEPROM

#include "record.h"
#include "eeprom.h"
#include "crc16.h"

enum {
    SLOTS = 5,
    FIRST_SLOT = 16,
    SLOT_STEP = 96,
    SLOTS_BELOW = 2, /* the gauge's ring; the other parts are above it */
    GAUGE_BYTES = 384,
    AT_RECORD = 1,
    AT_CRC = AT_RECORD + SELO_LINK_RECORD_BYTES,
    SLOT_BYTES = AT_CRC + 2,
    AT_STARTS = SLOT_BYTES,
    SEQUENCES = 3,
    STARTS_MAX = 15,
    STARTS_FREE = 8, /* starts that do not wait */
    ERASED = 0xFF,
    NONE = 0xFF
};
_Static_assert(AT_STARTS < SLOT_STEP, "the record has outgrown its slot");

static uint16_t address_of(uint8_t slot)
{
    return (uint16_t)(FIRST_SLOT + slot * SLOT_STEP + (slot < SLOTS_BELOW ? 0 : GAUGE_BYTES));
}

static uint8_t next_slot(uint8_t slot) { return slot + 1 == SLOTS ? 0 : (uint8_t)(slot + 1); }
static uint8_t next_marker(uint8_t marker) { return marker + 1 == SEQUENCES ? 0 : (uint8_t)(marker + 1); }
static uint8_t marker_of(uint8_t slot) { return selo_eeprom_get(address_of(slot)); }

static uint8_t is_valid(uint8_t slot)
{
    uint16_t at = address_of(slot), crc = SELO_CRC16_START;
    if (selo_eeprom_get(at) >= SEQUENCES)
        return 0;
    for (uint8_t i = 0; i < AT_CRC; i++)
        crc = selo_crc16(crc, selo_eeprom_get((uint16_t)(at + i)));
    return selo_eeprom_get((uint16_t)(at + AT_CRC)) == (uint8_t)crc
        && selo_eeprom_get((uint16_t)(at + AT_CRC + 1)) == (uint8_t)(crc >> 8);
}

/* Returns the slot with the last record that was stored completely, or NONE. */
static uint8_t current_slot(void)
{
    for (uint8_t slot = 0; slot < SLOTS; slot++) {
        uint8_t next = next_slot(slot);
        if (is_valid(slot) && !(is_valid(next) && marker_of(next) == next_marker(marker_of(slot))))
            return slot;
    }
    return NONE;
}

enum selo_status selo_record_load(void *unused, uint8_t record[SELO_LINK_RECORD_BYTES])
{
    (void)unused;
    uint8_t slot = current_slot();
    if (slot == NONE) {
        selo_wipe(record, SELO_LINK_RECORD_BYTES);
        return SELO_ERROR_STORE;
    }
    for (uint8_t i = 0; i < SELO_LINK_RECORD_BYTES; i++)
        record[i] = selo_eeprom_get((uint16_t)(address_of(slot) + AT_RECORD + i));
    return SELO_OK;
}

static uint8_t slot_to_write(void)
{
    uint8_t current = current_slot();
    return current == NONE ? 0 : next_slot(current);
}

enum selo_status selo_record_store(void *unused, const uint8_t record[SELO_LINK_RECORD_BYTES])
{
    (void)unused;
    uint8_t current = current_slot();
    uint8_t slot = current == NONE ? 0 : next_slot(current);
    uint8_t marker = current == NONE ? 0 : next_marker(marker_of(current));
    uint16_t at = address_of(slot), crc = selo_crc16(SELO_CRC16_START, marker);

    for (uint8_t i = 0; i < SELO_LINK_RECORD_BYTES; i++) {
        selo_eeprom_put((uint16_t)(at + AT_RECORD + i), record[i]);
        crc = selo_crc16(crc, record[i]);
    }
    selo_eeprom_put((uint16_t)(at + AT_CRC), (uint8_t)crc);
    selo_eeprom_put((uint16_t)(at + AT_CRC + 1), (uint8_t)(crc >> 8));
    selo_eeprom_put(at, marker);
    return is_valid(slot) ? SELO_OK : SELO_ERROR_STORE; /* worn out */
}

static uint16_t starts_of(uint8_t slot) { return (uint16_t)(address_of(slot) + AT_STARTS); }

static uint8_t starts(void)
{
    uint8_t most = 0;
    for (uint8_t slot = 0; slot < SLOTS; slot++) {
        uint8_t count = selo_eeprom_get(starts_of(slot));
        if (count <= STARTS_MAX && count > most)
            most = count;
    }
    return most;
}

uint16_t selo_record_wait(void)
{
    uint8_t before = starts();
    return before < STARTS_FREE ? 0 : (uint16_t)(32 << (before - STARTS_FREE));
}

void selo_record_count_start(void)
{
    uint8_t before = starts();
    selo_eeprom_put(starts_of(slot_to_write()), before < STARTS_MAX ? (uint8_t)(before + 1) : before);
}

void selo_record_settle(void)
{
    for (uint8_t slot = 0; slot < SLOTS; slot++)
        selo_eeprom_put(starts_of(slot), 0);
}

static void erase_slot(uint8_t slot)
{
    for (uint8_t i = 0; i < SLOT_BYTES; i++)
        selo_eeprom_put((uint16_t)(address_of(slot) + i), ERASED);
}

void selo_record_erase_older(void)
{
    uint8_t current = current_slot();
    for (uint8_t slot = 0; slot < SLOTS; slot++)
        if (slot != current)
            erase_slot(slot);
}

void selo_record_erase(void)
{
    for (uint8_t slot = 0; slot < SLOTS; slot++)
        erase_slot(slot);
}

#endif
