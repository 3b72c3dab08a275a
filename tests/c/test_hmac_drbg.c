/*
 * HMAC_DRBG with SHA-256 against lab/vectors/hmac-drbg.rsp. Bytes in pieces, sizes that must be refused, and the
 * end of the requests.
 */
#include "selo_hmac_drbg.h"

#include "check.h"

struct field { uint8_t data[256]; size_t size; };

static void append(struct field *to, const struct field *from)
{
    memcpy(to->data + to->size, from->data, from->size);
    to->size += from->size;
}

/* Seed, reseed and the two values of additional input. */
static void one(const struct field *seed, const struct field *reseed, const struct field *more,
                const struct field *expected)
{
    struct selo_hmac_drbg state;
    uint8_t out[256];

    CHECK(selo_hmac_drbg_start(&state, seed->data, seed->size) == SELO_OK);
    if (reseed->size != 0) {
        CHECK(selo_hmac_drbg_reseed(&state, reseed->data, reseed->size) == SELO_OK);
    }
    for (int i = 0; i < 2; i++) {
        CHECK(selo_hmac_drbg_generate(&state, out, expected->size, more[i].data, more[i].size) ==
              SELO_OK);
    }
    CHECK_BYTES(out, expected->data, expected->size);
}

static unsigned vectors(const char *path)
{
    static char line[1024];
    struct field seed = {0}, reseed = {0}, more[2], value;
    unsigned count = 0, additional = 0;
    FILE *file = fopen(path, "r");

    if (file == NULL) {
        perror(path);
        exit(2);
    }
    while (fgets(line, sizeof line, file) != NULL) {
        char *text = strchr(line, '=');
        if (text == NULL) {
            continue;
        }
        *text++ = 0;
        text += strspn(text, " ");
        text[strcspn(text, "\n")] = 0;
        if (strcmp(line, "COUNT ") == 0) {
            seed.size = reseed.size = 0;
            additional = 0;
            continue;
        }
        value.size = check_hex(value.data, sizeof value.data, text);
        if (strcmp(line, "EntropyInputReseed ") == 0 || strcmp(line, "AdditionalInputReseed ") == 0) {
            append(&reseed, &value);
        } else if (strcmp(line, "AdditionalInput ") == 0) {
            more[additional++ & 1] = value;
        } else if (strcmp(line, "ReturnedBits ") == 0) {
            one(&seed, &reseed, more, &value);
            count++;
        } else {
            append(&seed, &value);
        }
    }
    fclose(file);
    return count;
}

static void limits(void)
{
    static uint8_t out[SELO_HMAC_DRBG_MOST + 1], seed[64];
    struct selo_hmac_drbg state, other;

    CHECK(selo_hmac_drbg_start(&state, seed, SELO_HMAC_DRBG_SEED - 1) == SELO_ERROR_ARGUMENT);
    CHECK(selo_hmac_drbg_generate(&state, out, 4, NULL, 0) == SELO_ERROR_STATE);
    CHECK(selo_hmac_drbg_reseed(&state, seed, sizeof seed) == SELO_ERROR_STATE);
    CHECK(selo_hmac_drbg_generate(&state, out, 4, NULL, 0) == SELO_ERROR_STATE);
    CHECK(selo_hmac_drbg_start(&state, seed, SELO_HMAC_DRBG_SEED) == SELO_OK);
    CHECK(selo_hmac_drbg_reseed(&state, seed, SELO_HMAC_DRBG_RESEED - 1) == SELO_ERROR_ARGUMENT);
    CHECK(selo_hmac_drbg_generate(&state, out, SELO_HMAC_DRBG_MOST, NULL, 0) == SELO_OK);
    CHECK(selo_hmac_drbg_generate(&state, out, SELO_HMAC_DRBG_MOST + 1, NULL, 0) == SELO_ERROR_ARGUMENT);
    CHECK(check_is_zero(out, sizeof out));
    CHECK(selo_hmac_drbg_generate(&state, NULL, 0, NULL, 0) == SELO_OK);
    other = state;
    CHECK(selo_hmac_drbg_random(&state, out, 40) == SELO_OK);
    CHECK(selo_hmac_drbg_generate(&other, out + 40, 40, NULL, 0) == SELO_OK);
    CHECK_BYTES(out, out + 40, 40);
    state.left = 2;
    CHECK(selo_hmac_drbg_generate(&state, out, 4, NULL, 0) == SELO_OK);
    CHECK(selo_hmac_drbg_generate(&state, out, 4, NULL, 0) == SELO_ERROR_STATE);
    CHECK(check_is_zero(out, 4));
    CHECK(selo_hmac_drbg_random(&state, out, 4) == SELO_ERROR_RANDOM);
    CHECK(selo_hmac_drbg_reseed(&state, seed, SELO_HMAC_DRBG_RESEED) == SELO_OK);
    CHECK(selo_hmac_drbg_generate(&state, out, 4, NULL, 0) == SELO_OK);
}

int main(void)
{
    CHECK(vectors(VECTORS "/hmac-drbg.rsp") == 21);
    limits();
    return check_report("hmac_drbg");
}
