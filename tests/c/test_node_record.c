/* The node's record store: the power is cut in every byte of every store, and what
 * is left must be the older record or the newer one, whole. */
#include "selo/station/eeprom.h"
#include "selo/station/record.h"
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

/* 1 if it came to an end, 0 if the power was cut in the byte after `bytes`. */
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

/* A record that differs from the last one as records do: seed and counter. */
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
    /* Records of nothing but one value are as good as others. */
    memset(record, 0xFF, SIZE);
    CHECK(selo_record_store(NULL, record) == SELO_OK && is_record(record));
    memset(record, 0, SIZE);
    CHECK(selo_record_store(NULL, record) == SELO_OK && is_record(record));
}

/* Cuts every store of a chain once in every byte, by every kind of tear. */
static void test_power_cuts(void)
{
    for (tear = 0; tear < TEARS; tear++) {
        uint8_t older[SIZE], newer[SIZE], image[EEPROM_BYTES];
        memset(memory, 0xFF, sizeof memory);
        check_random_bytes(newer, SIZE);
        for (int stored = 0; stored < 7; stored++) {
            memcpy(older, newer, SIZE);
            if (stored == 0) {
                memset(older, 0, SIZE); /* there is none */
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
                /* Again, cut again at the same place, then not cut. */
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

/* Any bit that flips in the current record is noticed. */
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
    return check_report("node_record");
}
