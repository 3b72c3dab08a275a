/* Both ends of `selo exchange`'s first experiment with the device library only, for a Raspberry Pi or
 * any POSIX system. It is written from docs/researcher/exchange.md and shares no code with
 * studies/exchange. Tests run each end against the other end of studies/exchange.
 *
 *   peer serve KEYFILE ADDRESS PORT [--emulated] [--counted]
 *   peer run KEYFILE ADDRESS PORT [--cipher LIST] [--payload LIST] [--repeat N] [--warm-up N]
 *            [--scenario WORD] [--link WORDS] [--seed N] [--emulated]
 *            [--counted]
 *
 * `run` prints a row of `selo exchange` for each exchange on stdout. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mark.h"
#include "selo.h"
#include "selo_unauthenticated.h"

#define MAX_PAYLOAD ((uint32_t)16 << 20)
#define OVERHEAD 128u
#define HEAD 12u
#define ID 8u
#define TIMES 24u
#define TIMEOUT 30
#define TAG 16u

enum kind { HELLO, REQUEST, REPLY, REFUSAL, CONFIRM, VERDICT };
enum refusal { MALFORMED = 1, TOO_LARGE, NO_SUCH_CIPHER, WRONG_KEY, DOES_NOT_OPEN, BUSY };

struct cipher {
    const char *name;
    uint8_t code, key_size, nonce_size, authenticated;
};

static const struct cipher ciphers[] = {
    {"aes-128-cbc", 1, 16, 16, 0},       {"aes-192-cbc", 2, 24, 16, 0},
    {"aes-256-cbc", 3, 32, 16, 0},       {"aes-128-gcm", 4, 16, 12, 1},
    {"aes-256-gcm", 5, 32, 12, 1},       {"chacha20-poly1305", 6, 32, 12, 1},
    {"ascon-aead128", 7, 16, 16, 1},
};
#define CIPHERS (sizeof ciphers / sizeof *ciphers)

static uint8_t secret[32], key_id[ID];
static int emulated;

/* An emulator counts the instructions of one process. So the server then serves one exchange after
 * the other in one process, and prints a line about each. */
static int counted;

/* Waits until the host has read the count of the exchange whose line was printed. The emulator counts
 * nothing meanwhile. */
static void told(void) {
    int c;
    fflush(stdout);
    while (counted && (c = getchar()) != '\n') {
        if (c == EOF) {
            exit(1);
        }
    }
}

static uint64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void put(uint8_t *out, uint64_t value, unsigned bytes) {
    while (bytes-- > 0) {
        out[bytes] = (uint8_t)value;
        value >>= 8;
    }
}

static uint64_t get(const uint8_t *in, unsigned bytes) {
    uint64_t value = 0;
    while (bytes-- > 0) {
        value = value << 8 | *in++;
    }
    return value;
}

/* ---- Keys ---- */

static void derive(uint8_t *out, size_t size, const char *label) {
    char info[80];
    int length = snprintf(info, sizeof info, "selo exchange 1 %s", label);
    selo_hkdf_sha256(out, size, (const uint8_t *)"", 0, secret, sizeof secret,
                     (const uint8_t *)info, (size_t)length);
}

static int digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int read_key(const char *path) {
    static const char prefix[] = "selo-exchange-key-1 ";
    char text[128];
    struct stat about;
    size_t i, size;
    FILE *file = fopen(path, "r");
    if (file == NULL || fstat(fileno(file), &about) != 0) {
        fprintf(stderr, "%s: %s\nhint: `selo exchange key FILE` makes one\n", path, strerror(errno));
        return -1;
    }
    if ((about.st_mode & 077) != 0) {
        fprintf(stderr, "%s: others can read this key\nhint: chmod 600 %s\n", path, path);
        fclose(file);
        return -1;
    }
    size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = '\0';
    if (strncmp(text, prefix, sizeof prefix - 1) == 0 && size >= sizeof prefix - 1 + 64) {
        const char *digits = text + sizeof prefix - 1;
        for (i = 0; i < sizeof secret; i++) {
            int high = digit(digits[2 * i]), low = digit(digits[2 * i + 1]);
            if (high < 0 || low < 0) {
                break;
            }
            secret[i] = (uint8_t)(high << 4 | low);
        }
        selo_wipe(text, sizeof text);
        if (i == sizeof secret) {
            derive(key_id, sizeof key_id, "id");
            return 0;
        }
    }
    fprintf(stderr, "%s: this is not a key of an exchange\n", path);
    return -1;
}

static void cipher_key(const struct cipher *c, const char *sealer, uint8_t key[32]) {
    char label[48];
    snprintf(label, sizeof label, "%s %s", c->name, sealer);
    derive(key, c->key_size, label);
}

/* ---- Ciphers ---- */

static enum selo_status system_random(void *unused, uint8_t *out, size_t size) {
    (void)unused;
    return getrandom(out, size, 0) == (ssize_t)size ? SELO_OK : SELO_ERROR_RANDOM;
}

union block_key {
    struct selo_aes128_fast aes128;
    struct selo_aes192_fast aes192;
    struct selo_aes256_fast aes256;
};

static void set_up(union block_key *key, const uint8_t *raw, unsigned size,
                   struct selo_cipher *cipher, struct selo_inverse_cipher *inverse) {
    if (size == 16) {
        selo_aes128_fast_setup(&key->aes128, raw);
        *cipher = selo_aes128_fast_cipher(&key->aes128);
        *inverse = selo_aes128_fast_inverse(&key->aes128);
    } else if (size == 24) {
        selo_aes192_fast_setup(&key->aes192, raw);
        *cipher = selo_aes192_fast_cipher(&key->aes192);
        *inverse = selo_aes192_fast_inverse(&key->aes192);
    } else {
        selo_aes256_fast_setup(&key->aes256, raw);
        *cipher = selo_aes256_fast_cipher(&key->aes256);
        *inverse = selo_aes256_fast_inverse(&key->aes256);
    }
}

static size_t sealed_size(const struct cipher *c, size_t size) {
    return c->authenticated ? c->nonce_size + size + TAG : 16 + (size / 16 + 1) * 16;
}

static void bound(uint8_t ad[7], enum kind kind, const struct cipher *c) {
    static const uint8_t head[5] = {'S', 'E', 'L', 'X', 1};
    memcpy(ad, head, sizeof head);
    ad[5] = (uint8_t)kind;
    ad[6] = c->code;
}

/* Writes sealed_size(size) bytes. Returns 0 on success. */
static int seal(const struct cipher *c, const uint8_t *raw, enum kind kind, uint8_t *out,
                const uint8_t *message, size_t size) {
    union block_key key;
    struct selo_cipher cipher;
    struct selo_inverse_cipher inverse;
    struct selo_chacha20_poly1305_key chacha;
    struct selo_ascon_aead128_key ascon;
    uint8_t ad[7], *data = out + c->nonce_size;
    const struct selo_header header = {out, c->nonce_size, ad, sizeof ad, TAG};
    enum selo_status status;
    size_t written;
    bound(ad, kind, c);
    if (!c->authenticated) {
        set_up(&key, raw, c->key_size, &cipher, &inverse);
        return selo_cbc_encrypt(cipher, system_random, NULL, out, sealed_size(c, size),
                                &written, message, size) == SELO_OK ? 0 : -1;
    }
    if (system_random(NULL, out, c->nonce_size) != SELO_OK) {
        return -1;
    }
    if (c->code == 6) {
        selo_chacha20_poly1305_setup(&chacha, raw);
        status = selo_chacha20_poly1305_seal(&chacha, &header, data, message, size, data + size);
    } else if (c->code == 7) {
        selo_ascon_aead128_setup(&ascon, raw);
        status = selo_ascon_aead128_seal(&ascon, &header, data, message, size, data + size);
    } else {
        set_up(&key, raw, c->key_size, &cipher, &inverse);
        status = selo_gcm_seal(cipher, &header, data, message, size, data + size);
    }
    return status == SELO_OK ? 0 : -1;
}

/* Returns the size of the message, or -1 if the tag or the padding is wrong. `out` has room for
 * `size`. */
static long open_sealed(const struct cipher *c, const uint8_t *raw, enum kind kind, uint8_t *out,
                        const uint8_t *sealed, size_t size) {
    union block_key key;
    struct selo_cipher cipher;
    struct selo_inverse_cipher inverse;
    struct selo_chacha20_poly1305_key chacha;
    struct selo_ascon_aead128_key ascon;
    uint8_t ad[7];
    const uint8_t *data = sealed + c->nonce_size;
    const struct selo_header header = {sealed, c->nonce_size, ad, sizeof ad, TAG};
    enum selo_status status;
    size_t written;
    bound(ad, kind, c);
    if (!c->authenticated) {
        set_up(&key, raw, c->key_size, &cipher, &inverse);
        status = size < 32 ? SELO_ERROR_PADDING
                           : selo_cbc_decrypt(inverse, out, size, &written, sealed, size);
        return status == SELO_OK ? (long)written : -1;
    }
    if (size < c->nonce_size + TAG) {
        return -1;
    }
    size -= c->nonce_size + TAG;
    if (c->code == 6) {
        selo_chacha20_poly1305_setup(&chacha, raw);
        status = selo_chacha20_poly1305_open(&chacha, &header, out, data, size, data + size);
    } else if (c->code == 7) {
        selo_ascon_aead128_setup(&ascon, raw);
        status = selo_ascon_aead128_open(&ascon, &header, out, data, size, data + size);
    } else {
        set_up(&key, raw, c->key_size, &cipher, &inverse);
        status = selo_gcm_open(cipher, &header, out, data, size, data + size);
    }
    return status == SELO_OK ? (long)size : -1;
}

static void digest_of(const uint8_t *data, size_t size, uint8_t digest[32]) {
    struct selo_sha256 hash;
    selo_sha256_start(&hash);
    selo_sha256_update(&hash, data, size);
    selo_sha256_finish(&hash, digest);
}

/* ---- Frames ---- */

struct frame {
    uint8_t kind, code;
    uint32_t size;
    uint8_t *body; /* the last frame; the next one frees it */
};

static int read_all(int s, uint8_t *out, size_t size) {
    while (size > 0) {
        ssize_t got = recv(s, out, size, 0);
        if (got <= 0) {
            return -1;
        }
        out += got;
        size -= (size_t)got;
    }
    return 0;
}

static int write_all(int s, const uint8_t *data, size_t size) {
    while (size > 0) {
        ssize_t done = send(s, data, size, MSG_NOSIGNAL);
        if (done <= 0) {
            return -1;
        }
        data += done;
        size -= (size_t)done;
    }
    return 0;
}

/* Returns 0; a refusal if the data is not a frame, or too large; -1 at the end. */
static int read_frame(int s, struct frame *frame, uint32_t limit) {
    uint8_t head[HEAD];
    free(frame->body);
    frame->body = NULL;
    if (read_all(s, head, HEAD) != 0) {
        return -1;
    }
    frame->kind = head[5];
    frame->code = head[6];
    frame->size = (uint32_t)get(head + 8, 4);
    if (memcmp(head, "SELX\1", 5) != 0 || head[5] > VERDICT || head[7] != 0) {
        return MALFORMED;
    }
    if (frame->size > limit) {
        return TOO_LARGE;
    }
    frame->body = malloc(frame->size + 1u);
    if (frame->body == NULL) {
        return TOO_LARGE;
    }
    return read_all(s, frame->body, frame->size);
}

/* `frame` has HEAD bytes of room before the body. */
static int write_frame(int s, enum kind kind, uint8_t code, uint8_t *frame, uint32_t size) {
    static const uint8_t head[5] = {'S', 'E', 'L', 'X', 1};
    memcpy(frame, head, sizeof head);
    frame[5] = (uint8_t)kind;
    frame[6] = code;
    frame[7] = 0;
    put(frame + 8, size, 4);
    return write_all(s, frame, HEAD + size);
}

static void prepare(int s) {
    struct timeval limit = {TIMEOUT, 0};
    int one = 1;
    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

static int address_of(struct sockaddr_in *address, const char *host, const char *port) {
    unsigned long number = strtoul(port, NULL, 10);
    memset(address, 0, sizeof *address);
    address->sin_family = AF_INET;
    address->sin_port = htons((uint16_t)number);
    if (number > 65535 || inet_pton(AF_INET, host, &address->sin_addr) != 1) {
        fprintf(stderr, "%s:%s is not a valid address\nhint: 127.0.0.1 7390\n", host, port);
        return -1;
    }
    return 0;
}

static void machine(char *out, size_t size, int with_name) {
    struct utsname about;
    uname(&about);
    snprintf(out, size, "%s%s %s%s", with_name ? "selo-c " : "", about.sysname, about.machine,
             emulated ? ", emulated" : "");
}

/* ---- The server ---- */

static int refuse(int s, enum refusal why) {
    uint8_t frame[HEAD], rest[4096];
    struct timeval limit = {0, 500000};
    write_frame(s, REFUSAL, (uint8_t)why, frame, 0);
    shutdown(s, SHUT_WR);
    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    while (recv(s, rest, sizeof rest, 0) > 0) {
    }
    return 1;
}

static const struct cipher *by_code(uint8_t code) {
    size_t i;
    for (i = 0; i < CIPHERS; i++) {
        if (ciphers[i].code == code) {
            return &ciphers[i];
        }
    }
    return NULL;
}

/* Serves one exchange, whose request is in `frame`. Returns 0 on success. `*opened` is the size of
 * the message if it was opened and sealed again, else negative. */
static int answer(int s, struct frame *frame, long *opened) {
    const struct cipher *c = by_code(frame->code);
    uint8_t theirs[32], ours[32], digest[32], confirmed[64], verdict[HEAD], *message, *reply;
    uint64_t t2, t3, t4, t5;
    size_t size;
    long length;
    int status = 1;
    *opened = -1;
    if (frame->kind != REQUEST || frame->size < ID) {
        return refuse(s, MALFORMED);
    }
    if (c == NULL) {
        return refuse(s, NO_SUCH_CIPHER);
    }
    if (memcmp(frame->body, key_id, ID) != 0) {
        return refuse(s, WRONG_KEY);
    }
    cipher_key(c, "client", theirs);
    cipher_key(c, "server", ours);
    size = frame->size - ID;
    message = malloc(size + 1);
    reply = malloc(HEAD + TIMES + size + 64);
    if (message == NULL || reply == NULL) {
        status = refuse(s, TOO_LARGE);
        goto end;
    }
    t2 = now();
    PORT_MARK(1);
    length = open_sealed(c, theirs, REQUEST, message, frame->body + ID, size);
    PORT_MARK(2);
    t3 = now();
    if (length < 0) {
        status = refuse(s, DOES_NOT_OPEN);
        goto end;
    }
    t4 = now();
    PORT_MARK(1);
    status = seal(c, ours, REPLY, reply + HEAD + TIMES, message, (size_t)length);
    PORT_MARK(2);
    if (status != 0) {
        goto end;
    }
    t5 = now();
    *opened = length;
    put(reply + HEAD, t3 - t2, 8);
    put(reply + HEAD + 8, t4 - t2, 8);
    put(reply + HEAD + 16, t5 - t2, 8);
    status = write_frame(s, REPLY, c->code, reply, TIMES + (uint32_t)sealed_size(c, (size_t)length));
    digest_of(message, (size_t)length, digest);
    if (status != 0 || read_frame(s, frame, sizeof confirmed) != 0 || frame->kind != CONFIRM) {
        status = 1;
        goto end;
    }
    length = open_sealed(c, theirs, CONFIRM, confirmed, frame->body, frame->size);
    status = length != 32 || !selo_equal(confirmed, digest, sizeof digest);
    if (write_frame(s, VERDICT, (uint8_t)status, verdict, 0) != 0) {
        status = 1;
    }
end:
    free(message);
    free(reply);
    return status;
}

/* Serves one connection, in its own process unless instructions are counted. */
static int converse(int s) {
    uint8_t hello[HEAD + 4 + ID + 200];
    struct frame frame = {0, 0, 0, NULL};
    int status;
    prepare(s);
    put(hello + HEAD, MAX_PAYLOAD, 4);
    memcpy(hello + HEAD + 4, key_id, ID);
    machine((char *)hello + HEAD + 4 + ID, 200, 1);
    status = write_frame(s, HELLO, 0, hello,
                         4 + ID + (uint32_t)strlen((char *)hello + HEAD + 4 + ID));
    while (status == 0) {
        const struct cipher *c;
        long opened;
        status = read_frame(s, &frame, MAX_PAYLOAD + OVERHEAD);
        if (status != 0) {
            status = status > 0 ? refuse(s, (enum refusal)status) : -1;
            break;
        }
        c = by_code(frame.code);
        status = answer(s, &frame, &opened);
        if (counted) {
            if (opened >= 0) {
                printf("served %s %ld\n", c->name, opened);
            } else {
                puts("refused");
            }
            told();
        }
    }
    free(frame.body);
    return status > 0;
}

static int serve(const char *host, const char *port) {
    struct sockaddr_in address;
    socklen_t size = sizeof address;
    int one = 1, s = socket(AF_INET, SOCK_STREAM, 0);
    if (address_of(&address, host, port) != 0) {
        return 2;
    }
    setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (s < 0 || bind(s, (struct sockaddr *)&address, sizeof address) != 0 || listen(s, 16) != 0 ||
        getsockname(s, (struct sockaddr *)&address, &size) != 0) {
        fprintf(stderr, "cannot listen on %s:%s: %s\n", host, port, strerror(errno));
        return 4;
    }
    printf("listening %s:%u\n", host, (unsigned)ntohs(address.sin_port));
    fflush(stdout);
    signal(SIGCHLD, SIG_IGN);
    for (;;) {
        int client = accept(s, NULL, NULL);
        if (client < 0) {
            continue;
        }
        if (counted) {
            converse(client);
        } else if (fork() == 0) {
            close(s);
            _exit(converse(client));
        }
        close(client);
    }
}

/* ---- The client ---- */

struct payload {
    const char *name;
    uint8_t *bytes;
    size_t size;
};

/* The same payloads as studies/exchange/src/payload.rs. */
static int make(struct payload *p, const char *name) {
    p->name = name;
    if (strcmp(name, "string") == 0) {
        char line[96];
        unsigned n;
        p->bytes = malloc(1215 + sizeof line);
        for (n = 0, p->size = 0; p->bytes != NULL && p->size < 1215; n++) {
            unsigned minute = n * 5 % 60, rain = n * n % 97;
            int length = snprintf(line, sizeof line,
                                  "2020-08-%02uT%02u:%02u rain %u.%u mm, %u C\n", 19 + n / 288,
                                  n / 12 % 24, minute, rain / 10, rain % 10, 15 + n % 12);
            memcpy(p->bytes + p->size, line, (size_t)length);
            p->size += (size_t)length;
        }
        p->size = 1215;
    } else if (strcmp(name, "image") == 0) {
        const uint32_t side = 816;
        uint32_t x, y;
        p->bytes = malloc(3 * side * side + 32);
        if (p->bytes != NULL) {
            uint8_t *out = p->bytes;
            out += sprintf((char *)out, "P6\n%u %u\n255\n", (unsigned)side, (unsigned)side);
            for (y = 0; y < side; y++) {
                for (x = 0; x < side; x++) {
                    uint32_t dx = x > side / 2 ? x - side / 2 : side / 2 - x;
                    uint32_t dy = y > side / 3 ? y - side / 3 : side / 3 - y;
                    *out++ = (uint8_t)((dx * dx + dy * dy) / 97);
                    *out++ = (uint8_t)(x * y / 53);
                    *out++ = (uint8_t)(x + 2 * y);
                }
            }
            p->size = (size_t)(out - p->bytes);
        }
    } else {
        fprintf(stderr, "there is no payload '%s'\nhint: string, image\n", name);
        return -1;
    }
    return p->bytes == NULL ? -1 : 0;
}

struct result {
    const char *fault, *reason;
    char server[208];
    uint64_t connect, t1, t6, t7, t3, t4, t5, sent, received;
};

static int failed(struct result *r, const char *fault, const char *reason) {
    r->fault = fault;
    r->reason = reason;
    return -1;
}

static int refused(struct result *r, const struct frame *frame, int status) {
    if (status != 0) {
        return failed(r, status < 0 ? "cut" : "protocol", "the connection was cut");
    }
    if (frame->kind != REFUSAL) {
        return failed(r, "protocol", "a frame out of turn");
    }
    switch (frame->code) {
    case WRONG_KEY:
        return failed(r, "wrong-key", "the server has another key");
    case DOES_NOT_OPEN:
        return failed(r, "altered", "the server cannot open the message");
    case NO_SUCH_CIPHER:
        return failed(r, "not-offered", "the server does not offer this cipher");
    default:
        return failed(r, "refused", "the server refused");
    }
}

static int exchange_on(int s, const struct cipher *c, const struct payload *p, struct result *r,
                       struct frame *frame, uint8_t *request, uint8_t *back) {
    uint8_t ours[32], theirs[32], digest[32], confirm[HEAD + 96];
    uint64_t t0, begin = now();
    size_t size = sealed_size(c, p->size);
    long opened;
    int status = read_frame(s, frame, 300);
    if (status != 0 || frame->kind != HELLO || frame->size < 4 + ID) {
        return refused(r, frame, status);
    }
    r->connect += now() - begin;
    frame->body[frame->size] = '\0';
    snprintf(r->server, sizeof r->server, "%.200s", (char *)frame->body + 4 + ID);
    if (memcmp(frame->body + 4, key_id, ID) != 0) {
        return failed(r, "wrong-key", "the server has another key");
    }
    if (p->size > get(frame->body, 4)) {
        return failed(r, "refused", "the payload is too large for it");
    }
    cipher_key(c, "client", ours);
    cipher_key(c, "server", theirs);
    memcpy(request + HEAD, key_id, ID);

    /* The emulator of this machine counts instructions between marks. */
    t0 = now();
    PORT_MARK(1);
    status = seal(c, ours, REQUEST, request + HEAD + ID, p->bytes, p->size);
    PORT_MARK(2);
    if (status != 0) {
        return failed(r, "machine", "the cipher failed");
    }
    r->t1 = now() - t0;
    if (write_frame(s, REQUEST, c->code, request, ID + (uint32_t)size) != 0) {
        return failed(r, "cut", "the connection was cut while sending");
    }
    status = read_frame(s, frame, MAX_PAYLOAD + OVERHEAD);
    r->t6 = now() - t0;
    if (status != 0 || frame->kind != REPLY || frame->code != c->code || frame->size < TIMES ||
        frame->size - TIMES > size) {
        return refused(r, frame, status);
    }
    PORT_MARK(1);
    opened = open_sealed(c, theirs, REPLY, back, frame->body + TIMES, frame->size - TIMES);
    PORT_MARK(2);
    r->t7 = now() - t0;
    r->t3 = get(frame->body, 8);
    r->t4 = get(frame->body + 8, 8);
    r->t5 = get(frame->body + 16, 8);
    r->sent = HEAD + ID + size;
    r->received = HEAD + frame->size;
    if (opened < 0) {
        return failed(r, "altered", "the client cannot open the reply");
    }
    if (r->t3 > r->t4 || r->t4 > r->t5 || r->t5 > r->t6 - r->t1) {
        return failed(r, "protocol", "times that do not follow each other");
    }
    if ((size_t)opened != p->size || memcmp(back, p->bytes, p->size) != 0) {
        return failed(r, "differs", "the client got another message than was sent");
    }
    digest_of(p->bytes, p->size, digest);
    if (seal(c, ours, CONFIRM, confirm + HEAD, digest, sizeof digest) != 0 ||
        write_frame(s, CONFIRM, c->code, confirm,
                    (uint32_t)sealed_size(c, sizeof digest)) != 0 ||
        (status = read_frame(s, frame, 0)) != 0 || frame->kind != VERDICT) {
        return failed(r, "cut", "no verdict came");
    }
    return frame->code == 0 ? 0 : failed(r, "differs", "the server got another message");
}

static void exchange(const struct sockaddr_in *to, const struct cipher *c,
                     const struct payload *p, struct result *r) {
    struct frame frame = {0, 0, 0, NULL};
    uint8_t *request = malloc(HEAD + ID + p->size + 64), *back = malloc(p->size + 128);
    uint64_t begin = now();
    int s = socket(AF_INET, SOCK_STREAM, 0);
    memset(r, 0, sizeof *r);
    if (s < 0 || request == NULL || back == NULL) {
        failed(r, "machine", "no memory or no socket");
    } else if (prepare(s), connect(s, (const struct sockaddr *)to, sizeof *to) != 0) {
        failed(r, "server-absent", "no server there");
    } else {
        r->connect = now() - begin;
        exchange_on(s, c, p, r, &frame, request, back);
    }
    if (s >= 0) {
        close(s);
    }
    free(frame.body);
    free(request);
    free(back);
}

struct options {
    const char *scenario, *link;
    unsigned repeat, warm_up;
    uint32_t seed;
};

static void print_row(const struct cipher *c, const struct payload *p, const struct result *r,
                      const struct options *o, unsigned repetition, unsigned order, int warm_up) {
    char client[200];
    int marked = emulated || strstr(r->server, ", emulated") != NULL;
    machine(client, sizeof client, 0);
    printf("{\"schema\":\"selo.exchange/1\",\"experiment\":\"symmetric\",\"scenario\":\"%s\","
           "\"implementation\":\"selo\",\"cipher\":\"%s\",\"payload\":\"%s\",\"bytes\":%zu,"
           "\"link\":\"%s\",\"client\":\"%s\",\"server\":\"%s\",\"fidelity\":\"%s\","
           "\"authenticated\":%s,\"repetition\":%u,\"order\":%u,\"warm_up\":%s,"
           "\"verified\":%s,",
           o->scenario, c->name, p->name, p->size, o->link, client, r->server,
           marked ? "emulated" : "wall-clock", c->authenticated ? "true" : "false", repetition,
           order, warm_up ? "true" : "false", r->fault == NULL ? "true" : "false");
    if (r->fault != NULL) {
        printf("\"fault\":\"%s\",\"reason\":\"%s\",\"sent\":0,\"received\":0}\n", r->fault,
               r->reason);
    } else {
        printf("\"sent\":%llu,\"received\":%llu,\"stamps\":{\"connect\":%llu,\"t1\":%llu,"
               "\"t6\":%llu,\"t7\":%llu,\"t3_less_t2\":%llu,\"t4_less_t2\":%llu,"
               "\"t5_less_t2\":%llu}}\n",
               (unsigned long long)r->sent, (unsigned long long)r->received,
               (unsigned long long)r->connect, (unsigned long long)r->t1,
               (unsigned long long)r->t6, (unsigned long long)r->t7, (unsigned long long)r->t3,
               (unsigned long long)r->t4, (unsigned long long)r->t5);
    }
    told();
}

static int plain(const char *text) {
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < 0x20 || *text == '"' || *text == '\\') {
            return 0;
        }
    }
    return 1;
}

static int usage(void) {
    fprintf(stderr, "usage: peer serve KEYFILE ADDRESS PORT [--emulated] [--counted]\n"
                    "       peer run KEYFILE ADDRESS PORT [--cipher LIST] [--payload LIST] "
                    "[--repeat N] [--warm-up N] [--scenario WORD] [--link WORDS] [--seed N] "
                    "[--emulated] [--counted]\n");
    return 2;
}

#define MAX_PAYLOADS 4
#define MAX_STEPS (CIPHERS * MAX_PAYLOADS)

static int run(const char *host, const char *port, char *cipher_list, char *payload_list,
               struct options *o) {
    struct sockaddr_in to;
    struct payload payloads[MAX_PAYLOADS];
    const struct cipher *chosen[CIPHERS];
    unsigned places[MAX_STEPS], steps, round, order = 0, bad = 0, i;
    size_t number = 0, sizes = 0, j;
    char *word;
    if (address_of(&to, host, port) != 0) {
        return 2;
    }
    for (word = strtok(cipher_list, ","); word != NULL; word = strtok(NULL, ",")) {
        size_t before = number;
        for (j = 0; j < CIPHERS && number < CIPHERS; j++) {
            if (strcmp(word, "all") == 0 || strcmp(word, ciphers[j].name) == 0) {
                chosen[number++] = &ciphers[j];
            }
        }
        if (number == before) {
            fprintf(stderr, "there is no cipher '%s'\n", word);
            return 2;
        }
    }
    for (word = strtok(payload_list, ","); word != NULL; word = strtok(NULL, ",")) {
        if (sizes == MAX_PAYLOADS || make(&payloads[sizes++], word) != 0) {
            return 2;
        }
    }
    steps = (unsigned)(number * sizes);
    for (i = 0; i < steps; i++) {
        places[i] = i;
    }
    /* Runs the rounds. Each round has every exchange once, in its own order. */
    for (round = 0; round < o->warm_up + o->repeat && bad < 3; round++) {
        int warm_up = round < o->warm_up;
        for (i = steps; i > 1; i--) {
            unsigned other, kept = places[i - 1];
            o->seed = o->seed * 1664525u + 1013904223u;
            other = (o->seed >> 16) % i;
            places[i - 1] = places[other];
            places[other] = kept;
        }
        for (i = 0; i < steps && bad < 3; i++) {
            const struct cipher *c = chosen[places[i] % number];
            const struct payload *p = &payloads[places[i] / number];
            struct result r;
            exchange(&to, c, p, &r);
            bad = r.fault == NULL ? 0 : bad + 1;
            if (r.fault != NULL) {
                fprintf(stderr, "%s: %s\n", c->name, r.reason);
            }
            print_row(c, p, &r, o, warm_up ? round : round - o->warm_up, order++, warm_up);
        }
    }
    for (j = 0; j < sizes; j++) {
        free(payloads[j].bytes);
    }
    return bad == 0 ? 0 : 1;
}

int main(int argc, char **argv) {
    struct options o = {"two-processes", "loopback", 30, 3, 1};
    static char all[] = "all", string[] = "string";
    char *cipher_list = all, *payload_list = string;
    int at;
    if (argc < 5 || (strcmp(argv[1], "serve") != 0 && strcmp(argv[1], "run") != 0)) {
        return usage();
    }
    for (at = 5; at < argc; at++) {
        if (strcmp(argv[at], "--emulated") == 0) {
            emulated = 1;
        } else if (strcmp(argv[at], "--counted") == 0) {
            counted = 1;
        } else if (at + 1 == argc || !plain(argv[at + 1])) {
            return usage();
        } else if (strcmp(argv[at], "--cipher") == 0) {
            cipher_list = argv[++at];
        } else if (strcmp(argv[at], "--payload") == 0) {
            payload_list = argv[++at];
        } else if (strcmp(argv[at], "--repeat") == 0) {
            o.repeat = (unsigned)strtoul(argv[++at], NULL, 10);
        } else if (strcmp(argv[at], "--warm-up") == 0) {
            o.warm_up = (unsigned)strtoul(argv[++at], NULL, 10);
        } else if (strcmp(argv[at], "--seed") == 0) {
            o.seed = (uint32_t)strtoul(argv[++at], NULL, 10);
        } else if (strcmp(argv[at], "--scenario") == 0) {
            o.scenario = argv[++at];
        } else if (strcmp(argv[at], "--link") == 0) {
            o.link = argv[++at];
        } else {
            return usage();
        }
    }
    if (read_key(argv[2]) != 0) {
        return 2;
    }
    return strcmp(argv[1], "serve") == 0
               ? serve(argv[3], argv[4])
               : run(argv[3], argv[4], cipher_list, payload_list, &o);
}
