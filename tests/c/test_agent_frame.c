/* The agent's frames: every length and place of zeros, damage, stray bytes, overlong frames. */
#include "../../lab/firmware/agent/frame.h"
#include "check.h"

enum { CAPACITY = 300, MOST = 700, ENCODED = MOST + 16, CANARY = 0xA5 };

static uint8_t encoded[ENCODED];
static size_t encoded_size;

static void keep(uint8_t byte)
{
    if (encoded_size == sizeof encoded)
        abort();
    encoded[encoded_size++] = byte;
}

static void encode(const uint8_t *body, uint16_t length)
{
    static uint8_t copy[MOST + 2];
    memcpy(copy, body, length);
    encoded_size = 0;
    frame_encode(copy, length, keep);
}

/* The decoder's buffer, with bytes around it that must not change. */
static uint8_t room[1 + CAPACITY + 1];
static struct frame_decoder decoder;

static void start(void)
{
    memset(room, CANARY, sizeof room);
    frame_decoder_start(&decoder, room + 1, CAPACITY);
}

static int room_intact(void)
{
    return room[0] == CANARY && room[1 + CAPACITY] == CANARY;
}

/* Feeds bytes. Returns the event of the last byte. */
static enum frame_event feed(const uint8_t *bytes, size_t size)
{
    enum frame_event event = FRAME_NONE;
    for (size_t i = 0; i < size; i++)
        event = frame_decode(&decoder, bytes[i]);
    return event;
}

/* The CRC bit by bit, as it is defined, to check the shortcut of frame_crc. */
static uint16_t slow_crc(const uint8_t *bytes, size_t size)
{
    uint16_t crc = 0xFFFF;
    for (size_t i = 0; i < size; i++) {
        crc = (uint16_t)(crc ^ bytes[i] << 8);
        for (int bit = 0; bit < 8; bit++)
            crc = (uint16_t)(crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1);
    }
    return crc;
}

static uint16_t fast_crc(const uint8_t *bytes, size_t size)
{
    uint16_t crc = FRAME_CRC_START;
    for (size_t i = 0; i < size; i++)
        crc = frame_crc(crc, bytes[i]);
    return crc;
}

static void test_crc(void)
{
    uint8_t bytes[64];
    /* The check value of this CRC in the CRC catalogues. */
    CHECK(fast_crc((const uint8_t *)"123456789", 9) == 0x29B1);
    for (int i = 0; i < 200; i++) {
        check_random_bytes(bytes, sizeof bytes);
        CHECK(fast_crc(bytes, sizeof bytes) == slow_crc(bytes, sizeof bytes));
    }
}

/* [COBS1999, III]: a known frame; in every frame only the last byte is zero. */
static void test_known_frame(void)
{
    const uint8_t hello[2] = {0x01, 0x01};
    const uint8_t want[6] = {0x05, 0x01, 0x01, 0x1f, 0x3e, 0x00};
    encode(hello, sizeof hello);
    CHECK(encoded_size == sizeof want);
    CHECK_BYTES(encoded, want, sizeof want);
}

static void test_round_trip(void)
{
    static uint8_t body[MOST];
    for (uint16_t length = 2; length <= CAPACITY; length++) {
        for (int kind = 0; kind < 4; kind++) {
            check_random_bytes(body, length);
            for (uint16_t i = 0; i < length; i++) {
                if (kind == 0 || (kind == 1 && i % 254 == 0) || (kind == 2 && body[i] < 64))
                    body[i] = 0;
                if (kind == 3 && body[i] == 0)
                    body[i] = 1; /* only full blocks */
            }
            encode(body, length);
            CHECK(memchr(encoded, 0, encoded_size) == encoded + encoded_size - 1);
            start();
            CHECK(feed(encoded, encoded_size) == FRAME_COMPLETE);
            CHECK(decoder.length == length);
            CHECK_BYTES(decoder.body, body, length);
            CHECK(room_intact());
        }
    }
}

static void test_too_large(void)
{
    static uint8_t body[MOST];
    for (uint16_t length = CAPACITY + 1; length <= MOST; length++) {
        check_random_bytes(body, length);
        encode(body, length);
        start();
        CHECK(feed(encoded, encoded_size) == FRAME_TOO_LARGE);
        CHECK(decoder.length == length);
        CHECK_BYTES(decoder.body, body, CAPACITY);
        CHECK(room_intact());
        /* a damaged frame gives no event */
        encoded[encoded_size / 2] ^= 0x41;
        if (memchr(encoded, 0, encoded_size) == encoded + encoded_size - 1)
            CHECK(feed(encoded, encoded_size) == FRAME_NONE);
    }
}

/* After any input, a delimiter and a frame are received. */
static void recovers(void)
{
    const uint8_t body[5] = {2, 9, 0, 0, 7};
    frame_decode(&decoder, 0);
    encode(body, sizeof body);
    CHECK(feed(encoded, encoded_size) == FRAME_COMPLETE);
    CHECK(decoder.length == sizeof body);
    CHECK_BYTES(decoder.body, body, sizeof body);
    CHECK(room_intact());
}

static void test_damage(void)
{
    static uint8_t body[200];
    unsigned long undetected = 0;
    for (int round = 0; round < 20000; round++) {
        uint16_t length = (uint16_t)(2 + check_random() % (sizeof body - 2));
        check_random_bytes(body, length);
        if (round % 2)
            for (uint16_t i = 0; i < length; i++)
                body[i] &= 3;
        encode(body, length);
        start();
        size_t at = check_random() % encoded_size;
        switch (check_random() % 4) {
        case 0: /* a bit flips */
            encoded[at] ^= (uint8_t)(1u << check_random() % 8);
            break;
        case 1: /* a byte is lost */
            memmove(encoded + at, encoded + at + 1, encoded_size - at - 1);
            encoded_size--;
            break;
        case 2: /* a byte comes twice */
            memmove(encoded + at + 1, encoded + at, encoded_size - at);
            encoded_size++;
            break;
        default: /* the rest is lost */
            encoded_size = at;
        }
        /* A lost delimiter does not change the frame, which is ended below. */
        for (size_t i = 0; i < encoded_size; i++) {
            enum frame_event event = frame_decode(&decoder, encoded[i]);
            if (event != FRAME_NONE
                && (decoder.length != length || memcmp(decoder.body, body, length) != 0))
                undetected++;
        }
        recovers();
    }
    /* A 16-bit CRC lets one damaged frame in 65,536 pass. */
    CHECK(undetected <= 5);
}

static void test_stray_bytes(void)
{
    start();
    for (int round = 0; round < 2000; round++) {
        for (uint32_t left = check_random() % 2000; left != 0; left--)
            frame_decode(&decoder, (uint8_t)(check_random() >> 24));
        recovers();
    }
    /* Longer than any counter without a delimiter. */
    int quiet = 1;
    for (uint32_t i = 0; i < 200000; i++)
        quiet &= frame_decode(&decoder, 0xFF) == FRAME_NONE;
    CHECK(quiet);
    recovers();
}

/* The CRC is correct in all of these, but another part is not. */
static void test_malformed(void)
{
    start();
    const uint8_t nothing[3] = {0, 0, 0};
    CHECK(feed(nothing, sizeof nothing) == FRAME_NONE);
    /* The last block announces a byte that does not come. */
    const uint8_t cut[6] = {0x06, 0x01, 0x01, 0x1f, 0x3e, 0x00};
    CHECK(feed(cut, sizeof cut) == FRAME_NONE);
    /* Less than a command and a sequence. */
    const uint8_t body[1] = {1};
    for (uint16_t length = 0; length <= 1; length++) {
        encode(body, length);
        CHECK(feed(encoded, encoded_size) == FRAME_NONE);
    }
    recovers();
}

/* 300 bytes more than a 16-bit length can count, with a right CRC. */
static void test_beyond_length(void)
{
    enum { BLOCKS = (65536 + 300) / 254 + 1, BLOCK = 254 };
    uint16_t crc;
    uint8_t filler = 0;
    do {
        filler++;
        crc = FRAME_CRC_START;
        for (uint32_t i = 0; i < (uint32_t)BLOCKS * BLOCK; i++)
            crc = frame_crc(crc, filler);
    } while ((crc & 0xFF) == 0 || crc >> 8 == 0); /* zeros would need blocks of their own */
    start();
    for (uint32_t i = 0; i < (uint32_t)BLOCKS * BLOCK; i++) {
        if (i % BLOCK == 0)
            frame_decode(&decoder, 0xFF);
        frame_decode(&decoder, filler);
    }
    const uint8_t end[4] = {3, (uint8_t)crc, (uint8_t)(crc >> 8), 0};
    CHECK(feed(end, sizeof end) == FRAME_NONE);
    recovers();
}

/* A regression. A frame whose CRC is the CRC's start value was once received twice: the lone zero after
 * it compared the CRC of no bytes with the previous CRC. */
static void test_lone_zeros(void)
{
    uint8_t body[4] = {1, 2, 0, 0};
    unsigned found = 0;
    for (uint32_t value = 0; value < 0x10000; value++) {
        body[2] = (uint8_t)value;
        body[3] = (uint8_t)(value >> 8);
        if (fast_crc(body, sizeof body) != FRAME_CRC_START)
            continue;
        found++;
        start();
        encode(body, sizeof body);
        CHECK(feed(encoded, encoded_size) == FRAME_COMPLETE);
        for (int zeros = 0; zeros < 3; zeros++)
            CHECK(feed((const uint8_t[]){0}, 1) == FRAME_NONE);
        CHECK(feed(encoded, encoded_size) == FRAME_COMPLETE);
    }
    CHECK(found == 1);
}

int main(void)
{
    test_crc();
    test_lone_zeros();
    test_known_frame();
    test_round_trip();
    test_too_large();
    test_damage();
    test_stray_bytes();
    test_malformed();
    test_beyond_length();
    return check_report("agent frames");
}
