/*
 * The node's record, kept in the EEPROM so that a power cut at any moment leaves
 * the older one or the newer one, whole.
 */
#ifndef SELO_STATION_RECORD_H
#define SELO_STATION_RECORD_H

#include "../../selo.h"

/* For struct selo_hal. */
enum selo_status selo_record_load(void *unused, uint8_t record[SELO_LINK_RECORD_BYTES]);
enum selo_status selo_record_store(void *unused, const uint8_t record[SELO_LINK_RECORD_BYTES]);

/* Erases the record that was replaced by the last one: it holds keys, too. */
void selo_record_erase_older(void);
/* Erases everything. */
void selo_record_erase(void);

#endif
