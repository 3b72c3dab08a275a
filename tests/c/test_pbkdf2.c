/* PBKDF2-HMAC-SHA-256 with Wycheproof's vectors; long chains of iterations only with CHECK_ALL. */
#include "selo.h"

#include "wycheproof.h"

enum { PASSWORD, SALT, OUTPUT };
static const char *const names[] = {"password", "salt", "dk", NULL};

static void run(const struct wycheproof *test)
{
    const struct wycheproof_field *field = test->field;
    uint8_t out[2048];

    if (test->iterations > CHECK_SAMPLE(100000, 1000)) {
        return;
    }
    memset(out, 0xee, sizeof out);
    CHECK(test->output_size == field[OUTPUT].size);
    CHECK(selo_pbkdf2_sha256(out, field[OUTPUT].size, field[PASSWORD].data, field[PASSWORD].size,
                             field[SALT].data, field[SALT].size,
                             (uint32_t)test->iterations) == SELO_OK);
    CHECK(selo_equal(out, field[OUTPUT].data, field[OUTPUT].size) == test->valid);
    CHECK(out[field[OUTPUT].size] == 0xee);
}

int main(void)
{
    uint8_t out[3] = {1, 2, 3};

    CHECK(wycheproof_each(VECTORS "/wycheproof/pbkdf2_hmacsha256_test.json", names, run) == 60);
    CHECK(selo_pbkdf2_sha256(out, 3, NULL, 0, NULL, 0, 0) == SELO_ERROR_ARGUMENT);
    CHECK(check_is_zero(out, 3));
    return check_report("pbkdf2");
}
