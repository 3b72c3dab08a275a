/*
 * P-256 with the vectors of lab/vectors: [RFC5903, 8.1], [RFC6979, A.2.5], NIST's and all of Wycheproof's. The
 * field and the scalars against their definition, bit by bit. Keys, points and signatures that must be
 * refused, and the scalars whose computation has a special case.
 */
#include "selo_p256.h"
#include "selo/p256/p256.h"

#include "check.h"
#include "wycheproof.h"

static const char *const order_hex = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";
static const char *const prime_hex = "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff";
static uint8_t order[32], prime[32]; /* little-endian */

static void number_of(uint8_t number[32], const char *hex)
{
    uint8_t bytes[32];

    check_hex(bytes, 32, hex);
    selo_p256_swap(number, bytes);
}

/* r = x modulo m, a bit after the other. */
static void modulo(uint8_t r[32], const uint8_t *x, size_t size, const uint8_t m[32])
{
    uint8_t wide[33] = {0};

    for (size_t bit = 8 * size; bit-- != 0;) {
        uint8_t less[33];
        int carry = x[bit / 8] >> bit % 8 & 1, borrow = 0;
        for (int i = 0; i < 33; i++) {
            carry += 2 * wide[i];
            wide[i] = (uint8_t)carry;
            carry >>= 8;
        }
        for (int i = 0; i < 33; i++) {
            const int difference = wide[i] - (i < 32 ? m[i] : 0) - borrow;
            less[i] = (uint8_t)difference;
            borrow = difference < 0;
        }
        if (!borrow) {
            memcpy(wide, less, 33);
        }
    }
    memcpy(r, wide, 32);
}

/* r = a b + c modulo m. */
static void multiply_add(uint8_t r[32], const uint8_t a[32], const uint8_t b[32], const uint8_t c[32],
                         const uint8_t m[32])
{
    uint8_t x[65] = {0};

    memcpy(x, c, 32);
    for (int i = 0; i < 32; i++) {
        unsigned carry = 0;
        for (int j = 0; j < 32; j++) {
            carry += x[i + j] + (unsigned)a[i] * b[j];
            x[i + j] = (uint8_t)carry;
            carry >>= 8;
        }
        for (int j = i + 32; carry != 0; j++) {
            carry += x[j];
            x[j] = (uint8_t)carry;
            carry >>= 8;
        }
    }
    modulo(r, x, sizeof x, m);
}

/* A random number, often with long runs of ones or zeros, or near the modulus. */
static void some_number(uint8_t a[32], const uint8_t m[32], unsigned round)
{
    check_random_bytes(a, 32);
    if (round % 4 == 1) {
        const size_t from = check_random() % 33, to = check_random() % 33;
        for (size_t i = from; i < to; i++) {
            a[i] = round & 4 ? 0xff : 0;
        }
    } else if (round % 4 == 2) {
        int carry = (int)(check_random() % 9) - 4;
        for (int i = 0; i < 32; i++) {
            carry += m[i];
            a[i] = (uint8_t)carry;
            carry = carry < 0 ? -1 : carry >> 8;
        }
    } else if (round % 16 == 3) {
        memset(a, round & 16 ? 0xff : 0, 32);
        a[check_random() % 32] ^= (uint8_t)check_random();
    }
}

static const uint8_t zero[32], one[32] = {1}, radix[33] = {[32] = 1};

static void check_field(const uint8_t a[32], const uint8_t b[32])
{
    uint8_t got[32], expected[32], factor[32], element[32], back[32];
    struct selo_p256_division division;

    /* got 2^256 = a b */
    selo_p256_multiply(got, a, b);
    modulo(factor, radix, 33, prime);
    multiply_add(got, got, factor, zero, prime);
    multiply_add(expected, a, b, zero, prime);
    CHECK_BYTES(got, expected, 32);
    memcpy(got, a, 32);
    selo_p256_square(got, got);
    selo_p256_multiply(expected, a, a);
    selo_p256_canonical(got);
    selo_p256_canonical(expected);
    CHECK_BYTES(got, expected, 32);
    for (int times = -8; times <= 8; times++) {
        uint8_t number[32] = {0};
        number[0] = (uint8_t)(times < 0 ? -times : times);
        if (times < 0) { /* p - number */
            int carry = -number[0];
            for (int i = 0; i < 32; i++) {
                carry += prime[i];
                number[i] = (uint8_t)carry;
                carry = carry < 0 ? -1 : carry >> 8;
            }
        }
        multiply_add(expected, number, b, a, prime);
        memcpy(got, times & 1 ? a : b, 32);
        selo_p256_add_times(got, times & 1 ? got : a, times & 1 ? b : got, (int8_t)times);
        modulo(got, got, 32, prime);
        CHECK_BYTES(got, expected, 32);
    }
    selo_p256_add(got, a, b);
    modulo(got, got, 32, prime);
    multiply_add(expected, one, a, b, prime);
    CHECK_BYTES(got, expected, 32);
    selo_p256_subtract(got, got, b);
    modulo(got, got, 32, prime);
    modulo(expected, a, 32, prime);
    CHECK_BYTES(got, expected, 32);
    memcpy(got, a, 32);
    selo_p256_canonical(got);
    CHECK_BYTES(got, expected, 32);
    selo_p256_enter(element, a);
    selo_p256_leave(back, element);
    CHECK_BYTES(back, expected, 32);
    CHECK(selo_p256_is_zero(a) == check_is_zero(expected, 32));
    selo_p256_invert(got, element, &division);
    selo_p256_multiply(got, got, element);
    selo_p256_leave(got, got);
    CHECK_BYTES(got, check_is_zero(expected, 32) ? zero : one, 32);
}

static void check_scalars(const uint8_t a[32], const uint8_t b[32])
{
    uint8_t got[32], expected[32], x[32], y[32], factor[32];

    modulo(x, a, 32, order);
    memcpy(got, a, 32);
    selo_p256_scalar_canonical(got);
    CHECK_BYTES(got, x, 32);
    CHECK(selo_p256_is_scalar(a) == (memcmp(a, x, 32) == 0 && !check_is_zero(a, 32)));
    modulo(factor, radix, 33, order);
    selo_p256_scalar_multiply(got, x, b);
    multiply_add(got, got, factor, zero, order);
    multiply_add(expected, x, b, zero, order);
    CHECK_BYTES(got, expected, 32);
    selo_p256_scalar_enter(got, a);
    multiply_add(expected, a, factor, zero, order);
    CHECK_BYTES(got, expected, 32);
    modulo(y, b, 32, order);
    selo_p256_scalar_add(got, x, y);
    multiply_add(expected, x, one, y, order);
    CHECK_BYTES(got, expected, 32);
    selo_p256_scalar_invert(got, x);
    selo_p256_scalar_multiply(got, got, x);
    CHECK_BYTES(got, check_is_zero(x, 32) ? zero : one, 32);
}

static void arithmetic(void)
{
    uint8_t a[32], b[32];

    for (unsigned round = 0; round < CHECK_SAMPLE(4000, 100); round++) {
        some_number(a, prime, round);
        some_number(b, prime, round / 4);
        check_field(a, b);
        some_number(a, order, round);
        some_number(b, order, round / 4);
        check_scalars(a, b);
    }
}

static uint8_t message[4096];

static void digest_of(uint8_t digest[32], size_t size)
{
    struct selo_sha256 hash;

    selo_sha256_start(&hash);
    selo_sha256_update(&hash, message, size);
    selo_sha256_finish(&hash, digest);
}

static void check_signature(const uint8_t *signature, const uint8_t *public_key, size_t size, int valid)
{
    uint8_t digest[32];

    CHECK(selo_p256_verify(signature, public_key, message, size) == (valid ? SELO_OK : SELO_ERROR_TAG));
    digest_of(digest, size);
    CHECK(selo_p256_verify_digest(signature, public_key, digest) == (valid ? SELO_OK : SELO_ERROR_TAG));
}

/* The value of `name = "hex"` or `name = word` in a line, or NULL. */
static char *value_in(char *line, const char *name)
{
    const size_t length = strlen(name);

    if (strncmp(line, name, length) != 0 || line[length] != ' ') {
        return NULL;
    }
    char *value = line + length + strspn(line + length, " =\"");
    value[strcspn(value, "\"\n")] = 0;
    return value;
}

struct labelled { uint8_t secret[32], public_key[64], peer[64], shared[32], signature[64]; size_t size; int valid; };

static void check_labelled(const char *kind, const struct labelled *v)
{
    uint8_t made[64];

    if (strcmp(kind, "key-pair") == 0) {
        CHECK(selo_p256_keygen(made, v->secret) == SELO_OK);
        CHECK_BYTES(made, v->public_key, 64);
        CHECK(selo_p256_check(made) == SELO_OK);
    } else if (strcmp(kind, "agreement") == 0) {
        CHECK(selo_p256_shared_secret(made, v->secret, v->peer) == SELO_OK);
        CHECK_BYTES(made, v->shared, 32);
    } else {
        check_signature(v->signature, v->public_key, v->size, v->valid);
        if (!check_is_zero(v->secret, 32)) {
            CHECK(selo_p256_sign(made, v->secret, message, v->size) == SELO_OK);
            CHECK_BYTES(made, v->signature, 64);
        }
    }
}

static unsigned labelled(const char *path)
{
    static char line[16384];
    char kind[32] = "";
    struct labelled v;
    unsigned count = 0;
    FILE *file = fopen(path, "r");

    if (file == NULL) {
        perror(path);
        exit(2);
    }
    for (int more = 1; more;) {
        char *value;
        more = fgets(line, sizeof line, file) != NULL;
        if (!more || strncmp(line, "[[vector]]", 10) == 0) {
            if (kind[0] != 0) {
                check_labelled(kind, &v);
                count++;
            }
            kind[0] = 0;
            memset(&v, 0, sizeof v);
            v.valid = 1;
        } else if ((value = value_in(line, "kind")) != NULL) {
            snprintf(kind, sizeof kind, "%s", value);
        } else if ((value = value_in(line, "secret")) != NULL) {
            check_hex(v.secret, 32, value);
        } else if ((value = value_in(line, "public")) != NULL) {
            check_hex(v.public_key, 64, value);
        } else if ((value = value_in(line, "peer")) != NULL) {
            check_hex(v.peer, 64, value);
        } else if ((value = value_in(line, "shared")) != NULL) {
            check_hex(v.shared, 32, value);
        } else if ((value = value_in(line, "signature")) != NULL) {
            check_hex(v.signature, 64, value);
        } else if ((value = value_in(line, "message")) != NULL) {
            v.size = check_hex(message, sizeof message, value);
        } else if ((value = value_in(line, "valid")) != NULL) {
            v.valid = strcmp(value, "false") != 0;
        }
    }
    fclose(file);
    return count;
}

static const char *const ecdh_names[] = {"public", "private", "shared", NULL};

static unsigned agreed, not_encoded;

/* Signatures and agreements are slow with the sanitizers: those variants run few of
 * them. */
#if defined __SANITIZE_ADDRESS__ && !defined CHECK_ALL
enum { EVERY = 30 };
#else
enum { EVERY = 1 };
#endif

static int is_in_sample(void)
{
    static unsigned at;

    return at++ % EVERY == 0;
}

/* A private key with leading zeros, or without. */
static void wycheproof_ecdh(const struct wycheproof *test)
{
    const struct wycheproof_field *public_key = &test->field[0], *secret = &test->field[1];
    uint8_t own[32] = {0}, shared[32];

    if (!is_in_sample()) {
        return;
    }
    if (public_key->size != 65 || public_key->data[0] != 4) { /* the types refuse it */
        not_encoded++;
        return;
    }
    for (size_t i = 0; i < secret->size && i < 32; i++) {
        own[31 - i] = secret->data[secret->size - 1 - i];
    }
    const enum selo_status status = selo_p256_shared_secret(shared, own, public_key->data + 1);
    CHECK(status == (test->valid ? SELO_OK : SELO_ERROR_KEY));
    CHECK(selo_p256_check(public_key->data + 1) == status);
    if (test->valid) {
        CHECK_BYTES(shared, test->field[2].data, 32);
        agreed++;
    } else {
        CHECK(check_is_zero(shared, 32));
    }
}

static const char *const ecdsa_names[] = {"uncompressed", "msg", "sig", NULL};

static void wycheproof_ecdsa(const struct wycheproof *test)
{
    const size_t size = test->field[1].size;

    if (!is_in_sample()) {
        return;
    }
    if (test->field[2].size != 64) { /* the types refuse it */
        CHECK(!test->valid);
        return;
    }
    memcpy(message, test->field[1].data, size);
    check_signature(test->field[2].data, test->field[0].data + 1, size, test->valid);
}

/* Points that are none, or whose coordinates are not below p. */
static void refused_points(void)
{
    static const char *const refused[] = {
        "0000000000000000000000000000000000000000000000000000000000000000"
        "0000000000000000000000000000000000000000000000000000000000000000",
        /* the base point with another y, and with another x */
        "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
        "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f4",
        "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c297"
        "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5",
        /* points with x = 0 and x = 5, as p and as 5 + p */
        "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"
        "66485c780e2f83d72433bd5d84a06bb6541c2af31dae871728bf856a174f93f4",
        "ffffffff00000001000000000000000000000001000000000000000000000004"
        "459243b9aa581806fe913bce99817ade11ca503c64d9a3c533415c083248fbcc",
        "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
        "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    };
    /* x = 0 and x = 5 */
    static const char *const taken[] = {
        "0000000000000000000000000000000000000000000000000000000000000000"
        "66485c780e2f83d72433bd5d84a06bb6541c2af31dae871728bf856a174f93f4",
        "0000000000000000000000000000000000000000000000000000000000000005"
        "459243b9aa581806fe913bce99817ade11ca503c64d9a3c533415c083248fbcc",
    };
    uint8_t point[64], secret[32] = {[31] = 7}, out[32], signature[64] = {[31] = 1, [63] = 1};

    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        check_hex(point, 64, refused[i]);
        memset(out, 1, sizeof out);
        CHECK(selo_p256_check(point) == SELO_ERROR_KEY);
        CHECK(selo_p256_shared_secret(out, secret, point) == SELO_ERROR_KEY);
        CHECK(check_is_zero(out, 32));
        CHECK(selo_p256_verify(signature, point, message, 3) == SELO_ERROR_KEY);
    }
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        check_hex(point, 64, taken[i]);
        CHECK(selo_p256_check(point) == SELO_OK);
    }
}

static void big_endian(uint8_t bytes[32], const char *hex, int more)
{
    uint8_t number[32];

    number_of(number, hex);
    for (int i = 0, carry = more; i < 32; i++) {
        carry += number[i];
        number[i] = (uint8_t)carry;
        carry = carry < 0 ? -1 : carry >> 8;
    }
    selo_p256_swap(bytes, number);
}

static void refused_secrets(void)
{
    uint8_t secret[32], public_key[64], peer[64], out[64];

    memset(secret, 0, 32);
    secret[31] = 1;
    CHECK(selo_p256_keygen(peer, secret) == SELO_OK);
    for (int more = -2; more < 4; more++) { /* 0, then numbers around n */
        if (more == -2) {
            memset(secret, 0, 32);
        } else {
            big_endian(secret, order_hex, more);
        }
        const enum selo_status status = more == -1 ? SELO_OK : SELO_ERROR_KEY;
        memset(public_key, 1, 64);
        CHECK(selo_p256_keygen(public_key, secret) == status);
        CHECK(check_is_zero(public_key, 64) == (status != SELO_OK));
        memset(out, 1, 64);
        CHECK(selo_p256_shared_secret(out, secret, peer) == status);
        CHECK(check_is_zero(out, 32) == (status != SELO_OK));
        memset(out, 1, 64);
        CHECK(selo_p256_sign(out, secret, message, 9) == status);
        CHECK(check_is_zero(out, 64) == (status != SELO_OK));
    }
    memset(secret, 0xff, 32);
    CHECK(selo_p256_keygen(public_key, secret) == SELO_ERROR_KEY);
}

/* Small scalars and those just below n, from the comb, the windows and by addition. */
static void edge_scalars(void)
{
    uint8_t secret[32] = {[31] = 1}, base[64], public_key[64], shared[32];
    struct selo_p256_work w;
    uint8_t scratch[2][32];

    CHECK(selo_p256_keygen(base, secret) == SELO_OK);
    CHECK(selo_p256_decode(&w.entry, base, scratch) == SELO_OK);
    selo_p256_begin(&w);
    for (int number = 1; number <= 40; number++) {
        struct selo_p256_work affine = w;
        uint8_t x[32];
        selo_p256_to_affine(&affine);
        selo_p256_encode(x, affine.x);
        for (int sign = 1; sign >= -1; sign -= 2) {
            memset(secret, 0, 32);
            secret[31] = (uint8_t)number;
            if (sign < 0) {
                big_endian(secret, order_hex, -number);
            }
            CHECK(selo_p256_keygen(public_key, secret) == SELO_OK);
            CHECK_BYTES(public_key, x, 32);
            CHECK(selo_p256_check(public_key) == SELO_OK);
            CHECK(selo_p256_shared_secret(shared, secret, base) == SELO_OK);
            CHECK_BYTES(shared, x, 32);
        }
        if (number == 1) {
            selo_p256_double(&w);
        } else {
            selo_p256_add_entry(&w);
        }
    }
}

/* r and s of 0, n and above, and the second s of a signature, which the standard accepts. */
static void ranges(void)
{
    uint8_t secret[32] = {3}, public_key[64], signature[64], other[64], digest[32] = {0};

    CHECK(selo_p256_keygen(public_key, secret) == SELO_OK);
    CHECK(selo_p256_sign(signature, secret, message, 5) == SELO_OK);
    CHECK(selo_p256_verify(signature, public_key, message, 5) == SELO_OK);
    for (int half = 0; half < 64; half += 32) {
        for (int which = 0; which < 4; which++) {
            memcpy(other, signature, 64);
            if (which == 0) {
                memset(other + half, 0, 32);
            } else if (which == 1) {
                memset(other + half, 0xff, 32);
            } else {
                big_endian(other + half, order_hex, which - 2);
            }
            CHECK(selo_p256_verify(other, public_key, message, 5) == SELO_ERROR_TAG);
        }
    }
    int borrow = 0;
    for (int i = 31; i >= 0; i--) {
        const int difference = order[31 - i] - signature[32 + i] - borrow;
        signature[32 + i] = (uint8_t)difference;
        borrow = difference < 0;
    }
    CHECK(selo_p256_verify(signature, public_key, message, 5) == SELO_OK);
    signature[63] ^= 1;
    CHECK(selo_p256_verify(signature, public_key, message, 5) == SELO_ERROR_TAG);
    /* digests of 0 and of n, for which the product with the base point is left out */
    for (int i = 0; i < 2; i++) {
        CHECK(selo_p256_sign_digest(signature, secret, digest) == SELO_OK);
        CHECK(selo_p256_verify_digest(signature, public_key, digest) == SELO_OK);
        big_endian(digest, order_hex, 0);
    }
    /* a digest above n signs as the same digest less n [RFC6979, 2.3.4] */
    big_endian(digest, order_hex, 5);
    CHECK(selo_p256_sign_digest(signature, secret, digest) == SELO_OK);
    memset(digest, 0, sizeof digest);
    digest[31] = 5;
    CHECK(selo_p256_sign_digest(other, secret, digest) == SELO_OK);
    CHECK_BYTES(signature, other, 64);
}

int main(void)
{
    number_of(order, order_hex);
    number_of(prime, prime_hex);
    arithmetic();
    CHECK(labelled(VECTORS "/rfc5903.toml") == 4);
    CHECK(labelled(VECTORS "/rfc6979.toml") == 2);
    CHECK(labelled(VECTORS "/cavp-ecdsa.toml") == 25);
    CHECK(wycheproof_each(VECTORS "/wycheproof/ecdh_secp256r1_ecpoint_test.json", ecdh_names,
                          wycheproof_ecdh) == 355);
    CHECK(agreed > 300 / EVERY && not_encoded < 30);
    CHECK(wycheproof_each(VECTORS "/wycheproof/ecdsa_secp256r1_sha256_p1363_test.json", ecdsa_names,
                          wycheproof_ecdsa) == 262);
    refused_points();
    refused_secrets();
    edge_scalars();
    ranges();
    return check_report("p256");
}
