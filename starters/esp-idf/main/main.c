/*
 * Seals a reading every second on an ESP32 and prints each message in hexadecimal.
 */
#include <esp_random.h>
#include <freertos/FreeRTOS.h>
#include <freertos/task.h>
#include <selo.h>
#include <stdio.h>

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

static void put(char character) { putchar(character); }

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

/* The generator needs noise: switch WiFi or Bluetooth on before you trust it with a key. For a nonce it
 * is enough that the bytes do not repeat. */
void app_main(void);
void app_main(void)
{
    for (;;) {
        struct message message;
        esp_fill_random(message.nonce, sizeof message.nonce);
        if (seal(&message) == SELO_OK)
            print_message(&message);
        vTaskDelay(pdMS_TO_TICKS(1000));
    }
}
