/* SHA-384 with NIST's vectors of lab/vectors/shavs: short messages in random pieces, and the Monte Carlo
 * chain [SHAVS, 6.4]. */
#include "selo.h"

#include "check.h"

static void sha384(uint8_t digest[48], const uint8_t *message, size_t size)
{
    struct selo_sha384 hash;

    selo_sha384_start(&hash);
    while (size != 0) {
        const size_t part = check_random() % (size + 1);
        selo_sha384_update(&hash, message, part);
        message += part;
        size -= part;
    }
    selo_sha384_finish(&hash, digest);
    CHECK(check_is_zero(&hash, sizeof hash));
}

static FILE *file_of(const char *path)
{
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        perror(path);
        exit(2);
    }
    return file;
}

static unsigned short_messages(void)
{
    static char line[4096];
    static uint8_t message[1024];
    uint8_t digest[48], want[48];
    size_t bits = 0;
    unsigned count = 0;
    FILE *file = file_of(VECTORS "/shavs/SHA384ShortMsg.rsp");

    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\r\n")] = 0;
        if (sscanf(line, "Len = %zu", &bits) == 1) {
            continue;
        }
        if (strncmp(line, "Msg = ", 6) == 0) {
            check_hex(message, sizeof message, line + 6);
        } else if (strncmp(line, "MD = ", 5) == 0) {
            check_hex(want, sizeof want, line + 5);
            sha384(digest, message, bits / 8);
            CHECK_BYTES(digest, want, 48);
            count++;
        }
    }
    fclose(file);
    return count;
}

static unsigned monte_carlo(unsigned most)
{
    static char line[4096];
    uint8_t chain[3 * 48], digest[48], want[48];
    unsigned count = 0;
    FILE *file = file_of(VECTORS "/shavs/SHA384Monte.rsp");

    while (fgets(line, sizeof line, file) != NULL && count < most) {
        line[strcspn(line, "\r\n")] = 0;
        if (strncmp(line, "Seed = ", 7) == 0) {
            check_hex(digest, sizeof digest, line + 7);
        } else if (strncmp(line, "MD = ", 5) == 0) {
            struct selo_sha384 hash;
            check_hex(want, sizeof want, line + 5);
            for (int i = 0; i < 3; i++) {
                memcpy(chain + 48 * i, digest, 48);
            }
            for (int i = 0; i < 1000; i++) {
                selo_sha384_start(&hash);
                selo_sha384_update(&hash, chain, sizeof chain);
                selo_sha384_finish(&hash, digest);
                memmove(chain, chain + 48, 96);
                memcpy(chain + 96, digest, 48);
            }
            CHECK_BYTES(digest, want, 48);
            count++;
        }
    }
    fclose(file);
    return count;
}

int main(void)
{
    CHECK(short_messages() == 129);
    CHECK(monte_carlo(CHECK_SAMPLE(100, 2)) >= 2);
    return check_report("sha384");
}
