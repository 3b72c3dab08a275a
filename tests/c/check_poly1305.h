/*
 * The checks of Poly1305, for the form that the including file selects: the examples of [RFC8439] with
 * their carries, and random keys and messages against a simple arithmetic that is obviously correct.
 */
#ifndef CHECK_POLY1305_H
#define CHECK_POLY1305_H

#include "check.h"
#include "selo/poly1305/poly1305.h"

/* A tag as in [RFC8439, 2.5.1], where the last block keeps its length and is not padded. */
static void poly1305(uint8_t tag[16], const uint8_t key[32], const uint8_t *message, size_t size)
{
    struct selo_poly1305 mac;

    selo_poly1305_start(&mac, key);
    selo_poly1305_padded(&mac, message, size / 16 * 16);
    if (size % 16 != 0) {
        uint8_t last[17] = {0};
        memcpy(last, message + size / 16 * 16, size % 16);
        last[size % 16] = 1;
        selo_poly1305_block(&mac, last);
    }
    selo_poly1305_finish(&mac, tag);
    CHECK(check_is_zero(&mac, sizeof mac));
}

/* [RFC8439, 2.5.2, A.3] */
static void poly1305_examples(void)
{
    static const struct {
        const char *key, *message, *tag;
    } examples[] = {
        {"85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b", /* 2.5.2 */
         "43727970746f6772617068696320466f72756d2052657365617263682047726f"
         "7570",
         "a8061dc1305136c6c22b8baf0c0127a9"},
        {"0000000000000000000000000000000000000000000000000000000000000000", /* A.3, 1 */
         "0000000000000000000000000000000000000000000000000000000000000000"
         "0000000000000000000000000000000000000000000000000000000000000000",
         "00000000000000000000000000000000"},
        {"0000000000000000000000000000000036e5f6b5c5e06070f0efca96227a863e", /* 2 */
         "416e79207375626d697373696f6e20746f20746865204945544620696e74656e"
         "6465642062792074686520436f6e7472696275746f7220666f72207075626c69"
         "636174696f6e20617320616c6c206f722070617274206f6620616e2049455446"
         "20496e7465726e65742d4472616674206f722052464320616e6420616e792073"
         "746174656d656e74206d6164652077697468696e2074686520636f6e74657874"
         "206f6620616e204945544620616374697669747920697320636f6e7369646572"
         "656420616e20224945544620436f6e747269627574696f6e222e205375636820"
         "73746174656d656e747320696e636c756465206f72616c2073746174656d656e"
         "747320696e20494554462073657373696f6e732c2061732077656c6c20617320"
         "7772697474656e20616e6420656c656374726f6e696320636f6d6d756e696361"
         "74696f6e73206d61646520617420616e792074696d65206f7220706c6163652c"
         "207768696368206172652061646472657373656420746f",
         "36e5f6b5c5e06070f0efca96227a863e"},
        {"36e5f6b5c5e06070f0efca96227a863e00000000000000000000000000000000", /* 3 */
         "416e79207375626d697373696f6e20746f20746865204945544620696e74656e"
         "6465642062792074686520436f6e7472696275746f7220666f72207075626c69"
         "636174696f6e20617320616c6c206f722070617274206f6620616e2049455446"
         "20496e7465726e65742d4472616674206f722052464320616e6420616e792073"
         "746174656d656e74206d6164652077697468696e2074686520636f6e74657874"
         "206f6620616e204945544620616374697669747920697320636f6e7369646572"
         "656420616e20224945544620436f6e747269627574696f6e222e205375636820"
         "73746174656d656e747320696e636c756465206f72616c2073746174656d656e"
         "747320696e20494554462073657373696f6e732c2061732077656c6c20617320"
         "7772697474656e20616e6420656c656374726f6e696320636f6d6d756e696361"
         "74696f6e73206d61646520617420616e792074696d65206f7220706c6163652c"
         "207768696368206172652061646472657373656420746f",
         "f3477e7cd95417af89a6b8794c310cf0"},
        {"1c9240a5eb55d38af333888604f6b5f0473917c1402b80099dca5cbc207075c0", /* 4 */
         "2754776173206272696c6c69672c20616e642074686520736c6974687920746f"
         "7665730a446964206779726520616e642067696d626c6520696e207468652077"
         "6162653a0a416c6c206d696d737920776572652074686520626f726f676f7665"
         "732c0a416e6420746865206d6f6d65207261746873206f757467726162652e",
         "4541669a7eaaee61e708dc7cbcc5eb62"},
        {"0200000000000000000000000000000000000000000000000000000000000000", /* 5 */
         "ffffffffffffffffffffffffffffffff",
         "03000000000000000000000000000000"},
        {"02000000000000000000000000000000ffffffffffffffffffffffffffffffff", /* 6 */
         "02000000000000000000000000000000",
         "03000000000000000000000000000000"},
        {"0100000000000000000000000000000000000000000000000000000000000000", /* 7 */
         "fffffffffffffffffffffffffffffffff0ffffffffffffffffffffffffffffff"
         "11000000000000000000000000000000",
         "05000000000000000000000000000000"},
        {"0100000000000000000000000000000000000000000000000000000000000000", /* 8 */
         "fffffffffffffffffffffffffffffffffbfefefefefefefefefefefefefefefe"
         "01010101010101010101010101010101",
         "00000000000000000000000000000000"},
        {"0200000000000000000000000000000000000000000000000000000000000000", /* 9 */
         "fdffffffffffffffffffffffffffffff",
         "faffffffffffffffffffffffffffffff"},
        {"0100000000000000040000000000000000000000000000000000000000000000", /* 10 */
         "e33594d7505e43b900000000000000003394d7505e4379cd0100000000000000"
         "0000000000000000000000000000000001000000000000000000000000000000",
         "14000000000000005500000000000000"},
        {"0100000000000000040000000000000000000000000000000000000000000000", /* 11 */
         "e33594d7505e43b900000000000000003394d7505e4379cd0100000000000000"
         "00000000000000000000000000000000",
         "13000000000000000000000000000000"},
    };

    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        uint8_t key[32], message[400], want[16], tag[16];
        size_t size = check_hex(message, sizeof message, examples[i].message);

        CHECK(check_hex(key, sizeof key, examples[i].key) == 32);
        CHECK(check_hex(want, sizeof want, examples[i].tag) == 16);
        poly1305(tag, key, message, size);
        CHECK_BYTES(tag, want, 16);
    }
}

/* Sums from p - 8 to p + 3 modulo p = 2^130 - 5. With r = 1 and s = 0 the tag is the sum of the
 * blocks modulo p and 2^128; two full blocks of 2^128 + x and 2^128 + y reach 2^130 - 5 + d by
 * x + y = 2^129 - 5 + d, that is x = 2^128 - 1 for all d and y = 2^128 - 4 + d. */
static void poly1305_around_p(void)
{
    for (int d = -8; d <= 3; d++) {
        uint8_t key[32] = {1}, two[32], tag[16], want[16];

        memset(two, 0xff, sizeof two);
        two[16] = (uint8_t)(0xfc + d);
        poly1305(tag, key, two, 32);
        memset(want, d < 0 ? 0xff : 0, 16); /* d, or p + d, of which 2^128 - 5 + d is visible */
        want[0] = (uint8_t)(d < 0 ? 0xfb + d : d);
        CHECK_BYTES(tag, want, 16);
    }
}

/* A sum in words whose carries run through all of them and back to the first: 2^130 + 2^27 - 1,
 * which is 2^27 + 4 modulo p; of words of 13 bits 2^130 + 2^21 - 1; of words of 64 bits
 * 2^130 + 2^128 - 1, which is 4 modulo 2^128. Random blocks almost never
 * give such a sum. */
static void poly1305_carries(void)
{
#if !SELO_BYTEWISE
    struct selo_poly1305 mac = {
#if SELO_POLY1305_HALVES
        .sum = {0x1fff, 0x20ff, 0x1fff, 0x1fff, 0x1fff, 0x1fff, 0x1fff, 0x1fff, 0x1fff,
                0x1fff},
#elif SELO_POLY1305_WIDE
        .sum = {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 4},
#else
        .sum = {0x3ffffff, 0x4000001, 0x3ffffff, 0x3ffffff, 0x3ffffff},
#endif
    };
#if SELO_POLY1305_HALVES
    const uint8_t want[16] = {4, 0, 0x20};
#elif SELO_POLY1305_WIDE
    const uint8_t want[16] = {4};
#else
    const uint8_t want[16] = {4, 0, 0, 8};
#endif
    uint8_t tag[16];

    selo_poly1305_finish(&mac, tag);
    CHECK_BYTES(tag, want, 16);
#endif
}

/* sum = sum + 2^(8 place) value, in 64 bytes. */
static void plain_add(uint8_t sum[64], size_t place, uint32_t value)
{
    for (; value != 0; place++) {
        value += sum[place];
        sum[place] = (uint8_t)value;
        value >>= 8;
    }
}

/* Computes the same tag with a sum of 64 bytes, which is reduced modulo p bit by bit. */
static void plain_poly1305(uint8_t tag[16], const uint8_t key[32], const uint8_t *message,
                           size_t size)
{
    uint8_t sum[64] = {0};

    while (size != 0) {
        uint8_t product[64] = {0};
        size_t part = size < 16 ? size : 16;
        for (size_t i = 0; i < part; i++) {
            plain_add(sum, i, message[i]);
        }
        plain_add(sum, part, 1);
        for (size_t i = 0; i < 32; i++) {
            for (size_t j = 0; j < 16; j++) {
                uint8_t clamp = j % 4 == 3 ? 0x0f : j % 4 == 0 && j != 0 ? 0xfc : 0xff;
                plain_add(product, i + j, (uint32_t)sum[i] * (key[j] & clamp));
            }
        }
        for (int bit = 511; bit >= 130; bit--) { /* 2^bit = 5 * 2^(bit - 130) */
            if (product[bit / 8] >> bit % 8 & 1) {
                product[bit / 8] &= (uint8_t)~(1u << bit % 8);
                plain_add(product, (size_t)(bit - 130) / 8, (uint32_t)5 << (bit - 130) % 8);
                bit += 4; /* a carry may have set higher bits */
                bit = bit > 511 ? 512 : bit;
            }
        }
        memcpy(sum, product, sizeof sum);
        message += part;
        size -= part;
    }
    plain_add(sum, 0, 5); /* at least p: 2^130 and more, without which it is the remainder */
    if (sum[16] >> 2 == 0) {
        plain_add(sum, 0, 0xfb); /* less 5, modulo 2^128 */
        for (size_t i = 1; i < 16; i++) {
            plain_add(sum, i, 0xff);
        }
    }
    for (size_t i = 0; i < 16; i++) {
        plain_add(sum, i, key[16 + i]);
    }
    memcpy(tag, sum, 16);
}

/* Sizes up to five blocks; bytes that are random, or 0 or 255 as often as not. */
static void poly1305_random(void)
{
    uint32_t random = 1;

    for (unsigned round = 0; round < 2000; round++) {
        uint8_t bytes[32 + 80], tag[16], want[16];
        for (size_t i = 0; i < sizeof bytes; i++) {
            random = random * 1664525 + 1013904223;
            bytes[i] = (uint8_t)(random >> 24);
            if (round % 2 == 1) {
                bytes[i] = (uint8_t)(random >> 29 == 0 ? bytes[i] : random >> 28 & 1 ? 0xff : 0);
            }
        }
        poly1305(tag, bytes, bytes + 32, round % 81);
        plain_poly1305(want, bytes, bytes + 32, round % 81);
        CHECK_BYTES(tag, want, 16);
    }
}

#endif
