/* The health tests of the noise source. A source that is stuck, biased or has too few values is
 * rejected at the sample that the standard requires. Good sources pass. */
#include "selo_station/health.h"
#include "check.h"

static struct selo_health health;

static void start(void) { memset(&health, 0, sizeof health); }

/* Returns the number of samples up to the rejected one, or `most` if none of `most` is rejected. */
static uint32_t lasts(uint32_t most, uint8_t (*sample)(uint32_t at))
{
    start();
    for (uint32_t at = 0; at < most; at++)
        if (!selo_health_take(&health, sample(at)))
            return at + 1;
    return most;
}

static uint8_t stuck(uint32_t at) { (void)at; return 0x5A; }
static uint8_t good(uint32_t at) { (void)at; return (uint8_t)(check_random() >> 24); }

/* Random at first, then stuck at 7. */
static uint8_t sticks(uint32_t at) { return at < 700 ? (uint8_t)(check_random() >> 24 | 8) : 7; }

/* Seven of eight samples are 7, but never many in a row. */
static uint8_t leaning(uint32_t at) { return at % 8 == 7 ? (uint8_t)(at / 8 + 9) : 7; }

/* One bit of min-entropy for each sample, as claimed: half of the samples have the same value. */
static uint8_t as_claimed(uint32_t at)
{
    (void)at;
    uint32_t random = check_random();
    return (uint8_t)(random >> 31 ? 3 : random >> 20);
}

/* A chip without jitter: its interrupts alone give a few lengths in turn. */
static uint8_t narrow(uint32_t at) { return (uint8_t)(at % 15); }
static uint8_t wide_enough(uint32_t at) { return (uint8_t)(at * 7 % 16); }

/* 1 + CRITBINOM(512, 1/2, 1 - 2^-30), by its definition. */
static int cutoff(void)
{
    double probability = 1, above = 0;
    for (int i = 0; i < SELO_HEALTH_WINDOW; i++)
        probability /= 2;
    for (int k = SELO_HEALTH_WINDOW; k >= 0; k--) {
        above += probability;
        if (above > 1.0 / (1 << 30))
            return 1 + k;
        probability = probability * k / (SELO_HEALTH_WINDOW - k + 1);
    }
    return 0;
}

int main(void)
{
    CHECK(SELO_HEALTH_SAME == cutoff());
    CHECK(SELO_HEALTH_REPETITIONS == 1 + 30);
    CHECK(lasts(SELO_HEALTH_STARTUP, stuck) == SELO_HEALTH_REPETITIONS);
    CHECK(lasts(SELO_HEALTH_STARTUP, sticks) == 700 + SELO_HEALTH_REPETITIONS);
    /* The 325th 7 of the window is sample 371, because 7 of 8 samples are 7. */
    CHECK(lasts(SELO_HEALTH_STARTUP, leaning) == 371);
    CHECK(lasts(SELO_HEALTH_STARTUP, narrow) == SELO_HEALTH_BLOCK);
    CHECK(lasts(SELO_HEALTH_STARTUP, wide_enough) == SELO_HEALTH_STARTUP);
    for (int start_up = 0; start_up < 500; start_up++) {
        CHECK(lasts(SELO_HEALTH_STARTUP, good) == SELO_HEALTH_STARTUP);
        CHECK(lasts(SELO_HEALTH_STARTUP, as_claimed) == SELO_HEALTH_STARTUP);
    }
    return check_report("station_health");
}
