/*
 * The record store: two slots, written in turn.
 *
 *     marker (1) || record (76) || CRC-16 over marker and record (2)
 *
 * The marker is a sequence number modulo 3, so of two slots the newer is known; 0xFF
 * is an erased slot. Storing writes record and CRC over the older slot and the marker
 * last. Until it stands, that slot is invalid, or by a coincidence of CRCs the older
 * one still; the other is the one that counts.
 *
 * The first 16 bytes of the EEPROM are left alone: a brown-out at the wrong moment
 * writes to address 0, where the address register is after a reset.
 */
#include "../common/platform.h"

#if SELO_EEPROM

#include "record.h"
#include "eeprom.h"
#include "crc16.h"

enum {
    SLOTS = 2,
    FIRST_SLOT = 16,
    SLOT_STEP = 96,
    AT_RECORD = 1,
    AT_CRC = AT_RECORD + SELO_LINK_RECORD_BYTES,
    SLOT_BYTES = AT_CRC + 2,
    SEQUENCES = 3,
    ERASED = 0xFF,
    NONE = 0xFF
};
_Static_assert(SLOT_BYTES <= SLOT_STEP, "the record has outgrown its slot");

static uint16_t address_of(uint8_t slot) { return (uint16_t)(FIRST_SLOT + slot * SLOT_STEP); }
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

/* The slot with the last record that was stored completely, or NONE. */
static uint8_t current_slot(void)
{
    uint8_t first = is_valid(0), second = is_valid(1);
    if (first && second)
        return (uint8_t)(marker_of(0) + 1) % SEQUENCES == marker_of(1) ? 1 : 0;
    return first ? 0 : second ? 1 : NONE;
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

enum selo_status selo_record_store(void *unused, const uint8_t record[SELO_LINK_RECORD_BYTES])
{
    (void)unused;
    uint8_t current = current_slot();
    uint8_t slot = current == 0;
    uint8_t marker = current == NONE ? 0 : (uint8_t)(marker_of(current) + 1) % SEQUENCES;
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
