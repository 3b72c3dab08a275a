/* AES: the examples of [FIPS197], the key schedule, and the variants against each other. */
#include "check.h"
#include "selo.h"
#include "selo/aes/aes.h"
#include "selo/aes/aes_wide.h"
#include "selo/aes/aes_sliced.h"

static uint8_t multiply(uint8_t a, uint8_t b)
{
    uint8_t product = 0;
    for (int bit = 0; bit < 8; bit++) {
        if (b >> bit & 1) {
            product ^= a;
        }
        a = (uint8_t)(a << 1 ^ (a & 0x80 ? 0x1b : 0));
    }
    return product;
}

/* The S-box by its definition: inverse in GF(2^8), then the affine map [FIPS197, 5.1.1]. */
#if SELO_AES_TABLES
static void test_sboxes(void)
{
    for (int x = 0; x < 256; x++) {
        uint8_t inverse = 0;
        uint8_t want = 0x63;
        for (int y = 0; y < 256; y++) {
            if (multiply((uint8_t)x, (uint8_t)y) == 1) {
                inverse = (uint8_t)y;
            }
        }
        for (int turn = 0; turn < 5; turn++) {
            want ^= (uint8_t)(inverse << turn | inverse >> (8 - turn));
        }
#if SELO_AES_TABLES
        const uint8_t *sbox = selo_aes_sbox;
        const uint8_t *inverse_sbox = selo_aes_inverse_sbox;
        CHECK(selo_flash_lookup(&sbox, (uint8_t)x) == want);
        CHECK(selo_flash_lookup(&inverse_sbox, want) == (uint8_t)x);
#else
        uint32_t q[8];
        for (int bit = 0; bit < 8; bit++) {
            q[bit] = x >> bit & 1 ? 0xffffffff : 0;
        }
        selo_aes_sliced_substitute(q); /* without the constant 0x63 */
        for (int bit = 0; bit < 8; bit++) {
            CHECK(q[bit] == ((want ^ 0x63) >> bit & 1 ? 0xffffffff : 0));
        }
#endif
        CHECK(aes_xtime((uint8_t)x) == multiply((uint8_t)x, 2));
    }
/* Without the extension, and in the RAM of a CPU with 32 bits, nothing needs it. */
#if SELO_AES_TABLES && !SELO_PLAIN_C && !(SELO_AES_SBOX_IN_RAM && !SELO_BACKEND_AVR)
    CHECK((uintptr_t)selo_aes_sbox % 256 == 0);
    CHECK((uintptr_t)selo_aes_inverse_sbox % 256 == 0);
#endif
}
#endif

/* One key size in its three variants. */
struct keys {
    union {
        struct selo_aes128_fast fast128;
        struct selo_aes192_fast fast192;
        struct selo_aes256_fast fast256;
    } fast;
    union {
        struct selo_aes128_small small128;
        struct selo_aes192_small small192;
        struct selo_aes256_small small256;
    } small;
    union {
        struct selo_aes128_tiny tiny128;
        struct selo_aes192_tiny tiny192;
        struct selo_aes256_tiny tiny256;
    } tiny;
};

static selo_block_fn *const fast_encrypt[] = {selo_aes128_fast_encrypt, selo_aes192_fast_encrypt,
                                              selo_aes256_fast_encrypt};
static selo_block_fn *const fast_decrypt[] = {selo_aes128_fast_decrypt, selo_aes192_fast_decrypt,
                                              selo_aes256_fast_decrypt};
static selo_block_fn *const small_encrypt[] = {
    selo_aes128_small_encrypt, selo_aes192_small_encrypt, selo_aes256_small_encrypt};
static selo_block_fn *const small_decrypt[] = {
    selo_aes128_small_decrypt, selo_aes192_small_decrypt, selo_aes256_small_decrypt};
static selo_block_fn *const tiny_encrypt[] = {selo_aes128_tiny_encrypt, selo_aes192_tiny_encrypt,
                                              selo_aes256_tiny_encrypt};

static void setup(struct keys *keys, int size, const uint8_t *raw)
{
    switch (size) {
    case 0:
        selo_aes128_fast_setup(&keys->fast.fast128, raw);
        selo_aes128_small_setup(&keys->small.small128, raw);
        selo_aes128_tiny_setup(&keys->tiny.tiny128, raw);
        break;
    case 1:
        selo_aes192_fast_setup(&keys->fast.fast192, raw);
        selo_aes192_small_setup(&keys->small.small192, raw);
        selo_aes192_tiny_setup(&keys->tiny.tiny192, raw);
        break;
    default:
        selo_aes256_fast_setup(&keys->fast.fast256, raw);
        selo_aes256_small_setup(&keys->small.small256, raw);
        selo_aes256_tiny_setup(&keys->tiny.tiny256, raw);
    }
}

static void check_block(int size, const uint8_t *raw, const uint8_t plain[16],
                        const uint8_t cipher[16])
{
    struct keys keys, before;
    uint8_t out[16];
    const struct {
        const void *key;
        selo_block_fn *encrypt, *decrypt;
    } variants[] = {{&keys.fast, fast_encrypt[size], fast_decrypt[size]},
                      {&keys.small, small_encrypt[size], small_decrypt[size]},
                      {&keys.tiny, tiny_encrypt[size], NULL}};

    memset(&keys, 0, sizeof keys);
    setup(&keys, size, raw);
    memcpy(&before, &keys, sizeof keys);
    for (int i = 0; i < 3; i++) {
        variants[i].encrypt(variants[i].key, out, plain);
        CHECK_BYTES(out, cipher, 16);
        memcpy(out, plain, 16);
        variants[i].encrypt(variants[i].key, out, out);
        CHECK_BYTES(out, cipher, 16);
        if (variants[i].decrypt != NULL) {
            variants[i].decrypt(variants[i].key, out, out);
            CHECK_BYTES(out, plain, 16);
            memset(out, 0, 16);
            variants[i].decrypt(variants[i].key, out, cipher);
            CHECK_BYTES(out, plain, 16);
        }
    }
    CHECK(memcmp(&before, &keys, sizeof keys) == 0); /* no call changes a key */
}

static void test_examples(void)
{
    static const struct {
        int size;
        const char *key, *plain, *cipher;
    } examples[] = {
        /* [FIPS197, appendix B] */
        {0, "2b7e151628aed2a6abf7158809cf4f3c", "3243f6a8885a308d313198a2e0370734",
         "3925841d02dc09fbdc118597196a0b32"},
        /* [FIPS197, appendix C.1, C.2, C.3] */
        {0, "000102030405060708090a0b0c0d0e0f", "00112233445566778899aabbccddeeff",
         "69c4e0d86a7b0430d8cdb78070b4c55a"},
        {1, "000102030405060708090a0b0c0d0e0f1011121314151617", "00112233445566778899aabbccddeeff",
         "dda97ca4864cdfe06eaf70a0ec0d7191"},
        {2, "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
         "00112233445566778899aabbccddeeff", "8ea2b7ca516745bfeafc49904b496089"},
    };

    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        uint8_t key[32], plain[16], cipher[16];
        check_hex(key, sizeof key, examples[i].key);
        check_hex(plain, sizeof plain, examples[i].plain);
        check_hex(cipher, sizeof cipher, examples[i].cipher);
        check_block(examples[i].size, key, plain, cipher);
    }
}

#if !SELO_AES_TABLES
/* The round keys in slices back to the bytes of [FIPS197, 5.2]. */
static void to_bytes(uint8_t *round_keys, int size)
{
    for (int round = 0; 16 * round < size; round++) {
        uint8_t *key = round_keys + 16 * round, moved[16];
        uint32_t q[8] = {0};
        aes_sliced_add_key(q, key); /* both blocks are the key */
        selo_aes_sliced_transpose(q);
        for (int at = 0; at < 16; at++) {
            const int column = (at / 4 - (round & 1) * (at % 4)) & 3; /* an odd round is shifted */
            moved[4 * column + at % 4] =
                (uint8_t)((q[2 * (at / 4)] >> 8 * (at % 4)) ^ (round == 0 ? 0 : 0x63));
        }
        memcpy(key, moved, 16);
    }
}
#endif

/* The last word of each expanded key, and the following words that `small` keeps, w[i] in slot
 * i mod Nk. Where no word is substituted, w[i - Nk] is w[i] + w[i - 1]. Decryption checks the
 * substituted words and all others. */
#if SELO_AES_TABLES /* else the round keys are slices of bits */
static void test_key_schedule(void)
{
    static const struct {
        const char *key, *last_word; /* [FIPS197, appendix A.1, A.2, A.3] */
    } examples[] = {
        {"2b7e151628aed2a6abf7158809cf4f3c", "b6630ca6"},
        {"8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b", "01002202"},
        {"603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4", "706c631e"},
    };

    for (int size = 0; size < 3; size++) {
        uint8_t raw[32], last_word[4];
        struct keys keys;
        uint8_t key_size = (uint8_t)check_hex(raw, sizeof raw, examples[size].key);
        int words = key_size + 28;
        const uint8_t *schedule = (const uint8_t *)&keys.fast;
        const uint8_t *first = (const uint8_t *)&keys.small;

        check_hex(last_word, sizeof last_word, examples[size].last_word);
        setup(&keys, size, raw);
#if !SELO_AES_TABLES /* AES small keeps the key twice, and no end of the schedule */
        CHECK_BYTES(first + key_size, raw, key_size);
        to_bytes((uint8_t *)&keys.fast, 4 * words);
#endif
        CHECK_BYTES(schedule, raw, key_size);
        CHECK_BYTES(schedule + 4 * words - 4, last_word, 4);
        CHECK_BYTES(first, raw, key_size);
        for (int i = words, nk = key_size / 4; SELO_AES_TABLES && i < words + nk; i++) {
            const uint8_t *last = first + key_size;
            const uint8_t *before = i == words ? schedule + 4 * i - 4 : last + (i - 1) % nk * 4;
            uint8_t sum[4];
            for (int k = 0; k < 4; k++) {
                sum[k] = last[i % nk * 4 + k] ^ before[k];
            }
            if (i % nk != 0 && (nk != 8 || i % nk != 4)) {
                CHECK_BYTES(sum, schedule + 4 * (i - nk), 4);
            }
        }
    }
}
#endif

static void test_variants_agree(void)
{
    for (int round = 0; round < 3000; round++) {
        uint8_t raw[32], plain[16], cipher[16];
        struct keys keys;
        int size = round % 3;

        check_random_bytes(raw, sizeof raw);
        check_random_bytes(plain, sizeof plain);
        setup(&keys, size, raw);
        fast_encrypt[size](&keys.fast, cipher, plain);
        check_block(size, raw, plain, cipher);
    }
}

/* Each form for CPUs with words of 64 bits that this CPU can run, beside the form for small CPUs. */
#if SELO_AES_WIDE
struct form {
    void (*setup)(uint8_t *round_keys, const uint8_t *raw, uint8_t key_size, uint8_t words);
    void (*encrypt)(const uint8_t *round_keys, uint8_t out[16], const uint8_t in[16],
                    uint8_t rounds);
    void (*decrypt)(const uint8_t *round_keys, uint8_t out[16], const uint8_t in[16],
                    uint8_t rounds);
};
#define FORM(name) \
    (const struct form){selo_aes_setup_##name, selo_aes_encrypt_##name, selo_aes_decrypt_##name}

static void check_form(struct form form, uint8_t key_size, const uint8_t raw[32],
                       const uint8_t in[16])
{
    uint8_t round_keys[240], want[16], got[16];
    const uint8_t rounds = (uint8_t)(key_size / 4 + 6);

    form.setup(round_keys, raw, key_size, (uint8_t)(key_size + 28));
    selo_aes_tiny_encrypt(raw, want, in, key_size);
    form.encrypt(round_keys, got, in, rounds);
    CHECK_BYTES(got, want, 16);
    selo_aes_fast_encrypt(round_keys, got, in, rounds);
    CHECK_BYTES(got, want, 16); /* so the schedules are equal */
    form.decrypt(round_keys, got, want, rounds);
    CHECK_BYTES(got, in, 16);
    selo_aes_fast_decrypt(round_keys, want, in, rounds);
    memcpy(got, in, 16);
    form.decrypt(round_keys, got, got, rounds);
    CHECK_BYTES(got, want, 16);
}

static void test_wide_forms(void)
{
    for (int round = 0; round < 3000; round++) {
        const uint8_t key_size = (uint8_t)(16 + round % 3 * 8);
        uint8_t raw[32], in[16];

        check_random_bytes(raw, sizeof raw);
        check_random_bytes(in, sizeof in);
        check_form(FORM(sliced), key_size, raw, in);
#if SELO_NEON
        check_form(FORM(neon), key_size, raw, in);
#endif
#if SELO_ARM_AES
        check_form(FORM(arm), key_size, raw, in);
#endif
#if SELO_X86
        if (SELO_CPU_HAS("aes")) {
            check_form(FORM(x86), key_size, raw, in);
        }
#endif
    }
}
#else
static void test_wide_forms(void) {}
#endif

static void test_wipe_and_equal(void)
{
    uint8_t a[40], b[40];

    for (size_t size = 0; size <= sizeof a; size++) {
        memset(a, 0xa5, sizeof a);
        selo_wipe(a, size);
        CHECK(check_is_zero(a, size));
        for (size_t i = size; i < sizeof a; i++) {
            CHECK(a[i] == 0xa5);
        }
    }
    check_random_bytes(a, sizeof a);
    for (size_t size = 0; size <= sizeof a; size++) {
        memcpy(b, a, sizeof a);
        CHECK(selo_equal(a, b, size) == 1);
        for (size_t i = 0; i < sizeof a; i++) {
            for (int bit = 0; bit < 8; bit++) {
                b[i] ^= (uint8_t)(1 << bit);
                CHECK(selo_equal(a, b, size) == (i >= size));
                b[i] = a[i];
            }
        }
    }
    for (int difference = 1; difference < 256; difference++) {
        b[7] = (uint8_t)(a[7] ^ difference);
        CHECK(selo_equal(a, b, sizeof a) == 0);
    }
}

int main(void)
{
#if SELO_AES_TABLES
    test_sboxes();
#endif
    test_examples();
#if SELO_AES_TABLES
    test_key_schedule();
#endif
    test_variants_agree();
    test_wide_forms();
    test_wipe_and_equal();
    return check_report("aes");
}
