/* The rain gauge's total. The test cuts the power in every byte of every store. The total afterwards
 * must be the one before the tip or the one after it. The test simulates the EEPROM's interrupt. */
#include "selo_station/eeprom.h"
#include "selo_station/gauge.h"
#include "check.h"

#include <setjmp.h>

enum { EEPROM_BYTES = 1024, RING_BEGIN = 208, RING_BYTES = 6 * 64, DEAD = 250 };

enum tear { TEAR_ERASED, TEAR_OLD, TEAR_NEW, TEAR_ANYTHING, TEARS };

static uint8_t memory[EEPROM_BYTES];
static uint32_t programmed[EEPROM_BYTES];
static jmp_buf power_cut;
static long puts_left = -1; /* -1: the power stays */
static enum tear tear;
static uint32_t now;

uint8_t selo_eeprom_get(uint16_t address)
{
    if (address < RING_BEGIN || address >= RING_BEGIN + RING_BYTES)
        abort();
    return memory[address];
}

static void program(uint16_t address, uint8_t value)
{
    uint8_t old = selo_eeprom_get(address);
    CHECK(old != value);
    if (puts_left == 0) {
        const uint8_t left[TEARS] = {0xFF, old, value, (uint8_t)check_random()};
        memory[address] = left[tear];
        longjmp(power_cut, 1);
    }
    if (puts_left > 0)
        puts_left--;
    memory[address] = value;
    programmed[address]++;
}

/* The interrupt comes as often as it has something to do. */
static void store(void)
{
    uint16_t address;
    uint8_t value;
    while (selo_gauge_byte(&address, &value))
        program(address, value);
}

static void tip(void)
{
    now += DEAD;
    CHECK(selo_gauge_edge(now));
}

static uint32_t after_restart(void)
{
    selo_gauge_begin();
    return selo_gauge_total();
}

static void test_counting(void)
{
    memset(memory, 0xFF, sizeof memory);
    CHECK(after_restart() == 0);
    for (uint32_t i = 1; i <= 1000; i++) {
        tip();
        CHECK(selo_gauge_is_storing());
        store();
        CHECK(!selo_gauge_is_storing());
        CHECK(selo_gauge_total() == i);
        CHECK(after_restart() == i);
    }
    /* Several tips during a handshake. */
    tip();
    tip();
    tip();
    store();
    CHECK(after_restart() == 1003);
    store();
    CHECK(after_restart() == 1003);
    /* An EEPROM of zeros holds no valid total. */
    memset(memory, 0, sizeof memory);
    CHECK(after_restart() == 0);
}

static void test_bounces(void)
{
    memset(memory, 0xFF, sizeof memory);
    CHECK(after_restart() == 0);
    now += DEAD;
    for (uint32_t bounce = 0; bounce < DEAD; bounce += 7)
        CHECK(selo_gauge_edge(now + bounce) == (bounce == 0));
    store();
    CHECK(selo_gauge_total() == 1);
    /* Tips 2^16 ms apart, which a counter of 16 bits could not distinguish. */
    for (uint32_t i = 0; i < 5; i++) {
        now += 65536;
        selo_gauge_edge(now);
    }
    store();
    CHECK(selo_gauge_total() == 6);
    /* The milliseconds wrap. */
    now = UINT32_MAX - 10;
    selo_gauge_edge(now);
    now += DEAD;
    selo_gauge_edge(now);
    store();
    CHECK(selo_gauge_total() == 8);
}

/* Returns 1 if it completed, 0 if the power was cut in the byte after `bytes`. */
static int store_until(long bytes)
{
    puts_left = bytes;
    if (setjmp(power_cut) == 0) {
        store();
        puts_left = -1;
        return 1;
    }
    puts_left = -1;
    return 0;
}

static void begin_at(uint32_t total)
{
    memset(memory, 0xFF, sizeof memory);
    selo_gauge_begin();
    while (selo_gauge_total() < total) {
        tip();
        store();
    }
}

static void test_power_cuts(void)
{
    static const uint32_t starts[] = {0, 1, 62, 63, 64, 254, 255, 256, 65534, 65535, 65536};
    for (tear = 0; tear < TEARS; tear++) {
        for (size_t s = 0; s < sizeof starts / sizeof starts[0]; s++) {
            uint8_t image[EEPROM_BYTES];
            begin_at(starts[s]);
            memcpy(image, memory, sizeof image);
            long cut = 0;
            for (;; cut++) {
                CHECK(after_restart() == starts[s]);
                tip();
                int whole = store_until(cut);
                uint32_t left = after_restart();
                CHECK(left == starts[s] || left == starts[s] + 1);
                CHECK(!whole || left == starts[s] + 1);
                /* Counting continues from there. */
                tip();
                store();
                CHECK(after_restart() == left + 1);
                memcpy(memory, image, sizeof memory);
                if (whole)
                    break;
            }
            CHECK(cut >= 3 && cut <= 6);
        }
    }
}

/* A tip while an earlier one is being stored. Neither is lost, and a reading never reports more tips
 * than a power cut would leave. */
static void test_tips_while_storing(void)
{
    for (uint32_t start = 0; start < 300; start++) {
        for (int bytes = 0; bytes < 7; bytes++) {
            uint16_t address;
            uint8_t value;
            begin_at(start);
            tip();
            for (int i = 0; i < bytes && selo_gauge_byte(&address, &value); i++)
                program(address, value);
            tip();
            CHECK(selo_gauge_is_storing());
            CHECK(selo_gauge_total() <= start + 1);
            store();
            CHECK(selo_gauge_total() == start + 2);
            CHECK(after_restart() == start + 2);
        }
    }
}

/* A flipped bit in the newest entry costs one tip. */
static void test_wear(void)
{
    begin_at(300);
    uint16_t at = RING_BEGIN + 300 % 64 * 6;
    for (uint16_t bit = 0; bit < 48; bit++) {
        memory[at + bit / 8] ^= (uint8_t)(1 << bit % 8);
        CHECK(after_restart() == 299);
        memory[at + bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    CHECK(after_restart() == 300);
    memset(programmed, 0, sizeof programmed);
    for (int i = 0; i < 6400; i++) {
        tip();
        store();
    }
    for (uint16_t i = 0; i < EEPROM_BYTES; i++)
        CHECK(programmed[i] <= 100);
}

int main(void)
{
    test_counting();
    test_bounces();
    test_power_cuts();
    test_tips_while_storing();
    test_wear();
    return check_report("node_gauge");
}
