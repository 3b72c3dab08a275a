/*
 * Ed25519 with the vectors of lab/vectors: [RFC8032, 7.1], a part of the designers' list, and all of
 * Wycheproof's. Scalars against their definition. Public keys and signatures that a strict
 * verification must refuse.
 */
#include "selo_ed25519.h"
#include "selo/ed25519/ed25519.h"

#include "check.h"

static uint8_t message[4096];

/* A verification in random pieces. */
static enum selo_status in_pieces(const uint8_t *signature, const uint8_t *public_key, size_t size)
{
    struct selo_ed25519_verification state;

    selo_ed25519_verify_start(&state, signature, public_key);
    for (size_t at = 0; at < size;) {
        const size_t piece = check_random() % (size - at + 1);
        selo_ed25519_verify_update(&state, message + at, piece);
        at += piece;
    }
    const enum selo_status status = selo_ed25519_verify_finish(&state);
    CHECK(check_is_zero(&state, sizeof state));
    CHECK(selo_ed25519_verify_finish(&state) == SELO_ERROR_STATE);
    return status;
}

static void one(const uint8_t *secret, const uint8_t *public_key, size_t size,
                const uint8_t *signature)
{
    struct selo_ed25519_key key;
    uint8_t made[64];

    selo_ed25519_keygen(&key, secret);
    CHECK_BYTES(key.public_key, public_key, 32);
    selo_ed25519_sign(made, &key, message, size);
    CHECK_BYTES(made, signature, 64);
    CHECK(selo_ed25519_verify(signature, public_key, message, size) == SELO_OK);
    CHECK(in_pieces(signature, public_key, size) == SELO_OK);
    made[check_random() % 64] ^= (uint8_t)(1 << check_random() % 8);
    CHECK(selo_ed25519_verify(made, public_key, message, size) == SELO_ERROR_TAG);
    if (size != 0) {
        message[check_random() % size] ^= 1;
        CHECK(selo_ed25519_verify(signature, public_key, message, size) == SELO_ERROR_TAG);
    }
}

/* The value of `name = "hex"` or "name": "hex" in a line, or NULL. */
static const char *value_in(char *line, const char *name)
{
    char *at = line + strspn(line, " \""), *from, *to;
    const size_t length = strlen(name);

    if (strncmp(at, name, length) != 0 || strchr(" \"", at[length]) == NULL) {
        return NULL;
    }
    at += length + (at[length] == '"');
    from = strchr(at, '"');
    to = from == NULL ? NULL : strchr(from + 1, '"');
    if (to == NULL) {
        return NULL;
    }
    *to = 0;
    return from + 1;
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

static unsigned labelled(const char *path)
{
    static char line[8192];
    uint8_t secret[32], public_key[32], signature[64];
    const char *value;
    size_t size = 0;
    unsigned count = 0;
    FILE *file = file_of(path);

    while (fgets(line, sizeof line, file) != NULL) {
        if ((value = value_in(line, "secret")) != NULL) {
            check_hex(secret, sizeof secret, value);
        } else if ((value = value_in(line, "public")) != NULL) {
            check_hex(public_key, sizeof public_key, value);
        } else if ((value = value_in(line, "message")) != NULL) {
            size = check_hex(message, sizeof message, value);
        } else if ((value = value_in(line, "signature")) != NULL) {
            check_hex(signature, sizeof signature, value);
            one(secret, public_key, size, signature);
            count++;
        }
    }
    fclose(file);
    return count;
}

static unsigned wycheproof(const char *path)
{
    static char line[16384];
    static uint8_t signature[4096];
    uint8_t public_key[32];
    const char *value;
    size_t size = 0, signature_size = 0;
    unsigned count = 0;
    FILE *file = file_of(path);

    while (fgets(line, sizeof line, file) != NULL) {
        if ((value = value_in(line, "pk")) != NULL) {
            check_hex(public_key, sizeof public_key, value);
        } else if ((value = value_in(line, "msg")) != NULL) {
            size = check_hex(message, sizeof message, value);
        } else if ((value = value_in(line, "sig")) != NULL) {
            signature_size = check_hex(signature, sizeof signature, value);
        } else if ((value = value_in(line, "result")) != NULL) {
            const int valid = strcmp(value, "valid") == 0;
            count++;
            if (signature_size != 64) { /* the types refuse it */
                CHECK(!valid);
                continue;
            }
            CHECK(selo_ed25519_verify(signature, public_key, message, size) ==
                  (valid ? SELO_OK : SELO_ERROR_TAG));
        }
    }
    fclose(file);
    return count;
}

/* x modulo L, a bit after the other. */
static void modulo(uint8_t r[32], const uint8_t *x, size_t size)
{
    static const uint8_t order[32] = {
        0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7,
        0xa2, 0xde, 0xf9, 0xde, 0x14, [31] = 0x10};
    memset(r, 0, 32);
    for (size_t bit = 8 * size; bit-- != 0;) {
        uint8_t less[32];
        int carry = x[bit / 8] >> bit % 8 & 1, borrow = 0;
        for (int i = 0; i < 32; i++) {
            carry += 2 * r[i];
            r[i] = (uint8_t)carry;
            carry >>= 8;
        }
        for (int i = 0; i < 32; i++) {
            const int difference = r[i] - order[i] - borrow;
            less[i] = (uint8_t)difference;
            borrow = difference < 0;
        }
        if (!borrow) {
            memcpy(r, less, 32);
        }
    }
}

static void scalars(void)
{
    static const uint8_t eight[32] = {8}, zero[32];
    uint8_t x[64], a[32], b[32], c[32], got[32], expected[32];

    for (int round = 0; round < CHECK_SAMPLE(5000, 200); round++) {
        check_random_bytes(x, sizeof x);
        memset(x + 64 - round % 40, round & 1 ? 0xff : 0, (size_t)(round % 40));
        modulo(expected, x, 64);
        selo_ed25519_reduce(got, x);
        CHECK_BYTES(got, expected, 32);
        CHECK(selo_ed25519_is_scalar(got));
        check_random_bytes(a, 32);
        check_random_bytes(b, 32);
        check_random_bytes(c, 32);
        if (round % 8 == 0) {
            memset(a, 0xff, 32);
            memset(b, 0xff, 32);
            memset(c, 0xff, 32);
        }
        memset(x, 0, sizeof x);
        for (int i = 0; i < 32; i++) {
            unsigned carry = 0;
            for (int j = 0; j < 32; j++) {
                carry += x[i + j] + (unsigned)a[i] * b[j] + (i == 0 ? c[j] : 0u);
                x[i + j] = (uint8_t)carry;
                carry >>= 8;
            }
            x[i + 32] = (uint8_t)carry;
        }
        modulo(expected, x, 64);
        selo_ed25519_multiply_add(got, a, b, c);
        CHECK_BYTES(got, expected, 32);
        selo_ed25519_eighth(got, a);
        selo_ed25519_multiply_add(got, got, eight, zero);
        modulo(expected, a, 32);
        CHECK_BYTES(got, expected, 32);
    }
}

/* Encodings of the points of small order [RFC8032, 5.1.4; their x and y are those of 8 P = 0], and of
 * points that are not canonical or do not exist. */
static void strict(void)
{
    static const char *const refused[] = {
        "0100000000000000000000000000000000000000000000000000000000000000", /* order 1 */
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", /* 2 */
        "0000000000000000000000000000000000000000000000000000000000000000", /* 4 */
        "0000000000000000000000000000000000000000000000000000000000000080",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05", /* 8 */
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
        "0100000000000000000000000000000000000000000000000000000000000080", /* x = 0, odd */
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", /* p */
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", /* p + 1 */
        "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", /* p + 18 */
        "0200000000000000000000000000000000000000000000000000000000000000", /* no point */
    };
    static const uint8_t order[32] = {
        0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7,
        0xa2, 0xde, 0xf9, 0xde, 0x14, [31] = 0x10};
    uint8_t signature[64] = {1}, public_key[32], zero[64] = {0};
    struct selo_ed25519_key key;
    unsigned carry = 0;

    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        check_hex(public_key, 32, refused[i]);
        /* For a key of order 1 and S = 0, R = 0 B - k A is the neutral element for any message. */
        CHECK(selo_ed25519_verify(signature, public_key, message, 5) == SELO_ERROR_KEY);
    }
    CHECK(selo_ed25519_is_scalar(zero) && !selo_ed25519_is_scalar(order));
    selo_ed25519_keygen(&key, order);
    selo_ed25519_sign(signature, &key, message, 5);
    CHECK(selo_ed25519_verify(signature, key.public_key, message, 5) == SELO_OK);
    for (int i = 0; i < 32; i++) { /* the second S of the same signature */
        carry += (unsigned)signature[32 + i] + order[i];
        signature[32 + i] = (uint8_t)carry;
        carry >>= 8;
    }
    CHECK(selo_ed25519_verify(signature, key.public_key, message, 5) == SELO_ERROR_TAG);
}

/* A public key with a part of order 8. The equation without the cofactor holds exactly if k is a
 * multiple of 8; with the cofactor it would hold always [RFC8032, 5.1.7]. */
static void mixed_order(void)
{
    /* the key of the seed 00 01 ... 1f, plus the point 26e8...fc05 */
    static const char *const mixed = "b154bd62188ae283dd187fefe8c31f5e276edf083b4cff11c9d5cff856c74440";
    uint8_t seed[32], public_key[32], signature[64], expanded[64], nonce[64], k[64];
    struct selo_sha512 hash;
    unsigned valid = 0;

    for (int i = 0; i < 32; i++) {
        seed[i] = (uint8_t)i;
    }
    check_hex(public_key, 32, mixed);
    selo_sha512_start(&hash);
    selo_sha512_update(&hash, seed, 32);
    selo_sha512_finish(&hash, expanded);
    expanded[0] &= 248;
    expanded[31] = (uint8_t)((expanded[31] & 127) | 64);
    for (int i = 0; i < 64; i++) {
        check_random_bytes(nonce, sizeof nonce);
        if (i < 32) { /* R is then the neutral element, which the equation allows */
            memset(nonce, 0, sizeof nonce);
            message[0]++;
        }
        selo_ed25519_reduce(nonce, nonce);
        selo_ed25519_base(signature, nonce);
        selo_sha512_start(&hash);
        selo_sha512_update(&hash, signature, 32);
        selo_sha512_update(&hash, public_key, 32);
        selo_sha512_update(&hash, message, 9);
        selo_sha512_finish(&hash, k);
        selo_ed25519_reduce(k, k);
        selo_ed25519_multiply_add(signature + 32, k, expanded, nonce);
        const int holds = (k[0] & 7) == 0;
        CHECK(selo_ed25519_verify(signature, public_key, message, 9) ==
              (holds ? SELO_OK : SELO_ERROR_TAG));
        valid += (unsigned)holds;
    }
    CHECK(valid > 0 && valid < 64);
}

/* first = second * k modulo 8 L, or -second * k, for any k, and both have about 128 bits. */
static void halves(void)
{
    static const uint8_t zero[32];

    for (int round = 0; round < CHECK_SAMPLE(2000, 100); round++) {
        uint8_t k[64], first[32], second[32], product[32], sum[32];
        check_random_bytes(k, sizeof k);
        selo_ed25519_reduce(k, k);
        if (round < 250) { /* small ones too */
            memset(k + round % 33, 0, (size_t)(32 - round % 33));
        }
        const uint8_t minus = selo_ed25519_halve(first, second, k);
        CHECK(check_is_zero(first + 16, 16) && (second[0] & 1));
        CHECK(round < 250 || check_is_zero(second + 18, 14));
        /* modulo L, and modulo 8 */
        selo_ed25519_multiply_add(product, second, k, zero);
        if (minus) {
            unsigned carry = 0;
            for (int i = 0; i < 32; i++) {
                carry += (unsigned)product[i] + first[i];
                sum[i] = (uint8_t)carry;
                carry >>= 8;
            }
            modulo(product, sum, 32);
            CHECK(check_is_zero(product, 32));
        } else {
            CHECK_BYTES(product, first, 32);
        }
        const uint8_t low = (uint8_t)(second[0] * k[0]);
        CHECK((((minus ? 0u - low : low) ^ first[0]) & 7) == 0);
    }
}

int main(void)
{
    CHECK(labelled(VECTORS "/rfc8032.toml") == 3);
    CHECK(labelled(VECTORS "/ed25519-designers.toml") > 30);
    CHECK(wycheproof(VECTORS "/wycheproof/ed25519_test.json") == 151);
    scalars();
    strict();
    halves();
    mixed_order();
    return check_report("ed25519");
}
