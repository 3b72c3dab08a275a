/*
 * Seals a reading every second on an ATmega328P (Arduino Uno) without Arduino, and prints each message
 * in hexadecimal at 115200 baud. The chip has no random generator, so the nonce is a number: the count
 * of starts, which the EEPROM keeps, and the count of messages since the start.
 */
#include <avr/eeprom.h>
#include <avr/io.h>
#include <selo.h>
#include <string.h>
#include <util/delay.h>

/* What is sent: 44 bytes. Whoever has no key can neither read nor change it. */
struct message {
    uint8_t nonce[12], sealed[16], tag[16];
};

/* Seals a reading under message->nonce, which must never be the same twice under one key. */
static enum selo_status seal(struct message *message)
{
    /* For the example only: anyone who reads this file knows the key. Give every device its own. */
    static const uint8_t raw[32] = {0x53, 0x65, 0x6c, 0x6f};
    static const uint8_t reading[16] = "21.5 C, 2987 mV";
    const struct selo_header header = {message->nonce, sizeof message->nonce, "station 1", 9, sizeof message->tag};
    struct selo_chacha20_poly1305_key key;

    selo_chacha20_poly1305_setup(&key, raw);
    enum selo_status status = selo_chacha20_poly1305_seal(&key, &header, message->sealed, reading, sizeof reading,
                                                          message->tag);
    selo_wipe(&key, sizeof key);
    return status;
}

static void put(char character)
{
    while (!(UCSR0A & _BV(UDRE0))) {
    }
    UDR0 = (uint8_t)character;
}

static void begin(void)
{
    UCSR0A = _BV(U2X0);
    UBRR0 = (F_CPU + 4 * 115200UL) / (8 * 115200UL) - 1;
    UCSR0B = _BV(TXEN0);
}

static void print_message(const struct message *message)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *bytes = (const uint8_t *)message;
    for (size_t i = 0; i < sizeof *message; i++) {
        put(digits[bytes[i] >> 4]);
        put(digits[bytes[i] & 15]);
    }
    put('\n');
}

/* Counts this start. The new count is in the EEPROM before a message uses it. Two copies, the first
 * written before the second: after a power cut in between, the larger one is still unused or newer.
 * Returns 0 if the EEPROM is worn out or the count used up; then nothing may be sealed. */
static uint32_t count_start(void)
{
    static uint32_t EEMEM copies[2];
    uint32_t count = 0;
    for (uint8_t i = 0; i < 2; i++) {
        uint32_t copy = eeprom_read_dword(&copies[i]);
        if (copy != UINT32_MAX && copy > count) /* UINT32_MAX: erased */
            count = copy;
    }
    if (count >= UINT32_MAX - 1)
        return 0;
    count++;
    for (uint8_t i = 0; i < 2; i++)
        eeprom_update_dword(&copies[i], count);
    return eeprom_read_dword(&copies[0]) == count && eeprom_read_dword(&copies[1]) == count ? count : 0;
}

int main(void)
{
    const uint32_t starts = count_start();
    begin();
    for (uint32_t number = 0; starts != 0 && number < UINT32_MAX; number++) {
        struct message message;
        memset(message.nonce, 0, sizeof message.nonce);
        memcpy(message.nonce, &starts, sizeof starts);
        memcpy(message.nonce + 4, &number, sizeof number);
        if (seal(&message) == SELO_OK)
            print_message(&message);
        _delay_ms(1000);
    }
    for (;;) {
    }
}
