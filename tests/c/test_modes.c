/* ECB, CBC and CTR: the examples of [SP800-38A], every error, overlap and size. */
#include "check.h"
#include "selo_unauthenticated.h"

static struct selo_aes128_fast fast128;
static struct selo_aes192_fast fast192;
static struct selo_aes256_fast fast256;
static struct selo_aes128_small small128;
static struct selo_aes192_small small192;
static struct selo_aes256_small small256;
static struct selo_aes128_tiny tiny128;
static struct selo_aes192_tiny tiny192;
static struct selo_aes256_tiny tiny256;

static const struct cipher {
    int size; /* 0, 1, 2: 128, 192, 256 bits */
    const void *key;
    selo_block_fn *encrypt, *decrypt;
} ciphers[] = {
    {0, &fast128, selo_aes128_fast_encrypt, selo_aes128_fast_decrypt},
    {1, &fast192, selo_aes192_fast_encrypt, selo_aes192_fast_decrypt},
    {2, &fast256, selo_aes256_fast_encrypt, selo_aes256_fast_decrypt},
    {0, &small128, selo_aes128_small_encrypt, selo_aes128_small_decrypt},
    {1, &small192, selo_aes192_small_encrypt, selo_aes192_small_decrypt},
    {2, &small256, selo_aes256_small_encrypt, selo_aes256_small_decrypt},
    {0, &tiny128, selo_aes128_tiny_encrypt, NULL},
    {1, &tiny192, selo_aes192_tiny_encrypt, NULL},
    {2, &tiny256, selo_aes256_tiny_encrypt, NULL},
};
enum { CIPHERS = sizeof ciphers / sizeof ciphers[0] };

static struct selo_cipher forward(const struct cipher *c)
{
    return (struct selo_cipher){.encrypt = c->encrypt, .key = c->key};
}

/* With two blocks at a time for every other call, where the key has a function for that. */
static struct selo_inverse_cipher inverse(const struct cipher *c)
{
    static unsigned calls;

    if (++calls % 2 != 0 || c->decrypt == NULL) {
        return (struct selo_inverse_cipher){.decrypt = c->decrypt, .key = c->key};
    }
    return c->key == &fast128   ? selo_aes128_fast_inverse(&fast128)
           : c->key == &fast192 ? selo_aes192_fast_inverse(&fast192)
           : c->key == &fast256 ? selo_aes256_fast_inverse(&fast256)
                                : (struct selo_inverse_cipher){.decrypt = c->decrypt, .key = c->key};
}

/* [SP800-38A, appendix F] */
static const char *const keys[] = {
    "2b7e151628aed2a6abf7158809cf4f3c", "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
    "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"};
static const char plain_hex[] = "6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51 "
                                "30c81c46a35ce411e5fbc1191a0a52ef f69f2445df4f9b17ad2b417be66c3710";
static const char iv_hex[] = "000102030405060708090a0b0c0d0e0f";
static const char counter_hex[] = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";
/* F.1.1, F.1.3, F.1.5 */
static const char *const ecb_hex[] = {
    "3ad77bb40d7a3660a89ecaf32466ef97 f5d3d58503b9699de785895a96fdbaaf "
    "43b1cd7f598ece23881b00e3ed030688 7b0c785e27e8ad3f8223207104725dd4",
    "bd334f1d6e45f25ff712a214571fa5cc 974104846d0ad3ad7734ecb3ecee4eef "
    "ef7afd2270e2e60adce0ba2face6444e 9a4b41ba738d6c72fb16691603c18e0e",
    "f3eed1bdb5d2a03c064b5a7e3db181f8 591ccb10d410ed26dc5ba74a31362870 "
    "b6ed21b99ca6f4f9f153e7b1beafed1d 23304b7a39f9f3ff067d8d8f9e24ecc7"};
/* F.2.1, F.2.3, F.2.5 */
static const char *const cbc_hex[] = {
    "7649abac8119b246cee98e9b12e9197d 5086cb9b507219ee95db113a917678b2 "
    "73bed6b8e3c1743b7116e69e22229516 3ff1caa1681fac09120eca307586e1a7",
    "4f021db243bc633d7178183a9fa071e8 b4d9ada9ad7dedf4e5e738763f69145a "
    "571b242012fb7ae07fa9baac3df102e0 08b0e27988598881d920a9e64f5615cd",
    "f58c4c04d6e5f1ba779eabfb5f7bfbd6 9cfc4e967edb808d679f777bc6702c7d "
    "39f23369a9d9bacfa530e26304231461 b2eb05e2c39be9fcda6c19078c6a9d1b"};
/* F.5.1, F.5.3, F.5.5 */
static const char *const ctr_hex[] = {
    "874d6191b620e3261bef6864990db6ce 9806f66b7970fdff8617187bb9fffdff "
    "5ae4df3edbd5d35e5b4f09020db03eab 1e031dda2fbe03d1792170a0f3009cee",
    "1abc932417521ca24f2b0459fe7e6e0b 090339ec0aa6faefd5ccc2c6f4ce8e94 "
    "1e36b26bd1ebc670d1bd1d665620abf7 4f78a7f6d29809585a97daec58c6b050",
    "601ec313775789a5b7a7f504bbf3d228 f443e3ca4d62b59aca84e990cacaf5c5 "
    "2b0930daa23de94ce87017ba2d84988d dfc9c58db67aada613c2dd08457941a6"};

static uint8_t plain[64];

static void setup(void)
{
    uint8_t raw[32];

    check_hex(plain, sizeof plain, plain_hex);
    check_hex(raw, sizeof raw, keys[0]);
    selo_aes128_fast_setup(&fast128, raw);
    selo_aes128_small_setup(&small128, raw);
    selo_aes128_tiny_setup(&tiny128, raw);
    check_hex(raw, sizeof raw, keys[1]);
    selo_aes192_fast_setup(&fast192, raw);
    selo_aes192_small_setup(&small192, raw);
    selo_aes192_tiny_setup(&tiny192, raw);
    check_hex(raw, sizeof raw, keys[2]);
    selo_aes256_fast_setup(&fast256, raw);
    selo_aes256_small_setup(&small256, raw);
    selo_aes256_tiny_setup(&tiny256, raw);
}

/* A random source whose bytes and status the test sets. */
struct source {
    uint8_t bytes[16];
    enum selo_status status;
    size_t asked;
};

static enum selo_status give(void *source, uint8_t *out, size_t size)
{
    struct source *from = source;
    from->asked += size;
    memcpy(out, from->bytes, size); /* a failing source also writes */
    return from->status;
}

static void test_ecb(void)
{
    uint8_t want[64], out[64];

    for (int i = 0; i < CIPHERS; i++) {
        const struct cipher *c = &ciphers[i];
        check_hex(want, sizeof want, ecb_hex[c->size]);
        CHECK(selo_ecb_encrypt(forward(c), out, plain, 64) == SELO_OK);
        CHECK_BYTES(out, want, 64);
        memcpy(out, plain, 64);
        CHECK(selo_ecb_encrypt(forward(c), out, out, 64) == SELO_OK);
        CHECK_BYTES(out, want, 64);
        if (c->decrypt != NULL) {
            CHECK(selo_ecb_decrypt(inverse(c), out, want, 64) == SELO_OK);
            CHECK_BYTES(out, plain, 64);
        }
    }
    for (size_t size = 0; size <= 48; size++) {
        memset(out, 0xee, sizeof out);
        enum selo_status status = selo_ecb_encrypt(forward(&ciphers[0]), out, plain, size);
        CHECK(status == (size % 16 == 0 ? SELO_OK : SELO_ERROR_ARGUMENT));
        if (status != SELO_OK) {
            CHECK(check_is_zero(out, size));
        }
        CHECK(out[size] == 0xee);
    }
}

static void test_cbc_examples(void)
{
    struct source source = {.status = SELO_OK};
    uint8_t want[64], out[96], back[80];
    size_t size;

    check_hex(source.bytes, 16, iv_hex);
    for (int i = 0; i < CIPHERS; i++) {
        const struct cipher *c = &ciphers[i];
        uint8_t padding[16];

        check_hex(want, sizeof want, cbc_hex[c->size]);
        source.asked = 0;
        CHECK(selo_cbc_encrypt(forward(c), give, &source, out, sizeof out, &size, plain,
                               64) == SELO_OK);
        CHECK(size == 96 && source.asked == 16);
        CHECK_BYTES(out, source.bytes, 16);
        CHECK_BYTES(out + 16, want, 64);
        /* the examples have no padding: its block by the definition */
        for (int k = 0; k < 16; k++) {
            padding[k] = want[48 + k] ^ 16;
        }
        c->encrypt(c->key, padding, padding);
        CHECK_BYTES(out + 80, padding, 16);
        if (c->decrypt != NULL) {
            CHECK(selo_cbc_decrypt(inverse(c), back, sizeof back, &size, out, 96) ==
                  SELO_OK);
            CHECK(size == 64);
            CHECK_BYTES(back, plain, 64);
        }
    }
}

static void test_cbc_sizes(void)
{
    const struct cipher *c = &ciphers[3];
    struct source source = {.status = SELO_OK};

    for (size_t in_size = 0; in_size <= 33; in_size++) {
        uint8_t message[33], out[65], back[65];
        size_t size, back_size;

        check_random_bytes(message, sizeof message);
        check_random_bytes(source.bytes, 16);
        memset(out, 0xee, sizeof out);
        CHECK(selo_cbc_encrypt(forward(c), give, &source, out, SELO_CBC_SIZE(in_size),
                               &size, message, in_size) == SELO_OK);
        CHECK(size == SELO_CBC_SIZE(in_size) && size % 16 == 0 && size > in_size + 16);
        CHECK(out[size] == 0xee);

        /* into another buffer of exactly the required size */
        memset(back, 0xee, sizeof back);
        CHECK(selo_cbc_decrypt(inverse(c), back, size - 16, &back_size, out, size) ==
              SELO_OK);
        CHECK(back_size == in_size && back[size - 16] == 0xee);
        CHECK_BYTES(back, message, in_size);
        for (size_t i = in_size; i < size - 16; i++) {
            CHECK(back[i] == size - 16 - in_size); /* PKCS#7 */
        }

        /* over the ciphertext, and over the IV and the ciphertext */
        memcpy(back, out, size);
        CHECK(selo_cbc_decrypt(inverse(c), back + 16, size - 16, &back_size, back, size) ==
              SELO_OK);
        CHECK(back_size == in_size);
        CHECK_BYTES(back + 16, message, in_size);
        memcpy(back, out, size);
        CHECK(selo_cbc_decrypt(inverse(c), back, size - 16, &back_size, back, size) ==
              SELO_OK);
        CHECK(back_size == in_size);
        CHECK_BYTES(back, message, in_size);

        /* every smaller buffer is refused and zeroed, and no random bytes are drawn */
        source.asked = 0;
        for (size_t capacity = 0; capacity < size; capacity++) {
            uint8_t room[65];
            memset(room, 0xee, sizeof room);
            CHECK(selo_cbc_encrypt(forward(c), give, &source, room, capacity, &back_size,
                                   message, in_size) == SELO_ERROR_SPACE);
            CHECK(back_size == 0 && check_is_zero(room, capacity) && room[capacity] == 0xee);
            if (capacity < size - 16) {
                memset(room, 0xee, sizeof room);
                CHECK(selo_cbc_decrypt(inverse(c), room, capacity, &back_size, out,
                                       size) == SELO_ERROR_SPACE);
                CHECK(back_size == 0 && check_is_zero(room, capacity) && room[capacity] == 0xee);
            }
        }
        CHECK(source.asked == 0);

        /* every size that cannot be a ciphertext */
        for (size_t cut = 0; cut < size; cut++) {
            if (cut % 16 != 0 || cut < 32) {
                memset(back, 0xee, sizeof back);
                CHECK(selo_cbc_decrypt(inverse(c), back, 64, &back_size, out, cut) ==
                      SELO_ERROR_ARGUMENT);
                CHECK(back_size == 0 && check_is_zero(back, 64) && back[64] == 0xee);
            }
        }
    }
}

static void test_cbc_argument_and_random(void)
{
    const struct cipher *c = &ciphers[0];
    struct source source = {.status = SELO_ERROR_RANDOM};
    uint8_t out[80];
    size_t size = 1;

    /* SELO_CBC_SIZE would overflow: refused before anything is read */
    for (size_t less = 0; less < 32; less++) {
        memset(out, 0xee, sizeof out);
        size = 1;
        CHECK(selo_cbc_encrypt(forward(c), give, &source, out, sizeof out, &size, plain,
                               SIZE_MAX - less) == SELO_ERROR_ARGUMENT);
        CHECK(size == 0 && check_is_zero(out, sizeof out));
    }
    CHECK(source.asked == 0);
    memset(source.bytes, 0x77, 16);
    memset(out, 0xee, sizeof out);
    CHECK(selo_cbc_encrypt(forward(c), give, &source, out, sizeof out, &size, plain, 48) ==
          SELO_ERROR_RANDOM);
    CHECK(size == 0 && check_is_zero(out, sizeof out));
    source.status = SELO_ERROR_SPACE; /* the caller gets RANDOM for every error of the source */
    CHECK(selo_cbc_encrypt(forward(c), give, &source, out, sizeof out, &size, plain, 48) ==
          SELO_ERROR_RANDOM);
}

/* Decrypts every last block of the form x..x n..n. The test encrypts it without selo_cbc_encrypt, so
 * that the padding can be wrong. */
static void test_cbc_padding(void)
{
    const struct cipher *c = &ciphers[0];

    for (int last = 0; last < 256; last++) {
        for (int wrong = -1; wrong < 15; wrong++) { /* index of the altered padding byte; -1: none */
            uint8_t block[32], cipher[48], out[33];
            size_t size = 1;
            int valid = last >= 1 && last <= 16 && (wrong < 16 - last || wrong == -1);

            check_random_bytes(block, sizeof block);
            for (int i = 0; i < 16 && i < last; i++) {
                block[31 - i] = (uint8_t)last;
            }
            block[31] = (uint8_t)last;
            if (wrong >= 0) {
                block[16 + wrong] = (uint8_t)(last ^ (1 << (check_random() >> 29)));
            }
            check_random_bytes(cipher, 16);
            for (int k = 0; k < 2; k++) {
                for (int i = 0; i < 16; i++) {
                    cipher[16 + 16 * k + i] = block[16 * k + i] ^ cipher[16 * k + i];
                }
                c->encrypt(c->key, cipher + 16 + 16 * k, cipher + 16 + 16 * k);
            }
            memset(out, 0xee, sizeof out);
            enum selo_status status =
                selo_cbc_decrypt(inverse(c), out, 32, &size, cipher, 48);
            CHECK(out[32] == 0xee);
            if (valid) {
                CHECK(status == SELO_OK && size == (size_t)(32 - last));
                CHECK_BYTES(out, block, size);
            } else {
                CHECK(status == SELO_ERROR_PADDING && size == 0);
                CHECK(check_is_zero(out, 32));
            }
        }
    }
}

static void test_ctr(void)
{
    uint8_t want[64], out[65], counter[16], after[16];

    for (int i = 0; i < CIPHERS; i++) {
        const struct cipher *c = &ciphers[i];
        check_hex(want, sizeof want, ctr_hex[c->size]);
        for (size_t size = 0; size <= 64; size++) {
            check_hex(counter, 16, counter_hex);
            /* f0..feff plus the number of blocks, including a partial one */
            check_hex(after, 16, counter_hex);
            for (size_t used = (size + 15) / 16; used != 0; used--) {
                for (int k = 15; ++after[k] == 0; k--) {
                }
            }
            memset(out, 0xee, sizeof out);
            selo_ctr(forward(c), counter, out, plain, size);
            CHECK_BYTES(out, want, size);
            CHECK(out[size] == 0xee);
            CHECK_BYTES(counter, after, 16);
            check_hex(counter, 16, counter_hex);
            selo_ctr(forward(c), counter, out, out, size);
            CHECK_BYTES(out, plain, size);
        }
    }
}

/* Carries over every byte, and from the last counter back to zero [SP800-38A, B.1]. */
static void test_ctr_wraps(void)
{
    const struct cipher *c = &ciphers[0];

    for (int set = 0; set <= 16; set++) { /* the last `set` bytes are ff */
        uint8_t counter[16], next[16], out[32], want[32];
        const uint8_t zeros[32] = {0};

        memset(counter, 0, 16);
        memset(counter + 16 - set, 0xff, (size_t)set);
        memset(next, 0, 16);
        if (set < 16) {
            next[15 - set] = 1;
        }
        c->encrypt(c->key, want, counter);
        c->encrypt(c->key, want + 16, next);
        selo_ctr(forward(c), counter, out, zeros, 32);
        CHECK_BYTES(out, want, 32);
        next[15]++;
        if (set == 16) {
            CHECK(check_is_zero(counter, 15) && counter[15] == 1);
        } else {
            CHECK_BYTES(counter, next, 16);
        }
    }
}

int main(void)
{
    setup();
    test_ecb();
    test_cbc_examples();
    test_cbc_sizes();
    test_cbc_argument_and_random();
    test_cbc_padding();
    test_ctr();
    test_ctr_wraps();
    return check_report("modes");
}
