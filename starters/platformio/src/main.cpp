/*
 * Seals a reading every second on an Arduino Uno and prints each message in hexadecimal. The types of
 * selo.hpp keep key, nonce and tag apart. The nonces come from the jitter between the chip's clocks.
 */
#include <Arduino.h>
#include <selo.hpp>
#include <selo_jitter.hpp>

// For the example only: anyone who reads this file knows the key. Give every device its own.
static const uint8_t raw[32] = {0x53, 0x65, 0x6c, 0x6f};
static const uint8_t reading[16] = "21.5 C, 2987 mV";
static struct jitter jitter;

template <size_t N> static void print_hex(const uint8_t (&bytes)[N])
{
    for (size_t i = 0; i < N; i++) {
        if (bytes[i] < 16)
            Serial.print('0');
        Serial.print(bytes[i], HEX);
    }
}

static void send()
{
    const selo::chacha20_poly1305 cipher(raw);
    uint8_t number[12], sealed[sizeof reading];
    selo::tag tag;
    if (jitter_random(&jitter, number, sizeof number) != SELO_OK)
        return;
    const selo::chacha20_poly1305::nonce nonce(number);
    if (cipher.seal(sealed, tag, reading, nonce, selo::text("station 1")) != SELO_OK)
        return;
    print_hex(number);
    print_hex(sealed);
    print_hex(tag.data);
    Serial.println();
}

void setup()
{
    Serial.begin(115200);
    if (!jitter_begin(&jitter)) {
        Serial.println(F("no randomness, nothing is sealed"));
        for (;;) {
        }
    }
}

void loop()
{
    send();
    delay(1000);
}
