/*
 * X25519: the vectors of [RFC7748, 5.2 and 6.1], the points that must be refused, and the field
 * arithmetic against slow arithmetic that is obviously correct.
 */
#include "../../src/selo.h"
#include "../../src/selo/x25519/field.h"
#include "../../src/selo/x25519/x25519_base.h"
#include "check.h"

/* ---- Slow arithmetic: numbers of 32 bytes, little-endian, any value ------------- */

static const uint8_t p_minus_1[32] = {
    0xec, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f};

/* a = a - p if a >= p. Returns 1 if a was at least p. */
static int slow_subtract_p(uint8_t a[33])
{
    uint8_t difference[33];
    int borrow = 0;
    for (int i = 0; i < 33; i++) {
        int p_byte = i == 0 ? 0xed : i < 31 ? 0xff : i == 31 ? 0x7f : 0;
        int byte = a[i] - p_byte - borrow;
        borrow = byte < 0;
        difference[i] = (uint8_t)(byte + 256 * borrow);
    }
    if (!borrow) {
        memcpy(a, difference, 33);
    }
    return !borrow;
}

static void slow_reduce(uint8_t a[33])
{
    while (slow_subtract_p(a)) {
    }
}

/* r = a + b mod p for a, b of 32 bytes. */
static void slow_add(uint8_t r[32], const uint8_t a[32], const uint8_t b[32])
{
    uint8_t sum[33];
    int carry = 0;
    for (int i = 0; i < 32; i++) {
        int byte = a[i] + b[i] + carry;
        sum[i] = (uint8_t)byte;
        carry = byte >> 8;
    }
    sum[32] = (uint8_t)carry;
    slow_reduce(sum);
    memcpy(r, sum, 32);
}

/* r = a b mod p, by doubling and adding bit by bit. */
static void slow_multiply(uint8_t r[32], const uint8_t a[32], const uint8_t b[32])
{
    uint8_t result[32] = {0};
    for (int bit = 255; bit >= 0; bit--) {
        slow_add(result, result, result);
        if (b[bit / 8] >> (bit % 8) & 1) {
            slow_add(result, result, a);
        }
    }
    memcpy(r, result, 32);
}

/* r = -a mod p = (p - 1) a. */
static void slow_negate(uint8_t r[32], const uint8_t a[32])
{
    slow_multiply(r, a, p_minus_1);
}

/* True if got is congruent to want modulo p, and below top * 2^248. */
static int is_same(const uint8_t got[32], const uint8_t want[32], int top)
{
    static const uint8_t zero[32];
    uint8_t got_reduced[32], want_reduced[32], canonical[32];
    slow_add(got_reduced, got, zero);
    slow_add(want_reduced, want, zero);
    memcpy(canonical, got, 32);
    selo_field25519_canonical(canonical);
    return memcmp(got_reduced, want_reduced, 32) == 0 && memcmp(canonical, want_reduced, 32) == 0
           && got[31] < top;
}

typedef void binary_fn(uint8_t r[32], const uint8_t a[32], const uint8_t b[32]);
typedef void unary_fn(uint8_t r[32], const uint8_t a[32]);
typedef void pair_fn(uint8_t a[32], uint8_t b[32]);

/* Each kind of the field's operations that this compiler can make, with the bounds of its
 * products and of its sums in multiples of 2^248. */
static const struct kind {
    binary_fn *multiply;
    unary_fn *square;
    binary_fn *subtract;
    pair_fn *butterfly;
    unary_fn *add_121666;
    int product_top, sum_top;
} kinds[] = {
    {selo_field25519_multiply_bytes, selo_field25519_square_bytes, selo_field25519_subtract_bytes,
     selo_field25519_butterfly_bytes, selo_field25519_add_121666_bytes, 167, 131},
    {selo_field25519_multiply_words, selo_field25519_square_words, selo_field25519_subtract_bytes,
     selo_field25519_butterfly_bytes, selo_field25519_add_121666_bytes, 167, 131},
#if SELO_X25519_WIDE
    {selo_field25519_multiply_wide, selo_field25519_square_wide, selo_field25519_subtract_wide,
     selo_field25519_butterfly_wide, selo_field25519_add_121666_wide, 256, 256},
#endif
};

/* Multiplication and squaring, with the output apart and in place. */
static void check_products(const struct kind *kind, const uint8_t a[32], const uint8_t b[32])
{
    const int top = kind->product_top;
    uint8_t got[32], want[32], want_square[32];

    slow_multiply(want, a, b);
    slow_multiply(want_square, a, a);
    kind->multiply(got, a, b);
    CHECK(is_same(got, want, top));
    memcpy(got, a, 32);
    kind->multiply(got, got, b);
    CHECK(is_same(got, want, top));
    memcpy(got, b, 32);
    kind->multiply(got, a, got);
    CHECK(is_same(got, want, top));

    kind->square(got, a);
    CHECK(is_same(got, want_square, top));
    memcpy(got, a, 32);
    kind->square(got, got);
    CHECK(is_same(got, want_square, top));
    kind->multiply(got, a, a);
    CHECK(is_same(got, want_square, top));
}

/* Sums and differences. */
static void check_sums(const struct kind *kind, const uint8_t a[32], const uint8_t b[32])
{
    static const uint8_t constant[32] = {0x42, 0xdb, 0x01}; /* 121666 */
    const int top = kind->sum_top;
    uint8_t got[32], other[32], want[32], negative[32];

    slow_negate(negative, b);
    slow_add(want, a, negative);
    kind->subtract(got, a, b);
    CHECK(is_same(got, want, top));
    memcpy(got, a, 32);
    kind->subtract(got, got, b);
    CHECK(is_same(got, want, top));
    memcpy(got, b, 32);
    kind->subtract(got, a, got);
    CHECK(is_same(got, want, top));

    memcpy(got, a, 32);
    memcpy(other, b, 32);
    kind->butterfly(got, other);
    CHECK(is_same(other, want, top));
    slow_add(want, a, b);
    CHECK(is_same(got, want, top));

    slow_multiply(want, b, constant);
    slow_add(want, want, a);
    memcpy(got, a, 32);
    kind->add_121666(got, b);
    CHECK(is_same(got, want, top));
}

static void check_field(const uint8_t a[32], const uint8_t b[32])
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        check_products(&kinds[i], a, b);
        check_sums(&kinds[i], a, b);
    }
}

static void check_invert(const uint8_t a[32])
{
    static const uint8_t zero[32], one[32] = {1};
    uint8_t inverse[32], scratch[3][32], product[32];
    selo_field25519_invert(inverse, a, scratch);
    slow_multiply(product, inverse, a);
    CHECK(is_same(product, is_same(a, zero, 256) ? zero : one, 256));
    CHECK(!is_same(a, zero, 256) || is_same(inverse, zero, SELO_X25519_WIDE ? 256 : 167));
}

static void check_reduce(const uint8_t product[64])
{
    static const uint8_t constant[32] = {38}; /* 2^256 mod p */
    uint8_t got[32], want[32];
    slow_multiply(want, product + 32, constant);
    slow_add(want, want, product);
    selo_field25519_reduce(got, product);
    CHECK(is_same(got, want, 167));
}

/* Values with long carries, and values at the limits of a reduction. */
#define EDGES 24

static void edge(uint8_t a[32], int which)
{
    memset(a, 0, 32);
    if (which < 3) {                        /* 0, 1, 2 */
        a[0] = (uint8_t)which;
    } else if (which < 8) {                 /* p - 2 to p + 2 */
        memset(a, 0xff, 32);
        a[0] = (uint8_t)(0xeb + which - 3);
        a[31] = 0x7f;
    } else if (which < 13) {                /* 2 p - 2 to 2 p + 2 */
        memset(a, 0xff, 32);
        a[0] = (uint8_t)(0xd8 + which - 8);
    } else if (which < 15) {                /* 2^256 - 1, 2^255 - 1 */
        memset(a, 0xff, 32);
        a[31] = which == 13 ? 0xff : 0x7f;
    } else if (which < 17) {                /* 2^255, 2^248 */
        a[31] = which == 15 ? 0x80 : 0x01;
    } else if (which < 19) {                /* one half all ones */
        memset(a + (which == 17 ? 0 : 16), 0xff, 16);
    } else if (which < 21) {                /* every other quarter all ones */
        memset(a + (which == 19 ? 0 : 8), 0xff, 8);
        memset(a + (which == 19 ? 16 : 24), 0xff, 8);
    } else if (which < 23) {                /* halves that differ by one, both ways */
        memset(a, 0x55, 32);
        a[which == 21 ? 0 : 16]++;
        a[which == 21 ? 8 : 24]++;
    } else {
        memset(a, 0x80, 32);
    }
}

static void test_field(void)
{
    uint8_t a[32], b[32], product[64];
    for (int i = 0; i < EDGES; i++) {
        edge(a, i);
        check_invert(a);
        for (int j = 0; j < EDGES; j++) {
            edge(b, j);
            check_field(a, b);
            memcpy(product, a, 32);
            memcpy(product + 32, b, 32);
            check_reduce(product);
        }
    }
    for (int i = 0; i < CHECK_SAMPLE(10000, 300); i++) {
        check_random_bytes(a, 32);
        check_random_bytes(b, 32);
        for (size_t kind = 0; kind < sizeof kinds / sizeof kinds[0]; kind++)
            check_products(&kinds[kind], a, b);
        if (i % 20 == 0) {
            check_random_bytes(product, 64);
            check_field(a, b);
            check_reduce(product);
            check_invert(a);
        }
    }
}

/* Both ways to read the table give the same entries. */
static void test_lookup(void)
{
#if SELO_X25519_TABLE && SELO_X25519_WIDE && SELO_X25519_TEETH == 5
    for (uint8_t index = 0; index < SELO_X25519_ENTRIES; index++) {
        uint8_t bytes[96], wide[96];
        selo_x25519_lookup_bytes(bytes, index);
        selo_x25519_lookup_wide(wide, index);
        CHECK(memcmp(bytes, wide, 96) == 0);
    }
#endif
}

/* ---- The public functions ------------------------------------------------------- */

static void bytes32(uint8_t out[32], const char *hex)
{
    CHECK(check_hex(out, 32, hex) == 32);
}

/* [RFC7748, 5.2] */
static void test_vectors(void)
{
    static const struct { const char *scalar, *u, *result; } vectors[] = {
        {"a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
         "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
         "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"},
        {"4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
         "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
         "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957"},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        uint8_t scalar[32], u[32], want[32], got[32];
        bytes32(scalar, vectors[i].scalar);
        bytes32(u, vectors[i].u);
        bytes32(want, vectors[i].result);
        CHECK(selo_x25519_shared_secret(got, scalar, u) == SELO_OK);
        CHECK_BYTES(got, want, 32);
        /* The output may be either input. */
        memcpy(got, u, 32);
        CHECK(selo_x25519_shared_secret(got, scalar, got) == SELO_OK);
        CHECK_BYTES(got, want, 32);
        memcpy(got, scalar, 32);
        CHECK(selo_x25519_shared_secret(got, got, u) == SELO_OK);
        CHECK_BYTES(got, want, 32);
    }
}

/* [RFC7748, 5.2], the iteration, after 1 and 1,000 rounds; a sample stops after 50. */
static void test_iteration(void)
{
    uint8_t k[32] = {9}, u[32] = {9}, next[32], want[32];
    for (int round = 1; round <= CHECK_SAMPLE(1000, 10); round++) {
        CHECK(selo_x25519_shared_secret(next, k, u) == SELO_OK);
        memcpy(u, k, 32);
        memcpy(k, next, 32);
        if (round == 1) {
            bytes32(want, "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079");
            CHECK_BYTES(k, want, 32);
        }
    }
#ifdef CHECK_ALL
    bytes32(want, "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51");
    CHECK_BYTES(k, want, 32);
#endif
}

/* [RFC7748, 6.1] */
static void test_diffie_hellman(void)
{
    uint8_t alice[32], bob[32], alice_public[32], bob_public[32], want[32], got[32];

    bytes32(alice, "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a");
    selo_x25519_keygen(alice_public, alice);
    bytes32(want, "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a");
    CHECK_BYTES(alice_public, want, 32);

    bytes32(bob, "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb");
    selo_x25519_keygen(bob_public, bob);
    bytes32(want, "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f");
    CHECK_BYTES(bob_public, want, 32);

    bytes32(want, "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742");
    CHECK(selo_x25519_shared_secret(got, alice, bob_public) == SELO_OK);
    CHECK_BYTES(got, want, 32);
    CHECK(selo_x25519_shared_secret(got, bob, alice_public) == SELO_OK);
    CHECK_BYTES(got, want, 32);

    /* In place, as for a node that keeps no copy. */
    memcpy(got, alice, 32);
    selo_x25519_keygen(got, got);
    CHECK_BYTES(got, alice_public, 32);
}

/* The points of order 1, 2, 4 and 8 on the curve and on its twist, in every encoding: 0, 1, p - 1, the
 * two of order 8, p, p + 1, and all of these with bit 255 set. */
static void test_small_order(void)
{
    static const char *const points[] = {
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    };
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
        for (int top = 0; top < 2; top++) {
            uint8_t secret[32], peer[32], shared[32];
            check_random_bytes(secret, 32);
            bytes32(peer, points[i]);
            peer[31] = (uint8_t)(peer[31] | top << 7);
            memset(shared, 0xa5, 32);
            CHECK(selo_x25519_shared_secret(shared, secret, peer) == SELO_ERROR_KEY);
            CHECK(check_is_zero(shared, 32));
        }
    }
}

/* u >= p means u - p, and bit 255 is ignored [RFC7748, 5]. */
static void test_not_canonical(void)
{
    for (int i = 2; i < 19; i++) {
        uint8_t secret[32], low[32] = {0}, high[32], want[32], got[32];
        check_random_bytes(secret, 32);
        low[0] = (uint8_t)i;
        memset(high, 0xff, 32);
        high[0] = (uint8_t)(0xed + i); /* p + i; p + 18 is 2^255 - 1 */
        high[31] = 0x7f;
        CHECK(selo_x25519_shared_secret(want, secret, low) == SELO_OK);
        CHECK(selo_x25519_shared_secret(got, secret, high) == SELO_OK);
        CHECK_BYTES(got, want, 32);
        high[31] = 0xff;
        CHECK(selo_x25519_shared_secret(got, secret, high) == SELO_OK);
        CHECK_BYTES(got, want, 32);
    }
}

/* The five clamped bits of a secret do not matter [RFC7748, 5]. */
static void test_clamping(void)
{
    uint8_t secret[32], other[32], want[32], got[32];
    check_random_bytes(secret, 32);
    selo_x25519_keygen(want, secret);
    for (int bits = 0; bits < 32; bits++) {
        memcpy(other, secret, 32);
        other[0] = (uint8_t)((other[0] & 0xf8) | (bits & 7));
        other[31] = (uint8_t)((other[31] & 0x3f) | (bits >> 3) << 6);
        selo_x25519_keygen(got, other);
        CHECK_BYTES(got, want, 32);
    }
}

/* Key generation has its own algorithm. Its result must equal that of the ladder for u = 9. */
static void test_base(void)
{
    for (int i = 0; i < CHECK_SAMPLE(300, EDGES + 40); i++) {
        uint8_t secret[32], base[32] = {9}, want[32], got[32];
        check_random_bytes(secret, 32);
        if (i < EDGES) {
            edge(secret, i);
        } else if (i < EDGES + 32) { /* every value of the low bits, with all other bits set or clear */
            memset(secret, i & 1 ? 0xff : 0, 32);
            secret[0] = (uint8_t)((i - EDGES) << 3);
        }
        CHECK(selo_x25519_shared_secret(want, secret, base) == SELO_OK);
        selo_x25519_keygen(got, secret);
        CHECK_BYTES(got, want, 32);
        memcpy(got, secret, 32);
        selo_x25519_keygen(got, got);
        CHECK_BYTES(got, want, 32);
    }
}

int main(void)
{
    test_base();
    test_field();
    test_lookup();
    test_vectors();
    test_diffie_hellman();
    test_small_order();
    test_not_canonical();
    test_clamping();
    test_iteration();
    return check_report("x25519");
}
