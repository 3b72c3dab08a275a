/*
 * SUIT manifests [SUIT]: what an image must be, signed by its author. An image is firmware or a
 * configuration, and may be larger than the device's RAM.
 *
 *     struct selo_suit_manifest manifest;
 *     struct selo_suit_image image;
 *
 *     status = selo_suit_open_ed25519(&manifest, envelope, size, author);
 *     // go on only if SELO_OK, selo_suit_is_for(&manifest, vendor_id, class_id), and
 *     // manifest.sequence is greater than that of the image in use
 *     selo_suit_image_start(&image, &manifest);
 *     selo_suit_image_update(&image, piece, size);      // for each piece
 *     status = selo_suit_image_finish(&image);
 *
 * DO NOT USE THE IMAGE BEFORE _finish HAS RETURNED SELO_OK.
 *
 * An envelope is CBOR [RFC8949]: a manifest, and the signature of its digest [RFC9052]. This is the minimal
 * set of SUIT: one image, its SHA-256 digest and size, the ids of vendor and class, a sequence number
 * below 2^32. No command is executed. A manifest whose shared sequence has another command or parameter is
 * refused, because it may mean something that is not looked at here. The other sequences say how to fetch,
 * install and start an image; the program does that its own way. Numbers and lengths must have their
 * shortest form. Nothing of the manifest is read before its signature is verified.
 *
 * The conventions of selo.h apply.
 * Constant time: no; nothing here is secret.
 */
#ifndef SELO_SUIT_H
#define SELO_SUIT_H

#include "selo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a manifest says. The pointers point into the envelope, which must outlive them. */
struct selo_suit_manifest {
    uint32_t sequence;        /* a newer manifest has a greater one: keep it where a power cut spares it */
    uint32_t image_size;      /* bytes */
    uint8_t digest[32];       /* SHA-256 of the image */
    const uint8_t *vendor_id; /* 16 bytes, or NULL if it names no vendor */
    const uint8_t *class_id;  /* 16 bytes, or NULL if it names no class of devices */
    const uint8_t *component; /* the place of the image: an array of byte strings, in CBOR */
    size_t component_size;
};

/* Verifies an envelope of `size` bytes and reads its manifest. The signature is by Ed25519 (COSE's EdDSA and
 * Ed25519), or by ECDSA on P-256 with SHA-256 (ES256 and ESP256). Of several signatures one must
 * verify; the first SELO_SUIT_SIGNATURES of the algorithm are tried.
 *   Sizes: size up to SELO_SUIT_ENVELOPE_MAX.
 *   Returns: SELO_OK; SELO_ERROR_TAG if no signature is by this key, or the manifest was altered;
 *   SELO_ERROR_KEY if the key is no public key; SELO_ERROR_ARGUMENT if the envelope is malformed, or the
 *   manifest has what the minimal set does not.
 *   Output on error: *manifest is zeroed.
 *   Stack: 1,382 with Ed25519, 1,295 with P-256. */
enum { SELO_SUIT_SIGNATURES = 3, SELO_SUIT_ENVELOPE_MAX = 16384 };
enum selo_status selo_suit_open_ed25519(struct selo_suit_manifest *manifest, const uint8_t *envelope,
                                        size_t size, const uint8_t public_key[32]);
enum selo_status selo_suit_open_p256(struct selo_suit_manifest *manifest, const uint8_t *envelope,
                                     size_t size, const uint8_t public_key[64]);

/* Returns: 1 if the manifest names this vendor and this class, else 0. The ids are UUIDs [RFC9562, 5.5] [SUIT, 8.4]. */
uint8_t selo_suit_is_for(const struct selo_suit_manifest *manifest, const uint8_t vendor_id[16],
                         const uint8_t class_id[16]);

/* Verifies an image as it arrives, or as it is read from flash, in pieces of any size. _finish wipes *image;
 * without a new _start it returns SELO_ERROR_STATE.
 *   Returns: SELO_OK; SELO_ERROR_TAG if the image is not that of the manifest, in size or content. */
struct selo_suit_image {
    struct selo_sha256 hash;
    uint8_t digest[32];
    uint32_t left;
    uint8_t state;
};
void selo_suit_image_start(struct selo_suit_image *image, const struct selo_suit_manifest *manifest);
void selo_suit_image_update(struct selo_suit_image *image, const void *data, size_t size);
enum selo_status selo_suit_image_finish(struct selo_suit_image *image);

#ifdef __cplusplus
}
#endif

#endif
