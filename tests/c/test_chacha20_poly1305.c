/*
 * ChaCha20-Poly1305: the examples of [RFC8439] for the whole and for its parts, which are the block
 * function, the one-time keys, and Poly1305 with its carries. Every size of a tag.
 */
#include "check_pieces.h"
#include "selo.h"
#include "selo/chacha20/chacha20.h"
#include "check_poly1305.h"

static enum selo_status seal(const void *key, const struct selo_header *header, uint8_t *out,
                             const uint8_t *in, size_t size, uint8_t *tag)
{
    return selo_chacha20_poly1305_seal(key, header, out, in, size, tag);
}

static enum selo_status open(const void *key, const struct selo_header *header, uint8_t *out,
                             const uint8_t *in, size_t size, const uint8_t *tag)
{
    return selo_chacha20_poly1305_open(key, header, out, in, size, tag);
}

static const struct check_aead chacha20_poly1305 = {seal, open};
CHECK_IN_PIECES(in_pieces, chacha20_poly1305, const struct selo_chacha20_poly1305_key, key,
                CHECK_WITHOUT_SIZE)

/* [RFC8439, 2.3.2, A.1] */
static void blocks(void)
{
    static const struct {
        const char *key, *nonce;
        uint32_t counter;
        const char *stream;
    } examples[] = {
        {"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
         "000000090000004a00000000", 1, /* 2.3.2 */
         "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
         "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"},
        {"0000000000000000000000000000000000000000000000000000000000000000",
         "000000000000000000000000", 0, /* A.1, 1 */
         "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
         "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586"},
        {"0000000000000000000000000000000000000000000000000000000000000000",
         "000000000000000000000000", 1, /* A.1, 2 */
         "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
         "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f"},
        {"0000000000000000000000000000000000000000000000000000000000000001",
         "000000000000000000000000", 1, /* A.1, 3 */
         "3aeb5224ecf849929b9d828db1ced4dd832025e8018b8160b82284f3c949aa5a"
         "8eca00bbb4a73bdad192b5c42f73f2fd4e273644c8b36125a64addeb006c13a0"},
        {"00ff000000000000000000000000000000000000000000000000000000000000",
         "000000000000000000000000", 2, /* A.1, 4 */
         "72d54dfbf12ec44b362692df94137f328fea8da73990265ec1bbbea1ae9af0ca"
         "13b25aa26cb4a648cb9b9d1be65b2c0924a66c54d545ec1b7374f4872e99f096"},
        {"0000000000000000000000000000000000000000000000000000000000000000",
         "000000000000000000000002", 0, /* A.1, 5 */
         "c2c64d378cd536374ae204b9ef933fcd1a8b2288b3dfa49672ab765b54ee27c7"
         "8a970e0e955c14f3a88e741b97c286f75f8fc299e8148362fa198a39531bed6d"},
    };

    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        uint8_t key[32], nonce[12], want[64];
        uint32_t state[16], stream[16];

        CHECK(check_hex(key, sizeof key, examples[i].key) == 32);
        CHECK(check_hex(nonce, sizeof nonce, examples[i].nonce) == 12);
        CHECK(check_hex(want, sizeof want, examples[i].stream) == 64);
        selo_chacha20_start(state, key, nonce);
        state[12] = examples[i].counter;
        selo_chacha20_block(stream, state);
        CHECK_BYTES(stream, want, 64);
        CHECK(state[12] == examples[i].counter);
        memset(stream, 0, sizeof stream);
        chacha20_block(stream, state);
        CHECK_BYTES(stream, want, 64);
    }
}

/* Key stream is used from the start of a block. The rest of a partly used block is discarded. */
static void check_streams(void (*add)(uint32_t state[16], uint8_t *out, const uint8_t *in, size_t size))
{
    uint8_t key[32], nonce[12], text[600], out[601];
    uint32_t state[16], block[16];

    check_random_bytes(key, sizeof key);
    check_random_bytes(nonce, sizeof nonce);
    check_random_bytes(text, sizeof text);
    for (size_t size = 0; size <= sizeof text; size += CHECK_SAMPLE(1, 3)) {
        selo_chacha20_start(state, key, nonce);
        state[12] = 7;
        memset(out, 0xee, sizeof out);
        add(state, out, text, size);
        CHECK(state[12] == 7 + (size + 63) / 64 && out[size] == 0xee);
        for (size_t at = 0; at < size; at++) {
            if (at % 64 == 0) {
                state[12] = (uint32_t)(7 + at / 64);
                selo_chacha20_block(block, state);
            }
            CHECK(out[at] == (text[at] ^ ((const uint8_t *)block)[at % 64]));
        }
    }
}

static void streams(void)
{
    check_streams(selo_chacha20_xor);
    check_streams(chacha20_xor);
}

/* [RFC8439, 2.6.2, A.4]: the key of Poly1305 is the beginning of block 0. */
static void one_time_keys(void)
{
    static const struct {
        const char *key, *nonce, *one_time;
    } examples[] = {
        {"808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
         "000000000001020304050607",
         "8ad5a08b905f81cc815040274ab29471a833b637e3fd0da508dbb8e2fdd1a646"},
        {"0000000000000000000000000000000000000000000000000000000000000000",
         "000000000000000000000000",
         "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"},
        {"0000000000000000000000000000000000000000000000000000000000000001",
         "000000000000000000000002",
         "ecfa254f845f647473d3cb140da9e87606cb33066c447b87bc2666dde3fbb739"},
        {"1c9240a5eb55d38af333888604f6b5f0473917c1402b80099dca5cbc207075c0",
         "000000000000000000000002",
         "965e3bc6f9ec7ed9560808f4d229f94b137ff275ca9b3fcbdd59deaad23310ae"},
    };

    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        uint8_t key[32], nonce[12], want[32];
        uint32_t state[16], stream[16];

        check_hex(key, sizeof key, examples[i].key);
        check_hex(nonce, sizeof nonce, examples[i].nonce);
        CHECK(check_hex(want, sizeof want, examples[i].one_time) == 32);
        selo_chacha20_start(state, key, nonce);
        selo_chacha20_block(stream, state);
        CHECK_BYTES(stream, want, 32);
    }
}

/* [RFC8439, 2.8.2, A.5] */
static void examples(void)
{
    static const struct {
        const char *key, *nonce, *ad, *text, *ciphertext, *tag;
    } sealed[] = {
        {"808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
         "070000004041424344454647", "50515253c0c1c2c3c4c5c6c7", /* 2.8.2 */
         "4c616469657320616e642047656e746c656d656e206f662074686520636c6173"
         "73206f66202739393a204966204920636f756c64206f6666657220796f75206f"
         "6e6c79206f6e652074697020666f7220746865206675747572652c2073756e73"
         "637265656e20776f756c642062652069742e",
         "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d6"
         "3dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36"
         "92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc"
         "3ff4def08e4b7a9de576d26586cec64b6116",
         "1ae10b594f09e26a7e902ecbd0600691"},
        {"1c9240a5eb55d38af333888604f6b5f0473917c1402b80099dca5cbc207075c0",
         "000000000102030405060708", "f33388860000000000004e91", /* A.5 */
         "496e7465726e65742d4472616674732061726520647261667420646f63756d65"
         "6e74732076616c696420666f722061206d6178696d756d206f6620736978206d"
         "6f6e74687320616e64206d617920626520757064617465642c207265706c6163"
         "65642c206f72206f62736f6c65746564206279206f7468657220646f63756d65"
         "6e747320617420616e792074696d652e20497420697320696e617070726f7072"
         "6961746520746f2075736520496e7465726e65742d4472616674732061732072"
         "65666572656e6365206d6174657269616c206f7220746f206369746520746865"
         "6d206f74686572207468616e206173202fe2809c776f726b20696e2070726f67"
         "726573732e2fe2809d",
         "64a0861575861af460f062c79be643bd5e805cfd345cf389f108670ac76c8cb2"
         "4c6cfc18755d43eea09ee94e382d26b0bdb7b73c321b0100d4f03b7f355894cf"
         "332f830e710b97ce98c8a84abd0b948114ad176e008d33bd60f982b1ff37c855"
         "9797a06ef4f0ef61c186324e2b3506383606907b6a7c02b0f9f6157b53c867e4"
         "b9166c767b804d46a59b5216cde7a4e99040c5a40433225ee282a1b0a06c523e"
         "af4534d7f83fa1155b0047718cbc546a0d072b04b3564eea1b422273f548271a"
         "0bb2316053fa76991955ebd63159434ecebb4e466dae5a1073a6727627097a10"
         "49e617d91d361094fa68f0ff77987130305beaba2eda04df997b714d6c6f2c29"
         "a6ad5cb4022b02709b",
         "eead9d67890cbb22392336fea1851f38"},
    };

    for (size_t i = 0; i < sizeof sealed / sizeof sealed[0]; i++) {
        uint8_t key[32], nonce[12], ad[16], text[300], ciphertext[300], tag[16];
        struct check_packet p = {.nonce = nonce, .nonce_size = 12, .ad = ad, .text = text};

        CHECK(check_hex(key, sizeof key, sealed[i].key) == 32);
        CHECK(check_hex(nonce, sizeof nonce, sealed[i].nonce) == 12);
        p.ad_size = check_hex(ad, sizeof ad, sealed[i].ad);
        p.size = check_hex(text, sizeof text, sealed[i].text);
        CHECK(check_hex(ciphertext, sizeof ciphertext, sealed[i].ciphertext) == p.size);
        CHECK(check_hex(tag, sizeof tag, sealed[i].tag) == 16);
        for (size_t tag_size = 8; tag_size <= 16; tag_size++) {
            check_aead_packet(&chacha20_poly1305, key, &p, ciphertext, tag, tag_size);
            check_aead_packet(&in_pieces, key, &p, ciphertext, tag, tag_size);
        }
    }
}

/* Every size near a block boundary, sealed by parts that were checked above. */
static void sizes(void)
{
    uint8_t key[32], nonce[12], ad[20], text[130], ciphertext[130], tag[16];

    check_random_bytes(key, sizeof key);
    check_random_bytes(nonce, sizeof nonce);
    check_random_bytes(ad, sizeof ad);
    check_random_bytes(text, sizeof text);
    for (size_t size = 0; size <= sizeof text; size += CHECK_SAMPLE(1, 3)) {
        for (size_t ad_size = 0; ad_size <= sizeof ad; ad_size += size % 16 == 0 ? 1 : 7) {
            struct check_packet p = {nonce, ad, text, 12, ad_size, size};
            uint32_t state[16], stream[16];
            uint8_t all[32 + 144 + 16] = {0};
            size_t ad_blocks = (ad_size + 15) / 16 * 16;
            size_t blocks_end = ad_blocks + (size + 15) / 16 * 16;

            selo_chacha20_start(state, key, nonce);
            selo_chacha20_block(stream, state);
            state[12] = 1;
            selo_chacha20_xor(state, ciphertext, text, size);
            memcpy(all, ad, ad_size);
            memcpy(all + ad_blocks, ciphertext, size);
            all[blocks_end] = (uint8_t)ad_size;
            all[blocks_end + 8] = (uint8_t)size;
            poly1305(tag, (const uint8_t *)stream, all, blocks_end + 16);
            check_aead_packet(&chacha20_poly1305, key, &p, ciphertext, tag, 16);
            check_aead_packet(&in_pieces, key, &p, ciphertext, tag, 16);
        }
    }
}

static void refused(void)
{
    const uint8_t key[32] = {1};

    for (size_t tag_size = 0; tag_size < 20; tag_size++) {
        if (tag_size < 8 || tag_size > 16) {
            check_aead_refused(&chacha20_poly1305, key, 12, 8, tag_size);
        }
    }
    check_aead_refused(&chacha20_poly1305, key, 12, 8, 256 + 16);
    for (size_t nonce_size = 0; nonce_size < 25; nonce_size++) {
        if (nonce_size != 12) {
            check_aead_refused(&chacha20_poly1305, key, nonce_size, 8, 16);
        }
    }
    check_aead_refused(&chacha20_poly1305, key, 256 + 12, 8, 16);
}

/* Null pointers where the size is 0. */
static void nothing(void)
{
    uint8_t raw[32], nonce[12], tag[16];
    const struct selo_header header = {nonce, 12, NULL, 0, 16};
    struct selo_chacha20_poly1305_key key;

    check_random_bytes(raw, sizeof raw);
    check_random_bytes(nonce, sizeof nonce);
    selo_chacha20_poly1305_setup(&key, raw);
    CHECK(selo_chacha20_poly1305_seal(&key, &header, NULL, NULL, 0, tag) == SELO_OK);
    CHECK(selo_chacha20_poly1305_open(&key, &header, NULL, NULL, 0, tag) == SELO_OK);
    tag[15] ^= 0x80;
    CHECK(selo_chacha20_poly1305_open(&key, &header, NULL, NULL, 0, tag) == SELO_ERROR_TAG);
}

int main(void)
{
    blocks();
    streams();
    poly1305_examples();
    poly1305_around_p();
    poly1305_carries();
    poly1305_random();
    one_time_keys();
    examples();
    sizes();
    refused();
    nothing();
    return check_report("chacha20-poly1305");
}
