/*
 * Speck128: the vectors of the designers, all variants against each other, and every output in place.
 *
 * The vectors are written as in [SPECK2013, appendix C]: words with the most significant digit first,
 * the high word x before the low word y, and the last word of the key first. As bytes, a block is y,
 * then x, each with the least significant byte first [SPECKGUIDE, 2]. The byte string is therefore the
 * printed line with its bytes in reverse order. bytes_of_the_guide() checks this order: it has the
 * first vector in the bytes of the guide.
 */
#include "selo_speck.h"

#include "check.h"

struct vector {
    const char *key, *plaintext, *ciphertext;
};

static const struct vector printed[3] = {
    {"0f0e0d0c0b0a0908 0706050403020100", "6c61766975716520 7469206564616d20",
     "a65d985179783265 7860fedf5c570d18"},
    {"1716151413121110 0f0e0d0c0b0a0908 0706050403020100", "7261482066656968 43206f7420746e65",
     "1be4cf3a13135566 f9bc185de03c1886"},
    {"1f1e1d1c1b1a1918 1716151413121110 0f0e0d0c0b0a0908 0706050403020100",
     "65736f6874206e49 202e72656e6f6f70", "4109010405c0f53e 4eeeb48d9c188f43"},
};

/* Converts words as the paper prints them to bytes. */
static void from_words(uint8_t *out, size_t size, const char *words)
{
    uint8_t line[32];
    CHECK(check_hex(line, sizeof line, words) == size);
    for (size_t i = 0; i < size; i++) {
        out[i] = line[size - 1 - i];
    }
}

typedef void block_fn(const void *key, uint8_t out[16], const uint8_t in[16]);

struct variant {
    union {
        struct selo_speck128_fast fast128;
        struct selo_speck192_fast fast192;
        struct selo_speck256_fast fast256;
        struct selo_speck128_small small128;
        struct selo_speck192_small small192;
        struct selo_speck256_small small256;
        struct selo_speck128_tiny tiny128;
        struct selo_speck192_tiny tiny192;
        struct selo_speck256_tiny tiny256;
    } key;
    block_fn *encrypt, *decrypt;
};

enum { FAST, SMALL, TINY, VARIANTS };

static void set_up(struct variant v[VARIANTS], size_t key_size, const uint8_t *raw)
{
    switch (key_size) {
    case 16:
        selo_speck128_fast_setup(&v[FAST].key.fast128, raw);
        selo_speck128_small_setup(&v[SMALL].key.small128, raw);
        selo_speck128_tiny_setup(&v[TINY].key.tiny128, raw);
        v[FAST].encrypt = selo_speck128_fast_encrypt, v[FAST].decrypt = selo_speck128_fast_decrypt;
        v[SMALL].encrypt = selo_speck128_small_encrypt, v[SMALL].decrypt = selo_speck128_small_decrypt;
        v[TINY].encrypt = selo_speck128_tiny_encrypt, v[TINY].decrypt = NULL;
        break;
    case 24:
        selo_speck192_fast_setup(&v[FAST].key.fast192, raw);
        selo_speck192_small_setup(&v[SMALL].key.small192, raw);
        selo_speck192_tiny_setup(&v[TINY].key.tiny192, raw);
        v[FAST].encrypt = selo_speck192_fast_encrypt, v[FAST].decrypt = selo_speck192_fast_decrypt;
        v[SMALL].encrypt = selo_speck192_small_encrypt, v[SMALL].decrypt = selo_speck192_small_decrypt;
        v[TINY].encrypt = selo_speck192_tiny_encrypt, v[TINY].decrypt = NULL;
        break;
    default:
        selo_speck256_fast_setup(&v[FAST].key.fast256, raw);
        selo_speck256_small_setup(&v[SMALL].key.small256, raw);
        selo_speck256_tiny_setup(&v[TINY].key.tiny256, raw);
        v[FAST].encrypt = selo_speck256_fast_encrypt, v[FAST].decrypt = selo_speck256_fast_decrypt;
        v[SMALL].encrypt = selo_speck256_small_encrypt, v[SMALL].decrypt = selo_speck256_small_decrypt;
        v[TINY].encrypt = selo_speck256_tiny_encrypt, v[TINY].decrypt = NULL;
        break;
    }
}

static void check_vector(struct variant v[VARIANTS], const uint8_t plaintext[16],
                         const uint8_t ciphertext[16])
{
    for (int s = 0; s < VARIANTS; s++) {
        uint8_t block[16];
        v[s].encrypt(&v[s].key, block, plaintext);
        CHECK_BYTES(block, ciphertext, 16);
        memcpy(block, plaintext, 16);
        v[s].encrypt(&v[s].key, block, block);
        CHECK_BYTES(block, ciphertext, 16);
        if (v[s].decrypt != NULL) {
            v[s].decrypt(&v[s].key, block, block);
            CHECK_BYTES(block, plaintext, 16);
            memset(block, 0, sizeof block);
            v[s].decrypt(&v[s].key, block, ciphertext);
            CHECK_BYTES(block, plaintext, 16);
        }
    }
}

static void designers_vectors(void)
{
    for (size_t i = 0; i < 3; i++) {
        struct variant v[VARIANTS];
        uint8_t key[32], plaintext[16], ciphertext[16];
        from_words(key, 16 + 8 * i, printed[i].key);
        from_words(plaintext, 16, printed[i].plaintext);
        from_words(ciphertext, 16, printed[i].ciphertext);
        set_up(v, 16 + 8 * i, key);
        check_vector(v, plaintext, ciphertext);
    }
}

static void bytes_of_the_guide(void)
{
    struct selo_speck128_fast key;
    uint8_t raw[16], block[16], want[16];
    check_hex(raw, 16, "00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f");
    check_hex(want, 16, "18 0d 57 5c df fe 60 78 65 32 78 79 51 98 5d a6");
    selo_speck128_fast_setup(&key, raw);
    selo_speck128_fast_encrypt(&key, block, (const uint8_t *)" made it equival");
    CHECK_BYTES(block, want, 16);
}

/* xorshift32: the same inputs in every run */
static uint8_t next_byte(void)
{
    static uint32_t state = 2463534242u;
    state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    return (uint8_t)(state >> 16);
}

static void variants_agree(void)
{
    for (int round = 0; round < 300; round++) {
        struct variant v[VARIANTS];
        uint8_t raw[32], plaintext[16], ciphertext[16];
        size_t key_size = 16 + 8 * (size_t)(round % 3);
        for (size_t i = 0; i < 32; i++) {
            raw[i] = round < 6 ? (uint8_t)(round < 3 ? 0x00 : 0xff) : next_byte();
        }
        for (size_t i = 0; i < 16; i++) {
            plaintext[i] = round < 6 ? raw[i] : next_byte();
        }
        set_up(v, key_size, raw);
        v[FAST].encrypt(&v[FAST].key, ciphertext, plaintext);
        CHECK(memcmp(ciphertext, plaintext, 16) != 0);
        check_vector(v, plaintext, ciphertext);
    }
}

int main(void)
{
    designers_vectors();
    bytes_of_the_guide();
    variants_agree();
    return check_report("speck");
}
