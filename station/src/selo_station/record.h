/*
 * The node's record in the EEPROM. A power cut at any moment leaves either the old record or the
 * new record, complete.
 */
#ifndef SELO_STATION_RECORD_H
#define SELO_STATION_RECORD_H

#include <selo.h>

/* For struct selo_hal. */
enum selo_status selo_record_load(void *unused, uint8_t record[SELO_LINK_RECORD_BYTES]);
enum selo_status selo_record_store(void *unused, const uint8_t record[SELO_LINK_RECORD_BYTES]);

/*
 * Counts starts in quick succession. Each start writes the record, so a supply that fails again and
 * again would wear the EEPROM out. A start that follows many others therefore waits before it
 * writes anything.
 */

/* Time after which the count is reset, in units of 2^16 milliseconds: an hour. */
enum { SELO_RECORD_SETTLED = 55 };

/* Counts this start. Call it after the wait. */
void selo_record_count_start(void);

/* Returns the wait of this start in units of 256 ms: none after at most seven others; then 32, which
 * is 8 s, doubled for each further start, at most 4,096, which is 17 minutes. */
uint16_t selo_record_wait(void);

/* Resets the count. */
void selo_record_settle(void);

/* Erases the records that the last one replaced, because they contain keys. */
void selo_record_erase_older(void);
/* Erases everything. */
void selo_record_erase(void);

#endif
