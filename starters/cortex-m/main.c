/*
 * Seals a reading every second on a BBC micro:bit (nRF51822, Cortex-M0) without an operating system,
 * and prints each message in hexadecimal on the USB serial port, 115200 baud. The nonces come from
 * the chip's random generator.
 */
#include <selo.h>

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

/* ---- The chip: its serial port and random generator ---- */

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define UART_STARTTX REGISTER(0x40002008)
#define UART_TXDRDY REGISTER(0x4000211c)
#define UART_ENABLE REGISTER(0x40002500)
#define UART_PSELTXD REGISTER(0x4000250c)
#define UART_TXD REGISTER(0x4000251c)
#define UART_BAUDRATE REGISTER(0x40002524)
#define RNG_START REGISTER(0x4000d000)
#define RNG_VALRDY REGISTER(0x4000d100)
#define RNG_CONFIG REGISTER(0x4000d504)
#define RNG_VALUE REGISTER(0x4000d508)
enum { TX_PIN = 24, BAUD_115200 = 0x01d7e000, UART_ON = 4, RNG_CORRECT_BIAS = 1 };

static void begin(void)
{
    UART_PSELTXD = TX_PIN;
    UART_BAUDRATE = BAUD_115200;
    UART_ENABLE = UART_ON;
    UART_STARTTX = 1;
    RNG_CONFIG = RNG_CORRECT_BIAS;
    RNG_START = 1;
}

static void put(char character)
{
    UART_TXDRDY = 0;
    UART_TXD = (uint8_t)character;
    while (UART_TXDRDY == 0) {
    }
}

static uint8_t random_byte(void)
{
    RNG_VALRDY = 0;
    while (RNG_VALRDY == 0) {
    }
    return (uint8_t)RNG_VALUE;
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

int main(void)
{
    begin();
    for (;;) {
        struct message message;
        for (size_t i = 0; i < sizeof message.nonce; i++)
            message.nonce[i] = random_byte();
        if (seal(&message) == SELO_OK)
            print_message(&message);
        for (volatile uint32_t wait = 0; wait < 1000000; wait++) {
        }
    }
}
