/*
 * Modes and Ascon-AEAD128, whose message begins at any address. A core that loads words from multiples of their size only
 * adds blocks in words where it can and in bytes elsewhere (SELO_STRICT_WORDS): both must agree.
 */
#include "check.h"
#include "selo.h"
#include "selo_unauthenticated.h"

enum { LONGEST = 70, TAG = 16 };

static const uint8_t nonce[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
static const struct selo_header header = {nonce, sizeof nonce, nonce, 5, TAG};

static enum selo_status ctr(struct selo_cipher cipher, uint8_t *out, const uint8_t *in, size_t size,
                            uint8_t *tag)
{
    memset(tag, 0xff, TAG); /* the counter, which wraps */
    selo_ctr(cipher, tag, out, in, size);
    return SELO_OK;
}

static enum selo_status ccm(struct selo_cipher cipher, uint8_t *out, const uint8_t *in, size_t size,
                            uint8_t *tag)
{
    return selo_ccm_seal(cipher, &header, out, in, size, tag);
}

static enum selo_status ccm_open(struct selo_cipher cipher, uint8_t *out, const uint8_t *in,
                                 size_t size, uint8_t *tag)
{
    uint8_t sealed[LONGEST];
    enum selo_status status = selo_ccm_seal(cipher, &header, sealed, in, size, tag);

    /* Opens what it has sealed, at the addresses under test. */
    memcpy(out, sealed, size);
    return status != SELO_OK ? status : selo_ccm_open(cipher, &header, out, out, size, tag);
}

static enum selo_status gcm(struct selo_cipher cipher, uint8_t *out, const uint8_t *in, size_t size,
                            uint8_t *tag)
{
    return selo_gcm_seal(cipher, &header, out, in, size, tag);
}

static enum selo_status gcm_pieces(struct selo_cipher cipher, uint8_t *out, const uint8_t *in,
                                   size_t size, uint8_t *tag)
{
    struct selo_gcm_sealing state;
    const size_t first = size / 3;
    enum selo_status status = selo_gcm_seal_start(&state, cipher, &header);

    if (status == SELO_OK) {
        status = selo_gcm_seal_update(&state, out, in, first);
    }
    if (status == SELO_OK) {
        status = selo_gcm_seal_update(&state, out + first, in + first, size - first);
    }
    return status != SELO_OK ? status : selo_gcm_seal_finish(&state, tag);
}

static enum selo_status gcm_open_pieces(struct selo_cipher cipher, uint8_t *out, const uint8_t *in,
                                        size_t size, uint8_t *tag)
{
    struct selo_gcm_opening state;
    uint8_t sealed[LONGEST];
    const size_t first = size - size / 3;
    enum selo_status status = selo_gcm_seal(cipher, &header, sealed, in, size, tag);

    memcpy(out, sealed, size);
    if (status == SELO_OK) {
        status = selo_gcm_open_start(&state, cipher, &header);
    }
    if (status == SELO_OK) {
        status = selo_gcm_open_update(&state, out, out, first);
    }
    if (status == SELO_OK) {
        status = selo_gcm_open_update(&state, out + first, out + first, size - first);
    }
    return status != SELO_OK ? status : selo_gcm_open_finish(&state, tag);
}

/* Ascon-AEAD128, which has a key of its own. */
static const uint8_t ascon_raw[16] = {3, 1, 4}, ascon_nonce[16] = {1, 5, 9};
static const struct selo_header ascon_header = {ascon_nonce, 16, NULL, 0, TAG};

static enum selo_status ascon(struct selo_cipher cipher, uint8_t *out, const uint8_t *in, size_t size,
                              uint8_t *tag)
{
    struct selo_ascon_aead128_key key;

    (void)cipher;
    selo_ascon_aead128_setup(&key, ascon_raw);
    return selo_ascon_aead128_seal(&key, &ascon_header, out, in, size, tag);
}

/* Seals apart, and opens there into the place of the output. */
static enum selo_status ascon_open(struct selo_cipher cipher, uint8_t *out, const uint8_t *in, size_t size,
                                   uint8_t *tag)
{
    _Alignas(8) uint8_t sealed[LONGEST + 8];
    uint8_t *const at = sealed + ((uintptr_t)in & 3);
    struct selo_ascon_aead128_key key;
    enum selo_status status = ascon(cipher, at, in, size, tag);

    selo_ascon_aead128_setup(&key, ascon_raw);
    return status != SELO_OK ? status : selo_ascon_aead128_open(&key, &ascon_header, out, at, size, tag);
}

typedef enum selo_status mode(struct selo_cipher cipher, uint8_t *out, const uint8_t *in, size_t size,
                              uint8_t *tag);

/* The message at every distance of both buffers from a word, and in place, is that of aligned ones. */
static void everywhere(mode *run, struct selo_cipher cipher, int opens)
{
    _Alignas(8) uint8_t in[LONGEST + 8], out[LONGEST + 8], want[LONGEST + 8], want_tag[TAG], tag[TAG];

    for (size_t size = 0; size <= LONGEST; size++) {
        for (size_t i = 0; i < size; i++) {
            in[i] = (uint8_t)(i * 7 + size);
        }
        CHECK(run(cipher, want, in, size, want_tag) == SELO_OK);
        if (opens) {
            CHECK_BYTES(want, in, size);
        }
        for (size_t from = 0; from < 4; from++) {
            for (size_t to = 0; to < 4; to++) {
                for (size_t i = 0; i < size; i++) {
                    in[from + i] = (uint8_t)(i * 7 + size);
                }
                memset(out, 0xee, sizeof out);
                CHECK(run(cipher, out + to, in + from, size, tag) == SELO_OK);
                CHECK_BYTES(out + to, want, size);
                CHECK_BYTES(tag, want_tag, TAG);
                CHECK(out[to + size] == 0xee && (to == 0 || out[to - 1] == 0xee));
            }
            CHECK(run(cipher, in + from, in + from, size, tag) == SELO_OK);
            CHECK_BYTES(in + from, want, size);
            CHECK_BYTES(tag, want_tag, TAG);
        }
    }
}

int main(void)
{
    static mode *const modes[] = {ctr, ccm, ccm_open, gcm, gcm_pieces, gcm_open_pieces, ascon, ascon_open};
    static const int opens[] = {0, 0, 1, 0, 0, 1, 0, 1};
    uint8_t key[16];
    struct selo_aes128_fast fast;
    struct selo_aes128_small small;

    for (uint8_t i = 0; i < sizeof key; i++) {
        key[i] = (uint8_t)(i * 11);
    }
    selo_aes128_fast_setup(&fast, key);
    selo_aes128_small_setup(&small, key);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        everywhere(modes[i], selo_aes128_fast_cipher(&fast), opens[i]);
        everywhere(modes[i], selo_aes128_small_cipher(&small), opens[i]);
    }
    return check_report("unaligned");
}
