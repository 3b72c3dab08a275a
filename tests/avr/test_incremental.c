/* Authenticated encryption in pieces, and the one-shot calls. */
/* sources: aes ascon chacha20 chacha20_poly1305 mode poly1305 */
#include "kernel.h"

#include "selo.h"

enum { MESSAGES = KERNEL_CASES / 50, TIMED = 20, MOST = 128 };

KERNEL_BUFFER(text, MOST);
KERNEL_BUFFER(inputs, 32 + 16 + 20); /* key, nonce, associated data */
KERNEL_BUFFER(tag, 16);

static union {
    struct selo_aes128_gcm_key aes128_gcm;
    struct selo_aes128_ccm_key aes128_ccm;
    struct selo_chacha20_poly1305_key chacha20_poly1305;
    struct selo_ascon_aead128_key ascon_aead128;
} key;
static union {
    struct selo_aes128_gcm_sealing aes128_gcm;
    struct selo_aes128_ccm_sealing aes128_ccm;
    struct selo_chacha20_poly1305_sealing chacha20_poly1305;
    struct selo_ascon_aead128_sealing ascon_aead128;
    struct selo_aes128_gcm_opening aes128_gcm_opening;
    struct selo_aes128_ccm_opening aes128_ccm_opening;
    struct selo_chacha20_poly1305_opening chacha20_poly1305_opening;
    struct selo_ascon_aead128_opening ascon_aead128_opening;
} state;
static struct selo_header header = {inputs.data + 32, 0, inputs.data + 48, 0, 16};
static uint8_t status; /* the bits of all statuses */

/* One algorithm: the functions that are called on the chip. */
struct algorithm {
    uint8_t nonce_size;
    const char *name;
    void (*setup)(void);
    void (*whole)(uint8_t size);                 /* the one-shot call */
    void (*pieces)(uint8_t size, uint8_t piece); /* seals in pieces */
    void (*open)(uint8_t size, uint8_t piece);   /* opens in pieces */
    void (*start)(uint8_t size), (*update)(uint8_t size), (*finish)(uint8_t size);
};

#define WITHOUT_SIZE(size)
#define WITH_SIZE(size) , size
#define IN_PIECES(function, x, verb, place, WITH)                                              \
    static void function(uint8_t size, uint8_t piece)                                          \
    {                                                                                          \
        uint8_t *at = text.data;                                                               \
        status |= (uint8_t)selo_##x##_##verb##_start(&state.place, &key.x, &header WITH(size));\
        for (; size != 0; size = (uint8_t)(size - piece)) {                                    \
            piece = piece < size ? piece : size;                                               \
            status |= (uint8_t)selo_##x##_##verb##_update(&state.place, at, at, piece);        \
            at += piece;                                                                       \
        }                                                                                      \
        status |= (uint8_t)selo_##x##_##verb##_finish(&state.place, tag.data);                 \
    }
#define ALGORITHM(x, name, nonce_size, WITH)                                                   \
    static void x##_setup(void) { selo_##x##_setup(&key.x, inputs.data); }                     \
    static void x##_whole(uint8_t size)                                                        \
    {                                                                                          \
        (void)selo_##x##_seal(&key.x, &header, text.data, text.data, size, tag.data);          \
    }                                                                                          \
    IN_PIECES(x##_pieces, x, seal, x, WITH)                                                    \
    IN_PIECES(x##_open, x, open, x##_opening, WITH)                                            \
    static void x##_start(uint8_t size)                                                        \
    {                                                                                          \
        (void)size;                                                                            \
        (void)selo_##x##_open_start(&state.x##_opening, &key.x, &header WITH(size));           \
    }                                                                                          \
    static void x##_update(uint8_t size)                                                       \
    {                                                                                          \
        (void)selo_##x##_open_update(&state.x##_opening, text.data, text.data, size);          \
    }                                                                                          \
    static void x##_finish(uint8_t size)                                                       \
    {                                                                                          \
        (void)size;                                                                            \
        (void)selo_##x##_open_finish(&state.x##_opening, tag.data);                            \
    }                                                                                          \
    static const struct algorithm x = {nonce_size, name,       x##_setup,  x##_whole, x##_pieces,\
                                       x##_open,   x##_start,  x##_update, x##_finish};

ALGORITHM(aes128_gcm, "aes128-gcm", 12, WITHOUT_SIZE)
ALGORITHM(aes128_ccm, "aes128-ccm", 13, WITH_SIZE)
ALGORITHM(chacha20_poly1305, "chacha20-poly1305", 12, WITHOUT_SIZE)
ALGORITHM(ascon_aead128, "ascon-aead128", 16, WITHOUT_SIZE)

/* Other inputs for each message. */
static void prepare(const struct algorithm *a)
{
    kernel_fill(text.data, MOST);
    kernel_fill(inputs.data, sizeof inputs.data);
    header.nonce_size = a->nonce_size;
    header.ad_size = 0;
    a->setup();
}

/* Messages of random sizes, in pieces of random sizes. */
static void series(const struct algorithm *a)
{
    for (uint16_t i = 0; i < MESSAGES; i++) {
        uint8_t sizes[3];
        prepare(a);
        kernel_fill(sizes, sizeof sizes);
        sizes[0] &= MOST - 1;
        sizes[1] = (uint8_t)(1 + sizes[1] % 40);
        header.ad_size = sizes[2] % 21;
        KERNEL_CALL(a->pieces, sizes[0], sizes[1]);
        kernel_fold(text.data, MOST);
        kernel_fold(tag.data, 16);
        KERNEL_CALL(a->open, sizes[0], sizes[1]);
        kernel_fold(text.data, MOST);
        kernel_fold(&status, 1); /* 0: every tag has verified */
    }
    kernel_series(a->name, MESSAGES);
}

/* The name of a figure: the algorithm's name and `what`. */
static const char *figure(const struct algorithm *a, const char *what)
{
    static char text[40];
    char *end = text;
    for (const char *from = a->name; *from != 0; from++)
        *end++ = *from;
    while (*what != 0)
        *end++ = *what++;
    *end = 0;
    return text;
}

static void time_messages(const struct algorithm *a, uint8_t size, const char *whole,
                          const char *pieces)
{
    kernel_time_begin();
    for (uint8_t i = 0; i < TIMED; i++) {
        prepare(a);
        KERNEL_CALL(a->whole, size);
    }
    kernel_time_end(figure(a, whole));
    kernel_time_begin();
    for (uint8_t i = 0; i < TIMED; i++) {
        prepare(a);
        KERNEL_CALL(a->pieces, size, 16);
    }
    kernel_time_end(figure(a, pieces));
}

/* Each call of a message of 16 bytes. The last comparison of the tag fails, in the same time. */
static void time_calls(const struct algorithm *a)
{
    kernel_time_begin();
    for (uint8_t i = 0; i < TIMED; i++) {
        prepare(a);
        KERNEL_CALL(a->start, 16);
    }
    kernel_time_end(figure(a, "-start"));
    kernel_time_begin();
    for (uint8_t i = 0; i < TIMED; i++) {
        prepare(a);
        a->start(16);
        KERNEL_CALL(a->update, 16);
    }
    kernel_time_end(figure(a, "-update-16"));
    kernel_time_begin();
    for (uint8_t i = 0; i < TIMED; i++) {
        prepare(a);
        a->start(16);
        a->update(16);
        KERNEL_CALL(a->finish, 16);
    }
    kernel_time_end(figure(a, "-finish"));
}

int main(void)
{
    static const struct algorithm *const algorithms[] = {&aes128_gcm, &aes128_ccm,
                                                         &chacha20_poly1305, &ascon_aead128};
    KERNEL_GUARD(text);
    KERNEL_GUARD(inputs);
    KERNEL_GUARD(tag);
    for (uint8_t i = 0; i < 4; i++) {
        series(algorithms[i]);
        time_messages(algorithms[i], 16, "-whole-16", "-pieces-16");
        time_messages(algorithms[i], 128, "-whole-128", "-pieces-128");
        time_calls(algorithms[i]);
    }
    kernel_end();
    return 0;
}
