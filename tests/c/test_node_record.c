/* The node's record store. The test cuts the power in every byte of every store. The record afterwards
 * must be the old one or the new one, complete. */
#include "selo_station/eeprom.h"
#include "selo_station/crc16.h"
#include "selo_station/record.h"
#include "check.h"

#include <setjmp.h>

enum { EEPROM_BYTES = 1024, SIZE = SELO_LINK_RECORD_BYTES, UNTOUCHED = 16 };

/* ---- An EEPROM whose power can be cut ------------------------------------------------- */

enum tear { TEAR_ERASED, TEAR_OLD, TEAR_NEW, TEAR_ANYTHING, TEARS };

static uint8_t memory[EEPROM_BYTES];
static jmp_buf power_cut;
static long puts_left = -1; /* -1: the power stays */
static enum tear tear;

uint8_t selo_eeprom_get(uint16_t address)
{
    if (address < UNTOUCHED || address >= EEPROM_BYTES)
        abort();
    return memory[address];
}

void selo_eeprom_put(uint16_t address, uint8_t value)
{
    uint8_t old = selo_eeprom_get(address);
    if (old == value)
        return;
    if (puts_left == 0) {
        const uint8_t left[TEARS] = {0xFF, old, value, (uint8_t)check_random()};
        memory[address] = left[tear];
        longjmp(power_cut, 1);
    }
    if (puts_left > 0)
        puts_left--;
    memory[address] = value;
}

/* Returns 1 if it completed, 0 if the power was cut in the byte after `bytes`. */
static int store_until(long bytes, const uint8_t record[SIZE])
{
    puts_left = bytes;
    if (setjmp(power_cut) == 0) {
        CHECK(selo_record_store(NULL, record) == SELO_OK);
        puts_left = -1;
        return 1;
    }
    puts_left = -1;
    return 0;
}

static int is_record(const uint8_t want[SIZE])
{
    uint8_t got[SIZE];
    return selo_record_load(NULL, got) == SELO_OK && memcmp(got, want, SIZE) == 0;
}

/* Changes seed and counter of a record, as a node does. */
static void next_record(uint8_t record[SIZE])
{
    check_random_bytes(record + 37, SIZE - 37);
}

static void test_stores(void)
{
    uint8_t record[SIZE], got[SIZE];
    memset(memory, 0xFF, sizeof memory);
    memset(got, 1, sizeof got);
    CHECK(selo_record_load(NULL, got) == SELO_ERROR_STORE);
    CHECK(check_is_zero(got, SIZE));
    check_random_bytes(record, SIZE);
    for (int i = 0; i < 20; i++) {
        CHECK(selo_record_store(NULL, record) == SELO_OK);
        CHECK(is_record(record));
        next_record(record);
    }
    /* Records in which all bytes are equal are also valid. */
    memset(record, 0xFF, SIZE);
    CHECK(selo_record_store(NULL, record) == SELO_OK && is_record(record));
    memset(record, 0, SIZE);
    CHECK(selo_record_store(NULL, record) == SELO_OK && is_record(record));
}

/* Cuts every store of a chain once in every byte, with every kind of tear. */
static void test_power_cuts(void)
{
    for (tear = 0; tear < TEARS; tear++) {
        uint8_t older[SIZE], newer[SIZE], image[EEPROM_BYTES];
        memset(memory, 0xFF, sizeof memory);
        check_random_bytes(newer, SIZE);
        for (int stored = 0; stored < 7; stored++) {
            memcpy(older, newer, SIZE);
            if (stored == 0) {
                memset(older, 0, SIZE); /* there is no older record */
            }
            next_record(newer);
            memcpy(image, memory, sizeof image);
            long cut = 0;
            while (!store_until(cut, newer)) {
                uint8_t got[SIZE];
                if (stored == 0)
                    CHECK(selo_record_load(NULL, got) == SELO_ERROR_STORE || is_record(newer));
                else
                    CHECK(is_record(older) || is_record(newer));
                /* Store again: first cut at the same place, then complete. */
                store_until(cut, newer);
                CHECK(stored == 0 || is_record(older) || is_record(newer));
                CHECK(selo_record_store(NULL, newer) == SELO_OK && is_record(newer));
                memcpy(memory, image, sizeof image);
                cut++;
            }
            CHECK(cut > 30);
            CHECK(is_record(newer));
        }
    }
}

static int holds(const uint8_t secret[32])
{
    for (size_t at = 0; at + 32 <= sizeof memory; at++)
        if (memcmp(memory + at, secret, 32) == 0)
            return 1;
    return 0;
}

static void test_erasing(void)
{
    uint8_t record[SIZE], secret[32], got[SIZE];
    memset(memory, 0xFF, sizeof memory);
    check_random_bytes(record, SIZE);
    memcpy(secret, record + 5, sizeof secret);
    CHECK(selo_record_store(NULL, record) == SELO_OK);
    memset(record + 5, 0, sizeof secret);
    CHECK(selo_record_store(NULL, record) == SELO_OK);
    CHECK(holds(secret));
    selo_record_erase_older();
    CHECK(!holds(secret));
    CHECK(is_record(record));
    CHECK(selo_record_store(NULL, record) == SELO_OK && is_record(record));
    selo_record_erase();
    CHECK(selo_record_load(NULL, got) == SELO_ERROR_STORE);
    size_t erased = 0;
    while (erased < sizeof memory && memory[erased] == 0xFF)
        erased++;
    CHECK(erased == sizeof memory);
}

/* ---- Starts in a row ------------------------------------------------------------------- */

static long programmed[EEPROM_BYTES]; /* number of writes of each byte */

static void note_programmed(const uint8_t before[EEPROM_BYTES])
{
    for (size_t at = 0; at < EEPROM_BYTES; at++)
        programmed[at] += before[at] != memory[at];
}

/* One start that lasts this many milliseconds, including the wait, and gathers randomness for 17 s
 * before it writes the record. Returns the milliseconds that it took. */
static double start_for(double milliseconds)
{
    uint8_t record[SIZE], before[EEPROM_BYTES];
    double needs = 256.0 * selo_record_wait();
    if (needs > milliseconds)
        return milliseconds;
    memcpy(before, memory, sizeof before);
    selo_record_count_start();
    if (needs + 17000 <= milliseconds) {
        (void)selo_record_load(NULL, record);
        next_record(record);
        CHECK(selo_record_store(NULL, record) == SELO_OK);
    }
    if (milliseconds >= 65536.0 * SELO_RECORD_SETTLED)
        selo_record_settle();
    note_programmed(before);
    return milliseconds;
}

static long most_programmed(void)
{
    long most = 0;
    for (size_t at = 0; at < EEPROM_BYTES; at++)
        if (programmed[at] > most)
            most = programmed[at];
    return most;
}

/* Simulates ten days in which the power is cut again and again, each time after so many milliseconds.
 * Every `settled`-th start lasts an hour instead; 0: none does. Returns the writes a day of the byte that
 * is written most. */
static double wear_a_day(double milliseconds, int settled)
{
    const double days = 10, hour = 65536.0 * SELO_RECORD_SETTLED + 1;
    double time = 0;
    memset(memory, 0xFF, sizeof memory);
    memset(programmed, 0, sizeof programmed);
    for (int i = 1; time < days * 86400e3; i++)
        time += start_for(settled != 0 && i % settled == 0 ? hour : milliseconds);
    return (double)most_programmed() / days;
}

static void test_starts(void)
{
    memset(memory, 0xFF, sizeof memory);
    for (int starts = 0; starts < 8; starts++) {
        CHECK(selo_record_wait() == 0);
        selo_record_count_start();
    }
    for (uint16_t wait = 32; wait < 4096; wait = (uint16_t)(2 * wait)) {
        CHECK(selo_record_wait() == wait);
        selo_record_count_start();
    }
    CHECK(selo_record_wait() == 4096);
    selo_record_count_start();
    CHECK(selo_record_wait() == 4096);
    selo_record_settle();
    CHECK(selo_record_wait() == 0);
    /* Counting starts does not change the record. */
    uint8_t record[SIZE];
    check_random_bytes(record, SIZE);
    selo_record_count_start();
    CHECK(selo_record_store(NULL, record) == SELO_OK);
    selo_record_count_start();
    CHECK(is_record(record));
}

/* The worst of many rhythms of power cuts. */
static void test_starts_wear(void)
{
    double worst_loop = 0, worst = 0;
    for (double seconds = 1; seconds < 3600; seconds *= 1.4) {
        double wear = wear_a_day(1000 * seconds, 0);
        if (wear > worst_loop)
            worst_loop = wear;
        for (int settled = 2; settled < 20; settled += 3) {
            wear = wear_a_day(1000 * seconds, settled);
            if (wear > worst)
                worst = wear;
        }
    }
    printf("the most written byte: %.1f writes a day in a loop of power cuts, %.0f years until "
           "100,000; %.1f writes and %.1f years in the worst rhythm\n",
           worst_loop, 1e5 / worst_loop / 365, worst, 1e5 / worst / 365);
    CHECK(worst_loop > 10 && worst_loop < 30);
    CHECK(worst > worst_loop && worst < 100);
}

/* A ring of two slots from older firmware. The newer record of the two is valid, and the next store
 * follows it. */
static void test_older_rings(void)
{
    for (int stored = 1; stored <= 7; stored++) {
        uint8_t record[SIZE], image[EEPROM_BYTES];
        memset(image, 0xFF, sizeof image);
        for (int i = 0; i < stored; i++) {
            uint8_t *slot = image + (i % 2 ? 112 : 16);
            check_random_bytes(record, SIZE);
            slot[0] = (uint8_t)(i % 3);
            memcpy(slot + 1, record, SIZE);
            uint16_t crc = SELO_CRC16_START;
            for (int at = 0; at < 1 + SIZE; at++)
                crc = selo_crc16(crc, slot[at]);
            slot[1 + SIZE] = (uint8_t)crc;
            slot[2 + SIZE] = (uint8_t)(crc >> 8);
        }
        memcpy(memory, image, sizeof memory);
        CHECK(is_record(record));
        for (int i = 0; i < 12; i++) {
            next_record(record);
            CHECK(selo_record_store(NULL, record) == SELO_OK && is_record(record));
        }
    }
}

/* A flipped bit in the current record makes it invalid: the older record is loaded instead. */
static void test_wear(void)
{
    uint8_t first[SIZE], second[SIZE];
    memset(memory, 0xFF, sizeof memory);
    check_random_bytes(first, SIZE);
    check_random_bytes(second, SIZE);
    CHECK(selo_record_store(NULL, first) == SELO_OK);
    uint8_t before[EEPROM_BYTES];
    memcpy(before, memory, sizeof before);
    CHECK(selo_record_store(NULL, second) == SELO_OK);
    for (size_t at = UNTOUCHED; at < sizeof memory; at++) {
        if (memory[at] == before[at])
            continue;
        memory[at] ^= 1;
        CHECK(is_record(first));
        memory[at] ^= 1;
    }
}

int main(void)
{
    test_stores();
    test_power_cuts();
    test_erasing();
    test_wear();
    test_starts();
    test_starts_wear();
    test_older_rings();
    return check_report("node_record");
}
