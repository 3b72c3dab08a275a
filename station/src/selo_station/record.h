/*
 * The node's record, kept in the EEPROM so that a power cut at any moment leaves
 * the older one or the newer one, whole.
 */
#ifndef SELO_STATION_RECORD_H
#define SELO_STATION_RECORD_H

#include <selo.h>

/* For struct selo_hal. */
enum selo_status selo_record_load(void *unused, uint8_t record[SELO_LINK_RECORD_BYTES]);
enum selo_status selo_record_store(void *unused, const uint8_t record[SELO_LINK_RECORD_BYTES]);

/*
 * Starts in a row. A supply that fails and comes back, again and again, must not wear the
 * EEPROM out: each start writes the record. So a start that follows many others waits before
 * it writes anything.
 */

/* After so many milliseconds of a start, in units of 2^16, the count begins anew: an hour. */
enum { SELO_RECORD_SETTLED = 55 };

/* Counts this start, once the wait is over. */
void selo_record_count_start(void);

/* Units of 256 ms that this start has to wait: none after seven others or fewer, then 32,
 * which is 8 s, twice as many after each other one, at most 4,096, which is 17 minutes. */
uint16_t selo_record_wait(void);

/* Begins the count anew. */
void selo_record_settle(void);

/* Erases the records that were replaced by the last one: they hold keys, too. */
void selo_record_erase_older(void);
/* Erases everything. */
void selo_record_erase(void);

#endif
