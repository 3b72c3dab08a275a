/*
 * Authenticated encryption in pieces with the official vectors of lab/vectors: GCMVS and CCMVS of NIST
 * for each size of key, the known answers of the Ascon team, and the examples of [RFC8439] and
 * [SP800-38C]. Random divisions; a vector that NIST marks as a failure must be refused.
 */
#include <ctype.h>

#include "check_pieces.h"

CHECK_IN_PIECES(aes128_gcm, aes128_gcm, const struct selo_aes128_gcm_key, key, CHECK_WITHOUT_SIZE)
CHECK_IN_PIECES(aes192_gcm, aes192_gcm, const struct selo_aes192_gcm_key, key, CHECK_WITHOUT_SIZE)
CHECK_IN_PIECES(aes256_gcm, aes256_gcm, const struct selo_aes256_gcm_key, key, CHECK_WITHOUT_SIZE)
CHECK_IN_PIECES(aes128_ccm, aes128_ccm, const struct selo_aes128_ccm_key, key, CHECK_WITH_SIZE)
CHECK_IN_PIECES(aes192_ccm, aes192_ccm, const struct selo_aes192_ccm_key, key, CHECK_WITH_SIZE)
CHECK_IN_PIECES(aes256_ccm, aes256_ccm, const struct selo_aes256_ccm_key, key, CHECK_WITH_SIZE)
CHECK_IN_PIECES(chacha20_poly1305, chacha20_poly1305, const struct selo_chacha20_poly1305_key, key,
                CHECK_WITHOUT_SIZE)
CHECK_IN_PIECES(ascon, ascon_aead128, const struct selo_ascon_aead128_key, key, CHECK_WITHOUT_SIZE)

CHECK_IN_PIECES(by_table, table, const struct check_table_key, key, CHECK_WITH_SIZE)

/* The tables of pieces, for the same algorithms chosen at run time. */
static const struct {
    const struct check_aead *typed;
    const struct selo_aead_pieces *pieces;
} tables[] = {
    {&aes128_gcm, &selo_aead_aes128_gcm_pieces}, {&aes192_gcm, &selo_aead_aes192_gcm_pieces},
    {&aes256_gcm, &selo_aead_aes256_gcm_pieces}, {&aes128_ccm, &selo_aead_aes128_ccm_pieces},
    {&aes192_ccm, &selo_aead_aes192_ccm_pieces}, {&aes256_ccm, &selo_aead_aes256_ccm_pieces},
    {&chacha20_poly1305, &selo_aead_chacha20_poly1305_pieces},
    {&ascon, &selo_aead_ascon_aead128_pieces},
};

/* A value of a vector, as bytes. */
struct value {
    uint8_t data[512];
    size_t size;
};
static struct {
    struct value key, nonce, ad, text, ciphertext, tag;
    size_t ad_size, text_size, tag_size; /* of a group of CCMVS: its zero bytes are written as 00 */
    int ccm, fails, filled, count;
} vector;

static const struct check_aead *set_up(void *key)
{
    const uint8_t *raw = vector.key.data;

    switch (vector.key.size * 2 + (size_t)vector.ccm) {
    case 32: selo_aes128_gcm_setup(key, raw); return &aes128_gcm;
    case 48: selo_aes192_gcm_setup(key, raw); return &aes192_gcm;
    case 64: selo_aes256_gcm_setup(key, raw); return &aes256_gcm;
    case 33: selo_aes128_ccm_setup(key, raw); return &aes128_ccm;
    case 49: selo_aes192_ccm_setup(key, raw); return &aes192_ccm;
    case 65: selo_aes256_ccm_setup(key, raw); return &aes256_ccm;
    default: fprintf(stderr, "no key of %zu bytes\n", vector.key.size); exit(2);
    }
}

/* Opens and seals the message of a vector in random pieces, and opens it with a wrong tag. */
static void run_with(const struct check_aead *aead, const void *key)
{
    const struct selo_header header = {vector.nonce.data, vector.nonce.size, vector.ad.data,
                                       vector.ad.size, vector.tag.size};
    size_t size = vector.ciphertext.size;
    uint8_t out[513], tag[16];

    memset(out, 0xee, sizeof out);
    CHECK(aead->open(key, &header, out, vector.ciphertext.data, size, vector.tag.data) ==
          (vector.fails ? SELO_ERROR_TAG : SELO_OK));
    if (!vector.fails) {
        CHECK(vector.text.size == size && out[size] == 0xee);
        CHECK_BYTES(out, vector.text.data, size);
        CHECK(aead->seal(key, &header, out, out, size, tag) == SELO_OK);
        CHECK_BYTES(out, vector.ciphertext.data, size);
        CHECK_BYTES(tag, vector.tag.data, vector.tag.size);
        tag[check_random() % vector.tag.size] ^= 0x10;
        CHECK(aead->open(key, &header, out, out, size, tag) == SELO_ERROR_TAG);
    }
}

/* Runs a vector with the typed key, and with the same algorithm chosen at run time. */
static void run(const struct check_aead *aead, const void *key)
{
    struct check_table_key table_key;
    size_t i = 0;

    vector.count++;
    run_with(aead, key);
    while (tables[i].typed != aead) {
        i++;
    }
    table_key.pieces = tables[i].pieces;
    CHECK(selo_aead_setup(&table_key.key, table_key.pieces->aead, vector.key.data,
                          vector.key.size) == SELO_OK);
    run_with(&by_table, &table_key);
}

/* CCMVS and the Ascon team write the tag behind the ciphertext. */
static void split_tag(size_t tag_size)
{
    vector.ciphertext.size -= tag_size;
    memcpy(vector.tag.data, vector.ciphertext.data + vector.ciphertext.size, tag_size);
    vector.tag.size = tag_size;
}

static void nist(void)
{
    static struct selo_aes256_gcm_key key; /* the largest */
    const struct check_aead *aead = set_up(&key);

    if (vector.ccm) {
        vector.ad.size = vector.ad_size;
        vector.text.size = vector.text_size;
        split_tag(vector.tag_size);
    }
    run(aead, &key);
}

static void known_answer(void)
{
    struct selo_ascon_aead128_key key;

    selo_ascon_aead128_setup(&key, vector.key.data);
    split_tag(16);
    run(&ascon, &key);
}

/* The tables of our own transcription have examples of three algorithms. */
static char algorithm[32];

static void example(void)
{
    union {
        struct selo_chacha20_poly1305_key chacha20_poly1305;
        struct selo_ascon_aead128_key ascon;
        struct selo_aes128_ccm_key ccm;
    } key;

    if (strcmp(algorithm, "\"chacha20-poly1305\"") == 0) {
        selo_chacha20_poly1305_setup(&key.chacha20_poly1305, vector.key.data);
        run(&chacha20_poly1305, &key);
    } else if (strcmp(algorithm, "\"ascon-aead128\"") == 0) {
        selo_ascon_aead128_setup(&key.ascon, vector.key.data);
        run(&ascon, &key);
    } else if (CHECK(strcmp(algorithm, "\"aes-128-ccm\"") == 0)) {
        selo_aes128_ccm_setup(&key.ccm, vector.key.data);
        run(&aes128_ccm, &key);
    }
}

/* Stores `name = text` of a vector. Other names are ignored. */
static void store(const char *name, char *text)
{
    static const struct {
        const char *name;
        struct value *to;
    } values[] = {
        {"key", &vector.key},         {"nonce", &vector.nonce},   {"iv", &vector.nonce},
        {"ad", &vector.ad},           {"aad", &vector.ad},        {"adata", &vector.ad},
        {"text", &vector.text},       {"pt", &vector.text},       {"payload", &vector.text},
        {"plaintext", &vector.text},  {"ct", &vector.ciphertext}, {"ciphertext", &vector.ciphertext},
        {"tag", &vector.tag},
    };

    if (strcmp(name, "algorithm") == 0) {
        snprintf(algorithm, sizeof algorithm, "%s", text);
    } else if (strcmp(name, "result") == 0) {
        vector.fails = text[0] == 'F';
    }
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        if (strcmp(name, values[i].name) == 0) {
            size_t end = strcspn(text + (*text == '"'), "\"");
            text += *text == '"';
            text[end] = 0;
            values[i].to->size = check_hex(values[i].to->data, sizeof values[i].to->data, text);
            vector.filled |= values[i].to == &vector.ciphertext; /* every vector has one */
        }
    }
}

/* Reads the sizes of a group of CCMVS, which stand alone or side by side. */
static void read_sizes(const char *line)
{
    const char *at;

    if ((at = strstr(line, "Alen = "))) {
        vector.ad_size = (size_t)atoi(at + 7);
    }
    if ((at = strstr(line, "Plen = "))) {
        vector.text_size = (size_t)atoi(at + 7);
    }
    if ((at = strstr(line, "Tlen = "))) {
        vector.tag_size = (size_t)atoi(at + 7);
    }
}

/* Runs all vectors of a file. A blank line ends each of them. */
static void file(const char *path, void (*each)(void))
{
    static char line[4096];
    char whole[256];
    FILE *stream;
    int before = vector.count, more = 1;

    snprintf(whole, sizeof whole, "%s/%s", VECTORS, path);
    stream = fopen(whole, "r");
    if (stream == NULL) {
        perror(whole);
        exit(2);
    }
    while (more) {
        char name[16], *equals;
        more = fgets(line, sizeof line, stream) != NULL;
        if (!more || line[0] == '\n' || line[0] == '\r') {
            if (vector.filled) {
                each();
            }
            vector.filled = vector.fails = 0;
            continue;
        }
        line[strcspn(line, "\r\n")] = 0;
        read_sizes(line);
        vector.fails |= strcmp(line, "FAIL") == 0;
        if (sscanf(line, "%15[A-Za-z0-9]", name) == 1 && (equals = strstr(line, " = "))) {
            for (char *c = name; *c != 0; c++) {
                *c = (char)tolower((unsigned char)*c);
            }
            store(name, equals + 3);
        }
    }
    fclose(stream);
    CHECK(vector.count > before);
}

int main(void)
{
    static const char *const gcm[] = {"EncryptExtIV", "Decrypt"};
    static const char *const ccm[] = {"VADT", "VNT", "VPT", "VTT", "DVPT"};
    char path[64];

    for (int bits = 128; bits <= 256; bits += 64) {
        vector.ccm = 0;
        for (int i = 0; i < 2; i++) {
            snprintf(path, sizeof path, "gcmvs/gcm%s%d.rsp", gcm[i], bits);
            file(path, nist);
        }
        vector.ccm = 1;
        for (int i = 0; i < 5; i++) {
            snprintf(path, sizeof path, "ccmvs/%s%d.rsp", ccm[i], bits);
            file(path, nist);
        }
    }
    file("ascon/ascon-aead128.txt", known_answer);
    file("rfc8439.toml", example);
    file("sp800-38c.toml", example);
    file("short-tags.toml", example);
    CHECK(vector.count == 10277); /* of all files */
    return check_report("incremental vectors");
}
