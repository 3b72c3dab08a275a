/*
 * CCM: the examples of [SP800-38C, C] over every variant that encrypts, all sizes of nonce and tag
 * against the definition, and the largest message of each size of nonce.
 */
#include "check_pieces.h"
#include "selo.h"

static enum selo_status seal(const void *key, const struct selo_header *header, uint8_t *out,
                             const uint8_t *in, size_t size, uint8_t *tag)
{
    const struct selo_cipher *cipher = key;
    return selo_ccm_seal(*cipher, header, out, in, size, tag);
}

static enum selo_status open(const void *key, const struct selo_header *header, uint8_t *out,
                             const uint8_t *in, size_t size, const uint8_t *tag)
{
    const struct selo_cipher *cipher = key;
    return selo_ccm_open(*cipher, header, out, in, size, tag);
}

static const struct check_aead ccm = {seal, open};
CHECK_IN_PIECES(in_pieces, ccm, const struct selo_cipher, *key, CHECK_WITH_SIZE)

static struct selo_aes128_fast fast;
static struct selo_aes128_small small;
static struct selo_aes128_tiny tiny;
static const struct selo_cipher ciphers[] = {
    {.encrypt = selo_aes128_fast_encrypt, .key = &fast},
    {.encrypt = selo_aes128_small_encrypt, .key = &small},
    {.encrypt = selo_aes128_tiny_encrypt, .key = &tiny},
};

static void setup(const uint8_t raw[16])
{
    selo_aes128_fast_setup(&fast, raw);
    selo_aes128_small_setup(&small, raw);
    selo_aes128_tiny_setup(&tiny, raw);
}

/* Examples 1 to 3. The fourth has 65,536 bytes of associated data; refused() tests it. */
static void examples(void)
{
    static const struct {
        const char *nonce, *ad, *text, *ciphertext, *tag;
    } cases[] = {
        {"10111213141516", "0001020304050607", "20212223", "7162015b", "4dac255d"},
        {"1011121314151617", "000102030405060708090a0b0c0d0e0f",
         "202122232425262728292a2b2c2d2e2f", "d2a1f0e051ea5f62081a7792073d593d", "1fc64fbfaccd"},
        {"101112131415161718191a1b", "000102030405060708090a0b0c0d0e0f10111213",
         "202122232425262728292a2b2c2d2e2f3031323334353637",
         "e3b201a9f5b71a7a9b1ceaeccd97e70b6176aad9a4428aa5", "484392fbc1b09951"},
    };
    uint8_t raw[16];

    check_hex(raw, sizeof raw, "404142434445464748494a4b4c4d4e4f");
    setup(raw);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t nonce[13], ad[20], text[24], ciphertext[24], tag[16];
        struct check_packet p = {.nonce = nonce, .ad = ad, .text = text};
        size_t tag_size = check_hex(tag, sizeof tag, cases[i].tag);

        p.nonce_size = check_hex(nonce, sizeof nonce, cases[i].nonce);
        p.ad_size = check_hex(ad, sizeof ad, cases[i].ad);
        p.size = check_hex(text, sizeof text, cases[i].text);
        CHECK(check_hex(ciphertext, sizeof ciphertext, cases[i].ciphertext) == p.size);
        for (int c = 0; c < 3; c++) {
            check_aead_packet(&ccm, &ciphers[c], &p, ciphertext, tag, tag_size);
            check_aead_packet(&in_pieces, &ciphers[c], &p, ciphertext, tag, tag_size);
        }
    }
}

/* The definition [SP800-38C, 6.1], over the string of blocks that its appendix A formats. */
static void define(const struct check_packet *p, size_t tag_size, uint8_t *ciphertext,
                   uint8_t tag[16])
{
    static uint8_t blocks[16 + 2 + 70000 + 16 + 70000 + 16];
    uint8_t q = (uint8_t)(15 - p->nonce_size), counter[16], stream[16], mac[16] = {0};
    size_t size = 16;

    memset(blocks, 0, sizeof blocks);
    blocks[0] = (uint8_t)((p->ad_size != 0 ? 64 : 0) + 8 * ((tag_size - 2) / 2) + (q - 1u));
    memcpy(blocks + 1, p->nonce, p->nonce_size);
    for (int i = 0; i < q && i < 8; i++) {
        blocks[15 - i] = (uint8_t)((uint64_t)p->size >> 8 * i);
    }
    if (p->ad_size != 0) {
        blocks[16] = (uint8_t)(p->ad_size >> 8);
        blocks[17] = (uint8_t)p->ad_size;
        memcpy(blocks + 18, p->ad, p->ad_size);
        size += (p->ad_size + 2 + 15) / 16 * 16;
    }
    if (p->size != 0) {
        memcpy(blocks + size, p->text, p->size);
        size += (p->size + 15) / 16 * 16;
    }
    for (size_t at = 0; at < size; at += 16) {
        for (int i = 0; i < 16; i++) {
            mac[i] ^= blocks[at + (size_t)i];
        }
        selo_aes128_fast_encrypt(&fast, mac, mac);
    }
    for (size_t n = 0; n <= (p->size + 15) / 16; n++) {
        memset(counter, 0, 16);
        counter[0] = (uint8_t)(q - 1);
        memcpy(counter + 1, p->nonce, p->nonce_size);
        for (int i = 0; i < q && i < 8; i++) {
            counter[15 - i] = (uint8_t)((uint64_t)n >> 8 * i);
        }
        selo_aes128_fast_encrypt(&fast, stream, counter);
        for (size_t i = 0; i < 16; i++) {
            size_t at = (n - 1) * 16 + i;
            if (n == 0) {
                tag[i] = mac[i] ^ stream[i];
            } else if (at < p->size) {
                ciphertext[at] = p->text[at] ^ stream[i];
            }
        }
    }
}

static void sizes(void)
{
    uint8_t raw[16], nonce[13], ad[50], text[50], ciphertext[50], tag[16];

    check_random_bytes(raw, sizeof raw);
    check_random_bytes(nonce, sizeof nonce);
    check_random_bytes(ad, sizeof ad);
    check_random_bytes(text, sizeof text);
    setup(raw);
    for (size_t nonce_size = 7; nonce_size <= 13; nonce_size++) {
        for (size_t tag_size = 4; tag_size <= 16; tag_size += 2) {
            for (size_t size = 0; size <= sizeof text; size += CHECK_SAMPLE(1, 15)) {
                size_t ad_size = (size * 7 + tag_size) % (sizeof ad + 1);
                struct check_packet p = {nonce, ad, text, nonce_size, ad_size, size};
                define(&p, tag_size, ciphertext, tag);
                check_aead_packet(&ccm, &ciphers[size % 3], &p, ciphertext, tag, tag_size);
                check_aead_packet(&in_pieces, &ciphers[size % 3], &p, ciphertext, tag, tag_size);
            }
        }
    }
    for (size_t ad_size = 0; ad_size <= sizeof ad; ad_size++) {
        struct check_packet p = {nonce, ad, text, 13, ad_size, 20};
        define(&p, 8, ciphertext, tag);
        check_aead_packet(&ccm, &ciphers[0], &p, ciphertext, tag, 8);
        check_aead_packet(&in_pieces, &ciphers[0], &p, ciphertext, tag, 8);
    }
}

/* The longest text and associated data whose size fits in two bytes, and one byte more of each. */
static void limits(void)
{
    static uint8_t bytes[0x10001], out[0x10001], want[0x10001];
    static const struct {
        size_t nonce_size, ad_size, size;
        int taken;
    } cases[] = {
        {13, 0, 0xffff, 1}, {13, 0, 0x10000, 0}, {12, 0, 0x10000, 1},
        {7, 300, 0x10001, 1}, {13, 0xfeff, 1, 1}, {13, 0xff00, 1, 0},
        {12, 0x10000, 32, 0},
    };

    check_random_bytes(bytes, sizeof bytes);
    setup(bytes);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct check_packet p = {bytes, bytes, bytes,
                                 cases[i].nonce_size, cases[i].ad_size, cases[i].size};
        const struct selo_header header = {p.nonce, p.nonce_size, p.ad, p.ad_size, 16};
        uint8_t tag[16], own[16];
        enum selo_status status;

        memset(out, 0xee, sizeof out);
        memset(own, 0xee, sizeof own);
        status = seal(&ciphers[0], &header, out, p.text, p.size, own);
        if (cases[i].taken) {
            define(&p, 16, want, tag);
            CHECK(status == SELO_OK);
            CHECK_BYTES(out, want, p.size);
            CHECK_BYTES(own, tag, 16);
            CHECK(open(&ciphers[0], &header, out, out, p.size, own) == SELO_OK);
            CHECK_BYTES(out, p.text, p.size);
            CHECK(in_pieces.seal(&ciphers[0], &header, out, out, p.size, own) == SELO_OK);
            CHECK_BYTES(out, want, p.size);
            CHECK_BYTES(own, tag, 16);
            CHECK(in_pieces.open(&ciphers[0], &header, out, out, p.size, own) == SELO_OK);
            CHECK_BYTES(out, p.text, p.size);
        } else {
            CHECK(status == SELO_ERROR_ARGUMENT);
            CHECK(check_is_zero(out, p.size) && check_is_zero(own, 16));
            memset(out, 0xee, sizeof out);
            CHECK(open(&ciphers[0], &header, out, out, p.size, own) == SELO_ERROR_ARGUMENT);
            CHECK(check_is_zero(out, p.size));
            CHECK(in_pieces.seal(&ciphers[0], &header, out, p.text, p.size, own) ==
                  SELO_ERROR_ARGUMENT);
            CHECK(in_pieces.open(&ciphers[0], &header, out, p.text, p.size, own) ==
                  SELO_ERROR_ARGUMENT);
        }
    }
}

static void refused(void)
{
    for (size_t size = 0; size < 20; size++) {
        if (size < 4 || size > 16 || size % 2 != 0) {
            check_aead_refused(&ccm, &ciphers[2], 13, 8, size);
        }
        if (size < 7 || size > 13) {
            check_aead_refused(&ccm, &ciphers[2], size, 8, 8);
        }
    }
    check_aead_refused(&ccm, &ciphers[2], 13, 8, 256 + 16);
    check_aead_refused(&ccm, &ciphers[2], 256 + 13, 8, 16);
    check_aead_refused(&ccm, &ciphers[2], 13, 0x10000, 16); /* example 4 */
}

int main(void)
{
    examples();
    sizes();
    limits();
    refused();
    return check_report("ccm");
}
