/*
 * Opens the messages that a starter prints, one a line on standard input, with the key that all of them
 * have. Checks that no nonce comes twice. Prints the number of messages.
 */
#include <selo.h>

#include <stdio.h>
#include <string.h>

enum { SIZE = 44, MOST = 64 };

static int parse(uint8_t bytes[SIZE], const char *line)
{
    for (int i = 0; i < SIZE; i++) {
        unsigned value;
        if (sscanf(line + 2 * i, "%2x", &value) != 1)
            return 0;
        bytes[i] = (uint8_t)value;
    }
    return 1;
}

int main(void)
{
    static const uint8_t raw[32] = {0x53, 0x65, 0x6c, 0x6f};
    static uint8_t nonces[MOST][12];
    struct selo_chacha20_poly1305_key key;
    char line[256];
    int count = 0;

    selo_chacha20_poly1305_setup(&key, raw);
    while (count < MOST && fgets(line, sizeof line, stdin)) {
        uint8_t bytes[SIZE], opened[16];
        const struct selo_header header = {bytes, 12, "station 1", 9, 16};
        if (strcspn(line, "\r\n") != 2 * SIZE)
            continue; /* the last line may be cut off */
        if (!parse(bytes, line)
            || selo_chacha20_poly1305_open(&key, &header, opened, bytes + 12, 16, bytes + 28) != SELO_OK
            || memcmp(opened, "21.5 C, 2987 mV", 16) != 0) {
            fprintf(stderr, "does not open: %s", line);
            return 1;
        }
        for (int i = 0; i < count; i++) {
            if (memcmp(nonces[i], bytes, 12) == 0) {
                fprintf(stderr, "a nonce comes twice: %s", line);
                return 1;
            }
        }
        memcpy(nonces[count++], bytes, 12);
    }
    printf("%d\n", count);
    return count == 0;
}
