/*
 * SHAKE128 and SHAKE256 with NIST's vectors of lab/vectors/sha3vs. Each message and each output is also
 * split at random.
 */
#include "selo.h"

#include "check.h"

static void (*start)(struct selo_shake *xof);

static void split(struct selo_shake *xof, const uint8_t *message, size_t size)
{
    while (size != 0) {
        const size_t part = check_random() % (size + 1);
        CHECK(selo_shake_update(xof, message, part) == SELO_OK);
        message += part;
        size -= part;
    }
}

static void one(const uint8_t *message, size_t size, const uint8_t *expected, size_t output_size)
{
    struct selo_shake xof;
    uint8_t output[512];

    start(&xof);
    split(&xof, message, size);
    CHECK(selo_shake_read(&xof, output, output_size) == SELO_OK);
    CHECK_BYTES(output, expected, output_size);
    start(&xof);
    CHECK(selo_shake_update(&xof, message, size) == SELO_OK);
    for (size_t at = 0; at < output_size;) {
        const size_t part = check_random() % (output_size - at + 1);
        CHECK(selo_shake_read(&xof, output + at, part) == SELO_OK);
        at += part;
    }
    CHECK_BYTES(output, expected, output_size);
}

static unsigned run(const char *path)
{
    static char line[4096];
    static uint8_t message[1024], expected[512];
    size_t bits = SIZE_MAX;
    unsigned count = 0;
    FILE *file = fopen(path, "r");

    if (file == NULL) {
        perror(path);
        exit(2);
    }
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\r\n")] = 0;
        if (sscanf(line, "Len = %zu", &bits) == 1) {
            continue;
        }
        if (strncmp(line, "Msg = ", 6) == 0) {
            const size_t size = check_hex(message, sizeof message, line + 6);
            bits = bits == 0 ? 0 : size * 8; /* an empty message is written as 00 */
        } else if (strncmp(line, "Output = ", 9) == 0) {
            one(message, bits / 8, expected, check_hex(expected, sizeof expected, line + 9));
            bits = SIZE_MAX;
            count++;
        }
    }
    fclose(file);
    return count;
}

static void misuse(void)
{
    struct selo_shake xof;
    uint8_t out[4] = {1, 2, 3, 4};

    start(&xof);
    CHECK(selo_shake_read(&xof, out, 1) == SELO_OK);
    CHECK(selo_shake_update(&xof, out, 1) == SELO_ERROR_STATE);
    CHECK(check_is_zero(&xof, sizeof xof));
    CHECK(selo_shake_read(&xof, out, 4) == SELO_ERROR_STATE && check_is_zero(out, 4));
    CHECK(selo_shake_update(&xof, out, 1) == SELO_ERROR_STATE);
}

int main(void)
{
    start = selo_shake128_start;
    CHECK(run(VECTORS "/sha3vs/SHAKE128ShortMsg.rsp") == 337);
    CHECK(run(VECTORS "/sha3vs/SHAKE128VariableOut.rsp") == 46);
    misuse();
    start = selo_shake256_start;
    CHECK(run(VECTORS "/sha3vs/SHAKE256ShortMsg.rsp") == 273);
    CHECK(run(VECTORS "/sha3vs/SHAKE256VariableOut.rsp") == 51);
    return check_report("shake");
}
