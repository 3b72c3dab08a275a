/*
 * GCM: the test cases of [GCMSPEC, B] with AES-128 and AES-256, over every variant that encrypts, in one
 * call, in pieces and with H at hand; the multiplication against its definition; every size of nonce and tag; counters that wrap.
 */
#include "check_pieces.h"
#include "selo.h"
#include "selo/mode/ghash.h"

static enum selo_status seal(const void *key, const struct selo_header *header, uint8_t *out,
                             const uint8_t *in, size_t size, uint8_t *tag)
{
    const struct selo_cipher *cipher = key;
    return selo_gcm_seal(*cipher, header, out, in, size, tag);
}

static enum selo_status open(const void *key, const struct selo_header *header, uint8_t *out,
                             const uint8_t *in, size_t size, const uint8_t *tag)
{
    const struct selo_cipher *cipher = key;
    return selo_gcm_open(*cipher, header, out, in, size, tag);
}

static const struct check_aead gcm = {seal, open};

/* With H at hand. */
static enum selo_status keyed_seal(const void *key, const struct selo_header *header, uint8_t *out,
                                   const uint8_t *in, size_t size, uint8_t *tag)
{
    const struct selo_cipher *cipher = key;
    uint8_t hash_key[16];

    selo_gcm_hash_key(*cipher, hash_key);
    return selo_gcm_keyed_seal(*cipher, hash_key, header, out, in, size, tag);
}

static enum selo_status keyed_open(const void *key, const struct selo_header *header, uint8_t *out,
                                   const uint8_t *in, size_t size, const uint8_t *tag)
{
    const struct selo_cipher *cipher = key;
    uint8_t hash_key[16];

    selo_gcm_hash_key(*cipher, hash_key);
    return selo_gcm_keyed_open(*cipher, hash_key, header, out, in, size, tag);
}

static const struct check_aead keyed = {keyed_seal, keyed_open};
CHECK_IN_PIECES(in_pieces, gcm, const struct selo_cipher, *key, CHECK_WITHOUT_SIZE)

static void examples(void)
{
    static const struct {
        const char *key, *nonce, *ad, *text, *ciphertext, *tag;
    } cases[] = {
        {"00000000000000000000000000000000", /* 1 */
         "000000000000000000000000",
         "",
         "",
         "",
         "58e2fccefa7e3061367f1d57a4e7455a"},
        {"00000000000000000000000000000000", /* 2 */
         "000000000000000000000000",
         "",
         "00000000000000000000000000000000",
         "0388dace60b6a392f328c2b971b2fe78",
         "ab6e47d42cec13bdf53a67b21257bddf"},
        {"feffe9928665731c6d6a8f9467308308", /* 3 */
         "cafebabefacedbaddecaf888",
         "",
         "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
         "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255",
         "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
         "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985",
         "4d5c2af327cd64a62cf35abd2ba6fab4"},
        {"feffe9928665731c6d6a8f9467308308", /* 4 */
         "cafebabefacedbaddecaf888",
         "feedfacedeadbeeffeedfacedeadbeefabaddad2",
         "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
         "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
         "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
         "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091",
         "5bc94fbc3221a5db94fae95ae7121a47"},
        {"feffe9928665731c6d6a8f9467308308", /* 5 */
         "cafebabefacedbad",
         "feedfacedeadbeeffeedfacedeadbeefabaddad2",
         "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
         "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
         "61353b4c2806934a777ff51fa22a4755699b2a714fcdc6f83766e5f97b6c7423"
         "73806900e49f24b22b097544d4896b424989b5e1ebac0f07c23f4598",
         "3612d2e79e3b0785561be14aaca2fccb"},
        {"feffe9928665731c6d6a8f9467308308", /* 6 */
         "9313225df88406e555909c5aff5269aa6a7a9538534f7da1e4c303d2a318a728"
         "c3c0c95156809539fcf0e2429a6b525416aedbf5a0de6a57a637b39b",
         "feedfacedeadbeeffeedfacedeadbeefabaddad2",
         "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
         "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
         "8ce24998625615b603a033aca13fb894be9112a5c3a211a8ba262a3cca7e2ca7"
         "01e4a9a4fba43c90ccdcb281d48c7c6fd62875d2aca417034c34aee5",
         "619cc5aefffe0bfa462af43c1699d050"},
        {"0000000000000000000000000000000000000000000000000000000000000000", /* 13 */
         "000000000000000000000000",
         "",
         "",
         "",
         "530f8afbc74536b9a963b4f1c4cb738b"},
        {"0000000000000000000000000000000000000000000000000000000000000000", /* 14 */
         "000000000000000000000000",
         "",
         "00000000000000000000000000000000",
         "cea7403d4d606b6e074ec5d3baf39d18",
         "d0d1c8a799996bf0265b98b5d48ab919"},
        {"feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", /* 15 */
         "cafebabefacedbaddecaf888",
         "",
         "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
         "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255",
         "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
         "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad",
         "b094dac5d93471bdec1a502270e3cc6c"},
        {"feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", /* 16 */
         "cafebabefacedbaddecaf888",
         "feedfacedeadbeeffeedfacedeadbeefabaddad2",
         "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
         "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
         "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
         "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
         "76fc6ece0f4e1768cddf8853bb2d551b"},
        {"feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", /* 17 */
         "cafebabefacedbad",
         "feedfacedeadbeeffeedfacedeadbeefabaddad2",
         "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
         "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
         "c3762df1ca787d32ae47c13bf19844cbaf1ae14d0b976afac52ff7d79bba9de0"
         "feb582d33934a4f0954cc2363bc73f7862ac430e64abe499f47c9b1f",
         "3a337dbf46a792c45e454913fe2ea8f2"},
        {"feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", /* 18 */
         "9313225df88406e555909c5aff5269aa6a7a9538534f7da1e4c303d2a318a728"
         "c3c0c95156809539fcf0e2429a6b525416aedbf5a0de6a57a637b39b",
         "feedfacedeadbeeffeedfacedeadbeefabaddad2",
         "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
         "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
         "5a8def2f0c9e53f1f75d7853659e2a20eeb2b22aafde6419a058ab4f6f746bf4"
         "0fc0c3b780f244452da3ebf1c5d82cdea2418997200ef82e44ae7e3f",
         "a44a8266ee1c8eb0c8b5d4cf5ae9f19a"},
    };
    static const size_t tag_sizes[] = {4, 8, 12, 13, 14, 15, 16};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t raw[32], nonce[64], ad[20], text[64], ciphertext[64], tag[16];
        struct check_packet p = {.nonce = nonce, .ad = ad, .text = text};
        struct selo_aes128_fast fast128;
        struct selo_aes128_small small128;
        struct selo_aes128_tiny tiny128;
        struct selo_aes256_fast fast256;
        struct selo_aes256_small small256;
        struct selo_aes256_tiny tiny256;
        const struct selo_cipher ciphers[2][4] = {
            {{.encrypt = selo_aes128_fast_encrypt, .key = &fast128},
             {.encrypt = selo_aes128_small_encrypt, .key = &small128},
             {.encrypt = selo_aes128_tiny_encrypt, .key = &tiny128},
             selo_aes128_fast_cipher(&fast128)},
            {{.encrypt = selo_aes256_fast_encrypt, .key = &fast256},
             {.encrypt = selo_aes256_small_encrypt, .key = &small256},
             {.encrypt = selo_aes256_tiny_encrypt, .key = &tiny256},
             selo_aes256_fast_cipher(&fast256)},
        };
        int long_key = check_hex(raw, sizeof raw, cases[i].key) == 32;

        selo_aes128_fast_setup(&fast128, raw);
        selo_aes128_small_setup(&small128, raw);
        selo_aes128_tiny_setup(&tiny128, raw);
        if (long_key) {
            selo_aes256_fast_setup(&fast256, raw);
            selo_aes256_small_setup(&small256, raw);
            selo_aes256_tiny_setup(&tiny256, raw);
        }
        p.nonce_size = check_hex(nonce, sizeof nonce, cases[i].nonce);
        p.ad_size = check_hex(ad, sizeof ad, cases[i].ad);
        p.size = check_hex(text, sizeof text, cases[i].text);
        CHECK(check_hex(ciphertext, sizeof ciphertext, cases[i].ciphertext) == p.size);
        CHECK(check_hex(tag, sizeof tag, cases[i].tag) == 16);
        for (int c = 0; c < 4; c++) {
            for (size_t t = 0; t < sizeof tag_sizes / sizeof tag_sizes[0]; t++) {
                check_aead_packet(&gcm, &ciphers[long_key][c], &p, ciphertext, tag, tag_sizes[t]);
                check_aead_packet(&in_pieces, &ciphers[long_key][c], &p, ciphertext, tag,
                                  tag_sizes[t]);
                check_aead_packet(&keyed, &ciphers[long_key][c], &p, ciphertext, tag, tag_sizes[t]);
            }
        }
    }
}

/* The product as [SP800-38D, 6.3] defines it. */
static void multiply(uint8_t z[16], const uint8_t x[16], const uint8_t y[16])
{
    uint8_t v[16];

    memcpy(v, y, 16);
    memset(z, 0, 16);
    for (int bit = 0; bit < 128; bit++) {
        int low = v[15] & 1;
        for (int i = 0; i < 16; i++) {
            z[i] ^= x[bit / 8] >> (7 - bit % 8) & 1 ? v[i] : 0;
        }
        for (int i = 15; i > 0; i--) {
            v[i] = (uint8_t)(v[i] >> 1 | v[i - 1] << 7);
        }
        v[0] = (uint8_t)(v[0] >> 1 ^ (low ? 0xe1 : 0));
    }
}

/* Each form for CPUs with words of 64 bits that this CPU can run. */
#if SELO_GHASH_WIDE
static void check_wide_form(void (*form)(uint8_t product[16], const uint8_t key[16]),
                            const uint8_t x[16], const uint8_t y[16], const uint8_t want[16])
{
    uint8_t got[16];

    memcpy(got, x, 16);
    form(got, y);
    CHECK_BYTES(got, want, 16);
}
#endif

static void check_wide_forms(const uint8_t x[16], const uint8_t y[16], const uint8_t want[16])
{
#if SELO_GHASH_WIDE && SELO_NEON
    check_wide_form(selo_ghash_multiply_neon, x, y, want);
#endif
#if SELO_GHASH_WIDE && SELO_ARM_AES
    check_wide_form(selo_ghash_multiply_arm, x, y, want);
#endif
#if SELO_GHASH_WIDE && SELO_X86
    if (SELO_CPU_HAS("pclmul")) {
        check_wide_form(selo_ghash_multiply_x86, x, y, want);
    }
#endif
    (void)x, (void)y, (void)want;
}

static void check_product(const uint8_t x[16], const uint8_t y[16])
{
    uint8_t got[16], want[16];

    memcpy(got, x, 16);
    selo_ghash_multiply(got, y);
    multiply(want, x, y);
    CHECK_BYTES(got, want, 16);
    check_wide_forms(x, y, want);
}

/* All products of two single bits, of ones, and random ones. */
static void products(void)
{
    uint8_t x[16], y[16];

    for (int i = 0; i < 128; i += CHECK_SAMPLE(1, 13)) {
        for (int j = 0; j < 128; j++) {
            memset(x, 0, 16);
            memset(y, 0, 16);
            x[i / 8] = (uint8_t)(0x80 >> i % 8);
            y[j / 8] = (uint8_t)(0x80 >> j % 8);
            check_product(x, y);
        }
    }
    memset(x, 0xff, 16);
    check_product(x, x);
    for (int i = 0; i < CHECK_SAMPLE(1000, 80); i++) {
        check_random_bytes(x, 16);
        check_random_bytes(y, 16);
        check_product(x, y);
        memset(i % 2 == 0 ? x : y, 0xff, 16);
        check_product(x, y);
    }
}

/* GCM written from its definition, with a counter block of any value. A nonce of 16 bytes can be solved
 * for that value, so a counter can wrap within the message [SP800-38D, 6.2]. */
static void counters_run_over(void)
{
    struct selo_aes128_fast key;
    const struct selo_cipher c = {.encrypt = selo_aes128_fast_encrypt, .key = &key};
    uint8_t raw[16], h[16], inverse[16], power[16];

    check_random_bytes(raw, 16);
    selo_aes128_fast_setup(&key, raw);
    memset(h, 0, 16);
    selo_aes128_fast_encrypt(&key, h, h);
    /* h^(2^128 - 2) = h^2 h^4 ... h^(2^127) */
    memcpy(power, h, 16);
    for (int i = 1; i < 128; i++) {
        uint8_t square[16];
        multiply(square, power, power);
        memcpy(power, square, 16);
        if (i == 1) {
            memcpy(inverse, power, 16);
        } else {
            multiply(square, inverse, power);
            memcpy(inverse, square, 16);
        }
    }
    for (int below = 0; below < 4; below++) {
        uint8_t j0[16], nonce[16], half[16], text[80], ciphertext[80], tag[16] = {0}, stream[16];
        struct check_packet p = {nonce, NULL, text, 16, 0, sizeof text};

        check_random_bytes(j0, 12);
        memset(j0 + 12, 0xff, 4);
        j0[15] = (uint8_t)(0xff - below);
        /* j0 = (nonce h + sizes) h */
        multiply(half, j0, inverse);
        half[15] ^= 128;
        multiply(nonce, half, inverse);
        check_random_bytes(text, sizeof text);
        for (int block = 0; block < 5; block++) {
            uint8_t counter[16];
            uint32_t low = (uint32_t)(0xffffffff - (uint32_t)below + (uint32_t)block + 1);
            memcpy(counter, j0, 12);
            for (int i = 0; i < 4; i++) {
                counter[12 + i] = (uint8_t)(low >> (24 - 8 * i));
            }
            selo_aes128_fast_encrypt(&key, stream, counter);
            for (int i = 0; i < 16; i++) {
                ciphertext[16 * block + i] = text[16 * block + i] ^ stream[i];
                tag[i] ^= ciphertext[16 * block + i];
            }
            multiply(half, tag, h);
            memcpy(tag, half, 16);
        }
        tag[14] ^= 80 * 8 >> 8;
        tag[15] ^= (uint8_t)(80 * 8);
        multiply(half, tag, h);
        selo_aes128_fast_encrypt(&key, stream, j0);
        for (int i = 0; i < 16; i++) {
            tag[i] = half[i] ^ stream[i];
        }
        check_aead_packet(&gcm, &c, &p, ciphertext, tag, 16);
        check_aead_packet(&in_pieces, &c, &p, ciphertext, tag, 16);
        check_aead_packet(&keyed, &c, &p, ciphertext, tag, 16);
    }
}

/* Sizes beyond 255 bits and bytes, and a nonce as long. */
static void long_messages(void)
{
    struct selo_aes128_fast key;
    const struct selo_cipher c = {.encrypt = selo_aes128_fast_encrypt, .key = &key};
    const struct selo_cipher two = selo_aes128_fast_cipher(&key);
    static uint8_t text[70000], out[70000], nonce[1000];
    uint8_t raw[16], tag[16];

    check_random_bytes(raw, 16);
    check_random_bytes(text, sizeof text);
    check_random_bytes(nonce, sizeof nonce);
    selo_aes128_fast_setup(&key, raw);
    for (size_t size = 1; size <= sizeof text; size = size * 3 + 1) {
        size_t nonce_size = size < sizeof nonce ? size : sizeof nonce;
        const struct selo_header header = {nonce, nonce_size, text, size, 16};
        uint8_t h[16] = {0}, hash[16] = {0}, counter[16] = {0}, sizes[16] = {0}, product[16];

        CHECK(selo_gcm_seal(selo_aes128_fast_cipher(&key), &header, out, text, size, tag) ==
              SELO_OK);
        selo_aes128_fast_encrypt(&key, h, h);
        for (size_t at = 0; at < 2 * ((size + 15) / 16 * 16); at++) { /* ad, then ciphertext */
            size_t blocks = (size + 15) / 16 * 16;
            size_t from = at % blocks;
            if (from < size) {
                hash[at % 16] ^= at < blocks ? text[from] : out[from];
            }
            if (at % 16 == 15) {
                multiply(product, hash, h);
                memcpy(hash, product, 16);
            }
        }
        for (int i = 0; i < 8; i++) {
            sizes[7 - i] = sizes[15 - i] = (uint8_t)((uint64_t)size * 8 >> 8 * i);
        }
        for (int i = 0; i < 16; i++) {
            hash[i] ^= sizes[i];
        }
        multiply(product, hash, h);
        for (size_t at = 0; at < (nonce_size + 15) / 16 * 16; at++) {
            counter[at % 16] ^= at < nonce_size ? nonce[at] : 0;
            if (at % 16 == 15) {
                multiply(hash, counter, h);
                memcpy(counter, hash, 16);
            }
        }
        counter[14] ^= (uint8_t)(nonce_size * 8 >> 8);
        counter[15] ^= (uint8_t)(nonce_size * 8);
        multiply(hash, counter, h);
        if (nonce_size == 12) {
            memcpy(hash, nonce, 12);
            memset(hash + 12, 0, 3);
            hash[15] = 1;
        }
        selo_aes128_fast_encrypt(&key, counter, hash);
        for (int i = 0; i < 16; i++) {
            product[i] ^= counter[i];
        }
        CHECK_BYTES(tag, product, 16);
        CHECK(in_pieces.open(&c, &header, out, out, size, tag) == SELO_OK);
        CHECK_BYTES(out, text, size);
        CHECK(in_pieces.seal(&c, &header, out, out, size, tag) == SELO_OK);
        CHECK_BYTES(tag, product, 16);
        CHECK(selo_gcm_open(selo_aes128_fast_cipher(&key), &header, out, out, size, tag) ==
              SELO_OK);
        CHECK_BYTES(out, text, size);
        CHECK(keyed.seal(&two, &header, out, out, size, tag) == SELO_OK);
        CHECK_BYTES(tag, product, 16);
        CHECK(keyed.open(&two, &header, out, out, size, tag) == SELO_OK);
        CHECK_BYTES(out, text, size);
    }
}

/* With H at hand: the same results for every size of text, with and without two blocks at a time. */
static void with_hash_key(void)
{
    struct selo_aes128_fast key;
    const struct selo_cipher ciphers[2] = {selo_aes128_fast_cipher(&key),
                                           {.encrypt = selo_aes128_fast_encrypt, .key = &key}};
    uint8_t raw[16], nonce[20], text[100], out[100], want[100], tag[16], want_tag[16];

    check_random_bytes(raw, 16);
    selo_aes128_fast_setup(&key, raw);
    for (size_t size = 0; size <= sizeof text; size++) {
        const struct selo_header header = {nonce, size % 3 == 0 ? 1 + size % 20 : 12, text, size % 40, 16};

        check_random_bytes(nonce, sizeof nonce);
        check_random_bytes(text, sizeof text);
        CHECK(selo_gcm_seal(ciphers[0], &header, want, text, size, want_tag) == SELO_OK);
        for (int i = 0; i < 2; i++) {
            CHECK(keyed.seal(&ciphers[i], &header, out, text, size, tag) == SELO_OK);
            CHECK_BYTES(out, want, size);
            CHECK_BYTES(tag, want_tag, 16);
            CHECK(keyed.open(&ciphers[i], &header, out, out, size, tag) == SELO_OK);
            CHECK_BYTES(out, text, size);
        }
    }
}

/* Sizes in bits of 64 bits, which no message here has. */
static void sizes(void)
{
    const size_t most = (size_t)-1 >> 3 << 3, first = most - 0x1234567, second = most / 3;
    uint8_t key[16] = {0x80}, hash[16] = {0}; /* 1 */

    selo_ghash_sizes(hash, key, first, second);
    for (int i = 0; i < 8; i++) {
        CHECK(hash[7 - i] == (uint8_t)((uint64_t)first << 3 >> 8 * i));
        CHECK(hash[15 - i] == (uint8_t)((uint64_t)second << 3 >> 8 * i));
    }
}

static void refused(void)
{
    struct selo_aes128_tiny key;
    const struct selo_cipher c = {.encrypt = selo_aes128_tiny_encrypt, .key = &key};
    const uint8_t raw[16] = {1};

    selo_aes128_tiny_setup(&key, raw);
    for (size_t tag_size = 0; tag_size < 20; tag_size++) {
        if (tag_size != 4 && tag_size != 8 && (tag_size < 12 || tag_size > 16)) {
            check_aead_refused(&gcm, &c, 12, 8, tag_size);
            check_aead_refused(&keyed, &c, 12, 8, tag_size);
        }
    }
    check_aead_refused(&gcm, &c, 12, 8, 256 + 16);
    check_aead_refused(&gcm, &c, 0, 8, 16);
    check_aead_refused(&keyed, &c, 0, 8, 16);
}

int main(void)
{
    examples();
    products();
    counters_run_over();
    long_messages();
    with_hash_key();
    sizes();
    refused();
    return check_report("gcm");
}
