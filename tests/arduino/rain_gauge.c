/*
 * Runs the RainGauge sketch on a simulated Uno, and simulates its surroundings: the E32 module on its
 * serial line, the bucket, the button, the clock, and the gateway behind the radio. The sketch pairs by
 * its button, joins and sends readings. The test sets its clock and cuts its power.
 *
 * usage: rain_gauge EEPROM RUNNER [OPTION]... SKETCH.elf
 *
 * The gateway is that of the C tests (tests/c/link_peer.h).
 */
#define _POSIX_C_SOURCE 200809L
#include "../c/link_peer.h"

#include "selo_station/eeprom.h"
#include "selo_station/record.h"
#include "selo_station/reading.h"

#include <unistd.h>

enum {
    CYCLES = 16000, /* a millisecond */
    EEPROM_BYTES = 1024,
    TIME = 1795343211, /* the clock's time at the start */
    LINE_MAX_BYTES = 4096
};

static void fail(const char *what)
{
    fprintf(stderr, "rain_gauge: %s\n", what);
    exit(1);
}

/* ---- The EEPROM before the first start ------------------------------------------------ */

static uint8_t eeprom[EEPROM_BYTES];

uint8_t selo_eeprom_get(uint16_t address) { return eeprom[address]; }
void selo_eeprom_put(uint16_t address, uint8_t value) { eeprom[address] = value; }

/* A simulated chip has no jitter, so a node needs a seed in its record to start. A node on this machine
 * makes that record. Returns its id, which the sketch then uses. */
static uint32_t prepare(const char *path)
{
    struct world world;
    struct selo_hal hal;
    struct selo_node node;
    FILE *file = fopen(path, "wb");
    memset(eeprom, 0xFF, sizeof eeprom);
    link_begin(&world, &hal, &node);
    CHECK(selo_record_store(NULL, world.record) == SELO_OK);
    if (!file || fwrite(eeprom, 1, sizeof eeprom, file) != sizeof eeprom || fclose(file) != 0)
        fail("cannot write the EEPROM file");
    return selo_node_id(&node);
}

/* ---- The chip ------------------------------------------------------------------------- */

static FILE *to_chip, *from_chip;
static uint32_t now; /* milliseconds */
static unsigned long long cycle, deep;
static unsigned deepest_stack;
static uint8_t m0, m1;
static char text[1024]; /* console text that next_line has not consumed yet */
static size_t text_size;

static void run_runner(char **arguments)
{
    int in[2], out[2];
    if (pipe(in) != 0 || pipe(out) != 0)
        fail("cannot create a pipe");
    pid_t child = fork();
    if (child < 0)
        fail("cannot start the simulator");
    if (child == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        close(in[1]);
        close(out[0]);
        execv(arguments[0], arguments);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    to_chip = fdopen(in[1], "w");
    from_chip = fdopen(out[0], "r");
}

static void pin(char port, int bit, int level)
{
    fprintf(to_chip, "pin %c %d %d\n", port, bit, level);
}

static void module_hears(uint8_t byte);

/* Converts pairs of hexadecimal digits to bytes. Returns their number. */
static size_t from_hex(const char *hex, uint8_t *bytes)
{
    size_t size = 0;
    unsigned byte;
    while (sscanf(hex, "%2x", &byte) == 1) {
        bytes[size++] = (uint8_t)byte;
        hex += 2;
    }
    return size;
}

/* Advances the chip by a millisecond. */
static void advance(void)
{
    static char line[LINE_MAX_BYTES];
    static uint8_t bytes[LINE_MAX_BYTES];
    fprintf(to_chip, "advance %d\n", CYCLES);
    fflush(to_chip);
    for (;;) {
        char port, word[16];
        unsigned bit, level, stack;
        unsigned long long light;
        if (!fgets(line, sizeof line, from_chip))
            fail("the simulator ended");
        if (sscanf(line, "%15[a-z] cycle=%llu stack=%u light=%llu deep=%llu", word, &cycle, &stack,
                   &light, &deep) == 5) {
            deepest_stack = stack > deepest_stack ? stack : deepest_stack;
            now++;
            return; /* paused or idle */
        }
        if (strncmp(line, "recv ", 5) == 0) {
            size_t size = from_hex(line + 5, bytes);
            for (size_t i = 0; i < size; i++)
                module_hears(bytes[i]);
        } else if (strncmp(line, "console ", 8) == 0) {
            size_t size = from_hex(line + 8, bytes);
            if (text_size + size >= sizeof text)
                fail("too much text");
            memcpy(text + text_size, bytes, size);
            text_size += size;
            text[text_size] = '\0';
        } else if (sscanf(line, "pin %c %u %u", &port, &bit, &level) == 3) {
            *(bit == 4 ? &m0 : &m1) = (uint8_t)level;
        } else if (strncmp(line, "ready ", 6) != 0 && strncmp(line, "span ", 5) != 0) {
            fail(line);
        }
    }
}

/* ---- The E32 module: silence ends a frame --------------------------------------------- */

enum { SILENCE = 4, ON_AIR = 300, BEFORE_OUTPUT = 5, WAKING = 3 };

static uint8_t filling[64], filled; /* from the chip */
static uint8_t heard[64], heard_size; /* the newest frame at the gateway; 0: none */
static uint8_t coming[58], coming_size; /* a frame from the gateway, on the air */
static uint32_t last_byte, busy_until, comes_at;
static unsigned frames, deaf; /* frames from the node; frames that came while the module slept */

static void busy_for(uint32_t milliseconds)
{
    if (busy_until < now + milliseconds)
        busy_until = now + milliseconds;
}

static void module_hears(uint8_t byte)
{
    CHECK(!m0 && !m1); /* a sleeping module accepts no bytes */
    if (filled == sizeof filling)
        fail("a frame is too long");
    filling[filled++] = byte;
    last_byte = now;
    busy_for(SILENCE + 1);
}

static void module_works(void)
{
    static uint8_t was_asleep, was_free = 2;
    uint8_t asleep = m0 && m1;
    if (was_asleep && !asleep)
        busy_for(WAKING);
    was_asleep = asleep;
    if (filled != 0 && now - last_byte >= SILENCE) {
        memcpy(heard, filling, filled);
        heard_size = filled;
        filled = 0;
        frames++;
        busy_for(ON_AIR);
    }
    if (coming_size != 0 && now >= comes_at) {
        if (asleep) {
            deaf++;
        } else {
            fputs("send ", to_chip);
            for (uint8_t i = 0; i < coming_size; i++)
                fprintf(to_chip, "%02x", coming[i]);
            fputs("\n", to_chip);
            busy_for(coming_size * 10U / 9 + 2);
        }
        coming_size = 0;
    } else if (coming_size != 0 && now + BEFORE_OUTPUT >= comes_at && !asleep) {
        busy_for(BEFORE_OUTPUT + 1);
    }
    uint8_t is_free = now >= busy_until;
    if (is_free != was_free)
        pin('D', 6, is_free);
    was_free = is_free;
}

static void step(void)
{
    module_works();
    advance();
}

static void wait(uint32_t milliseconds)
{
    while (milliseconds-- > 0)
        step();
}

/* ---- The gateway's side ------------------------------------------------------------- */

static void send_frame(const uint8_t *frame, uint8_t size)
{
    memcpy(coming, frame, size);
    coming_size = size;
    comes_at = (now < busy_until ? busy_until : now) + ON_AIR;
}

/* Waits for the next frame of this type for at most that many seconds. Drops other frames. */
static const uint8_t *next_frame(uint8_t type, uint32_t seconds)
{
    for (uint32_t end = now + 1000 * seconds; now < end; step()) {
        if (heard_size != 0 && (heard[0] & SELO_FRAME_TYPE) == type)
            return heard;
        heard_size = 0;
    }
    fprintf(stderr, "no frame %02x in %u s; the console: %s\n", type, (unsigned)seconds, text);
    exit(1);
}

/* Waits for a console line that contains `start`. Returns the rest of the line after it. */
static const char *next_line(const char *start, uint32_t seconds)
{
    for (uint32_t end = now + 1000 * seconds; now < end; step()) {
        const char *found = strstr(text, start), *rest = found ? found + strlen(start) : NULL;
        if (found && strchr(rest, '\n')) {
            static char line[sizeof text];
            size_t size = strcspn(rest, "\r\n");
            memcpy(line, rest, size);
            line[size] = '\0';
            text_size = 0;
            text[0] = '\0';
            return line;
        }
    }
    fprintf(stderr, "no line '%s' in %u s but: %s\n", start, (unsigned)seconds, text);
    exit(1);
}

static struct peer session;
static uint32_t expected; /* the counter of the next UP */

/* Answers the next JOIN-REQUEST. */
static void join(const uint8_t device_key[32], uint32_t id)
{
    uint8_t accept[58];
    if (!peer_accept(&session, accept, next_frame(SELO_FRAME_JOIN_REQUEST, 60), device_key, id, 0))
        fail("a join's tag is wrong");
    heard_size = 0;
    send_frame(accept, sizeof accept);
    expected = 0;
}

/* Waits for the next reading, and decrypts it. */
static struct selo_reading next_reading(void)
{
    uint8_t plaintext[58];
    struct selo_reading reading;
    const uint8_t *frame = next_frame(SELO_FRAME_UP, 8);
    int size = peer_open(&session, frame, heard_size, expected++, plaintext);
    heard_size = 0;
    if (!CHECK(size == sizeof reading))
        fail("a frame is not a reading");
    reading.time = selo_link_get(plaintext, 4);
    reading.tips = selo_link_get(plaintext + 4, 4);
    reading.centidegrees = (int32_t)selo_link_get(plaintext + 8, 4);
    reading.battery_millivolts = (uint16_t)selo_link_get(plaintext + 12, 2);
    reading.status = (uint16_t)selo_link_get(plaintext + 14, 2);
    return reading;
}

/* ---- The station's surroundings ------------------------------------------------------ */

static void press_button(int milliseconds)
{
    pin('D', 2, 0);
    wait(milliseconds);
    pin('D', 2, 1);
}

/* The bucket tips: its contact closes for a tenth of a second, and bounces at both ends. */
static void tip(void)
{
    for (int bounce = 0; bounce < 3; bounce++) {
        pin('D', 3, 0);
        wait(1);
        pin('D', 3, 1);
        wait(2);
    }
    pin('D', 3, 0);
    wait(100);
    for (int bounce = 0; bounce < 3; bounce++) {
        pin('D', 3, 1);
        wait(2);
        pin('D', 3, 0);
        wait(1);
    }
    pin('D', 3, 1);
    wait(300);
}

/* ---- The test -------------------------------------------------------------------------- */

static void pairs_and_joins(struct gateway *gateway, uint32_t id)
{
    uint8_t commit[38], result[21];
    char digits[8];
    CHECK(strtoul(next_line("id ", 10), NULL, 16) == id);
    next_line("unpaired", 10);
    wait(500); /* a button held at the start makes the station forget its keys */
    press_button(200);
    memcpy(commit, next_frame(SELO_FRAME_PAIR_COMMIT, 10), sizeof commit);
    CHECK(heard_size == sizeof commit && selo_link_get(commit + 1, 4) == id);
    heard_size = 0;
    gateway_start(gateway, id);
    send_frame(gateway->key_frame, sizeof gateway->key_frame);
    if (!gateway_derive(gateway, commit, next_frame(SELO_FRAME_PAIR_REVEAL, 10)))
        fail("the reveal does not open the commitment");
    heard_size = 0;
    snprintf(digits, sizeof digits, "%06u", (unsigned)gateway->digits);
    CHECK(strcmp(next_line("digits ", 10), digits) == 0);
    wait(2000); /* the operator types them at the gateway */
    gateway_result(gateway, id, 0, result);
    send_frame(result, sizeof result);
    /* Short presses do not confirm, however many. */
    for (int milliseconds = 50; milliseconds < 1800; milliseconds *= 3) {
        press_button(milliseconds);
        wait(300);
        CHECK(strstr(text, "paired") == NULL);
    }
    press_button(2500);
    next_line("paired", 10);
    join(gateway->device_key, 0x0102);
    next_line("joined", 10);
}

static void reads(void)
{
    struct selo_reading reading = next_reading();
    CHECK(reading.status == SELO_READING_RESTARTED);
    CHECK(reading.time >= TIME && reading.time - TIME <= now / 1000 + 1);
    CHECK(reading.tips == 0);
    CHECK(reading.centidegrees == -325);
    CHECK(reading.battery_millivolts > 4900 && reading.battery_millivolts < 5100);
    fputs("temperature 1850\nsupply 3300\n", to_chip);
    for (int i = 0; i < 3; i++)
        tip();
    reading = next_reading();
    CHECK(reading.status == 0);
    CHECK(reading.tips == 3);
    CHECK(reading.centidegrees == 1850);
    CHECK(reading.battery_millivolts > 3200 && reading.battery_millivolts < 3400);
}

/* A reading every 5 s, varied by an eighth. Module and chip sleep in between. */
static void sleeps_between_readings(void)
{
    uint32_t start = now, slept = 0;
    unsigned long long deep_before = deep;
    for (int i = 0; i < 4; i++) {
        uint32_t before = now;
        next_reading();
        CHECK(now - before > 4000 && now - before < 6200);
    }
    CHECK(frames > 4);
    CHECK(deep - deep_before > (unsigned long long)(now - start) * CYCLES * 8 / 10);
    wait(2600);
    for (; heard_size == 0 && slept < 500; slept++) {
        CHECK(m0 && m1);
        step();
    }
    CHECK(slept == 500);
}

static void has_its_clock_set(void)
{
    const uint32_t later = TIME + 1000000;
    uint8_t order[5] = {'T'}, frame[58];
    next_reading();
    selo_link_put(order + 1, later, 4);
    send_frame(frame, peer_down(&session, frame, 0, 0, order, sizeof order));
    next_line("clock set", 3);
    uint32_t since = now;
    struct selo_reading reading = next_reading();
    CHECK(reading.time >= later && reading.time <= later + (now - since) / 1000 + 1);
    CHECK(deaf == 0);
}

/* Total and keys survive a power cut. A tip also survives if the cut comes 25 ms after it. */
static void survives_power_cuts(const struct gateway *gateway)
{
    struct selo_reading reading = next_reading();
    uint32_t tips = reading.tips, counter = session.counter;
    CHECK(tips == 3);
    for (int cut = 0; cut < 3; cut++) {
        pin('D', 3, 0);
        wait(25);
        fputs("reset\n", to_chip);
        filled = heard_size = 0;
        m0 = m1 = 0;
        pin('D', 3, 1);
        next_line("\npaired", 10);
        join(gateway->device_key, 0x0200 + (uint32_t)cut);
        CHECK(session.counter > counter); /* no join counter is used twice */
        counter = session.counter;
        reading = next_reading();
        CHECK(reading.tips == ++tips);
        CHECK(reading.status == SELO_READING_RESTARTED);
    }
}

int main(int argc, char **argv)
{
    struct gateway gateway;
    if (argc < 4)
        fail("usage: rain_gauge EEPROM RUNNER [OPTION]... SKETCH.elf");
    uint32_t id = prepare(argv[1]);
    run_runner(argv + 2);
    pin('D', 2, 1);
    pin('D', 3, 1);
    fputs("temperature -325\n", to_chip);
    pairs_and_joins(&gateway, id);
    reads();
    sleeps_between_readings();
    has_its_clock_set();
    survives_power_cuts(&gateway);
    fprintf(stderr, "rain_gauge: %u s of the chip, deepest stack %u bytes\n", (unsigned)(now / 1000),
            deepest_stack);
    fputs("quit\n", to_chip);
    fclose(to_chip);
    return check_report("rain_gauge");
}
