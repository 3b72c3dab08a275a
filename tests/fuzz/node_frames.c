/*
 * Fuzzes a node in any state with frames of any kind, in any order, at any time.
 *
 * An input is a script. Its first byte sets the node's state. Steps follow: a byte that names the step,
 * then its arguments (enum step). Many steps are an attacker's: raw bytes, altered and repeated frames.
 * Others are a genuine gateway's, to reach the code behind the check of a tag. After every step the node
 * must be in a valid state (check_node), and must have sent only valid frames (device_send). The
 * sanitizers check the rest.
 *
 * A cheap function with the same algebra replaces X25519, so that thousands of handshakes take a second.
 * All other sources are those of src/.
 *
 *   tests/fuzz/node_frames.sh    builds the program with gcc for each suite, and runs the corpus and
 *                                some random mutations of it
 *   clang -fsanitize=fuzzer,address,undefined -DSELO_FUZZ_NO_MAIN ...
 *                                builds a program for libFuzzer or AFL++
 */
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "selo.h"
#include "selo_mlkem.h"
#include "selo/link/frame.h"
#include "selo/link/limits.h"
#include "selo/link/node_state.h"
#include "selo/noise/suite.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- X25519 without a curve ------------------------------------------------------------ */

void selo_x25519_keygen(uint8_t public_key[32], const uint8_t secret[32])
{
    for (int i = 0; i < 32; i++) {
        public_key[i] = secret[i] ^ 0x5a;
    }
}

enum selo_status selo_x25519_shared_secret(uint8_t shared[32], const uint8_t secret[32],
                                           const uint8_t peer[32])
{
    uint8_t any = 0;

    for (int i = 0; i < 32; i++) {
        any |= peer[i];
    }
    for (int i = 0; i < 32; i++) {
        shared[i] = any ? secret[i] ^ peer[i] : 0;
    }
    return any ? SELO_OK : SELO_ERROR_KEY;
}

/* ---- The script ---------------------------------------------------------------------------- */

static const uint8_t *input;
static size_t input_left;

static uint8_t take(void)
{
    if (input_left == 0) {
        return 0;
    }
    input_left--;
    return *input++;
}

static uint32_t take_number(uint8_t size)
{
    uint32_t number = 0;
    while (size-- != 0) {
        number = number << 8 | take();
    }
    return number;
}

static void take_bytes(uint8_t *bytes, size_t size)
{
    while (size-- != 0) {
        *bytes++ = take();
    }
}

/* ---- The device ------------------------------------------------------------------------------ */

static const uint8_t device_key[33] = "the device key of the fuzz tests";
enum { ID = 0x1a2b3c4d };

static struct selo_node *node; /* on the heap, so that the sanitizer detects a write beside it */
static uint32_t now;
static uint8_t in[58], in_size, last_in[58], last_in_size;
static uint8_t request[58], reveal[53]; /* the node's last frames of these kinds */
static uint8_t record[SELO_LINK_RECORD_BYTES];
static int has_record, send_fails, store_fails;
static int forgot; /* 1 if the node forgot its key but could not store that */

static uint32_t up_next; /* counter of the next fresh UP of the session */

static void check_up(const uint8_t *frame, uint8_t size)
{
    const uint8_t header = node->session.format & SELO_FRAME_WIDE ? 7 : 5;

    assert((frame[0] & 3) == node->session.format);
    assert(size >= header + (node->session.format & SELO_FRAME_LONG_TAG ? 16 : 8));
    /* A new frame, or an identical copy of the confirmed one. */
    if (node->session.up_next == up_next + 1) {
        assert(selo_link_get(frame + header - 2, 2) == (up_next & 0xffff));
        up_next++;
    } else {
        assert(node->session.up_next == up_next && node->confirmed.size == size);
        assert(memcmp(frame, node->confirmed.frame, size) == 0);
    }
}

/* node.sent when a cookie was last sent back; 0: not for the current request. */
static uint8_t echoed;

static enum selo_status device_send(void *context, const uint8_t *frame, uint8_t size)
{
    (void)context;
    assert(size >= 1 && size <= 58 && has_record);
    switch (frame[0]) {
    case SELO_FRAME_PAIR_COMMIT | SELO_FRAME_KEM:
        assert(size == SELO_FRAME_PAIR_COMMIT_SIZE);
        break;
#if SELO_LINK_HYBRID
    case SELO_FRAME_PAIR_OPEN:
        assert(size == SELO_FRAME_PAIR_OPEN_SIZE);
        break;
    case SELO_FRAME_PAIR_STEP:
        assert(size >= SELO_FRAME_PAIR_PIECE_SIZE && node->workspace);
        break;
#endif
    case SELO_FRAME_PAIR_REVEAL:
        assert(size == 53);
        memcpy(reveal, frame, 53);
        break;
    case SELO_FRAME_JOIN_REQUEST:
        assert(size == 58 && (node->flags & FLAG_PAIRED));
        assert(node->join_counter <= selo_link_get(record + 72, 4));
        if (memcmp(request, frame, 58) != 0) {
            echoed = 0;
        }
        memcpy(request, frame, 58);
        break;
    case SELO_FRAME_COOKIE_ECHO: /* once after each transmission of the request */
        assert(size == 13 && node->state == STATE_JOINING && node->sent != echoed);
        assert(selo_link_get(frame + 1, 4) == selo_link_get(request + 1, 4));
        echoed = node->sent;
        break;
    default:
        assert((frame[0] & SELO_FRAME_TYPE) == SELO_FRAME_UP && (node->flags & FLAG_JOINED));
        check_up(frame, size);
        break;
    }
    return send_fails ? SELO_ERROR_SEND : SELO_OK;
}

static uint8_t device_receive(void *context, uint8_t frame[58])
{
    const uint8_t size = in_size;

    (void)context;
    memcpy(frame, in, sizeof in);
    in_size = 0;
    return size;
}

static uint32_t device_milliseconds(void *context)
{
    (void)context;
    return now;
}

static enum selo_status device_entropy(void *context, uint8_t *out, size_t size)
{
    (void)context;
    memset(out, 0x77, size);
    return SELO_OK;
}

static enum selo_status device_load(void *context, uint8_t out[SELO_LINK_RECORD_BYTES])
{
    (void)context;
    memcpy(out, record, sizeof record);
    return has_record ? SELO_OK : SELO_ERROR_STORE;
}

static enum selo_status device_store(void *context, const uint8_t stored[SELO_LINK_RECORD_BYTES])
{
    (void)context;
    if (store_fails) {
        return SELO_ERROR_STORE;
    }
    assert(!has_record || selo_link_get(stored + 72, 4) >= selo_link_get(record + 72, 4));
    memcpy(record, stored, sizeof record);
    has_record = 1;
    forgot = 0;
    return SELO_OK;
}

static const struct selo_hal hal = {
    0, device_send, device_receive, device_milliseconds, device_entropy, device_load, device_store,
};

/* ---- The gateway ------------------------------------------------------------------------------- */

/* Makes the answer to the node's last request in `in`, with an ephemeral secret of this byte. */
static void gateway_accept(uint32_t session_id, uint8_t options, uint8_t secret_byte)
{
    struct selo_suite_hash hash;
    static const char name[] = SELO_SUITE_NAME;
    uint8_t h[32] = {0}, ck[32], key[32], hashed[32], secret[32], shared[32];

    if (sizeof name - 1 > 32) {
        selo_suite_start(&hash);
        selo_suite_update(&hash, name, sizeof name - 1);
        selo_suite_finish(&hash, h);
    } else {
        memcpy(h, name, sizeof name - 1);
    }
    memcpy(ck, h, 32);
    selo_suite_start(&hash);
    selo_suite_update(&hash, h, 32);
    selo_suite_update(&hash, "Selo link 1", 11);
    selo_suite_update(&hash, request, 5);
    selo_suite_finish(&hash, h);
    selo_suite_hkdf(ck, node->key, 32, hashed, 0);
    selo_suite_digest(h, h, hashed, 32);
    selo_suite_digest(h, h, request + 5, 32);
    selo_suite_hkdf(ck, request + 5, 32, 0, 0);
    selo_suite_digest(h, h, request + 37, 21);

    memset(secret, secret_byte, 32);
    in[0] = SELO_FRAME_JOIN_ACCEPT;
    selo_x25519_keygen(in + 5, secret);
    selo_suite_digest(h, h, in + 5, 32);
    memcpy(in + 1, h, 4);
    selo_suite_hkdf(ck, in + 5, 32, 0, 0);
    (void)selo_x25519_shared_secret(shared, secret, request + 5);
    selo_suite_hkdf(ck, shared, 32, key, 0);
    selo_link_put(in + 37, session_id, 4);
    in[41] = options;
    selo_suite_seal(key, 0, h, 32, in + 37, 5, 16);
    in_size = 58;
}

/* Makes a DOWN of the node's session whose counter differs from the expected one by `distance`. */
static void gateway_down(uint8_t flags, int16_t distance, uint8_t size)
{
    const struct selo_session *session = &node->session;
    const uint8_t id_size = session->format & SELO_FRAME_WIDE ? 4 : 2;
    const uint8_t tag_size = session->format & SELO_FRAME_LONG_TAG ? 16 : 8;
    const uint8_t header = (uint8_t)(3 + id_size);
    const uint32_t n = (session->heard ? session->highest + 1 : 0) + (uint32_t)(int32_t)distance;

    if (size > 58 - header - tag_size) {
        size = (uint8_t)(58 - header - tag_size);
    }
    in[0] = (uint8_t)(SELO_FRAME_DOWN | session->format
                      | (flags & (SELO_FRAME_ACK | SELO_FRAME_ACK_REQUEST)));
    selo_link_put(in + 1, session->id, id_size);
    selo_link_put(in + 1 + id_size, n, 2);
    take_bytes(in + header, size);
    if (in[0] & SELO_FRAME_ACK && size >= 2 && flags & 1) { /* acknowledge the confirmed frame */
        selo_link_put(in + header, node->confirmed.counter, 2);
    }
    selo_suite_seal(session->down_key, n, in, header, in + header, size, tag_size);
    in_size = (uint8_t)(header + size + tag_size);
}

static void gateway_pair_key(void)
{
    in[0] = SELO_FRAME_PAIR_KEY;
    selo_link_put(in + 1, node->id, 4);
    memset(in + 5, take(), 32); /* 0 plays the point of low order */
    in_size = 37;
}

static void gateway_pair_result(uint8_t x)
{
    in[0] = (uint8_t)(SELO_FRAME_PAIR_CONFIRMED | (x & 1));
    selo_link_put(in + 1, node->id, 4);
    /* The node stores the result key in place of its commitment. */
    selo_suite_seal(node->handshake.pairing.commit + 6, x & 1, in, 5, in + 5, 0, 16);
    in_size = 21;
}

#if SELO_LINK_HYBRID
static struct selo_node_workspace workspaces[2];
static struct selo_mlkem512_public_key public_key;

/* Answers the node's last PAIR-OPEN or PAIR-STEP with the true piece of a key of ML-KEM-512. */
static void gateway_piece(void)
{
    const uint8_t step = node->opening.step;
    struct selo_sha3 hash;

    in[0] = SELO_FRAME_PAIR_PIECE;
    memcpy(in + 1, node->opening.frame + 1, 4);
    in[5] = step;
    in_size = 6;
    if (step == 0) {
        selo_sha3_256_start(&hash);
        selo_sha3_update(&hash, public_key.bytes, sizeof public_key);
        selo_sha3_finish(&hash, in + 6);
        in_size = 38;
    } else if (step == 1) {
        memcpy(in + 6, public_key.bytes + 768, 32);
        in_size = 38;
    } else if (step >= 15 && step < 30) {
        const size_t at = 52u * (step - 15u), left = 768 - at;
        in_size = (uint8_t)(6 + (left < 52 ? left : 52));
        memcpy(in + 6, public_key.bytes + at, in_size - 6u);
    }
}
#endif

/* ---- Valid states --------------------------------------------------------------------------------- */

static void check_node(void)
{
    assert(node->hal == &hal && node->flags & FLAG_BEGUN);
    assert(node->state <= STATE_WAITING);
    assert(node->received_size <= sizeof node->received);
    assert(node->reserved <= SELO_LINK_JOIN_RESERVE);
    assert(node->sent <= SELO_LINK_PAIR_TIME / SELO_LINK_PAIR_REPEAT);
    assert(node->failures <= SELO_LINK_JOIN_WAIT_DOUBLINGS);
#if SELO_LINK_HYBRID
    if (selo_node_is_opening(node)) { /* the opening lies where the session is */
        assert(!(node->flags & (FLAG_JOINED | FLAG_ACKNOWLEDGE | FLAG_SAME_DIGITS | FLAG_RESULT)));
        assert(node->opening.size <= 58 && node->opening.step <= 33);
        assert(selo_node_digits(node) == 0);
        return;
    }
#endif
    assert(node->confirmed.size <= 58 && node->confirmed.sent <= SELO_LINK_TRANSMISSIONS);
    assert(node->session.unheard <= SELO_LINK_UNHEARD_LOST);
    assert(node->session.forged < SELO_LINK_SESSION_FORGERIES);
    assert((node->session.format & ~(SELO_FRAME_WIDE | SELO_FRAME_LONG_TAG)) == 0);
    assert(!!(node->session.format & SELO_FRAME_WIDE) == (node->session.id > 0xffff));
    assert(node->session.heard || node->session.window == 0);
    assert(node->flags & FLAG_PAIRED || !(node->flags & (FLAG_JOINED | FLAG_JOIN_WANTED)));
    assert(node->flags & FLAG_PAIRED || node->state < STATE_JOINING);
    assert(node->flags & FLAG_JOINED || node->confirmed.size == 0);
    assert(node->flags & FLAG_JOINED || !(node->flags & FLAG_ACKNOWLEDGE));
    assert(node->state == STATE_COMPARING || !(node->flags & (FLAG_SAME_DIGITS | FLAG_RESULT)));
    assert(selo_node_digits(node) < 1000000);
    assert(node->join_counter + node->reserved <= selo_link_get(record + 72, 4));
    assert(!!(node->flags & FLAG_PAIRED) == record[2] || forgot);
}

/* Polls until there is no event. Checks that a script cannot cause endless events. */
static void poll(void)
{
    enum selo_node_event event;
    int events = 0;

    do {
        event = selo_node_poll(node);
        check_node();
        if (event == SELO_NODE_JOINED) {
            up_next = 0;
        }
        assert(event != SELO_NODE_PAIRED || selo_node_is_paired(node));
        assert(event != SELO_NODE_DIGITS || node->state == STATE_COMPARING);
        assert(events++ < 16);
    } while (event != SELO_NODE_NOTHING);
}

static void receive(void)
{
    memcpy(last_in, in, sizeof in);
    last_in_size = in_size;
    poll();
}

/* ---- Steps --------------------------------------------------------------------------------------------- */

enum step {
    STEP_RAW,         /* size, bytes */
    STEP_AGAIN,       /* the previous frame again */
    STEP_ALTERED,     /* place, change: the previous frame with one byte changed */
    STEP_DOWN,        /* flags, distance (2), size, plaintext */
    STEP_HINT,        /* a hint with the right id */
    STEP_ACCEPT,      /* session id (4), options, secret */
    STEP_PAIR_KEY,    /* byte of the key */
    STEP_PAIR_RESULT, /* x */
    STEP_TIME,        /* in quarters of a second (2) */
    STEP_SEND,        /* size, flags */
    STEP_SENDS,       /* number of payloads */
    STEP_JOIN,
    STEP_PAIR,
    STEP_CONFIRM,     /* same */
    STEP_PROVISION,
    STEP_FORGET,
    STEP_FAILURES,    /* 1: of sending, 2: of storing */
    STEP_RESTART,
    STEP_COUNTERS,    /* moves the session's counters ahead: up (4), down (4) */
    STEP_COOKIE,      /* change of the mark */
#if SELO_LINK_HYBRID
    STEP_PIECES,      /* number of true answers */
    STEP_LEND,        /* 0: nothing, 1 and 2: a workspace */
#endif
    STEPS
};

static void send(uint8_t size, uint8_t flags)
{
    uint8_t payload[255];

    memset(payload, 's', sizeof payload);
    if (size & 0x80) { /* send the received payload from the node's own buffer */
        (void)selo_node_send(node, node->received, node->received_size, flags);
    } else {
        (void)selo_node_send(node, payload, size, flags);
    }
}

static void do_step(enum step step)
{
    uint8_t size, at;
    uint32_t number;

    switch (step) {
    case STEP_RAW:
        size = take() % 60; /* 59: the device reports an invalid size */
        take_bytes(in, size < 58 ? size : 58);
        in_size = size;
        receive();
        break;
    case STEP_ALTERED:
        memcpy(in, last_in, sizeof in);
        in_size = last_in_size;
        at = take() % 58;
        in[at] ^= take();
        receive();
        break;
    case STEP_AGAIN:
        memcpy(in, last_in, sizeof in);
        in_size = last_in_size;
        receive();
        break;
    case STEP_DOWN:
        at = take();
        number = take_number(2);
        gateway_down(at, (int16_t)number, take());
        receive();
        break;
    case STEP_HINT:
        at = node->session.format & SELO_FRAME_WIDE;
        in[0] = (uint8_t)(SELO_FRAME_HINT | at);
        selo_link_put(in + 1, node->session.id, at ? 4 : 2);
        in_size = at ? 5 : 3;
        receive();
        break;
    case STEP_ACCEPT:
        number = take_number(4);
        at = take();
        gateway_accept(number, at, take());
        receive();
        break;
    case STEP_PAIR_KEY:
        gateway_pair_key();
        receive();
        break;
    case STEP_PAIR_RESULT:
        gateway_pair_result(take());
        receive();
        break;
    case STEP_TIME:
        now += take_number(2) * 250;
        poll();
        break;
    case STEP_SEND:
        size = take();
        send(size, take());
        break;
    case STEP_SENDS:
        for (number = take(); number != 0; number--) {
            send(3, 0);
        }
        break;
    case STEP_JOIN:
        (void)selo_node_join(node);
        break;
    case STEP_PAIR:
        (void)selo_node_pair(node);
        break;
    case STEP_CONFIRM:
        (void)selo_node_confirm(node, take() & 1);
        break;
    case STEP_PROVISION:
        (void)selo_node_provision(node, ID, device_key);
        break;
    case STEP_FORGET:
        forgot = selo_node_forget(node) != SELO_OK;
        break;
    case STEP_FAILURES:
        at = take();
        send_fails = at & 1;
        store_fails = at >> 1 & 1;
        break;
    case STEP_RESTART:
        store_fails = 0;
        assert(selo_node_begin(node, &hal) == SELO_OK);
        break;
    case STEP_COUNTERS:
        if (node->flags & FLAG_JOINED) {
            number = take_number(4);
            if (number > node->session.up_next) {
                up_next = node->session.up_next = number;
            }
            number = take_number(4);
            if (node->session.heard && number > node->session.highest) {
                node->session.highest = number;
            }
        }
        break;
    case STEP_COOKIE:
        in[0] = SELO_FRAME_COOKIE;
        memcpy(in + 1, request + 54, 4);
        in[1] ^= take();
        memset(in + 5, 'c', 8);
        in_size = SELO_FRAME_COOKIE_SIZE;
        receive();
        break;
#if SELO_LINK_HYBRID
    case STEP_PIECES:
        for (number = take() % 40; number != 0 && node->state == STATE_OPENING; number--) {
            gateway_piece();
            receive();
        }
        break;
    case STEP_LEND:
        at = take() % 3;
        selo_node_lend(node, at == 0 ? 0 : &workspaces[at - 1]);
        break;
#endif
    case STEPS:
        break;
    }
    check_node();
}

/* Joins with a session of this id. */
static void start_joined(uint32_t session_id, uint8_t options)
{
    assert(selo_node_provision(node, ID, device_key) == SELO_OK);
    assert(selo_node_join(node) == SELO_OK);
    gateway_accept(session_id, options, 7);
    poll();
    assert(selo_node_is_joined(node));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input = data;
    input_left = size;
    now = (uint32_t)-20000; /* the clock wraps */
    in_size = last_in_size = 0;
    has_record = send_fails = store_fails = forgot = 0;
    up_next = 0;
    echoed = 0;
    memset(request, 0, sizeof request);
    node = malloc(sizeof *node);
    if (!node) {
        return 0;
    }
    assert(selo_node_begin(node, &hal) == SELO_OK);
#if SELO_LINK_HYBRID
    static struct selo_mlkem512_private_key private_key;
    static const uint8_t seed[64] = {1};
    if (public_key.bytes[0] == 0) {
        selo_mlkem512_keygen(&public_key, &private_key, seed);
    }
    selo_node_lend(node, &workspaces[0]);
#endif
    switch (take() % 5) {
    case 0:
        break;
    case 1:
        assert(selo_node_pair(node) == SELO_OK);
        break;
    case 2:
        assert(selo_node_provision(node, ID, device_key) == SELO_OK);
        assert(selo_node_join(node) == SELO_OK);
        break;
    case 3:
        start_joined(0x1234, 0);
        break;
    case 4:
        start_joined(0x12345678, 1);
        break;
    }
    while (input_left != 0) {
        do_step((enum step)(take() % STEPS));
    }
    free(node);
    node = 0;
    return 0;
}

#ifndef SELO_FUZZ_NO_MAIN

/* ---- Corpus and mutations, without a fuzzer ---------------------------------------------------------------
 *
 * node_frames COUNT FILE...: runs the files, then COUNT mutations of them, which are the same in every
 * run. Prints a failing input in hexadecimal.
 */
enum { INPUT_MAX = 1024, FILES_MAX = 256 };
static uint8_t corpus[FILES_MAX][INPUT_MAX];
static size_t corpus_size[FILES_MAX];
static uint8_t current[INPUT_MAX];
static size_t current_size;

const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "abort_on_error=1"; }
const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void) { return "abort_on_error=1"; }

static void print_input(int signal_number)
{
    signal(signal_number, SIG_DFL);
    fprintf(stderr, "node_frames: this input fails:\n");
    for (size_t i = 0; i < current_size; i++) {
        fprintf(stderr, "%02x", current[i]);
    }
    fprintf(stderr, "\n");
    raise(signal_number);
}

/* xorshift32 */
static uint32_t random_number(void)
{
    static uint32_t state = 0x2545f491;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

static void run(const uint8_t *bytes, size_t size)
{
    memcpy(current, bytes, size);
    current_size = size;
    LLVMFuzzerTestOneInput(current, size);
}

/* Makes an input of one file, or of the beginning of one and the end of another, and changes a few
 * bytes. */
static size_t mutate(uint8_t out[INPUT_MAX], uint32_t files)
{
    const uint32_t first = random_number() % files, second = random_number() % files;
    size_t size = corpus_size[first];

    memcpy(out, corpus[first], size);
    if (random_number() % 2 == 0) {
        const size_t keep = random_number() % (size + 1);
        const size_t from = random_number() % (corpus_size[second] + 1);
        size_t more = corpus_size[second] - from;
        more = more < INPUT_MAX - keep ? more : INPUT_MAX - keep;
        memcpy(out + keep, corpus[second] + from, more);
        size = keep + more;
    }
    for (uint32_t changes = random_number() % 8; changes != 0 && size != 0; changes--) {
        const size_t at = random_number() % size;
        switch (random_number() % 4) {
        case 0:
            out[at] = (uint8_t)random_number();
            break;
        case 1:
            out[at] ^= (uint8_t)(1 << random_number() % 8);
            break;
        case 2: /* remove a byte */
            memmove(out + at, out + at + 1, size - at - 1);
            size--;
            break;
        case 3: /* insert a step */
            if (size < INPUT_MAX) {
                memmove(out + at + 1, out + at, size - at);
                out[at] = (uint8_t)(random_number() % STEPS);
                size++;
            }
            break;
        }
    }
    return size;
}

int main(int argc, char **argv)
{
    uint32_t files = 0;
    unsigned long count;
    uint8_t bytes[INPUT_MAX];

    if (argc < 3 || argc - 2 > FILES_MAX) {
        fprintf(stderr, "usage: node_frames COUNT FILE...\n");
        return 2;
    }
    signal(SIGABRT, print_input);
    count = strtoul(argv[1], 0, 10);
    for (int i = 2; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        if (!file) {
            perror(argv[i]);
            return 2;
        }
        corpus_size[files] = fread(corpus[files], 1, INPUT_MAX, file);
        fclose(file);
        run(corpus[files], corpus_size[files]);
        files++;
    }
    for (unsigned long i = 0; i < count; i++) {
        run(bytes, mutate(bytes, files));
    }
    printf("node_frames: %lu passed, 0 failed\n", count + files);
    return 0;
}

#endif
