/*
 * SUIT manifests [SUIT]: the envelope, its signatures, and the minimal set of the manifest.
 *
 * The reader never leaves its bytes and never goes back, so the work is at most proportional to the
 * envelope, apart from the signatures that are tried. A mistake sets `bad`, after which every item is
 * zero and empty; callers look at it once, at the end of a part.
 */
#include <string.h>

#include "../common/compiler.h"
#include "../common/flash.h"
#include "suit.h"

struct reader {
    const uint8_t *at;
    size_t left;
    uint8_t bad;
};

/* Major types of CBOR [RFC8949, 3.1]. */
enum { UNSIGNED, NEGATIVE, BYTES, TEXT, ARRAY, MAP, TAG, SIMPLE };
enum { NULL_ITEM = 0xf6, TRUE_ITEM = 0xf5 };

/* Numbers of SUIT [SUIT, A]. */
enum { ENVELOPE_TAG = 107, AUTHENTICATION = 2, MANIFEST = 3 };
enum { VERSION = 1, SEQUENCE = 2, COMMON = 3 };
enum { COMPONENTS = 2, SHARED_SEQUENCE = 4 };
enum { VENDOR_ID = 1, CLASS_ID = 2, IMAGE_DIGEST = 3, IMAGE_SIZE = 14 };
enum { CONDITION_VENDOR = 1, CONDITION_CLASS = 2, SET_COMPONENT = 12, OVERRIDE_PARAMETERS = 20 };
enum { SHA_256 = 0x2f, COSE_SIGN1_TAG = 18, DIGEST_BYTES = 36 };

static uint32_t bad(struct reader *in)
{
    in->bad = 1;
    in->left = 0;
    return 0;
}

static uint8_t byte(struct reader *in)
{
    if (in->left == 0) {
        return (uint8_t)bad(in);
    }
    in->left--;
    return *in->at++;
}

static uint8_t next_is(const struct reader *in, uint8_t first)
{
    return in->left > 0 && *in->at == first;
}

/* Reads the head of an item: its type, and its number or length. Only numbers below 2^32 in their
 * shortest form are read, and no indefinite lengths. */
static uint32_t head(struct reader *in, uint8_t *type)
{
    const uint8_t first = byte(in), info = first & 31;
    uint32_t value = 0;
    uint8_t bytes;

    *type = (uint8_t)(first >> 5);
    if (info < 24) {
        return info;
    }
    if (info > 26) {
        return bad(in);
    }
    bytes = (uint8_t)(1 << (info - 24));
    for (uint8_t i = 0; i < bytes; i++) {
        value = value << 8 | byte(in);
    }
    /* A float or simple value has no shorter form that means the same. */
    if (*type != SIMPLE && (bytes == 1 ? value < 24 : value >> (4 * bytes) == 0)) {
        return bad(in);
    }
    return in->bad ? 0 : value;
}

/* Reads an item of one type: its number or length. */
static uint32_t number(struct reader *in, uint8_t wanted)
{
    uint8_t type;
    const uint32_t value = head(in, &type);

    return type == wanted ? value : bad(in);
}

/* Reads a byte string, as a reader of its content. */
static struct reader bytes(struct reader *in)
{
    const uint32_t size = number(in, BYTES);
    struct reader content = {in->at, 0, 0};

    if (size > in->left) {
        bad(in);
    }
    if (in->bad) {
        content.bad = 1;
        return content;
    }
    content.left = (size_t)size;
    in->at += content.left;
    in->left -= content.left;
    return content;
}

/* Reads a byte string of one size. */
static const uint8_t *bytes_of(struct reader *in, size_t size)
{
    const struct reader content = bytes(in);

    if (content.left != size) {
        bad(in);
    }
    return content.at;
}

/* Passes over one item with all that is in it. It needs no recursion: it counts the items to come. */
static void skip(struct reader *in)
{
    uint32_t pending = 1;

    while (pending > 0 && !in->bad) {
        uint8_t type;
        const uint32_t value = head(in, &type);

        pending--;
        if (type == BYTES || type == TEXT) {
            if (value > in->left) {
                bad(in);
                return;
            }
            in->at += (size_t)value;
            in->left -= (size_t)value;
        } else if (type == ARRAY || type == MAP) {
            /* Each item takes at least one byte. */
            if (value > in->left || pending > in->left) {
                bad(in);
                return;
            }
            pending += type == MAP ? 2 * value : value;
        } else if (type == TAG) {
            pending++;
        }
    }
}

/* Reads the key of the next entry of a map, a number that is greater than the last. */
static uint32_t key(struct reader *in, uint32_t *last)
{
    const uint32_t value = number(in, UNSIGNED);

    if (value <= *last) {
        bad(in);
    }
    *last = value;
    return value;
}

/* Reads SUIT_Digest, of SHA-256 and nothing else [SUIT, A]: 36 bytes as they are signed. */
static const uint8_t *digest(struct reader *in)
{
    const uint8_t *content = bytes_of(in, DIGEST_BYTES);

    if (in->bad || content[0] != 0x82 || content[1] != SHA_256 || content[2] != 0x58 || content[3] != 32) {
        bad(in);
    }
    return content;
}

/* Reads a COSE_Sign1 without payload [RFC9052, 4.2]. Returns its signature, or NULL if it is none of
 * the scheme. *name is the algorithm. */
static SELO_STACK_APART const uint8_t *signature(struct reader block, const struct selo_suit_scheme *scheme, uint8_t *name)
{
    struct reader protected_part;
    const uint8_t *found;

    if (number(&block, TAG) != COSE_SIGN1_TAG || number(&block, ARRAY) != 4) {
        return NULL;
    }
    protected_part = bytes(&block);
    /* The map {1: algorithm}, and no other parameter. */
    if (block.bad || protected_part.left != 3 || protected_part.at[0] != 0xa1 || protected_part.at[1] != 1) {
        return NULL;
    }
    *name = protected_part.at[2];
    if (*name != (scheme->names & 0xff) && *name != scheme->names >> 8) {
        return NULL;
    }
    /* The map of what is not protected, then no payload. */
    if (block.left == 0 || *block.at >> 5 != MAP) {
        return NULL;
    }
    skip(&block);
    if (byte(&block) != NULL_ITEM) {
        return NULL;
    }
    found = bytes_of(&block, 64);
    return block.bad || block.left > 0 ? NULL : found;
}

/* Verifies that one of the signatures is of this digest [RFC9052, 4.4]. */
static SELO_STACK_APART enum selo_status verify(struct reader *blocks, uint32_t count, const uint8_t *signed_digest,
                               const struct selo_suit_scheme *scheme, const uint8_t *public_key)
{
    static const uint8_t start[] SELO_FLASH = {
        0x84, 0x6a, 'S', 'i', 'g', 'n', 'a', 't', 'u', 'r', 'e', '1', 0x43, 0xa1, 1};
    uint8_t message[sizeof start + 4 + DIGEST_BYTES];
    enum selo_status status = SELO_ERROR_TAG;
    uint8_t tried = 0;

    for (uint8_t i = 0; i < sizeof start; i++) {
        message[i] = selo_flash_u8(&start[i]);
    }
    message[sizeof start + 1] = 0x40; /* no further data */
    message[sizeof start + 2] = 0x58;
    message[sizeof start + 3] = DIGEST_BYTES;
    memcpy(message + sizeof start + 4, signed_digest, DIGEST_BYTES);
    while (count-- > 0 && !blocks->bad) {
        const uint8_t *found = signature(bytes(blocks), scheme, &message[sizeof start]);

        if (found == NULL || tried == SELO_SUIT_SIGNATURES || status != SELO_ERROR_TAG) {
            continue; /* to the end, which must be the array's */
        }
        tried++;
        status = scheme->verify(found, public_key, message, sizeof message);
    }
    return blocks->bad || blocks->left > 0 ? SELO_ERROR_ARGUMENT : status;
}

/* Reads the parameters that a command sets. None may be set twice: a check may have come between. */
static void parameters(struct reader *in, struct selo_suit_manifest *manifest, uint8_t *has_size)
{
    uint32_t last = 0;

    for (uint32_t count = number(in, MAP); count > 0 && !in->bad; count--) {
        switch (key(in, &last)) {
        case VENDOR_ID:
            if (manifest->vendor_id != NULL) {
                bad(in);
            }
            manifest->vendor_id = bytes_of(in, 16);
            break;
        case CLASS_ID:
            if (manifest->class_id != NULL) {
                bad(in);
            }
            manifest->class_id = bytes_of(in, 16);
            break;
        case IMAGE_DIGEST: {
            const uint8_t *of = digest(in);

            if (*has_size & 2) {
                bad(in);
            }
            if (!in->bad) {
                memcpy(manifest->digest, of + 4, sizeof manifest->digest);
            }
            *has_size |= 2;
            break;
        }
        case IMAGE_SIZE:
            if (*has_size & 1) {
                bad(in);
            }
            manifest->image_size = number(in, UNSIGNED);
            *has_size |= 1;
            break;
        default:
            bad(in);
        }
    }
}

/* Reads the shared sequence: what holds for the image whatever is done with it [SUIT, 8.4]. */
static void shared_sequence(struct reader in, struct selo_suit_manifest *manifest, uint8_t *is_bad)
{
    uint8_t has = 0;
    uint32_t count = number(&in, ARRAY);

    if (count % 2 != 0) {
        bad(&in);
    }
    for (count /= 2; count > 0 && !in.bad; count--) {
        switch (number(&in, UNSIGNED)) {
        case OVERRIDE_PARAMETERS:
            parameters(&in, manifest, &has);
            break;
        case CONDITION_VENDOR: /* the argument is about reports */
            number(&in, UNSIGNED);
            if (manifest->vendor_id == NULL) {
                bad(&in);
            }
            break;
        case CONDITION_CLASS:
            number(&in, UNSIGNED);
            if (manifest->class_id == NULL) {
                bad(&in);
            }
            break;
        case SET_COMPONENT: /* the only one, by its number or as one of all */
            if (!next_is(&in, 0) && !next_is(&in, TRUE_ITEM)) {
                bad(&in);
            }
            skip(&in);
            break;
        default:
            bad(&in);
        }
    }
    *is_bad = (uint8_t)(in.bad || in.left > 0 || has != 3);
}

/* Reads SUIT_Common: one component, and the shared sequence. */
static void common(struct reader in, struct selo_suit_manifest *manifest, uint8_t *is_bad)
{
    uint32_t last = 0;

    *is_bad = 1;
    if (number(&in, MAP) != 2 || key(&in, &last) != COMPONENTS || number(&in, ARRAY) != 1) {
        return;
    }
    manifest->component = in.at;
    for (uint32_t count = number(&in, ARRAY); count > 0 && !in.bad; count--) {
        bytes(&in);
    }
    manifest->component_size = (size_t)(in.at - manifest->component);
    if (key(&in, &last) != SHARED_SEQUENCE) {
        return;
    }
    shared_sequence(bytes(&in), manifest, is_bad);
    *is_bad = (uint8_t)(*is_bad || in.bad || in.left > 0);
}

/* Reads a manifest whose signature is verified [SUIT, 8.4]. */
static SELO_STACK_APART enum selo_status read(struct selo_suit_manifest *manifest, struct reader in)
{
    uint32_t last = 0;
    uint8_t has = 0, is_bad = 0;

    for (uint32_t count = number(&in, MAP); count > 0 && !in.bad && !is_bad; count--) {
        switch (key(&in, &last)) {
        case VERSION:
            if (number(&in, UNSIGNED) != 1) {
                bad(&in);
            }
            has |= 1;
            break;
        case SEQUENCE:
            manifest->sequence = number(&in, UNSIGNED);
            has |= 2;
            break;
        case COMMON:
            common(bytes(&in), manifest, &is_bad);
            has |= 4;
            break;
        default: /* how to fetch, install and start the image */
            skip(&in);
        }
    }
    return in.bad || in.left > 0 || is_bad || has != 7 ? SELO_ERROR_ARGUMENT : SELO_OK;
}

/* Finds the two members that count. Others are not signed: they are passed over. */
static SELO_STACK_APART enum selo_status members(struct reader *in, struct reader *authentication, struct reader *manifest,
                                struct reader *as_hashed)
{
    uint8_t has = 0;

    if (next_is(in, 0xd8)) {
        if (number(in, TAG) != ENVELOPE_TAG) {
            return SELO_ERROR_ARGUMENT;
        }
    }
    for (uint32_t count = number(in, MAP); count > 0 && !in->bad; count--) {
        if (next_is(in, AUTHENTICATION) && !(has & 1)) {
            byte(in);
            *authentication = bytes(in);
            has |= 1;
        } else if (next_is(in, MANIFEST) && !(has & 2)) {
            byte(in);
            /* The digest is of the byte string with its head [SUIT, 8.3]. */
            as_hashed->at = in->at;
            *manifest = bytes(in);
            as_hashed->left = (size_t)(in->at - as_hashed->at);
            has |= 2;
        } else if (next_is(in, AUTHENTICATION) || next_is(in, MANIFEST)) {
            bad(in);
        } else {
            skip(in); /* its key */
            skip(in);
        }
    }
    return in->bad || in->left > 0 || has != 3 ? SELO_ERROR_ARGUMENT : SELO_OK;
}

/* True if the SHA-256 of the manifest is in this SUIT_Digest. */
static SELO_STACK_APART uint8_t is_of(const uint8_t *signed_digest, const struct reader *as_hashed)
{
    struct selo_sha256 hash;
    uint8_t computed[32];

    selo_sha256_start(&hash);
    selo_sha256_update(&hash, as_hashed->at, as_hashed->left);
    selo_sha256_finish(&hash, computed);
    return selo_equal(computed, signed_digest + 4, sizeof computed);
}

enum selo_status selo_suit_open(struct selo_suit_manifest *manifest, const uint8_t *envelope, size_t size,
                                const struct selo_suit_scheme *scheme, const uint8_t *public_key)
{
    struct reader in = {envelope, size, 0}, authentication = {0}, content = {0}, as_hashed = {0};
    const uint8_t *signed_digest;
    uint32_t count;
    enum selo_status status;

    memset(manifest, 0, sizeof *manifest);
    if (size > SELO_SUIT_ENVELOPE_MAX) {
        return SELO_ERROR_ARGUMENT;
    }
    status = members(&in, &authentication, &content, &as_hashed);
    if (status != SELO_OK) {
        return status;
    }
    count = number(&authentication, ARRAY);
    signed_digest = digest(&authentication);
    if (authentication.bad || count < 2) {
        return SELO_ERROR_ARGUMENT;
    }
    /* The digest first: it costs less than a signature. */
    if (!is_of(signed_digest, &as_hashed)) {
        return SELO_ERROR_TAG;
    }
    status = verify(&authentication, count - 1, signed_digest, scheme, public_key);
    if (status == SELO_OK) {
        status = read(manifest, content);
    }
    if (status != SELO_OK) {
        memset(manifest, 0, sizeof *manifest);
    }
    return status;
}

uint8_t selo_suit_is_for(const struct selo_suit_manifest *manifest, const uint8_t vendor_id[16],
                         const uint8_t class_id[16])
{
    return manifest->vendor_id != NULL && manifest->class_id != NULL &&
           memcmp(manifest->vendor_id, vendor_id, 16) == 0 && memcmp(manifest->class_id, class_id, 16) == 0;
}
