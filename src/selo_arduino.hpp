/*
 * A node of the link in an Arduino sketch [docs/protocol.md]: the carrier of its frames, its record,
 * its randomness, and commands of one letter. The examples LinkOverSerial, LinkOverUDP and
 * LinkOverRadioLib use it:
 *
 *     selo_serial_carrier carrier(Serial);
 *     selo_sketch sketch(carrier, Serial);
 *     void setup() { Serial.begin(115200); sketch.begin(); }
 *     void loop() { sketch.work(); sketch.command(carrier.letter()); }
 *
 * The record is kept in the EEPROM of an AVR, in Preferences of ESP32 and in LittleFS of ESP8266. All
 * three are atomic: a power cut leaves the old record or the new one. The randomness of an AVR comes
 * from the jitter between its clocks (selo_jitter.hpp). The generator of ESP32 and ESP8266 is noise of
 * the radio, so switch WiFi or Bluetooth on before `begin`. Another chip defines
 * SELO_SKETCH_OWN as 1 before this header, and the three functions declared at `selo_sketch_load`.
 *
 * Compiled with SELO_LINK_HYBRID=512 or 768, library and sketch, it pairs with X25519 and ML-KEM: a
 * recorded pairing then withstands a quantum computer. `work` has the workspace for ML-KEM on the stack,
 * 1,035 bytes on an AVR, and returns when that part of the pairing has ended, at most two minutes later.
 *
 * This header is C++ and defines functions, so only one file of a sketch includes it.
 */
#ifndef SELO_ARDUINO_H
#define SELO_ARDUINO_H

#include <Arduino.h>
#include <string.h>

#include "selo.h"

/* ---- The carrier ----------------------------------------------------------------------- */

/* Carries frames of at most SELO_LINK_FRAME_MAX bytes. It may lose, repeat or alter them: the link
 * notices. */
struct selo_carrier {
    /* Sends one frame. Returns false if it was not accepted. */
    virtual bool send(const uint8_t *frame, uint8_t size) = 0;
    /* Writes the next received frame, without waiting. Returns its size, or 0 if there is none. */
    virtual uint8_t receive(uint8_t frame[SELO_LINK_FRAME_MAX]) = 0;
};

/*
 * Frames on a serial line, beside text. A frame stands between the bytes 0x7E and 0x7F. Inside it, a
 * byte from 0x60 to 0x7F becomes 0x7D and the byte with bit 5 changed. So no part of a frame, not even
 * the rest of one whose start was lost, contains a lower-case letter, and none is taken for a command.
 * The line needs no checksum, because the link checks every frame.
 */
struct selo_serial_carrier : selo_carrier {
    explicit selo_serial_carrier(Stream &line) : line(line), size(OUTSIDE), typed(0), escaped(false) {}

    bool send(const uint8_t *frame, uint8_t count) override
    {
        line.write((uint8_t)START);
        for (uint8_t i = 0; i < count; i++) {
            const bool escape = (frame[i] & 0xe0) == 0x60;
            if (escape)
                line.write((uint8_t)ESCAPE);
            line.write(escape ? (uint8_t)(frame[i] ^ CHANGED) : frame[i]);
        }
        line.write((uint8_t)END);
        return true;
    }

    uint8_t receive(uint8_t frame[SELO_LINK_FRAME_MAX]) override
    {
        while (line.available() > 0) {
            const uint8_t count = take((uint8_t)line.read());
            if (count != 0) {
                memcpy(frame, bytes, count);
                return count;
            }
        }
        return 0;
    }

    /* Returns the last letter outside a frame since the previous call, or 0. */
    char letter()
    {
        const char last = typed;
        typed = 0;
        return last;
    }

  private:
    enum : uint8_t { START = 0x7e, END = 0x7f, ESCAPE = 0x7d, CHANGED = 0x20 };
    enum : uint8_t { OUTSIDE = 0xff, TOO_LONG = 0xfe }; /* values of `size` that are not sizes */

    /* Returns the size of the frame that this byte ends, or 0. */
    uint8_t take(uint8_t byte)
    {
        const uint8_t before = size;
        if (byte == START || byte == END) {
            escaped = false;
            size = byte == START ? 0 : (uint8_t)OUTSIDE;
            return byte == END && before <= sizeof bytes ? before : 0;
        }
        if (before == OUTSIDE) {
            if (byte > ' ')
                typed = (char)byte;
        } else if (byte == ESCAPE) {
            escaped = true;
        } else if (before < sizeof bytes) {
            bytes[size++] = escaped ? (uint8_t)(byte ^ CHANGED) : byte;
            escaped = false;
        } else {
            size = TOO_LONG;
        }
        return 0;
    }

    Stream &line;
    uint8_t bytes[SELO_LINK_FRAME_MAX], size;
    char typed;
    bool escaped;
};

/* ---- The record and the randomness ---------------------------------------------------- */

/* The functions of struct selo_hal. SELO_SKETCH_OWN=1: the sketch defines them. */
static enum selo_status selo_sketch_load(void *, uint8_t record[SELO_LINK_RECORD_BYTES]);
static enum selo_status selo_sketch_store(void *, const uint8_t record[SELO_LINK_RECORD_BYTES]);
static enum selo_status selo_sketch_entropy(void *, uint8_t *out, size_t size);

#if SELO_SKETCH_OWN

#elif defined(__AVR__)

#include <avr/eeprom.h>
#include <util/crc16.h>

/* Four times the ticks of a nonce, 17 seconds, because keys must be harder to guess. */
#ifndef JITTER_TICKS
#define JITTER_TICKS 1024
#endif
#include "selo_jitter.hpp"

/* The first of 158 bytes of the EEPROM. */
#ifndef SELO_SKETCH_EEPROM
#define SELO_SKETCH_EEPROM 0
#endif

/* Two slots, written in turn. The one with the newer number and a right check is the record. */
struct selo_sketch_slot {
    uint8_t record[SELO_LINK_RECORD_BYTES], number;
    uint16_t check;
};

static bool selo_sketch_read(uint8_t index, struct selo_sketch_slot *slot)
{
    const uint8_t *bytes = (const uint8_t *)slot;
    uint16_t check = 0xffff;
    eeprom_read_block(slot, (const void *)(SELO_SKETCH_EEPROM + index * sizeof *slot), sizeof *slot);
    for (uint8_t i = 0; i < SELO_LINK_RECORD_BYTES + 1; i++)
        check = _crc_xmodem_update(check, bytes[i]);
    return check == slot->check;
}

/* Returns the index of the newest slot, or 2 if none is valid. *slot is that slot. */
static uint8_t selo_sketch_newest(struct selo_sketch_slot *slot)
{
    const bool first = selo_sketch_read(0, slot);
    const uint8_t number = slot->number;
    if (selo_sketch_read(1, slot) && (!first || (int8_t)(slot->number - number) > 0))
        return 1;
    return first && selo_sketch_read(0, slot) ? 0 : 2;
}

static enum selo_status selo_sketch_load(void *, uint8_t record[SELO_LINK_RECORD_BYTES])
{
    struct selo_sketch_slot slot;
    const bool found = selo_sketch_newest(&slot) != 2;
    if (found)
        memcpy(record, slot.record, sizeof slot.record);
    selo_wipe(&slot, sizeof slot);
    return found ? SELO_OK : SELO_ERROR_STORE;
}

static enum selo_status selo_sketch_store(void *, const uint8_t record[SELO_LINK_RECORD_BYTES])
{
    struct selo_sketch_slot slot;
    const uint8_t newest = selo_sketch_newest(&slot), index = newest == 0 ? 1 : 0;
    const uint8_t number = newest == 2 ? 0 : (uint8_t)(slot.number + 1);
    memcpy(slot.record, record, sizeof slot.record);
    slot.number = number;
    slot.check = 0xffff;
    for (uint8_t i = 0; i < SELO_LINK_RECORD_BYTES + 1; i++)
        slot.check = _crc_xmodem_update(slot.check, ((const uint8_t *)&slot)[i]);
    eeprom_update_block(&slot, (void *)(SELO_SKETCH_EEPROM + index * sizeof slot), sizeof slot);
    const bool stored = selo_sketch_read(index, &slot) && slot.number == number;
    selo_wipe(&slot, sizeof slot);
    return stored ? SELO_OK : SELO_ERROR_STORE;
}

static enum selo_status selo_sketch_entropy(void *, uint8_t *out, size_t size)
{
    struct jitter jitter;
    if (!jitter_begin(&jitter))
        return SELO_ERROR_RANDOM;
    const enum selo_status status = jitter_random(&jitter, out, size);
    selo_wipe(&jitter, sizeof jitter);
    return status;
}

#elif defined(ESP32)

#include <Preferences.h>
#include <esp_random.h>

static enum selo_status selo_sketch_load(void *, uint8_t record[SELO_LINK_RECORD_BYTES])
{
    Preferences store;
    if (!store.begin("selo", false))
        return SELO_ERROR_STORE;
    const size_t size = store.getBytes("record", record, SELO_LINK_RECORD_BYTES);
    store.end();
    return size == SELO_LINK_RECORD_BYTES ? SELO_OK : SELO_ERROR_STORE;
}

static enum selo_status selo_sketch_store(void *, const uint8_t record[SELO_LINK_RECORD_BYTES])
{
    Preferences store;
    if (!store.begin("selo", false))
        return SELO_ERROR_STORE;
    const size_t size = store.putBytes("record", record, SELO_LINK_RECORD_BYTES);
    store.end();
    return size == SELO_LINK_RECORD_BYTES ? SELO_OK : SELO_ERROR_STORE;
}

static enum selo_status selo_sketch_entropy(void *, uint8_t *out, size_t size)
{
    esp_fill_random(out, size);
    return SELO_OK;
}

#elif defined(ESP8266)

#include <LittleFS.h>

static enum selo_status selo_sketch_load(void *, uint8_t record[SELO_LINK_RECORD_BYTES])
{
    File file;
    if (LittleFS.begin())
        file = LittleFS.open("/selo.record", "r");
    const bool whole = file && file.read(record, SELO_LINK_RECORD_BYTES) == SELO_LINK_RECORD_BYTES;
    if (file)
        file.close();
    return whole ? SELO_OK : SELO_ERROR_STORE;
}

/* The rename replaces the old record in one step. */
static enum selo_status selo_sketch_store(void *, const uint8_t record[SELO_LINK_RECORD_BYTES])
{
    File file;
    if (LittleFS.begin())
        file = LittleFS.open("/selo.new", "w");
    const bool whole = file && file.write(record, SELO_LINK_RECORD_BYTES) == SELO_LINK_RECORD_BYTES;
    if (file)
        file.close();
    return whole && LittleFS.rename("/selo.new", "/selo.record") ? SELO_OK : SELO_ERROR_STORE;
}

static enum selo_status selo_sketch_entropy(void *, uint8_t *out, size_t size)
{
    for (size_t i = 0; i < size; i++)
        out[i] = (uint8_t)ESP.random();
    return SELO_OK;
}

#else
#error "define SELO_SKETCH_OWN as 1, and selo_sketch_load, _store and _entropy for your chip"
#endif

/* ---- The node -------------------------------------------------------------------------- */

/* A node. It prints what happens to `console`. */
struct selo_sketch {
    struct selo_node node;

    selo_sketch(selo_carrier &carrier, Print &console) : carrier(carrier), console(console) {}

    /* Starts the node, and joins if it is paired. On an AVR it takes 17 seconds. */
    enum selo_status begin()
    {
        hal.context = this;
        hal.send = send_frame;
        hal.receive = receive_frame;
        hal.milliseconds = milliseconds;
        hal.entropy = selo_sketch_entropy;
        hal.load = selo_sketch_load;
        hal.store = selo_sketch_store;
        const enum selo_status status = selo_node_begin(&node, &hal);
        if (status != SELO_OK)
            return say(status);
        console.print(F("id "));
        console.println(selo_node_id(&node), HEX);
        if (selo_node_is_paired(&node))
            return say(selo_node_join(&node));
        console.println(F("unpaired: open the window with selo device pair, then type p"));
        return SELO_OK;
    }

    /* Does what is due, and prints it. Call it often. After SELO_NODE_RECEIVED the payload is in
     * node.received, until the next call. */
    enum selo_node_event work()
    {
        const enum selo_node_event event = poll();
        switch (event) {
        case SELO_NODE_DIGITS:
            say_digits(selo_node_digits(&node));
            break;
        case SELO_NODE_PAIRED:
            console.println(F("paired"));
            say(selo_node_join(&node));
            break;
        case SELO_NODE_PAIR_FAILED: console.println(F("pairing failed")); break;
        case SELO_NODE_JOINED: console.println(F("joined")); break;
        case SELO_NODE_LOST: console.println(F("no answer, joining again")); break;
        default: break;
        }
        return event;
    }

    /* p: pair. y, n: the digits are right at the gateway, or not. f: forget the keys. */
    void command(char letter)
    {
        switch (letter) {
        case 'p': say(selo_node_pair(&node)); break;
        case 'y': say(selo_node_confirm(&node, 1)); break;
        case 'n': say(selo_node_confirm(&node, 0)); break;
        case 'f': say(selo_node_forget(&node)); break;
        default: break;
        }
    }

    /* Seals a payload and sends it, if the node has a session. */
    enum selo_status send(const void *payload, uint8_t size)
    {
        return selo_node_is_joined(&node) ? say(selo_node_send(&node, payload, size, 0)) : SELO_ERROR_STATE;
    }

  private:
    selo_carrier &carrier;
    Print &console;
    struct selo_hal hal;

#if SELO_LINK_HYBRID
    enum selo_node_event poll()
    {
        return selo_node_needs_workspace(&node) ? poll_in_workspace() : selo_node_poll(&node);
    }

    /* A function of its own, because the rest of a pairing needs the same memory for X25519. */
    __attribute__((noinline)) enum selo_node_event poll_in_workspace()
    {
        struct selo_node_workspace workspace;
        enum selo_node_event event = SELO_NODE_NOTHING;
        selo_node_lend(&node, &workspace);
        while (event == SELO_NODE_NOTHING && selo_node_needs_workspace(&node)) {
            event = selo_node_poll(&node);
            yield();
        }
        selo_node_lend(&node, NULL);
        return event;
    }
#else
    enum selo_node_event poll() { return selo_node_poll(&node); }
#endif

    enum selo_status say(enum selo_status status)
    {
        if (status != SELO_OK) {
            console.print(F("error "));
            console.println((int)status);
        }
        return status;
    }

    void say_digits(uint32_t digits)
    {
        console.print(F("digits "));
        for (uint32_t unit = 100000; unit > digits && unit > 1; unit /= 10)
            console.print('0');
        console.println(digits);
        console.println(F("type them at the gateway; only if it accepts them, type y here, else n"));
    }

    static enum selo_status send_frame(void *context, const uint8_t *frame, uint8_t size)
    {
        return static_cast<selo_sketch *>(context)->carrier.send(frame, size) ? SELO_OK : SELO_ERROR_SEND;
    }
    static uint8_t receive_frame(void *context, uint8_t frame[SELO_LINK_FRAME_MAX])
    {
        return static_cast<selo_sketch *>(context)->carrier.receive(frame);
    }
    static uint32_t milliseconds(void *) { return millis(); }
};

#endif
