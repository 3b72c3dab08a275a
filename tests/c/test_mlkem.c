/*
 * ML-KEM-512 and ML-KEM-768 with the vectors of lab/vectors/ml-kem: those of NIST's ACVP and a part of
 * Wycheproof's. Each encapsulation also runs in random pieces.
 */
#include "selo_mlkem.h"

#include "mlkem_vectors.h"

/* One size: its sizes in bytes, and its functions without their types. */
struct size {
    size_t public_key, private_key, ciphertext, first_part;
    void (*keygen)(uint8_t *ek, uint8_t *dk, const uint8_t *seed);
    enum selo_status (*encapsulate)(uint8_t *c, uint8_t *k, const uint8_t *ek, const uint8_t *m);
    void (*decapsulate)(uint8_t *k, const uint8_t *dk, const uint8_t *c);
    enum selo_status (*check)(const uint8_t *dk);
    void (*start)(void *state, const uint8_t *m);
    enum selo_status (*key)(void *state, const uint8_t *piece, size_t size);
    enum selo_status (*read)(void *state, uint8_t *out, size_t size);
    enum selo_status (*finish)(void *state, uint8_t *k);
};

#define SIZE(name, bits)                                                                            \
    static void name##_keygen(uint8_t *ek, uint8_t *dk, const uint8_t *seed)                        \
    {                                                                                               \
        selo_##name##_keygen((void *)ek, (void *)dk, seed);                                         \
    }                                                                                               \
    static enum selo_status name##_encapsulate(uint8_t *c, uint8_t *k, const uint8_t *ek,           \
                                               const uint8_t *m)                                    \
    {                                                                                               \
        return selo_##name##_encapsulate((void *)c, k, (const void *)ek, m);                        \
    }                                                                                               \
    static void name##_decapsulate(uint8_t *k, const uint8_t *dk, const uint8_t *c)                 \
    {                                                                                               \
        selo_##name##_decapsulate(k, (const void *)dk, (const void *)c);                            \
    }                                                                                               \
    static enum selo_status name##_check(const uint8_t *dk)                                         \
    {                                                                                               \
        return selo_##name##_check((const void *)dk);                                               \
    }                                                                                               \
    static void name##_start(void *state, const uint8_t *m)                                         \
    {                                                                                               \
        selo_##name##_encapsulate_start(state, m);                                                  \
    }                                                                                               \
    static enum selo_status name##_key(void *state, const uint8_t *piece, size_t size)              \
    {                                                                                               \
        return selo_##name##_encapsulate_key(state, piece, size);                                   \
    }                                                                                               \
    static enum selo_status name##_read(void *state, uint8_t *out, size_t size)                     \
    {                                                                                               \
        return selo_##name##_encapsulate_read(state, out, size);                                    \
    }                                                                                               \
    static enum selo_status name##_finish(void *state, uint8_t *k)                                  \
    {                                                                                               \
        return selo_##name##_encapsulate_finish(state, k);                                          \
    }                                                                                               \
    static const struct size name = {                                                               \
        sizeof(struct selo_##name##_public_key), sizeof(struct selo_##name##_private_key),          \
        sizeof(struct selo_##name##_ciphertext), SELO_MLKEM##bits##_U, name##_keygen,               \
        name##_encapsulate, name##_decapsulate, name##_check, name##_start, name##_key, name##_read, \
        name##_finish}

SIZE(mlkem512, 512);
SIZE(mlkem768, 768);

static struct selo_mlkem768_encapsulation state; /* that of either size */

/* A random number from 1 to at most `left`, often small, sometimes 0. */
static size_t piece_of(size_t left)
{
    const size_t most = check_random() % 4 == 0 ? 700 : 61;
    const size_t piece = check_random() % most;
    return piece < left ? piece : left;
}

/* One pass of the key in random pieces. */
static enum selo_status pass(const struct size *size, const uint8_t *ek)
{
    for (size_t at = 0; at < size->public_key;) {
        const size_t piece = piece_of(size->public_key - at);
        const enum selo_status status = size->key(&state, ek + at, piece);
        if (status != SELO_OK) {
            return status;
        }
        at += piece;
    }
    return SELO_OK;
}

static void read_part(const struct size *size, uint8_t *c, size_t left)
{
    while (left != 0) {
        const size_t piece = piece_of(left);
        CHECK(size->read(&state, c, piece) == SELO_OK);
        c += piece;
        left -= piece;
    }
}

static enum selo_status in_pieces(const struct size *size, uint8_t *c, uint8_t *k, const uint8_t *ek,
                                  const uint8_t *m)
{
    enum selo_status status;

    size->start(&state, m);
    CHECK(pass(size, ek) == SELO_OK);
    read_part(size, c, size->first_part);
    status = pass(size, ek);
    if (status != SELO_OK) {
        CHECK(check_is_zero(&state, sizeof state));
        CHECK(size->read(&state, c, 1) == SELO_ERROR_STATE);
        CHECK(size->finish(&state, k) == SELO_ERROR_STATE);
        return status;
    }
    read_part(size, c + size->first_part, size->ciphertext - size->first_part);
    status = size->finish(&state, k);
    CHECK(check_is_zero(&state, sizeof state));
    return status;
}

static const struct size *size; /* of the file that is run */
static uint8_t ek[1184], dk[2400], c[1088], k[32];

static void run_keygen(const struct vector *vector)
{
    const struct vector_field *seed = vector_field(vector, "seed");
    uint8_t both[64];

    memcpy(both, seed->data, 64);
    if (seed->size == 0) {
        memcpy(both, vector_field(vector, "d")->data, 32);
        memcpy(both + 32, vector_field(vector, "z")->data, 32);
    }
    size->keygen(ek, dk, both);
    CHECK_BYTES(ek, vector_field(vector, "ek")->data, size->public_key);
    if (vector_field(vector, "dk")->size != 0) {
        CHECK_BYTES(dk, vector_field(vector, "dk")->data, size->private_key);
    }
    CHECK(size->check(dk) == SELO_OK);
}

static void run_encapsulation(const struct vector *vector)
{
    const struct vector_field *key = vector_field(vector, "ek"), *m = vector_field(vector, "m");
    enum selo_status expected = strcmp(vector->result, "valid") == 0 ? SELO_OK : SELO_ERROR_KEY;

    if (key->size != size->public_key) { /* the types refuse it */
        CHECK(expected != SELO_OK);
        return;
    }
    CHECK(size->encapsulate(c, k, key->data, m->data) == expected);
    if (expected == SELO_OK) {
        CHECK_BYTES(c, vector_field(vector, "c")->data, size->ciphertext);
        CHECK_BYTES(k, vector_field(vector, "k")->data, 32);
    } else {
        CHECK(check_is_zero(c, size->ciphertext) && check_is_zero(k, 32));
    }
    memset(c, 0xee, sizeof c);
    memset(k, 0xee, sizeof k);
    CHECK(in_pieces(size, c, k, key->data, m->data) == expected);
    if (expected == SELO_OK) {
        CHECK_BYTES(c, vector_field(vector, "c")->data, size->ciphertext);
        CHECK_BYTES(k, vector_field(vector, "k")->data, 32);
    } else {
        CHECK(check_is_zero(k, 32));
    }
}

static void run_decapsulation(const struct vector *vector, const uint8_t *key)
{
    const struct vector_field *given = vector_field(vector, "c");

    if (given->size != size->ciphertext) {
        CHECK(strcmp(vector->result, "valid") != 0);
        return;
    }
    size->decapsulate(k, key, given->data);
    CHECK_BYTES(k, vector_field(vector, "k")->data, 32);
}

static void run(const struct vector *vector)
{
    if (strcmp(vector->section, "keyGen") == 0) {
        run_keygen(vector);
    } else if (strcmp(vector->section, "encapsulation") == 0) {
        run_encapsulation(vector);
    } else if (strcmp(vector->section, "seed") == 0) {
        if (CHECK(vector_field(vector, "seed")->size == 64 || strcmp(vector->result, "valid") != 0) &&
            vector_field(vector, "seed")->size == 64) {
            run_keygen(vector);
            run_decapsulation(vector, dk);
        }
    } else if (CHECK(strcmp(vector->section, "decapsulation") == 0)) {
        const struct vector_field *key = vector_field(vector, "dk");
        if (key->size != size->private_key ||
            size->check(key->data) != SELO_OK) {
            CHECK(strcmp(vector->result, "valid") != 0);
        } else {
            run_decapsulation(vector, key->data);
        }
    }
}

/* Calls out of turn, pieces that are too long, and a second pass with another key. */
static void misuse(void)
{
    uint8_t m[32], out[1088], other[1184];

    check_random_bytes(out, 64);
    size->keygen(ek, dk, out);
    check_random_bytes(m, sizeof m);
    memcpy(other, ek, size->public_key);
    other[3] ^= 1; /* still in range, or not: both must be refused */
    for (int altered = 0; altered < 2; altered++) {
        size->start(&state, m);
        CHECK(pass(size, ek) == SELO_OK);
        read_part(size, out, size->first_part);
        CHECK(pass(size, other) == SELO_ERROR_KEY);
        memcpy(other, ek, size->public_key);
        other[size->public_key - 1] ^= 0x80; /* rho */
    }
    size->start(&state, m);
    CHECK(size->read(&state, out, 1) == SELO_ERROR_STATE && out[0] == 0);
    CHECK(size->key(&state, ek, 1) == SELO_ERROR_STATE);
    size->start(&state, m);
    CHECK(size->key(&state, other, size->public_key - 1) == SELO_OK);
    CHECK(size->key(&state, ek, 2) == SELO_ERROR_ARGUMENT);
    CHECK(check_is_zero(&state, sizeof state));
    size->start(&state, m);
    CHECK(size->key(&state, ek, size->public_key) == SELO_OK);
    CHECK(size->key(&state, ek, 1) == SELO_ERROR_STATE);
    size->start(&state, m);
    CHECK(size->key(&state, ek, size->public_key) == SELO_OK);
    memset(out, 0xee, sizeof out);
    CHECK(size->read(&state, out, size->first_part + 1) == SELO_ERROR_ARGUMENT);
    CHECK(check_is_zero(out, size->first_part + 1) && out[size->first_part + 1] == 0xee);
    size->start(&state, m);
    memset(k, 0xee, sizeof k);
    CHECK(size->finish(&state, k) == SELO_ERROR_STATE && check_is_zero(k, 32));
}

int main(void)
{
    size = &mlkem512;
    CHECK(vector_each(VECTORS "/ml-kem/acvp-512.rsp", run) == 60);
    CHECK(vector_each(VECTORS "/ml-kem/wycheproof-512.rsp", run) > 50);
    misuse();
    size = &mlkem768;
    CHECK(vector_each(VECTORS "/ml-kem/acvp-768.rsp", run) == 60);
    CHECK(vector_each(VECTORS "/ml-kem/wycheproof-768.rsp", run) > 50);
    misuse();
    return check_report("mlkem");
}
